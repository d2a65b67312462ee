// The table of points: which columns it needs, which rows, and what stands in each cell.
#include "cli/table.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/catalogue.hpp"
#include "cli/columns.hpp"
#include "cli/figures.hpp"
#include "cli/parse_axes.hpp"

namespace syncmeter {
namespace {

std::string placement_text(const point& p) {
  if (p.placement == placement::none) return "";
  if (p.placement == placement::shared) return "shared";
  return fmt::format("strided {} B", stride_bytes(p));
}

std::string type_text(const point& p) { return p.type ? std::string(to_text(*p.type)) : ""; }

/// The order of rows: by backend, family and op as the ops are listed, then by every axis.
auto row_rank(const point& p) {
  const op_facts facts = facts_of(p.op);
  return std::tuple(p.backend, facts.rank, p.op, p.type ? static_cast<int>(*p.type) : -1, p.order,
                    p.placement, stride_bytes(p), p.lanes, p.affinity, p.wait, p.repeat);
}

std::vector<const point_summary*> measured_rows(const std::vector<point_summary>& points) {
  std::vector<const point_summary*> rows;
  for (const point_summary& s : points) {
    const bool refused = s.status == status::unsupported || s.status == status::elided;
    if (s.measured_as.empty() && !refused) rows.push_back(&s);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const point_summary* a, const point_summary* b) {
    return row_rank(a->what) < row_rank(b->what);
  });
  return rows;
}

/// Axes on which points of one op differ; the others need no column.
struct varying {
  bool backend = false, order = false, affinity = false, wait = false;
};

varying axes_that_vary(const std::vector<point_summary>& points) {
  std::set<std::string> backends;
  std::map<std::string, std::set<order>> orders;
  std::set<affinity> affinities;
  std::set<wait_policy> waits;
  varying v;
  for (const point_summary& s : points) {
    if (s.status == status::unsupported) continue;
    backends.insert(s.what.backend);
    orders[s.what.op].insert(s.what.order);
    affinities.insert(s.what.affinity);
    waits.insert(s.what.wait);
  }
  for (const auto& [op, seen] : orders) v.order = v.order || seen.size() > 1;
  v.backend = backends.size() > 1;
  v.affinity = affinities.size() > 1;
  v.wait = waits.size() > 1;
  return v;
}

// "close, spread" where one measurement stands for both.
std::map<std::string, std::string> merged_affinities(const std::vector<point_summary>& points) {
  std::map<std::string, std::string> more;
  for (const point_summary& s : points) {
    if (s.measured_as.empty()) continue;
    std::string& names = more[s.measured_as];
    const std::string name(to_text(s.what.affinity));
    if (names.find(name) == std::string::npos) names += ", " + name;
  }
  return more;
}

std::string affinity_text(const point& p, const std::map<std::string, std::string>& merged) {
  const std::string own(to_text(p.affinity));
  const auto more = merged.find(canonical(p));
  if (more == merged.end() || more->second == ", " + own) return own;
  std::string text = own + more->second;
  const std::string twice = ", " + own;
  if (const auto at = text.find(twice); at != std::string::npos) text.erase(at, twice.size());
  return text;
}

// A marginal cost, and one below 0, is told by the times it comes from.
std::string both_sides(const point_summary& s) {
  return fmt::format("step {} -> {} ns", nanoseconds(s.baseline_ns), nanoseconds(s.test_ns));
}

std::string cost_text(const point_summary& s) {
  if (has_cost(s)) return nanoseconds(s.cost_ns.value);
  if (has_upper_bound(s)) return "< " + nanoseconds(s.cost_ns.high);
  return "-";
}

std::string remarks(const point_summary& s) {
  std::vector<std::string> all;
  if (s.status != status::ok) all.emplace_back(to_text(s.status));
  const bool inserted = facts_of(s.what.op).inserted && s.visits != 0;
  if (inserted || s.status == status::interferes) all.push_back(both_sides(s));
  if (s.additive == false) all.emplace_back("does not add up");
  if (!s.state.empty()) all.push_back(s.state);
  return join(all, "; ");
}

std::vector<std::string> cells_of(const point_summary& s, const varying& v,
                                  const std::string& affinities) {
  const auto rate = rates_of(s);
  return {v.backend ? s.what.backend : "",
          s.what.op,
          s.what.repeat != 0 ? fmt::to_string(s.what.repeat) : "",
          type_text(s.what),
          v.order ? std::string(to_text(s.what.order)) : "",
          placement_text(s.what),
          fmt::to_string(s.what.lanes),
          v.affinity ? affinities : "",
          v.wait ? std::string(to_text(s.what.wait)) : "",
          cost_text(s),
          has_cost(s)
              ? fmt::format("{}..{}", nanoseconds(s.cost_ns.low), nanoseconds(s.cost_ns.high))
              : "",
          rate ? engineering(rate->per_lane) : "",
          rate ? engineering(rate->total) : "",
          s.visits != 0 && s.what.lanes > 1 ? fmt::format("{:.2f}", s.fairness) : "",
          remarks(s)};
}

}  // namespace

std::string short_name(const point& p) {
  std::string text = p.op;
  if (p.type) text += " " + type_text(p);
  if (p.order != order::unordered) text += fmt::format(" {}", to_text(p.order));
  if (p.placement != placement::none) text += " " + placement_text(p);
  text += fmt::format(", {} lane{}", p.lanes, p.lanes == 1 ? "" : "s");
  if (p.affinity != affinity::none) text += fmt::format(" {}", to_text(p.affinity));
  if (p.wait != wait_policy::active) text += fmt::format(" {}", to_text(p.wait));
  if (p.repeat != 0) text += fmt::format(", repeat {}", p.repeat);
  return text;
}

std::string point_table(const std::vector<point_summary>& points) {
  const std::vector<const point_summary*> rows = measured_rows(points);
  if (rows.empty()) return "No point was measured.\n";
  const varying v = axes_that_vary(points);
  const auto merged = merged_affinities(points);
  using enum columns::align;
  columns table({{"backend", left},
                 {"op", left},
                 {"repeat", right},
                 {"type", left},
                 {"order", left},
                 {"placement", left},
                 {"lanes", right},
                 {"affinity", left},
                 {"wait", left},
                 {"ns/op", right},
                 {"95 % interval", right},
                 {"ops/s/lane", right},
                 {"ops/s", right},
                 {"fair", right},
                 {"notes", left}});
  std::string_view group;
  for (const point_summary* s : rows) {
    const std::string_view family = facts_of(s->what.op).family;
    if (family != group) table.heading(std::string(family));
    group = family;
    table.row(cells_of(*s, v, affinity_text(s->what, merged)));
  }
  return table.text();
}

std::string plan_text(const campaign_plan& plan) {
  std::string text;
  std::size_t merged = 0;
  for (const planned_point& p : plan.points) {
    text += fmt::format("{}\n    on PUs {}, {} visits{}\n", canonical(p.what),
                        fmt::join(p.pus, ","), p.visits, p.additivity ? ", additivity" : "");
    for (const point& same : p.same_as) text += fmt::format("    = {}\n", canonical(same));
    if (!p.same_as.empty()) text += fmt::format("    ({})\n", p.why);
    merged += p.same_as.size();
  }
  for (const refused_point& r : plan.refused) {
    text += fmt::format("{}\n    {}: {}\n", canonical(r.what), r.status, r.reason);
  }
  return text + fmt::format(
                    "\n{} points to measure, which stand for {} more; {} refused; about {:.3g} s\n",
                    plan.points.size(), merged, plan.refused.size(), plan.predicted_s);
}

}  // namespace syncmeter
