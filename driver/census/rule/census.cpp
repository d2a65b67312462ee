// Judges an entry's loops by the census rule. Also parses declarations and prints counts.
#include "driver/census/rule/census.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include <fmt/format.h>

#include "core/op.hpp"
#include "driver/census/isa/instruction_class.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

using multiset = std::map<std::string, double>;

/// Returns the loop without the branch that closes a trip. With `insert` the baseline counts k
/// times, but the branch only once.
class_counts steps_of(const loop_code& loop) {
  class_counts steps = loop.inside;
  if (const auto branch = steps.find("branch"); loop.has_loop && branch != steps.end())
    --branch->second;
  return steps;
}

/// Returns the baseline for the loop with k measured ops: k times its steps with `insert`. The
/// loop's own counter stays single, except in SASS, which has slack for the counter.
class_counts repeated(class_counts baseline, const capability& what, int k, enum machine m) {
  if (what.pairing != "insert") return baseline;
  const int unroll = static_cast<int>(what.unroll);
  for (auto& [name, count] : baseline) {
    const bool has_own = is_bookkeeping(name) && m != machine::sass && unroll > 2;
    const int steps = has_own ? (count + (unroll - 1) / 2) / unroll * unroll : count;
    count += (k - 1) * steps;
  }
  return baseline;
}

bool is_ignored(std::string_view name) { return name == "nop" || name == "frame"; }

/// The difference at one number of measured ops, split into counts per op and per loop.
struct division {
  multiset per_op;
  std::map<std::string, int> once_per_loop;
  std::string uneven;  ///< a class with a remainder beyond the slack
};

division divide(const class_counts& rest, const capability& what, int k, enum machine m) {
  const int unroll = static_cast<int>(what.unroll);
  const double ops = 1.0 * what.unroll * what.ops_per_step * k;
  division result;
  for (const auto& [name, count] : rest) {
    if (is_ignored(name)) continue;
    if (!is_bookkeeping(name)) {
      result.per_op[name] = count / ops;
      continue;
    }
    // Rounds to the nearest multiple of unroll. The remainder belongs to the loop.
    const int steps = (count + (count < 0 ? -unroll : unroll) / 2) / unroll;
    const int left = count - steps * unroll;
    if (steps != 0) result.per_op[name] = steps * unroll / ops;
    if (left != 0) result.once_per_loop[name] = left;
    if (std::abs(left) > bookkeeping_slack(what.unroll, m))
      result.uneven = fmt::format("{} {} in {} steps", name, count, unroll);
  }
  return result;
}

/// Returns whether the op's classes match the declaration. A bookkeeping class or inner call counts
/// only if declared. An op that declares nothing must not even have bookkeeping.
bool matches(const multiset& found, const class_counts& expected) {
  if (expected.empty()) return found.empty();
  for (const auto& [name, count] : found) {
    const bool may_be_free = is_bookkeeping(name) || name.starts_with("inner:");
    const bool free = may_be_free && !expected.contains(name);
    if (!free && count != (expected.contains(name) ? expected.at(name) : 0)) return false;
  }
  return std::ranges::all_of(expected,
                             [&](const auto& term) { return found.contains(term.first); });
}

/// Returns true for classes that must not appear outside the loop. A difference between the sides
/// may mean a peeled trip.
bool must_repeat(std::string_view name) {
  return starts_with_any(name,
                         {"lock_", "lse_", "call:",  "dmb",   "dsb",       "ldx",     "ldax",
                          "amo",   "lr",   "fence_", "RED",   "ATOM",      "BAR.",    "MEMBAR",
                          "SHFL",  "VOTE", "MATCH",  "SYNCS", "NANOSLEEP", "UCGABAR", "FENCE"}) ||
         name.ends_with("fence") || name == "xchg_mem" || name == "pause" || name == "isb";
}

/// Returns how many of the four loops the worker names.
std::size_t loops_of(const capability& what) {
  return std::min(what.symbols.size(), counts.size());
}

/// Returns why the four loops cannot be compared, or an empty text.
std::string shape_problem(const capability& what, const std::array<loop_code, 4>& loops) {
  for (std::size_t i = 0; i < loops_of(what); ++i) {
    const std::string& symbol = what.symbols[i];
    if (!loops[i].problem.empty()) return fmt::format("{}: {}", symbol, loops[i].problem);
    if (loops[i].has_loop != loops[0].has_loop) {
      return fmt::format("{}: there is no loop left in it",
                         what.symbols[loops[0].has_loop ? i : 0]);
    }
    for (const auto& [name, count] : difference(loops[i].outside, loops[0].outside))
      if (must_repeat(name))
        return fmt::format("{}: {} {} outside the loop, against the baseline", symbol, name, count);
  }
  return {};
}

census_entry entry_for(const capability& what, enum machine m, std::string architecture) {
  census_entry entry;
  entry.backend = what.backend;
  entry.op = what.op;
  entry.order = to_text(what.order);
  entry.type = what.type ? to_text(*what.type) : "";
  entry.placements = join_texts(what.placements, [](placement p) { return to_text(p); }, ",");
  entry.scope = text_unless_none(what.scope);
  entry.flavour = text_unless_none(what.flavour);
  entry.space = text_unless_none(what.space);
  auto declared = what.declares.find(architecture);
  if (declared == what.declares.end()) declared = what.declares.find(std::string(to_text(m)));
  entry.architecture = std::move(architecture);
  if (declared != what.declares.end()) entry.declared = declared->second;
  return entry;
}

census_entry decided(census_entry entry, enum verdict v, std::string reason = {}) {
  entry.verdict = v;
  entry.reason = std::move(reason);
  return entry;
}

/// Splits outside <> and (), because a C++ function name may contain the separator.
std::vector<std::string_view> split_outside_brackets(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<' || text[i] == '(') ++depth;
    if (text[i] == '>' || text[i] == ')') --depth;
    if (text[i] != separator || depth != 0) continue;
    parts.push_back(trimmed(text.substr(first, i - first)));
    first = i + 1;
  }
  parts.push_back(trimmed(text.substr(first)));
  return parts;
}

void add_term(class_counts& counts, std::string_view term, std::string_view whole) {
  const auto blank = term.find_last_of(" \t");
  const std::string_view number = blank == std::string_view::npos ? "" : term.substr(blank + 1);
  int count = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), count);
  const bool whole_number = error == std::errc{} && end == number.data() + number.size();
  if (number.empty() || !whole_number || count < 1) {
    throw std::invalid_argument(fmt::format(
        "declared '{}': '{}' is not a class and a number of at least 1, as in 'lock_add 1'", whole,
        term));
  }
  const std::string name(trimmed(term.substr(0, blank)));
  if (!counts.emplace(name, count).second)
    throw std::invalid_argument(fmt::format("declared '{}': '{}' is there twice", whole, name));
}

bool is_lock(std::string_view callee) {
  for (const std::string_view part : {"mutex", "lock", "critical", "atomic_start"})
    if (callee.find(part) != std::string_view::npos) return true;
  return false;
}

bool is_compare_and_swap(std::string_view name) {
  return starts_with_any(name, {"lock_cmpxchg", "lse_cas", "amocas"}) ||
         (name.starts_with("ATOM") && name.find(".CAS") != std::string_view::npos);
}

/// Counts jumps to the same or an earlier line. If the compiler moved a retry block after the loop,
/// the block's jump back counts.
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

class_counts shapes_in(std::span<const loop_line> lines) {
  class_counts counts;
  for (const loop_line& line : lines) ++counts[line.shape];
  return counts;
}

class_counts difference(class_counts test, const class_counts& baseline) {
  for (const auto& [name, count] : baseline) test[name] -= count;
  std::erase_if(test, [](const auto& entry) { return entry.second == 0; });
  return test;
}

std::string_view to_text(verdict v) {
  constexpr std::array<std::string_view, 6> names{"proven",       "elided",     "no symbol",
                                                  "not declared", "not proven", "wrong"};
  return names.at(static_cast<std::size_t>(v));
}

bool is_bookkeeping(std::string_view name) {
  // A multiply-add also computes addresses, like "alu". An op that multiplies declares imad.
  return name == "move" || name == "alu" || name == "imad" || name == "jump" ||
         name == "reconverge" || is_ignored(name);
}

std::string what_sets_apart(const std::vector<const census_entry*>& some,
                            const std::vector<const census_entry*>& all) {
  std::vector<std::string> parts;
  for (const auto& [name, axis] : census_axes) {
    const auto values_in = [axis = axis](const std::vector<const census_entry*>& entries) {
      std::vector<std::string> values;
      for (const census_entry* entry : entries) add_once(values, entry->*axis);
      return values;
    };
    const std::vector<std::string> values = values_in(some);
    if (values.size() < values_in(all).size()) parts.push_back(join(values, " "));
  }
  return join(parts, "; ");
}

census_entry unjudged(const capability& what, enum machine m, enum verdict v, std::string reason,
                      std::string architecture) {
  return decided(entry_for(what, m, std::move(architecture)), v, std::move(reason));
}

int bookkeeping_slack(unsigned unroll, enum machine m) {
  if (unroll < 3) return 0;
  // An instruction with three operands may fold two results into a register: half an instruction
  // per step.
  if (m == machine::sass) return static_cast<int>(unroll) / 2;
  return std::min(8, static_cast<int>(unroll - 1) / 2);
}

census_entry judge(const capability& what, const std::array<loop_code, 4>& loops, enum machine m,
                   std::string architecture) {
  census_entry entry = entry_for(what, m, std::move(architecture));
  entry.loops = loops;
  if (std::string problem = shape_problem(what, loops); !problem.empty())
    return decided(std::move(entry), verdict::not_proven, std::move(problem));

  const std::size_t named = loops_of(what);
  const class_counts baseline = steps_of(loops[0]);
  std::array<division, 4> found;
  for (std::size_t i = 1; i < named; ++i) {
    const class_counts without = repeated(baseline, what, counts[i], m);
    found[i] = divide(difference(steps_of(loops[i]), without), what, counts[i], m);
  }
  entry.per_op = found[1].per_op;
  entry.once_per_loop = found[1].once_per_loop;

  const bool empty =
      std::all_of(found.begin() + 1, found.begin() + static_cast<std::ptrdiff_t>(named),
                  [](const division& d) { return d.per_op.empty(); });
  if (entry.declared.empty() && empty)
    return decided(std::move(entry), what.empty_on_purpose ? verdict::proven : verdict::elided);
  if (entry.declared.empty() && !what.empty_on_purpose) {
    return decided(std::move(entry), verdict::not_declared,
                   fmt::format("nothing is declared for {}", to_text(m)));
  }
  const std::string text = entry.declared.empty() ? "nothing" : entry.declared;
  std::vector<class_counts> alternatives;
  try {
    alternatives = parse_declaration(text);
  } catch (const std::invalid_argument& error) {
    return decided(std::move(entry), verdict::wrong, error.what());
  }
  // All loops must match the same alternative, because a loop that folds an add at only one count
  // is a different op.
  std::string mismatch;
  std::size_t furthest = 0;
  for (const class_counts& alternative : alternatives) {
    std::size_t i = 1;
    while (i < named && matches(found[i].per_op, alternative)) ++i;
    if (i == named) {
      mismatch.clear();
      break;
    }
    if (i <= furthest) continue;
    furthest = i;
    mismatch = fmt::format("expected {}, seen {} (per operation, at {} measured)", text,
                           to_text(found[i].per_op), counts[i]);
  }
  if (!mismatch.empty()) return decided(std::move(entry), verdict::wrong, std::move(mismatch));
  for (std::size_t i = 1; i < named; ++i) {
    if (found[i].uneven.empty()) continue;
    return decided(
        std::move(entry), verdict::wrong,
        fmt::format("not the same in every step: {}, at {} measured", found[i].uneven, counts[i]));
  }
  const bool elided = empty && !what.empty_on_purpose;
  return decided(std::move(entry), elided ? verdict::elided : verdict::proven);
}

std::vector<class_counts> parse_declaration(std::string_view text) {
  std::vector<class_counts> alternatives;
  for (const std::string_view alternative : split_outside_brackets(text, '|')) {
    class_counts& counts = alternatives.emplace_back();
    if (alternative == "nothing") continue;
    for (const std::string_view term : split_outside_brackets(alternative, ','))
      add_term(counts, term, text);
  }
  return alternatives;
}

std::string to_text(const std::map<std::string, double>& counts) {
  if (counts.empty()) return "nothing";
  return join_texts(
      counts, [](const auto& term) { return fmt::format("{} {:.4g}", term.first, term.second); });
}

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
    if (2 * count * what.ops_per_step < 1) continue;  // once per trip, or not part of the op
    any = true;
    if (name.starts_with("call:")) {
      calls = true;
      locks = locks || is_lock(name);
    }
    exclusive = exclusive || starts_with_any(name, {"ldxr", "ldaxr", "ldxp", "ldaxp", "lr"});
    compares = compares || is_compare_and_swap(name);
    if (!is_bookkeeping(name)) needed += count;
  }
  if (calls) return locks ? code_kind::lock : code_kind::call;
  // Counts per step, to exclude the jump that closes a trip: with unroll 1 both sides have the
  // jump.
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
  std::map<std::string, double> per_op;
  const int unroll = static_cast<int>(what.unroll);
  for (const auto& [shape, count] :
       difference(shapes_in(entry.loops[1].lines), shapes_in(entry.loops[0].lines))) {
    if (2 * std::abs(count) < unroll) continue;
    const double each = 1.0 * count / (1.0 * what.unroll * what.ops_per_step);
    per_op[shape] = std::round(each * 100) / 100;
  }
  return per_op;
}

}  // namespace syncmeter
