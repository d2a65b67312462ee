// Selects entries, takes the census worker by worker, prints and summarizes it.
#include "driver/commands/commands.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "driver/census/rule/census.hpp"
#include "driver/census/rule/census_diff.hpp"
#include "driver/census/rule/census_text.hpp"
#include "driver/census/rule/worker_census.hpp"
#include "driver/census/tools/elf_file.hpp"
#include "driver/text/columns.hpp"
#include "driver/text/command_line.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"
#include "driver/workers/find_workers.hpp"

namespace syncmeter {
namespace {

template <class List, class Value> bool admits(const List& list, const Value& value) {
  return list.empty() || contains(list, value);
}

bool wanted(const census_options& options, const worker_info& worker, const capability& what) {
  return (contains(options.backends, worker.name) || admits(options.backends, what.backend)) &&
         admits(options.ops, what.op) && admits(options.orders, what.order) &&
         (!what.type || admits(options.types, *what.type));
}

void check_names(std::string_view option, const std::vector<std::string>& named,
                 const std::set<std::string>& existing) {
  for (const std::string& name : named)
    if (!existing.contains(name))
      throw usage_error(fmt::format(
          "--{}: '{}' is not one of {}", option, name,
          existing.empty() ? "any worker's" : fmt::format("{}", fmt::join(existing, ", "))));
}

void check_names(const census_options& options, const std::vector<worker_info>& workers) {
  std::set<std::string> backends, ops;
  for (const worker_info& worker : workers) {
    backends.insert(worker.name);
    backends.insert(worker.backends.begin(), worker.backends.end());
    // The worker may know the name. Its problem is printed instead.
    if (!worker.problem.empty()) return;
    for (const capability& what : worker.capabilities) {
      backends.insert(what.backend);
      ops.insert(what.op);
    }
  }
  check_names("backend", options.backends, backends);
  check_names("op", options.ops, ops);
}

bool passes(const census_entry& entry) {
  return entry.verdict == verdict::proven || entry.verdict == verdict::elided ||
         entry.verdict == verdict::no_symbol;
}

void print(std::FILE* out, const std::string& text) { fmt::print(out, "{}", text); }
void print_json(std::FILE* out, const nlohmann::json& object) { print(out, object.dump() + "\n"); }

std::vector<option_row> rows_of(census_options& o) {
  return {
      help_row(o.help),
      value_row("backend", "LIST",
                "only these backends, or all of these workers (default: every worker found)",
                o.backends, open_list{known_backend_names()}),
      value_row("op", "LIST", "only these operations (default: all)", o.ops,
                open_list{shared_op_names()}),
      value_row("type", "LIST",
                "only these types, of those operations that have one (default: all)", o.types,
                names_of_axis<value_type>{"type"}),
      value_row("order", "LIST", "only these memory orders (default: all)", o.orders,
                names_of_axis<order>{"order"}),
      switch_row(
          "wide",
          "on a terminal, too, a row for each loop (default: there one for each operation's code)",
          o.wide),
      switch_row("json", "print one JSON object (default: a table)", o.json),
      switch_row(
          "check",
          "exit status 1 unless every loop is proven or elided (default: where one is wrong)",
          o.check),
      switch_row("save", "keep the census beside each worker, for `run` to store (default: off)",
                 o.save),
  };
}

constexpr const char* diff_notes =
    "`syncmeter census diff A B` compares the loops of two builds, instruction by\n"
    "instruction: A and B are workers, or folders that hold them. Which register,\n"
    "address or label is which does not count.\n";
constexpr const char* read_notes =
    "`syncmeter census read WORKER FILE` counts the instructions of each operation\n"
    "of that worker in FILE, a program or cubin for another machine.\n";

int print_help(std::FILE* out, const char* words, const char* notes,
               const std::vector<option_row>& rows, const char* statuses) {
  fmt::print(out, "Usage: syncmeter census {} [options]\n{}\n{}\nExit status: {}.\n", words, notes,
             options_text(rows), statuses);
  return 0;
}

struct diff_request {
  std::string format = "text";
  bool help = false;
};

std::vector<option_row> rows_of(diff_request& request) {
  return {help_row(request.help),
          value_row("format", "NAME", "text, json or markdown (default: text)", request.format,
                    one_name{"format", {"text", "json", "markdown"}})};
}

using named_workers = std::map<std::string, worker_info>;

named_workers workers_of_build(const std::string& path) {
  named_workers workers;
  if (!std::filesystem::exists(path))
    throw usage_error(fmt::format("census diff: there is no {}", quote(path)));
  for (worker_info& worker : workers_at(path)) {
    if (!worker.problem.empty())
      throw usage_error(
          fmt::format("census diff: {}: {}", printable(worker.path), printable(worker.problem)));
    std::string name = worker.name;
    workers.emplace(std::move(name), std::move(worker));
  }
  if (workers.empty())
    throw usage_error(
        fmt::format("census diff: there is no worker (syncmeter-*) in {}", quote(path)));
  return workers;
}

worker_diff diff_of(const std::string& name, const worker_info& a, const worker_info& b) {
  const auto census = [](const worker_info& worker) {
    return take_census(worker.path, worker.capabilities, true);
  };
  // Runs in parallel, because a disassembler takes seconds on a worker.
  auto of_a = std::async(std::launch::async, census, std::cref(a));
  const std::vector<census_entry> of_b = census(b);
  return compare_workers(name, of_a.get(), of_b, a.name != b.name);
}

/// Compares two single programs whatever their names are.
std::vector<worker_diff> diffs_of(const named_workers& a, const named_workers& b, bool programs) {
  if (programs) {
    const auto& [name_a, worker_a] = *a.begin();
    const auto& [name_b, worker_b] = *b.begin();
    return {diff_of(name_a == name_b ? name_a : name_a + " and " + name_b, worker_a, worker_b)};
  }
  std::vector<std::future<worker_diff>> under_way;
  for (const auto& [name, worker] : a)
    if (const auto other = b.find(name); other != b.end())
      under_way.push_back(std::async(std::launch::async, diff_of, name, std::cref(worker),
                                     std::cref(other->second)));
  std::vector<worker_diff> diffs;
  for (std::future<worker_diff>& each : under_way) diffs.push_back(each.get());
  return diffs;
}

std::vector<std::string> names_beyond(const named_workers& some, const named_workers& others) {
  std::vector<std::string> names;
  for (const auto& [name, worker] : some)
    if (!others.contains(name)) names.push_back(name);
  return names;
}

int diff_command(const std::vector<std::string>& arguments, std::FILE* out) {
  diff_request request;
  const std::vector<option_row> rows = rows_of(request);
  const std::vector<std::string> words = parse_command_line(arguments, rows, 2);
  if (request.help)
    return print_help(out, "diff A B", diff_notes, rows,
                      "0 nothing changed, 1 something did, 2 a wrong command line or\nnothing to "
                      "compare");
  if (words.size() != 2)
    throw usage_error(
        "census diff: two builds must be named, as in syncmeter census diff old/bin new/bin");
  const named_workers a = workers_of_build(words[0]), b = workers_of_build(words[1]);
  namespace fs = std::filesystem;
  const bool programs = !fs::is_directory(words[0]) && !fs::is_directory(words[1]);
  const std::vector<worker_diff> diffs = diffs_of(a, b, programs);
  if (diffs.empty())
    throw usage_error(fmt::format("census diff: no worker is in both {} and {}", quote(words[0]),
                                  quote(words[1])));
  std::vector<std::string> only_a, only_b;
  if (!programs) only_a = names_beyond(a, b), only_b = names_beyond(b, a);
  if (request.format == "json") {
    nlohmann::json list = nlohmann::json::array();
    for (const worker_diff& diff : diffs) list.push_back(diff_json(diff));
    print_json(out, {{"kind", "census_diff"},
                     {"a", words[0]},
                     {"b", words[1]},
                     {"workers", std::move(list)},
                     {"only_a", only_a},
                     {"only_b", only_b}});
  } else {
    const bool markdown = request.format == "markdown";
    for (std::size_t i = 0; i < diffs.size(); ++i)
      fmt::print(out, "{}{}", i == 0 ? "" : "\n",
                 printable(markdown ? diff_markdown(diffs[i]) : diff_text(diffs[i]), true));
    for (const auto& [build, names] : {std::pair{"A", &only_a}, std::pair{"B", &only_b}})
      if (!names->empty())
        fmt::print(out, "\nworkers only in {}: {}\n", build, printable(join(*names)));
  }
  const bool changed = std::ranges::any_of(diffs, &worker_diff::changed);
  return changed || !only_a.empty() || !only_b.empty() ? 1 : 0;
}

struct read_request {
  bool json = false;
  bool help = false;
};

std::vector<option_row> rows_of(read_request& request) {
  return {help_row(request.help),
          switch_row("json", "print one JSON object (default: a table)", request.json)};
}

worker_info worker_at(const std::string& path) {
  if (!std::filesystem::is_regular_file(path))
    throw usage_error(fmt::format("census read: there is no worker {}", quote(path)));
  std::vector<worker_info> found = workers_at(path);
  if (found.empty())
    throw usage_error(fmt::format("census read: {} is no worker (syncmeter-NAME)", quote(path)));
  if (!found.front().problem.empty())
    throw usage_error(fmt::format("census read: {}: {}", printable(found.front().path),
                                  printable(found.front().problem)));
  return std::move(found.front());
}

/// Keeps each entry's first two loops. The others only show whether costs add up.
std::vector<capability> with_two_loops(std::vector<capability> entries, bool gpu_code) {
  std::erase_if(entries, [&](const capability& what) {
    return !what.supported || what.symbols.size() < 2 || is_gpu_code(what) != gpu_code;
  });
  for (capability& what : entries) what.symbols.resize(2);
  return entries;
}

bool is_missing(const census_entry& entry) {
  return entry.verdict == verdict::not_proven && !entry.unread && entry.loops[0].lines.empty() &&
         entry.loops[1].lines.empty() && entry.loops[0].problem.empty();
}

int read_command(const std::vector<std::string>& arguments, std::FILE* out) {
  read_request request;
  const std::vector<option_row> rows = rows_of(request);
  const std::vector<std::string> words = parse_command_line(arguments, rows, 2);
  if (request.help)
    return print_help(out, "read WORKER FILE", read_notes, rows,
                      "0, 1 where FILE has none of the loops, 2 a wrong command line");
  if (words.size() != 2)
    throw usage_error("census read: a worker and a file must be named, as in syncmeter census "
                      "read bin/syncmeter-std other-build/syncmeter-std");
  const worker_info worker = worker_at(words[0]);
  const std::string& file = words[1];
  if (!std::filesystem::is_regular_file(file))
    throw usage_error(fmt::format("census read: there is no file {}", quote(file)));
  const bool gpu_code = file.ends_with(".cubin");
  const std::vector<capability> whats = with_two_loops(worker.capabilities, gpu_code);
  std::vector<census_entry> census;
  std::string_view machine_name;
  try {
    machine_name = to_text(gpu_code ? machine::sass : read_elf_symbols(file).machine);
    census = take_census(file, whats, true);
  } catch (const disassembly_error& error) {
    throw usage_error(fmt::format("census read: {}", printable(error.what())));
  }
  std::vector<found_entry> found;
  for (std::size_t i = 0; i < census.size(); ++i) {
    if (census[i].unread)
      throw usage_error(fmt::format("census read: {}", printable(census[i].reason)));
    if (!is_missing(census[i])) found.push_back({std::move(census[i]), whats[i]});
  }
  if (request.json) {
    print_json(out, {{"kind", "census_read"},
                     {"worker", worker.name},
                     {"file", file},
                     {"machine", machine_name},
                     {"entries", found_json(found)}});
  } else {
    fmt::print(out, "{} for {}: {}\n\n{}", printable(file), machine_name,
               count_text(found.size(), "entry", "entries"), printable(found_table(found), true));
  }
  return found.empty() ? 1 : 0;
}

}  // namespace

int census_of_workers(const census_options& options, const std::vector<worker_info>& workers,
                      std::FILE* out) {
  check_names(options, workers);
  nlohmann::json list = nlohmann::json::array();
  std::size_t checked = 0;
  bool good = true, any_wrong = false;
  // Programs read files and pipes, which therefore get every loop.
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
        if (!failure.empty()) print_message(failure);
        good = good && failure.empty();
      }
      if (!options.json && !census.empty()) {
        const std::string unknown = "unknown compiler";
        const std::string of = fmt::format(
            "worker {} ({}), {}", worker.name,
            worker.build.is_object() ? worker.build.value("compiler", unknown) : unknown,
            worker.path);
        print(out, fmt::format("{}\n\n{}\n", narrow ? wrapped(of, 0) : of,
                               narrow ? census_by_op(census) : census_table(census)));
      }
    }
    list.push_back(std::move(object));
  }
  // A check without any entry must not pass.
  if (options.json) print_json(out, {{"kind", "census"}, {"workers", std::move(list)}});
  else if (checked == 0)
    print(out, "nothing to look at: no worker has a supported operation of these\n");
  return any_wrong || (options.check && (!good || checked == 0)) ? 1 : 0;
}

census_options parse_census_options(const std::vector<std::string>& arguments) {
  census_options o;
  parse_command_line(arguments, rows_of(o));
  return o;
}

namespace {

std::string census_notes() {
  return R"(Disassembles the timed loops of every worker and compares what one measured op
compiled to with what the op declares. Needs objdump (binutils); for workers
with GPU code also cuobjdump, from the CUDA toolkit or the Python packages
nvidia-cuda-cuobjdump and nvidia-cuda-nvdisasm, on PATH, in $CUDA_HOME/bin or in
/usr/local/cuda/bin.
)" + std::string(diff_notes) +
         read_notes;
}

int census_command(const std::vector<std::string>& arguments, std::FILE* out) {
  if (!arguments.empty() && arguments.front() == "diff")
    return diff_command({arguments.begin() + 1, arguments.end()}, out);
  if (!arguments.empty() && arguments.front() == "read")
    return read_command({arguments.begin() + 1, arguments.end()}, out);
  const census_options options = parse_census_options(arguments);
  if (options.help) {
    print(out, "Usage: syncmeter census [options]\n" + census_notes() + "\n" +
                   options_text(unread_rows<census_options>(rows_of)) +
                   "LIST is one value or several with commas between them.\n\n" +
                   options_text(unread_rows<diff_request>(rows_of), "Options of diff"));
    return 0;
  }
  return census_of_workers(options, find_workers(options.backends), out);
}

}  // namespace

command census_row() {
  std::vector<option_row> rows = unread_rows<census_options>(rows_of);
  const std::vector<option_row> of_diff = unread_rows<diff_request>(rows_of);
  rows.insert(rows.end(), of_diff.begin() + 1, of_diff.end());  // all but --help
  return {.name = "census",
          .purpose = "checks the machine code of every operation against its declaration",
          .options = std::move(rows),
          .run = alone(census_command),
          .word = "[diff A B]",
          .words = {"diff"},
          .notes = census_notes()};
}

}  // namespace syncmeter
