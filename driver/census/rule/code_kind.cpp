#include "driver/census/rule/code_kind.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "driver/census/isa/instruction.hpp"

namespace syncmeter {
namespace {

bool is_lock(std::string_view callee) {
  for (const std::string_view part : {"mutex", "lock", "critical", "atomic_start"}) {
    if (callee.find(part) != std::string_view::npos) return true;
  }
  return false;
}

bool is_exclusive_load(std::string_view name) {
  return starts_with_any(name, {"ldxr", "ldaxr", "ldxp", "ldaxp", "lr"});
}

bool is_compare_and_swap(std::string_view name) {
  return starts_with_any(name, {"lock_cmpxchg", "lse_cas", "amocas"}) ||
         (name.starts_with("ATOM") && name.find(".CAS") != std::string_view::npos);
}

/// Jumps to a line that is not behind them. The compiler may put a retry behind the loop: then the
/// jump back from there is the one.
int jumps_back(const std::vector<loop_line>& lines) {
  int found = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& text = lines[i].text;
    const auto label = text.rfind('L');
    if (label == std::string::npos || label == 0 || is_one_of(text.substr(label), {"L"})) continue;
    if (text[label - 1] != ' ' && text[label - 1] != ',') continue;
    std::size_t line = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + label + 1, end, line);
    if (error == std::errc{} && stop == end && line <= i) ++found;
  }
  return found;
}

}  // namespace

std::string_view to_text(code_kind kind) {
  constexpr std::array<std::string_view, 9> names{
      "nothing",  "one instruction", "instructions", "LL/SC loop",
      "CAS loop", "another loop",    "call",         "lock",
      "unknown"};
  return names.at(static_cast<std::size_t>(kind));
}

code_kind kind_of(const census_entry& entry, const capability& what) {
  if (entry.verdict == verdict::not_proven || entry.verdict == verdict::no_symbol)
    return code_kind::unknown;
  double needed = 0;
  bool calls = false, locks = false, exclusive = false, compares = false, any = false;
  for (const auto& [name, count] : entry.per_op) {
    if (2 * count * what.ops_per_step < 1) continue;  // once per trip, or there without the op
    any = true;
    if (name.starts_with("call:")) {
      calls = true;
      locks = locks || is_lock(name);
    }
    exclusive = exclusive || is_exclusive_load(name);
    compares = compares || is_compare_and_swap(name);
    if (!is_bookkeeping(name)) needed += count;
  }
  if (calls) return locks ? code_kind::lock : code_kind::call;
  // Per step, so that the jump that closes a trip does not count: with unroll 1 both sides have it.
  const int back = jumps_back(entry.loops[1].lines) - jumps_back(entry.loops[0].lines);
  if (2 * back >= static_cast<int>(what.unroll)) {
    if (exclusive) return code_kind::ll_sc_loop;
    return compares ? code_kind::cas_loop : code_kind::other_loop;
  }
  if (!any) return code_kind::nothing;
  return needed > 1 ? code_kind::instructions : code_kind::one_instruction;
}

std::map<std::string, double> instructions_per_op(const census_entry& entry,
                                                  const capability& what) {
  std::map<std::string, int> beyond;
  for (const loop_line& line : entry.loops[1].lines) ++beyond[line.shape];
  for (const loop_line& line : entry.loops[0].lines) --beyond[line.shape];
  std::map<std::string, double> per_op;
  const int unroll = static_cast<int>(what.unroll);
  for (const auto& [shape, count] : beyond) {
    if (2 * std::abs(count) < unroll || count == 0) continue;
    const double each = 1.0 * count / (1.0 * what.unroll * what.ops_per_step);
    per_op[shape] = std::round(each * 100) / 100;
  }
  return per_op;
}

}  // namespace syncmeter
