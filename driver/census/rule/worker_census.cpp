#include "driver/census/rule/worker_census.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/machine/read_file.hpp"
#include "core/worker/protocol.hpp"
#include "driver/census/isa/loop_code.hpp"
#include "driver/census/rule/census_text.hpp"

namespace syncmeter {
namespace {

/// By architecture, then by name.
using loops_by_name = std::map<std::string, loop_code, std::less<>>;
using kernel_loops = std::map<std::string, loops_by_name>;

/// Judges all entries in order. Calls `judge_one` for entries with loops, unless `problem` is set.
template <class Judge>
std::vector<census_entry> judge_all(const std::vector<const capability*>& entries, enum machine m,
                                    const std::string& problem, const Judge& judge_one) {
  std::vector<census_entry> census;
  for (const capability* what : entries) {
    if (what->symbols.empty()) {
      census.push_back(unjudged(*what, m, verdict::no_symbol, "the worker names no loops for it"));
    } else if (problem.empty()) {
      census.push_back(judge_one(*what));
    } else {
      census.push_back(unjudged(*what, m, verdict::not_proven, problem));
      census.back().unread = true;
    }
  }
  return census;
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

/// Merges entries from all architectures: returns the worst, or the newest among equals.
census_entry worst_of(std::vector<census_entry> entries) {
  std::ranges::sort(entries, {},
                    [](const census_entry& e) { return architecture_number(e.architecture); });
  const auto worst =
      std::ranges::max_element(entries.rbegin(), entries.rend(), {}, &census_entry::verdict);
  census_entry result = *worst;
  std::vector<std::string> alike;
  for (const census_entry& entry : entries)
    if (entry.verdict == result.verdict) alike.push_back(entry.architecture);
  if (entries.size() > 1 && !result.reason.empty())
    result.reason = fmt::format("{}: {}", result.architecture, result.reason);
  result.architecture = fmt::format("{}", fmt::join(alike, ","));
  return result;
}

census_entry census_of_kernels(const capability& what, const kernel_loops& loops) {
  if (what.symbols.size() < 2)
    return unjudged(what, machine::sass, verdict::not_proven,
                    "the worker names 1 loop, not at least 2");
  std::vector<census_entry> entries;
  for (const auto& on : loops) {
    const bool there = std::ranges::any_of(
        what.symbols, [&on](const std::string& symbol) { return on.second.contains(symbol); });
    if (there) entries.push_back(census_on(on.first, what, on.second));
  }
  if (entries.empty()) {
    return unjudged(
        what, machine::sass, verdict::not_proven,
        fmt::format("{}: the program holds no machine code of it", what.symbols.front()));
  }
  return worst_of(std::move(entries));
}

/// Loops of all entries by start address.
using loops_by_address = std::map<std::uint64_t, loop_code>;

std::vector<code_range> ranges_of(const elf_symbols& symbols,
                                  const std::vector<const capability*>& entries) {
  std::vector<code_range> ranges;
  for (const capability* what : entries) {
    for (const std::string& symbol : what->symbols) {
      const auto found = symbols.functions.find(symbol);
      if (found != symbols.functions.end() && found->second.size > 0)
        ranges.push_back(found->second);
    }
  }
  return ranges;
}

/// Calls within functions that loops call ("inner:GOMP_parallel"), by the class of the outer call.
using inner_calls = std::map<std::string, class_counts, std::less<>>;

bool declares_inner_calls(const capability& what) {
  return std::ranges::any_of(what.declares, [](const auto& entry) {
    return entry.second.find("inner:") != std::string::npos;
  });
}

/// Counts a tail jump to another function as a call.
class_counts inner_calls_of(code_range range, std::span<const instruction> body, enum machine m) {
  class_counts calls;
  const std::vector<instruction_class> classes = classes_of(body, m);
  for (std::size_t i = 0; i < body.size(); ++i) {
    const std::string_view name = classes[i].name;
    const bool leaves = body[i].target_address && classes[i].flow == flow::jump &&
                        *body[i].target_address - range.first >= range.size;
    if (name.starts_with("call:")) ++calls[fmt::format("inner:{}", name.substr(5))];
    else if (leaves) ++calls["inner:" + callee_name(body[i].target)];
  }
  return calls;
}

/// Reads inner calls for entries that declare inner calls, in functions of this program.
inner_calls read_inner_calls(const std::string& path, const elf_symbols& symbols,
                             const std::vector<const capability*>& entries,
                             const loops_by_address& loops) {
  std::set<std::string, std::less<>> called;
  for (const capability* what : entries) {
    if (!declares_inner_calls(*what)) continue;
    for (const code_range& range : ranges_of(symbols, {what}))
      if (const auto loop = loops.find(range.first); loop != loops.end())
        for (const auto& [name, count] : loop->second.inside)
          if (name.starts_with("call:")) called.insert(name);
  }
  inner_calls found;
  if (called.empty()) return found;
  std::map<std::uint64_t, std::string> name_at;
  std::vector<code_range> ranges;
  for (const auto& [symbol, range] : symbols.functions) {
    std::string name = "call:" + callee_name(symbol);
    if (range.size == 0 || symbol.find('.') != std::string::npos || !called.contains(name))
      continue;
    if (name_at.emplace(range.first, std::move(name)).second) ranges.push_back(range);
  }
  disassemble(path, symbols.machine, std::move(ranges),
              [&](code_range range, std::span<const instruction> body) {
                found[name_at[range.first]] = inner_calls_of(range, body, symbols.machine);
              });
  return found;
}

loop_code with_inner_calls(loop_code loop, const inner_calls& inner) {
  class_counts more;
  for (const auto& [name, count] : loop.inside) {
    const auto calls = inner.find(name);
    if (calls == inner.end()) continue;
    for (const auto& [callee, times] : calls->second) more[callee] += count * times;
  }
  loop.inside.merge(more);
  return loop;
}

census_entry census_of(const capability& what, const elf_symbols& symbols,
                       const loops_by_address& loops, const inner_calls& inner) {
  std::array<loop_code, 4> four;
  // An op that no worker runs has two loops: with and without the op.
  const std::size_t needed = what.symbols.size() == 2 ? 2 : four.size();
  for (std::size_t i = 0; i < needed; ++i) {
    std::string problem;
    if (i >= what.symbols.size())
      problem = fmt::format("the worker names {} loops, not 4", what.symbols.size());
    else if (const auto at = symbols.functions.find(what.symbols[i]); at == symbols.functions.end())
      problem = fmt::format("{}: not in the program's symbol tables", what.symbols[i]);
    else if (const auto loop = loops.find(at->second.first); loop == loops.end())
      problem = fmt::format("{}: objdump shows no code for it", what.symbols[i]);
    else if (!declares_inner_calls(what)) four[i] = loop->second;
    else four[i] = with_inner_calls(loop->second, inner);
    if (problem.empty()) continue;
    return unjudged(what, symbols.machine, verdict::not_proven, std::move(problem));
  }
  return judge(what, four, symbols.machine);
}

/// Numbers the groups of entries with equal code and equal counts on both sides.
void group_same_code(std::vector<census_entry>& census,
                     const std::vector<const capability*>& whats) {
  std::map<std::vector<std::string>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < census.size(); ++i) {
    if (whats[i]->code.size() < 2 || census[i].loops[0].inside.empty()) continue;
    std::vector<std::string> key{census[i].backend, whats[i]->code[0], whats[i]->code[1]};
    for (const std::size_t side : {0U, 1U})
      for (const auto& [name, count] : census[i].loops[side].inside)
        key.push_back(fmt::format("{} {}", name, count));
    groups[std::move(key)].push_back(i);
  }
  std::size_t number = 0;
  std::set<std::vector<std::size_t>> in_table_order;
  for (const auto& [key, members] : groups)
    if (members.size() > 1) in_table_order.insert(members);
  for (const std::vector<std::size_t>& members : in_table_order) {
    ++number;
    for (const std::size_t i : members) census[i].same_code_group = number;
  }
}

/// Fails compare-and-swap entries with equal code. These ops differ only in values, and
/// declarations cannot express values. Equal code therefore contradicts a name.
void refuse_equal_compares(std::vector<census_entry>& census) {
  std::map<std::size_t, std::set<std::string_view>> ops;
  for (const census_entry& entry : census) ops[entry.same_code_group].insert(entry.op);
  for (census_entry& entry : census) {
    if (entry.same_code_group == 0 || !entry.op.starts_with("atomic_cas_")) continue;
    const auto& same = ops.at(entry.same_code_group);
    if (!same.contains("atomic_cas_pass") || !same.contains("atomic_cas_fail")) continue;
    entry.verdict = verdict::wrong;
    entry.reason = "atomic_cas_pass and atomic_cas_fail are the same machine code";
  }
}

/// Returns the census of CPU code, in the order of `entries`.
std::vector<census_entry> take_host_census(const std::string& path,
                                           const std::vector<const capability*>& entries,
                                           bool with_lines) {
  elf_symbols symbols;
  loops_by_address loops;
  inner_calls inner;
  std::string problem;
  try {
    symbols = read_elf_symbols(path);
    if (symbols.machine == machine::other) {
      throw disassembly_error(
          fmt::format("{}: only x86-64, aarch64 and riscv64 programs are understood", path));
    }
    disassemble(path, symbols.machine, ranges_of(symbols, entries),
                [&](code_range range, std::span<const instruction> body) {
                  loops[range.first] = read_loop(body, symbols.machine, with_lines);
                });
    inner = read_inner_calls(path, symbols, entries, loops);
  } catch (const disassembly_error& error) {
    problem = error.what();
  }
  return judge_all(entries, symbols.machine, problem,
                   [&](const capability& what) { return census_of(what, symbols, loops, inner); });
}

using nlohmann::json;

std::string census_file_of(const worker_info& worker) { return worker.path + ".census.json"; }

// A loop's name identifies backend, op, type and form.
const std::string& name_of(const capability& what) { return what.symbols.back(); }

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
  return judge_all(entries, machine::sass, problem,
                   [&](const capability& what) { return census_of_kernels(what, loops); });
}

std::vector<census_entry> take_census(const std::string& path,
                                      const std::vector<capability>& entries, bool with_lines) {
  std::vector<const capability*> supported, host, gpu;
  for (const capability& what : entries) {
    if (!what.supported) continue;
    supported.push_back(&what);
    (is_gpu_code(what) ? gpu : host).push_back(&what);
  }
  std::vector<census_entry> of_host, of_gpu;
  if (!host.empty()) of_host = take_host_census(path, host, with_lines);
  if (!gpu.empty()) of_gpu = take_sass_census(path, gpu, read_sass, with_lines);
  std::vector<census_entry> census;
  auto next_of_host = of_host.begin();
  auto next_of_gpu = of_gpu.begin();
  for (const capability* what : supported)
    census.push_back(std::move(is_gpu_code(*what) ? *next_of_gpu++ : *next_of_host++));
  group_same_code(census, supported);
  refuse_equal_compares(census);
  return census;
}

std::string save_census(const worker_info& worker, std::span<const capability> entries,
                        std::span<const census_entry> census) {
  json kept = json::object();
  auto next = census.begin();
  for (const capability& what : entries) {
    if (!what.supported) continue;
    const census_entry& entry = *next++;
    if (!what.symbols.empty()) kept[name_of(what)] = census_summary(entry);
  }
  if (kept.empty()) return {};
  const std::string file = census_file_of(worker);
  const std::string fresh = file + ".new";
  std::ofstream out(fresh);
  out << json{{"build", worker.build}, {"entries", std::move(kept)}}.dump() << '\n';
  out.close();
  if (!out) return fmt::format("cannot write {}: {}", fresh, std::strerror(errno));
  std::error_code error;
  std::filesystem::rename(fresh, file, error);
  return error ? fmt::format("cannot write {}: {}", file, error.message()) : std::string{};
}

void read_census(worker_info& worker) {
  const file_bytes file = read_file(census_file_of(worker));
  const json stored = read_json(file.bytes);
  if (file.error != 0 && file.error != ENOENT) {
    worker.passed_over.push_back(
        fmt::format("the census of worker '{}' is left out: {} cannot be read", worker.name,
                    census_file_of(worker)));
    return;
  }
  if (!stored.is_object() || !stored.contains("entries") ||
      stored.value("build", json()) != worker.build)
    return;
  const json& entries = stored.at("entries");
  for (capability& what : worker.capabilities) {
    if (what.symbols.empty()) continue;
    if (const auto found = entries.find(name_of(what)); found != entries.end())
      what.census = *found;
  }
}

}  // namespace syncmeter
