#include "driver/census/sass_census.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/census/kernel_names.hpp"
#include "driver/census/sass_loop.hpp"
#include "driver/census/sass_text.hpp"

namespace syncmeter {
namespace {

/// By architecture, then by name.
using loops_by_name = std::map<std::string, loop_code, std::less<>>;
using kernel_loops = std::map<std::string, loops_by_name>;

/// How bad a verdict is, beside those of other architectures.
int badness(enum verdict v) {
  switch (v) {
  case verdict::proven:
    return 0;
  case verdict::elided:
    return 1;
  case verdict::no_symbol:
    return 2;
  case verdict::not_declared:
    return 3;
  case verdict::not_proven:
    return 4;
  case verdict::wrong:
    break;
  }
  return 5;
}

census_entry unjudged_gpu(const capability& what, enum verdict v, std::string reason) {
  return unjudged(what, machine::sass, v, std::move(reason));
}

census_entry census_on(const std::string& architecture, const capability& what,
                       const loops_by_name& kernels) {
  std::array<loop_code, 4> loops;
  for (std::size_t i = 0; i < what.symbols.size() && i < loops.size(); ++i) {
    const auto found = kernels.find(what.symbols[i]);
    if (found == kernels.end()) {
      return unjudged(what, machine::sass, verdict::not_proven,
                      fmt::format("{}: not in the program's code", what.symbols[i]), architecture);
    }
    loops[i] = found->second;
  }
  return judge(what, loops, machine::sass, architecture);
}

/// One entry for all architectures: the worst of them, of equals the newest.
census_entry worst_of(std::vector<census_entry> entries) {
  std::ranges::sort(entries, {},
                    [](const census_entry& e) { return architecture_number(e.architecture); });
  const auto worst = std::ranges::max_element(entries.rbegin(), entries.rend(), {},
                                              [](const auto& e) { return badness(e.verdict); });
  census_entry result = *worst;
  std::vector<std::string> alike;
  for (const census_entry& entry : entries) {
    if (entry.verdict == result.verdict) alike.push_back(entry.architecture);
  }
  if (entries.size() > 1 && !result.reason.empty())
    result.reason = fmt::format("{}: {}", result.architecture, result.reason);
  result.architecture = fmt::format("{}", fmt::join(alike, ","));
  return result;
}

census_entry census_of(const capability& what, const kernel_loops& loops,
                       const std::string& problem) {
  if (what.symbols.empty())
    return unjudged_gpu(what, verdict::no_symbol, "the worker names no loops for it");
  if (!problem.empty()) {
    census_entry unread = unjudged_gpu(what, verdict::not_proven, problem);
    unread.unread = true;
    return unread;
  }
  if (what.symbols.size() < 2) {
    return unjudged_gpu(what, verdict::not_proven, "the worker names 1 loop, not at least 2");
  }
  std::vector<census_entry> entries;
  for (const auto& on : loops) {
    const bool there = std::ranges::any_of(
        what.symbols, [&on](const std::string& symbol) { return on.second.contains(symbol); });
    if (there) entries.push_back(census_on(on.first, what, on.second));
  }
  if (entries.empty()) {
    return unjudged_gpu(
        what, verdict::not_proven,
        fmt::format("{}: the program holds no machine code of it", what.symbols.front()));
  }
  return worst_of(std::move(entries));
}

}  // namespace

bool is_gpu_code(const capability& what) {
  const bool declared = std::ranges::any_of(what.declares, [](const auto& entry) {
    return entry.first == "sass" || entry.first.starts_with("sm_");
  });
  return declared || (what.declares.empty() && what.code.empty() && !what.symbols.empty());
}

std::vector<census_entry> take_sass_census(const std::string& path,
                                           const std::vector<const capability*>& entries,
                                           const sass_source& source, bool with_lines) {
  kernel_names names;
  for (const capability* what : entries)
    std::ranges::for_each(what->symbols, [&](const auto& name) { names.add(name); });
  kernel_loops loops;
  std::string problem;
  try {
    if (!names.empty())
      source(path, names,
             [&](std::string_view architecture, std::string_view function,
                 std::span<const instruction> kernel) {
               loops[std::string(architecture)].insert_or_assign(
                   std::string(function), read_timed_loop(kernel, with_lines));
             });
  } catch (const disassembly_error& error) {
    problem = error.what();
  }
  std::vector<census_entry> census;
  for (const capability* what : entries) census.push_back(census_of(*what, loops, problem));
  return census;
}

}  // namespace syncmeter
