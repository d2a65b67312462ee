// The census of a whole program: its symbols, a run of each disassembler it takes, and every entry
// judged.
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "driver/census/census.hpp"
#include "driver/census/sass_census.hpp"

namespace syncmeter {
namespace {

/// The loops of all entries, by where they begin.
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

census_entry census_of(const capability& what, const elf_symbols& symbols,
                       const loops_by_address& loops) {
  if (what.symbols.empty()) {
    return unjudged(what, symbols.machine, verdict::no_symbol, "the worker names no loops for it");
  }
  std::array<loop_code, 4> four;
  // Of loops that no worker runs there are two: those with and without the op.
  const std::size_t needed = what.symbols.size() == 2 ? 2 : four.size();
  for (std::size_t i = 0; i < needed; ++i) {
    std::string problem;
    if (i >= what.symbols.size()) {
      problem = fmt::format("the worker names {} loops, not 4", what.symbols.size());
    } else if (const auto at = symbols.functions.find(what.symbols[i]);
               at == symbols.functions.end()) {
      problem = fmt::format("{}: not in the program's symbol tables", what.symbols[i]);
    } else if (const auto loop = loops.find(at->second.first); loop == loops.end()) {
      problem = fmt::format("{}: objdump shows no code for it", what.symbols[i]);
    } else {
      four[i] = loop->second;
    }
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
    for (const std::size_t side : {0U, 1U}) {
      for (const auto& [name, count] : census[i].loops[side].inside) {
        key.push_back(fmt::format("{} {}", name, count));
      }
    }
    groups[std::move(key)].push_back(i);
  }
  std::size_t number = 0;
  std::map<std::size_t, const std::vector<std::size_t>*> in_table_order;
  for (const auto& [key, members] : groups) {
    if (members.size() > 1) in_table_order[members.front()] = &members;
  }
  for (const auto& [first, members] : in_table_order) {
    ++number;
    for (const std::size_t i : *members) census[i].same_code_group = number;
  }
}

/// What sets these two apart are the values that they compare with and write. The declarations
/// cannot tell them apart, and where the code is the same, one of them is not what its name says.
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

/// The census of code for the CPU, in the entries' order.
std::vector<census_entry> take_host_census(const std::string& path,
                                           const std::vector<const capability*>& entries,
                                           bool with_lines) {
  elf_symbols symbols;
  loops_by_address loops;
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
  } catch (const disassembly_error& error) {
    problem = error.what();
  }
  std::vector<census_entry> census;
  for (const capability* what : entries) {
    if (problem.empty() || what->symbols.empty()) {
      census.push_back(census_of(*what, symbols, loops));
    } else {
      census.push_back(unjudged(*what, symbols.machine, verdict::not_proven, problem));
      census.back().unread = true;
    }
  }
  return census;
}

}  // namespace

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

}  // namespace syncmeter
