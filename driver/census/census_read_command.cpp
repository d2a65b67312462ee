#include "driver/census/census_read_command.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/census/census_table.hpp"
#include "driver/census/code_kind.hpp"
#include "driver/census/elf_symbols.hpp"
#include "driver/census/sass_census.hpp"
#include "driver/text/quote.hpp"
#include "driver/text/usage_error.hpp"
#include "driver/workers/find_workers.hpp"

namespace syncmeter {
namespace {

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

/// An entry of which the file has code, and the op that it is of.
struct found_entry {
  census_entry entry;
  capability what;
};

/// Of each entry the first two loops: the others say whether costs add up, not what an op is.
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

std::string machine_text(const std::string& file, bool gpu_code) {
  return std::string(to_text(gpu_code ? machine::sass : read_elf_symbols(file).machine));
}

std::string table_of(const std::vector<found_entry>& found) {
  std::string text;
  for (const auto& [entry, what] : found) {
    std::string axes;
    for (const std::string* axis :
         {&entry.op, &entry.type, &entry.order, &entry.placements, &entry.scope, &entry.flavour,
          &entry.space, &entry.architecture}) {
      if (!axis->empty() && *axis != "none" && *axis != "unordered")
        axes += (axes.empty() ? "" : " ") + *axis;
    }
    text +=
        fmt::format("{:<50} {:<16} {}\n", axes, to_text(kind_of(entry, what)),
                    entry.verdict == verdict::not_proven ? entry.reason : to_text(entry.per_op));
  }
  return text;
}

nlohmann::json json_of(const std::vector<found_entry>& found) {
  std::vector<census_entry> entries;
  for (const auto& [entry, what] : found) entries.push_back(entry);
  nlohmann::json list = census_json(entries);
  for (std::size_t i = 0; i < found.size(); ++i) {
    // What it declares is for the machine that the worker runs on.
    for (const char* key : {"declared", "same_code_group", "loops"}) list[i].erase(key);
    list[i]["kind"] = to_text(kind_of(found[i].entry, found[i].what));
    list[i]["instructions"] = instructions_per_op(found[i].entry, found[i].what);
    list[i]["family"] = found[i].what.family;
  }
  return list;
}

}  // namespace

std::string census_read_notes() {
  return "`syncmeter census read WORKER FILE` names what each op of that worker is in\n"
         "FILE, a program or cubin with the same loops for another machine.\n";
}

int census_read_command(const std::vector<std::string>& arguments, std::FILE* out) {
  read_request request;
  const std::vector<option_row> rows = rows_of(request);
  const std::vector<std::string> words = parse_command_line(arguments, rows, 2);
  if (request.help) {
    fmt::print(out,
               "Usage: syncmeter census read WORKER FILE [options]\n{}\n{}\nExit status: 0, 1 "
               "where FILE has none of the loops, 2 a wrong command line.\n",
               census_read_notes(), options_text(rows));
    return 0;
  }
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
  std::string machine_name;
  try {
    machine_name = machine_text(file, gpu_code);
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
    fmt::print(out, "{}\n",
               nlohmann::json{{"kind", "census_read"},
                              {"worker", worker.name},
                              {"file", file},
                              {"machine", machine_name},
                              {"entries", json_of(found)}}
                   .dump());
  } else {
    fmt::print(out, "{} for {}: {} entries\n\n{}", printable(file), machine_name, found.size(),
               printable(table_of(found), true));
  }
  return found.empty() ? 1 : 0;
}

}  // namespace syncmeter
