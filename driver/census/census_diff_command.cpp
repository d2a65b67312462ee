#include "driver/census/census_diff_command.hpp"

#include <algorithm>
#include <filesystem>
#include <future>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/census/census_diff.hpp"
#include "driver/text/quote.hpp"
#include "driver/text/unknown_name.hpp"
#include "driver/text/usage_error.hpp"
#include "driver/workers/find_workers.hpp"

namespace syncmeter {
namespace {

/// How a difference is written.
struct named_format {
  [[nodiscard]] std::vector<std::string> values() const { return {"text", "json", "markdown"}; }
  std::string operator()(const std::string& option, const std::string& text) const {
    const std::vector<std::string> allowed = values();
    if (std::ranges::find(allowed, text) != allowed.end()) return text;
    throw usage_error(unknown_name(option, "format", text, allowed));
  }
};

struct diff_request {
  std::string format = "text";
  bool help = false;
};

std::vector<option_row> rows_of(diff_request& request) {
  return {help_row(request.help),
          value_row("format", "NAME", "text, json or markdown (default: text)", request.format,
                    named_format{})};
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

std::vector<census_entry> census_with_lines(const worker_info& worker) {
  return take_census(worker.path, worker.capabilities, true);
}

worker_diff diff_of(const std::string& name, const worker_info& a, const worker_info& b) {
  // A disassembler takes seconds on a worker.
  auto of_a = std::async(std::launch::async, census_with_lines, std::cref(a));
  const std::vector<census_entry> of_b = census_with_lines(b);
  return compare_workers(name, of_a.get(), of_b, a.name != b.name);
}

/// One program against another is compared whatever their names are.
std::vector<worker_diff> diffs_of(const named_workers& a, const named_workers& b, bool programs) {
  if (programs) {
    const auto& [name_a, worker_a] = *a.begin();
    const auto& [name_b, worker_b] = *b.begin();
    const std::string name = name_a == name_b ? name_a : fmt::format("{} and {}", name_a, name_b);
    return {diff_of(name, worker_a, worker_b)};
  }
  std::vector<std::future<worker_diff>> under_way;
  for (const auto& [name, worker] : a) {
    if (const auto other = b.find(name); other != b.end())
      under_way.push_back(std::async(std::launch::async, diff_of, name, std::cref(worker),
                                     std::cref(other->second)));
  }
  std::vector<worker_diff> diffs;
  for (std::future<worker_diff>& each : under_way) diffs.push_back(each.get());
  return diffs;
}

std::vector<std::string> names_beyond(const named_workers& some, const named_workers& others) {
  std::vector<std::string> names;
  for (const auto& [name, worker] : some) {
    if (!others.contains(name)) names.push_back(name);
  }
  return names;
}

}  // namespace

std::vector<option_row> census_diff_rows() {
  static diff_request unread;
  return rows_of(unread);
}

std::string census_diff_notes() {
  return "`syncmeter census diff A B` compares the loops of two builds, instruction by\n"
         "instruction: A and B are workers, or folders that hold them. Which register,\n"
         "address or label is which does not count.\n";
}

int census_diff_command(const std::vector<std::string>& arguments, std::FILE* out) {
  diff_request request;
  const std::vector<option_row> rows = rows_of(request);
  const std::vector<std::string> words = parse_command_line(arguments, rows, 2);
  if (request.help) {
    fmt::print(
        out,
        "Usage: syncmeter census diff A B [options]\n{}\n{}\nExit status: 0 nothing changed, 1 "
        "something did, 2 a wrong command line or\nnothing to compare.\n",
        census_diff_notes(), options_text(rows));
    return 0;
  }
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
  const std::vector<std::string> only_a =
      programs ? std::vector<std::string>{} : names_beyond(a, b);
  const std::vector<std::string> only_b =
      programs ? std::vector<std::string>{} : names_beyond(b, a);

  if (request.format == "json") {
    nlohmann::json list = nlohmann::json::array();
    for (const worker_diff& diff : diffs) list.push_back(diff_json(diff));
    fmt::print(out, "{}\n",
               nlohmann::json{{"kind", "census_diff"},
                              {"a", words[0]},
                              {"b", words[1]},
                              {"workers", std::move(list)},
                              {"only_a", only_a},
                              {"only_b", only_b}}
                   .dump());
  } else {
    const bool markdown = request.format == "markdown";
    for (std::size_t i = 0; i < diffs.size(); ++i)
      fmt::print(out, "{}{}", i == 0 ? "" : "\n",
                 printable(markdown ? diff_markdown(diffs[i]) : diff_text(diffs[i]), true));
    for (const auto& [build, names] : {std::pair{"A", &only_a}, std::pair{"B", &only_b}}) {
      if (!names->empty())
        fmt::print(out, "\nworkers only in {}: {}\n", build, printable(join(*names)));
    }
  }
  const bool changed = std::ranges::any_of(diffs, &worker_diff::changed);
  return changed || !only_a.empty() || !only_b.empty() ? 1 : 0;
}

}  // namespace syncmeter
