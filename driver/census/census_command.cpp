// Picks the entries asked for, takes the census worker by worker, prints it and sums it up.
#include "driver/census/census_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "driver/census/census_diff_command.hpp"
#include "driver/census/census_read_command.hpp"
#include "driver/census/census_store.hpp"
#include "driver/census/census_table.hpp"
#include "driver/text/usage_error.hpp"
#include "driver/workers/find_workers.hpp"

namespace syncmeter {
namespace {

template <class List, class Value> bool admits(const List& list, const Value& value) {
  return list.empty() || std::ranges::find(list, value) != list.end();
}

bool wanted(const census_options& options, const worker_info& worker, const capability& what) {
  const bool by_worker = std::ranges::find(options.backends, worker.name) != options.backends.end();
  return (by_worker || admits(options.backends, what.backend)) && admits(options.ops, what.op) &&
         admits(options.orders, what.order) && (!what.type || admits(options.types, *what.type));
}

void check_names(std::string_view option, const std::vector<std::string>& named,
                 const std::set<std::string>& existing) {
  for (const std::string& name : named) {
    if (existing.contains(name)) continue;
    throw usage_error(fmt::format("--{}: '{}' is not one of {}", option, name,
                                  existing.empty() ? "any worker's"
                                                   : fmt::format("{}", fmt::join(existing, ", "))));
  }
}

void check_names(const census_options& options, const std::vector<worker_info>& workers) {
  std::set<std::string> backends, ops;
  bool all_asked = true;
  for (const worker_info& worker : workers) {
    backends.insert(worker.name);
    backends.insert(worker.backends.begin(), worker.backends.end());
    all_asked = all_asked && worker.problem.empty();
    for (const capability& what : worker.capabilities) {
      backends.insert(what.backend);
      ops.insert(what.op);
    }
  }
  // A worker that cannot be asked may know the name; its problem is printed instead.
  if (!all_asked) return;
  check_names("backend", options.backends, backends);
  check_names("op", options.ops, ops);
}

bool passes(const census_entry& entry) {
  return entry.verdict == verdict::proven || entry.verdict == verdict::elided ||
         entry.verdict == verdict::no_symbol;
}

void print(std::FILE* out, const std::string& text) { fmt::print(out, "{}", text); }

}  // namespace

int census_of_workers(const census_options& options, const std::vector<worker_info>& workers,
                      std::FILE* out) {
  check_names(options, workers);
  nlohmann::json list = nlohmann::json::array();
  std::size_t checked = 0;
  bool good = true, any_wrong = false;
  // Programs read what goes to files and pipes: it has every loop.
  const bool narrow = !options.wide && ::isatty(::fileno(out)) == 1;
  for (const worker_info& worker : workers) {
    nlohmann::json object{{"worker", worker.name},
                          {"path", worker.path},
                          {"problem", worker.problem},
                          {"build", worker.build},
                          {"entries", nlohmann::json::array()}};
    if (!worker.problem.empty()) {
      good = false;
      if (!options.json) print(out, fmt::format("worker {}: {}\n", worker.name, worker.problem));
    } else {
      std::vector<capability> entries;
      std::ranges::copy_if(worker.capabilities, std::back_inserter(entries),
                           [&](const capability& what) { return wanted(options, worker, what); });
      const auto census = take_census(worker.path, entries);
      good = good && std::ranges::all_of(census, passes);
      any_wrong = any_wrong || std::ranges::any_of(census, [](const census_entry& entry) {
                    return entry.verdict == verdict::wrong;
                  });
      checked += census.size();
      object["entries"] = census_json(census);
      if (options.save) {
        const std::string failure = save_census(worker, entries, census);
        if (!failure.empty()) print(stderr, "syncmeter: " + failure + "\n");
        good = good && failure.empty();
      }
      const std::string compiler = worker.build.is_object()
                                       ? worker.build.value("compiler", "unknown compiler")
                                       : "unknown compiler";
      if (!options.json && !census.empty()) {
        print(out, fmt::format("worker {} ({}), {}\n\n{}\n", worker.name, compiler, worker.path,
                               narrow ? census_by_op(census) : census_table(census)));
      }
    }
    list.push_back(std::move(object));
  }
  // A check that looked at nothing must not pass.
  if (checked == 0 && !options.json)
    print(out, "nothing to look at: no worker has a supported op of these\n");
  if (options.json)
    print(out, nlohmann::json{{"kind", "census"}, {"workers", std::move(list)}}.dump() + "\n");
  return any_wrong || (options.check && (!good || checked == 0)) ? 1 : 0;
}

int census_command(const std::vector<std::string>& arguments, std::FILE* out) {
  if (!arguments.empty() && arguments.front() == "diff")
    return census_diff_command({arguments.begin() + 1, arguments.end()}, out);
  if (!arguments.empty() && arguments.front() == "read")
    return census_read_command({arguments.begin() + 1, arguments.end()}, out);
  const census_options options = parse_census_options(arguments);
  if (options.help) {
    print(out, census_help());
    return 0;
  }
  return census_of_workers(options, find_workers(options.backends), out);
}

}  // namespace syncmeter
