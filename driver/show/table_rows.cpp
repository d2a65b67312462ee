#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/show/figures.hpp"
#include "driver/show/table.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

auto row_rank(const point_summary& s) {
  const point& p = s.what;
  const op_facts facts = facts_of(s);
  return std::tuple(p.backend, p.arm, family_rank(facts.family), facts.family, facts.rank, p.op,
                    p.type ? static_cast<int>(*p.type) : -1, p.scope, p.flavour, p.space, p.order,
                    p.placement, p.base_offset, stride_bytes(p), p.blocks, p.lanes, p.cells,
                    p.active, p.size, p.affinity, p.pus, p.wait, p.home, p.late_us, p.section_ns,
                    p.think_ns, p.reads_per_write, p.repeat);
}

std::string without_affinity(point p) {
  p.affinity = affinity::none;
  return canonical(p);
}

// Empty when only cells, lanes or affinity differ: those merges need no row of their own.
std::string other_code(const point& what, const point& measured) {
  std::vector<std::string> words;
  if (what.op != measured.op) words.push_back(measured.op);
  if (what.type != measured.type) words.push_back(type_text(measured));
  if (what.order != measured.order) words.emplace_back(to_text(measured.order));
  return words.empty() ? "" : "= " + join(words, " ");
}

// A marginal cost, and one below 0, is told by the times it comes from.
std::string both_sides(const point_summary& s) {
  return fmt::format("{} -> {} ns/step", nanoseconds(s.baseline_ns), nanoseconds(s.test_ns));
}

}  // namespace

std::vector<const point_summary*> other_placements(const point_summary& s) {
  std::vector<const point_summary*> shown;
  std::set<unsigned> classes{s.state_class};
  for (const point_summary& other : s.other_states) {
    if (other.visits >= enough_visits && classes.insert(other.state_class).second)
      shown.push_back(&other);
  }
  return shown;
}

std::vector<table_row> rows_of(const std::vector<point_summary>& points) {
  std::vector<table_row> rows;
  std::map<std::string, const point*> measured;
  std::map<std::string, std::size_t> row_of;  // by cells and lanes, and by what was measured
  for (const point_summary& s : points) {
    const bool refused = s.status == status::unsupported || s.status == status::elided;
    if (!s.measured_as.empty() || refused) continue;
    const std::string name = canonical(s.what);
    measured[name] = &s.what;
    row_of[without_affinity(s.what) + name] = rows.size();
    rows.push_back({&s, std::string(to_text(s.what.affinity)), ""});
  }
  for (const point_summary& s : points) {
    const auto in_place = measured.find(s.measured_as);
    if (in_place == measured.end()) continue;
    const auto [found, is_new] =
        row_of.try_emplace(without_affinity(s.what) + s.measured_as, rows.size());
    const std::string affinity(to_text(s.what.affinity));
    if (!is_new) {
      rows[found->second].affinities += ", " + affinity;
    } else if (const std::string code = other_code(s.what, *in_place->second); !code.empty()) {
      rows.push_back({&s, affinity, code});
    } else {
      row_of.erase(found);
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const table_row& a, const table_row& b) {
    return row_rank(*a.shown) < row_rank(*b.shown);
  });
  return rows;
}

std::size_t keep_some_pairs(std::vector<table_row>& rows) {
  constexpr std::size_t most = 56;
  std::map<std::string, std::size_t> pairs;
  return std::erase_if(rows, [&](const table_row& row) {
    if (row.shown->what.pus.size() != 2) return false;
    point without_pair = row.shown->what;
    without_pair.pus.clear();
    return ++pairs[canonical(without_pair)] > most;
  });
}

std::string cost_text(const point_summary& s) {
  if (has_cost(s)) return duration(s.cost_ns.value);
  if (has_upper_bound(s)) return "< " + upper_bound_ns(s.cost_ns.high);
  return "-";
}

// One visit says nothing of how visits differ.
std::string interval_text(const interval& cost_ns) {
  if (!std::isfinite(cost_ns.low)) return "unknown";
  return fmt::format("{}..{}", duration(cost_ns.low), duration(cost_ns.high));
}

std::string remarks(const table_row& row) {
  const point_summary& s = *row.shown;
  std::vector<std::string> all;
  if (s.status != status::ok) all.emplace_back(to_text(s.status));
  const bool inserted = facts_of(s).inserted && s.visits != 0;
  if (inserted || s.status == status::interferes) all.push_back(both_sides(s));
  if (s.additive == false) all.emplace_back("does not add up");
  if (s.what.waves) all.emplace_back("in waves");
  if (!row.stands_in.empty()) all.push_back(row.stands_in);
  return join(all, "; ");
}

std::string type_text(const point& p) { return p.type ? std::string(to_text(*p.type)) : ""; }

std::string placement_text(const point& p) {
  if (p.placement == placement::none) return "";
  if (p.placement == placement::shared) return "shared";
  std::string text = fmt::format("strided {} B", stride_bytes(p));
  if (p.base_offset != 0) text += fmt::format(" from {} B", p.base_offset);
  if (p.cells != 0) text += fmt::format(", {} cell{}", p.cells, p.cells == 1 ? "" : "s");
  return text;
}

std::string short_name(const point& p) {
  std::string text = p.op;
  if (p.type) text += " " + type_text(p);
  if (p.order != order::unordered) text += fmt::format(" {}", to_text(p.order));
  if (p.placement != placement::none) text += " " + placement_text(p);
  if (p.scope != scope::none) text += fmt::format(" {}", to_text(p.scope));
  if (p.flavour != flavour::none) text += fmt::format(" {}", to_text(p.flavour));
  if (p.space == space::shared_memory) text += " in shared memory";
  text += p.blocks != 1
              ? fmt::format(", {} blocks of {} lane{}", p.blocks, p.lanes, p.lanes == 1 ? "" : "s")
              : fmt::format(", {} lane{}", p.lanes, p.lanes == 1 ? "" : "s");
  if (p.active != 0) text += fmt::format(", {} of each warp", p.active);
  if (p.size != 0) text += fmt::format(", size {}", p.size);
  if (p.affinity != affinity::none) text += fmt::format(" {}", to_text(p.affinity));
  if (p.wait != wait_policy::active) text += fmt::format(" {}", to_text(p.wait));
  if (!p.pus.empty())
    text += fmt::format(" on PU{} {}", p.pus.size() == 1 ? "" : "s", fmt::join(p.pus, ","));
  if (p.home != home::none) text += fmt::format(", home {}", to_text(p.home));
  if (p.section_ns != 0) text += fmt::format(", {} ns inside", p.section_ns);
  if (p.think_ns != 0) text += fmt::format(", {} ns outside", p.think_ns);
  if (p.reads_per_write != 0) text += fmt::format(", {} reads a write", p.reads_per_write);
  if (p.late_us != 0) text += fmt::format(", {} us late", p.late_us);
  if (p.repeat != 0) text += fmt::format(", repeat {}", p.repeat);
  if (!p.arm.empty()) text += fmt::format(", in {}", p.arm);
  return text;
}

}  // namespace syncmeter
