// The table of points: which columns it needs, which rows, and what stands in each cell.
#include "driver/show/table.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/machine/pu_pairs.hpp"
#include "driver/plan/lane_places.hpp"
#include "driver/results/catalogue.hpp"
#include "driver/show/figures.hpp"
#include "driver/text/columns.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

std::string type_text(const point& p) { return p.type ? std::string(to_text(*p.type)) : ""; }

auto row_rank(const point_summary& s) {
  const point& p = s.what;
  const op_facts facts = facts_of(s);
  return std::tuple(p.backend, family_rank(facts.family), facts.family, facts.rank, p.op,
                    p.type ? static_cast<int>(*p.type) : -1, p.scope, p.flavour, p.space, p.order,
                    p.placement, p.base_offset, stride_bytes(p), p.blocks, p.lanes, p.cells,
                    p.active, p.size, p.affinity, p.pus, p.wait, p.home, p.late_us, p.repeat);
}

/// One row: the point, the affinities that it stands for, and what was measured in its place where
/// that is another op, type or order.
struct table_row {
  const point_summary* shown;
  std::string affinities, stands_in;
};

std::string without_affinity(point p) {
  p.affinity = affinity::none;
  return canonical(p);
}

// The other placements that three visits saw: one row each, quiet where that was seen as well.
std::vector<const point_summary*> other_placements(const point_summary& s) {
  std::vector<const point_summary*> shown;
  std::set<unsigned> classes{s.state_class};
  for (const point_summary& other : s.other_states) {
    if (other.visits >= 3 && classes.insert(other.state_class).second) shown.push_back(&other);
  }
  return shown;
}

// Empty when only cells, lanes or affinity differ: those merges need no row of their own.
std::string other_code(const point& what, const point& measured) {
  std::vector<std::string> words;
  if (what.op != measured.op) words.push_back(measured.op);
  if (what.type != measured.type) words.push_back(type_text(measured));
  if (what.order != measured.order) words.emplace_back(to_text(measured.order));
  return words.empty() ? "" : "= " + join(words, " ");
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

// Of points that differ in their pair of PUs alone the first so many: 8 PUs, both ways round. What
// the others are together is a matrix, which the report has. How many are left out.
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

/// Axes on which points of one op differ; the others need no column.
struct varying {
  bool backend = false, order = false, affinity = false, wait = false, late = false;
  bool any_gpu = false, any_cpu = false;
};

varying axes_that_vary(const std::vector<point_summary>& points) {
  std::set<std::string> backends;
  std::map<std::string, std::set<order>> orders;
  std::set<affinity> affinities;
  std::set<wait_policy> waits;
  varying v;
  for (const point_summary& s : points) {
    if (s.status == status::unsupported || s.status == status::elided) continue;
    (s.device ? v.any_gpu : v.any_cpu) = true;
    backends.insert(s.what.backend);
    orders[s.what.op].insert(s.what.order);
    affinities.insert(s.what.affinity);
    waits.insert(s.what.wait);
    v.late = v.late || s.what.late_us != 0;
  }
  for (const auto& [op, seen] : orders) v.order = v.order || seen.size() > 1;
  v.backend = backends.size() > 1;
  v.affinity = affinities.size() > 1;
  v.wait = waits.size() > 1;
  return v;
}

// A marginal cost, and one below 0, is told by the times it comes from.
std::string both_sides(const point_summary& s) {
  return fmt::format("{} -> {} ns/step", nanoseconds(s.baseline_ns), nanoseconds(s.test_ns));
}

std::string cost_text(const point_summary& s) {
  if (has_cost(s)) return nanoseconds(s.cost_ns.value);
  if (has_upper_bound(s)) return "< " + upper_bound_ns(s.cost_ns.high);
  return "-";
}

// One visit says nothing of how visits differ.
std::string interval_text(const interval& cost_ns) {
  if (!std::isfinite(cost_ns.low)) return "unknown";
  return fmt::format("{}..{}", nanoseconds(cost_ns.low), nanoseconds(cost_ns.high));
}

std::string remarks(const table_row& row) {
  const point_summary& s = *row.shown;
  std::vector<std::string> all;
  if (s.status != status::ok) all.emplace_back(to_text(s.status));
  const bool inserted = facts_of(s).inserted && s.visits != 0;
  if (inserted || s.status == status::interferes) all.push_back(both_sides(s));
  if (s.additive == false) all.emplace_back("does not add up");
  if (s.what.waves) all.emplace_back("in waves");
  // Some busy rounds beside quiet ones are everyday; the notes have their share.
  if (s.state.starts_with("state") || s.state.starts_with("hop")) all.push_back(s.state);
  if (!row.stands_in.empty()) all.push_back(row.stands_in);
  return join(all, "; ");
}

std::vector<std::string> cells_of(const table_row& row, const varying& v) {
  const point_summary& s = *row.shown;
  const auto rate = rates_of(s);
  return {v.backend ? s.what.backend : "",
          s.what.op,
          s.what.repeat != 0 ? fmt::to_string(s.what.repeat) : "",
          type_text(s.what),
          v.order ? std::string(to_text(s.what.order)) : "",
          text_unless_none(s.what.scope),
          text_unless_none(s.what.flavour),
          text_unless_none(s.what.space),
          placement_text(s.what),
          s.device ? fmt::to_string(s.what.blocks) : "",
          fmt::to_string(s.what.lanes),
          s.what.active != 0 ? fmt::to_string(s.what.active) : "",
          s.what.size != 0 ? fmt::to_string(s.what.size) : "",
          v.affinity ? row.affinities : "",
          fmt::format("{}", fmt::join(s.what.pus, ",")),
          v.wait ? std::string(to_text(s.what.wait)) : "",
          text_unless_none(s.what.home),
          v.late ? fmt::to_string(s.what.late_us) : "",
          cost_text(s),
          has_cost(s) ? interval_text(s.cost_ns) : "",
          has_cycles(s) ? nanoseconds(s.cost_cycles.value) : "",
          rate ? engineering(rate->per_lane) : "",
          rate ? engineering(rate->total) : "",
          s.visits != 0 && s.what.lanes * s.what.blocks > 1 ? fmt::format("{:.2f}", s.fairness)
                                                            : "",
          remarks(row)};
}

// What is the same in every state is not repeated.
std::vector<std::string> cells_of_placement(const point_summary& s) {
  constexpr std::ptrdiff_t from_cost_on = 7;
  std::vector<std::string> cells = cells_of({&s, "", ""}, {});
  std::fill(cells.begin(), cells.end() - from_cost_on, "");
  return cells;
}

}  // namespace

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
  if (p.late_us != 0) text += fmt::format(", {} us late", p.late_us);
  if (p.repeat != 0) text += fmt::format(", repeat {}", p.repeat);
  return text;
}

std::string point_table(const std::vector<point_summary>& points) {
  std::vector<table_row> rows = rows_of(points);
  const std::size_t pairs_left_out = keep_some_pairs(rows);
  if (rows.empty()) return "No point was measured.\n";
  const varying v = axes_that_vary(points);
  using enum columns::align;
  columns table({{"backend", left},
                 {"op", left},
                 {"repeat", right},
                 {"type", left},
                 {"order", left},
                 {"scope", left},
                 {"flavour", left},
                 {"space", left},
                 {"placement", left},
                 {"blocks", right},
                 {v.any_gpu && !v.any_cpu ? "threads" : "lanes", right},
                 {"active", right},
                 {"size", right},
                 {"affinity", left},
                 {"PUs", left},
                 {"wait", left},
                 {"home", left},
                 {"late us", right},
                 {"ns/op", right},
                 {"95 % interval", right},
                 {"cycles/op", right},
                 {"ops/s/lane", right},
                 {"ops/s", right},
                 {"fair", right},
                 {"notes", left}});
  std::string group;
  for (const table_row& row : rows) {
    const std::string family = facts_of(*row.shown).family;
    if (family != group) table.heading(family);
    group = family;
    table.row(cells_of(row, v));
    for (const point_summary* other : other_placements(*row.shown))
      table.row(cells_of_placement(*other));
  }
  if (pairs_left_out == 0) return table.text();
  return table.text() +
         fmt::format("... and {} more pairs of PUs; --csv writes all\n", pairs_left_out);
}

namespace {

// " (same L3)" behind a named pair.
std::string pair_class_text(const planned_point& p, const topology* machine) {
  if (machine == nullptr || p.what.pus.size() != 2) return "";
  std::vector<const processing_unit*> pair;
  for (const int pu : p.what.pus) {
    const auto found = std::ranges::find(machine->units(), pu, &processing_unit::os);
    if (found != machine->units().end()) pair.push_back(&*found);
  }
  return pair.size() < 2
             ? ""
             : fmt::format(" ({})", to_text(class_of(*pair[0], *pair[1]), machine->kinds() > 1));
}

}  // namespace

std::string plan_text(const campaign_plan& plan, const topology* machine) {
  std::string text;
  std::size_t merged = 0;
  for (const planned_point& p : plan.points) {
    const std::string where =
        p.device ? fmt::format("device {}", *p.device)
                 : fmt::format("PUs {}{}", fmt::join(p.pus, ","), pair_class_text(p, machine));
    text += fmt::format("{}\n    on {}, {} visits{}\n", canonical(p.what), where, p.visits,
                        p.additivity ? ", additivity" : "");
    for (const point& same : p.same_as) text += fmt::format("    = {}\n", canonical(same));
    if (!p.same_as.empty()) text += fmt::format("    ({})\n", p.why);
    merged += p.same_as.size();
  }
  for (const refused_point& r : plan.refused) {
    text += fmt::format("{}\n    {}: {}\n", canonical(r.what), r.status, r.reason);
  }
  if (machine != nullptr) {
    for (const std::string& note : placement_notes(plan, *machine)) text += "\n" + note + "\n";
  }
  if (!plan.left_out.empty()) text += fmt::format("\nNot in this study: {}\n", plan.left_out);
  return text + fmt::format("\nPoints to measure: {}, which also cover {} equal ones; not "
                            "supported: {}; about {:.3g} s\n",
                            plan.points.size(), merged, plan.refused.size(), plan.predicted_s);
}

}  // namespace syncmeter
