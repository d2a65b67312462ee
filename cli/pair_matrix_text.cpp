// The matrices of pairs as a terminal shows them.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/columns.hpp"
#include "cli/figures.hpp"
#include "cli/pair_matrix.hpp"
#include "cli/parse_axes.hpp"
#include "cli/table.hpp"

namespace syncmeter {
namespace {

// More columns than this do not fit a screen with intervals in them.
constexpr std::size_t most_pus_with_intervals = 16;

// Of the 256 colours of a terminal: green over yellow to red, dark enough for white letters.
constexpr std::array heat{22, 28, 64, 100, 136, 130, 124, 88};

struct scale {
  double least_ns = 0, most_ns = 0;
};

scale scale_of(const pair_matrix& matrix) {
  scale s;
  for (const auto& [pus, seen] : matrix.cells) {
    if (!has_cost(*seen)) continue;
    const double ns = seen->cost_ns.value;
    s.least_ns = s.least_ns == 0 ? ns : std::min(s.least_ns, ns);
    s.most_ns = std::max(s.most_ns, ns);
  }
  return s;
}

std::string on_heat(const std::string& text, double ns, const scale& s) {
  // Costs of one kind are not made to look different by a scale that their noise sets.
  const double range = std::log(std::max(s.most_ns / s.least_ns, state_gap));
  const double share = std::log(ns / s.least_ns) / range;
  const auto step = static_cast<std::size_t>(std::lround(share * (heat.size() - 1)));
  return fmt::format("\x1b[48;5;{}m\x1b[38;5;15m{}\x1b[0m", heat.at(step), text);
}

double half_width(const interval& i) { return std::max(i.high - i.value, i.value - i.low); }

std::string cell_text(const point_summary& s, bool with_interval) {
  if (!has_cost(s))
    return has_upper_bound(s) ? fmt::format("<{:.0f}", std::ceil(s.cost_ns.high))
                              : std::string(to_text(s.status));
  const double ns = s.cost_ns.value;
  const int decimals = ns >= 99.95 ? 0 : ns >= 9.995 ? 1 : 2;
  std::string text = fmt::format("{:.{}f}", ns, decimals);
  if (with_interval)
    text += std::isfinite(half_width(s.cost_ns))
                ? fmt::format("+-{:.{}f}", half_width(s.cost_ns), decimals)
                : "+-?";
  if (s.several_states) text += '*';
  if (s.status == status::busy) text += '!';
  return text;
}

// A blank line and column stand where neighbours share no cache; where hwloc knows of no shared
// cache at all, between packages.
sharing farthest_in_a_block(const std::vector<processing_unit>& units) {
  for (std::size_t i = 1; i < units.size(); ++i) {
    const sharing shared = shared_by(units[i - 1], units[i]);
    if (shared == sharing::unknown) return sharing::unknown;
    if (shared <= sharing::l3) return sharing::l3;
  }
  return sharing::package;
}

std::string grid(const pair_matrix& matrix, bool coloured) {
  const auto& units = matrix.units;
  const bool with_interval = units.size() <= most_pus_with_intervals;
  std::size_t width = 3;
  for (const auto& [pus, seen] : matrix.cells)
    width = std::max(width, cell_text(*seen, with_interval).size());
  for (const processing_unit& unit : units) width = std::max(width, fmt::to_string(unit.os).size());
  const scale colours = scale_of(matrix);
  const sharing block = farthest_in_a_block(units);
  const auto gap = [&](std::size_t i) {
    return i > 0 && shared_by(units[i - 1], units[i]) > block ? "  " : "";
  };
  std::string text = fmt::format("  {:<9}", "PU");
  for (std::size_t i = 0; i < units.size(); ++i)
    text += fmt::format("{} {:>{}}", gap(i), units[i].os, width);
  text += '\n';
  for (std::size_t row = 0; row < units.size(); ++row) {
    if (*gap(row) != '\0') text += '\n';
    std::string line = fmt::format("  {:<9}", units[row].os);
    for (std::size_t i = 0; i < units.size(); ++i) {
      const auto found = matrix.cells.find({units[row].os, units[i].os});
      const bool measured = found != matrix.cells.end();
      const std::string cell =
          fmt::format("{:>{}}", measured ? cell_text(*found->second, with_interval) : ".", width);
      const bool heated = coloured && measured && has_cost(*found->second);
      line += fmt::format("{} {}", gap(i),
                          heated ? on_heat(cell, found->second->cost_ns.value, colours) : cell);
    }
    text += line + '\n';
  }
  return text;
}

std::string class_table(const pair_matrix& matrix) {
  using enum columns::align;
  columns table({{"class", left},
                 {"pairs", right},
                 {"median ns", right},
                 {"range", right},
                 {"hop ns", right}});
  const auto other_kind = [&](const processing_unit& u) {
    return u.kind != matrix.units.front().kind;
  };
  const bool several_kinds = std::ranges::any_of(matrix.units, other_kind);
  for (const class_costs& c : costs_by_class(matrix)) {
    const bool any = c.measured > 0;
    table.row({to_text(c.which, several_kinds),
               c.measured == c.pairs ? fmt::to_string(c.pairs)
                                     : fmt::format("{} of {}", c.measured, c.pairs),
               any ? nanoseconds(c.median_ns) : "-",
               any ? fmt::format("{}..{}", nanoseconds(c.least_ns), nanoseconds(c.most_ns)) : "",
               c.hop_ns > 0 ? fmt::format("{:.0f}", c.hop_ns) : ""});
  }
  return table.text();
}

std::string ways_text(const pair_matrix& matrix) {
  const both_ways ways = compare_both_ways(matrix);
  std::string text;
  if (ways.compared > 0)
    text += fmt::format("  a to b against b to a: the intervals overlap in {} of {} pairs; they "
                        "differ by {:.1f} % in the median, by {:.1f} % at most (PUs {} and {})\n",
                        ways.agree, ways.compared, 100 * ways.median_share, 100 * ways.most_share,
                        ways.farthest.first, ways.farthest.second);
  if (ways.other_state > 0)
    text += fmt::format("  a to b against b to a: {} pairs not compared: the two were seen in "
                        "different placement states\n",
                        ways.other_state);
  return text;
}

std::string widest_interval(const pair_matrix& matrix) {
  double widest = 0;
  for (const auto& [pus, seen] : matrix.cells) {
    if (has_cost(*seen)) widest = std::max(widest, half_width(seen->cost_ns) / seen->cost_ns.value);
  }
  return fmt::format("  95 % intervals: the widest is +-{:.1f} %; --csv writes each\n",
                     100 * widest);
}

// What marks in the cells mean, where there are any.
std::string legend(const pair_matrix& matrix) {
  const auto any = [&](const auto& has) {
    return std::ranges::any_of(matrix.cells, [&](const auto& cell) { return has(*cell.second); });
  };
  std::string text;
  if (any([](const point_summary& s) { return s.several_states; }))
    text += "  * seen in several placement states; this is the one with most visits\n";
  if (any([](const point_summary& s) { return s.status == status::busy; }))
    text += "  ! a PU of the pair was shared or slow while measuring\n";
  return text;
}

// What no single pair can tell: a shared machine, or its clock, that was another one meanwhile.
std::string drift_text(const results_file& file, const pair_matrix& matrix) {
  const auto [least, most] = drift_of(file, matrix);
  if (least == 0) return {};
  return fmt::format("  the machine itself: the median of all pairs was {} to {} ns from pass to "
                     "pass ({:.1f} % apart)\n",
                     nanoseconds(least), nanoseconds(most), 100 * (most / least - 1));
}

std::string text_of(const results_file& file, const pair_matrix& matrix, bool coloured) {
  const point& p = matrix.what;
  const bool is_handoff = facts_of(*matrix.cells.begin()->second).family == "handoff";
  std::string text =
      fmt::format("\nCore to core: {}, {}: {}\n", p.backend, short_name(p),
                  is_handoff ? "one way in ns, half a round trip; the row is the first lane"
                             : "ns per op; the row is the first lane");
  const bool sampled = matrix.units.size() > most_pus_for_all_pairs;
  if (sampled) text += "  of each class a sample, spread over the machine; no matrix of it\n";
  else text += grid(matrix, coloured) + legend(matrix);
  if (matrix.units.size() > most_pus_with_intervals) text += widest_interval(matrix);
  return text + class_table(matrix) + ways_text(matrix) + drift_text(file, matrix);
}

}  // namespace

std::string pair_matrix_text(const results_file& file, const std::vector<pair_matrix>& matrices,
                             bool coloured) {
  std::string text;
  bool any_home = false;
  for (const pair_matrix& matrix : matrices) {
    text += text_of(file, matrix, coloured);
    any_home = any_home || matrix.what.home != home::none;
  }
  const nlohmann::json machine = file.campaign.value("machine", nlohmann::json::object());
  if (any_home && machine.is_object() && machine.value("numa_nodes", 0) == 1)
    text +=
        "\n  home: there is one NUMA node, so whichever PU touches the mailboxes first, they lie "
        "in the same memory: first, second and other cannot differ here\n";
  return text;
}

}  // namespace syncmeter
