#include "driver/results/estimate.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "driver/results/headline.hpp"
#include "driver/workers/worker_info.hpp"

namespace syncmeter {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

interval scaled(const interval& i, double by) { return {i.value * by, i.low * by, i.high * by}; }

template <class Get>
std::vector<double> each(const std::vector<visit_estimate>& estimates, const Get& get) {
  std::vector<double> values;
  for (const visit_estimate& e : estimates) values.push_back(get(e));
  return values;
}

// A visit's interval over its own rounds is no interval for a CPU: it held the truth 4 to 26 % of
// the time. An import's interval is over its own visits.
interval combined(const std::vector<visit_estimate>& estimates, interval estimate_record::* which,
                  bool keeps_its_own) {
  if (estimates.size() == 1 && keeps_its_own) return estimates.front().*which;
  return over_visits(
      each(estimates, [which](const visit_estimate& e) { return (e.*which).value; }));
}

// The hop names a state in every campaign. A class number has a meaning in one file only.
std::string state_text(const point_states& all, state_key chosen, double hop_ns) {
  const std::string hop = hop_ns > 0 ? fmt::format("hop {:.0f} ns", hop_ns) : "";
  if (all.size() < 2) return hop;
  double total = 0;
  bool one_class = true;
  for (const auto& [key, estimates] : all) {
    total += static_cast<double>(rounds_in(estimates));
    one_class = one_class && key.state_class == chosen.state_class;
  }
  const double rounds = static_cast<double>(rounds_in(all.at(chosen)));
  const std::string name = !hop.empty() ? hop + ", "
                           : one_class  ? ""
                                        : fmt::format("state {}, ", chosen.state_class);
  return fmt::format("{}{} ({:.0f} %)", name, chosen.busy ? "busy" : "quiet",
                     total > 0 ? 100 * rounds / total : 0);
}

// A GPU has no placement states and no other user. If its visits agree, their rounds are one
// sample, and Student's t over three visits would be too wide. Disturbed launches are an exception,
// because their rounds come from two states.
void narrow_where_visits_agree(point_summary& s, const visits_of_point& visits,
                               const std::vector<visit_estimate>& used) {
  visits_of_point pooled;
  for (const visit_estimate& e : used) pooled.push_back(visits[e.visit]);
  const auto found = pooled_interval(
      pooled, s.participants != 0 ? static_cast<unsigned>(s.participants) : warps_of(s.what));
  if (!found) return;
  const double median_ns = s.cost_ns.value;
  s.cost_ns = {median_ns, std::min(found->low, median_ns), std::max(found->high, median_ns)};
  // The same rounds have the same width by another clock. Near 0 the two clocks may differ in sign.
  if (median_ns > 0 && s.cost_cycles.value > 0)
    s.cost_cycles = scaled(s.cost_ns, s.cost_cycles.value / median_ns);
}

// Returns whether all visits, including quiet visits, found the same cost in cycles. Then no
// disturbance seen by a probe changed the cost. Quiet visits with one lane differ by 0.1 to 0.2 %
// (docs/evidence/intervals.md).
bool costs_as_if_quiet(const point_states& all) {
  constexpr double quiet_spread = 1.01;
  std::set<std::size_t> visits;
  double least = infinity, most = 0;
  for (const auto& [key, estimates] : all) {
    for (const visit_estimate& e : estimates) {
      if (!e.is_solid()) continue;
      visits.insert(e.visit);
      least = std::min(least, e.cost_cycles.value);
      most = std::max(most, e.cost_cycles.value);
    }
  }
  return visits.size() >= enough_visits && least > 0 && most <= quiet_spread * least;
}

void estimate(point_summary& s, const point_states& all, state_key chosen,
              const visits_of_point& visits) {
  const std::vector<visit_estimate> used = solid_visits(all.at(chosen));
  s.visits = used.size();
  s.hop_ns = median(each(used, [](const visit_estimate& e) { return e.hop_ns; }));
  s.state = chosen.state_class;
  s.busy = chosen.busy;
  s.rounds = rounds_in(all.at(chosen));
  for (const visit_estimate& e : all.at(chosen)) {
    const std::uint64_t number = visits[e.visit]->visit;
    if (s.by_visit.empty() || s.by_visit.back().visit != number)
      s.by_visit.push_back({.visit = number});
    if (e.rounds >= s.by_visit.back().rounds)
      s.by_visit.back() = {number, e.cost_ns.value, e.rounds, e.host_cost_ns.value};
  }
  s.state_text = state_text(all, chosen, s.hop_ns);
  const bool keeps_its_own = s.device.has_value() || s.imported;
  s.cost_ns = combined(used, &visit_estimate::cost_ns, keeps_its_own);
  const auto where_all_have_it = [&](interval estimate_record::* which) {
    const bool known =
        std::ranges::all_of(used, [which](const auto& e) { return (e.*which).value != 0; });
    return known ? combined(used, which, keeps_its_own) : interval{};
  };
  s.host_cost_ns = where_all_have_it(&visit_estimate::host_cost_ns);
  s.cost_cycles = where_all_have_it(&visit_estimate::cost_cycles);
  if (s.device && all.size() == 1) narrow_where_visits_agree(s, visits, used);
  s.baseline_ns = median(each(used, [](const visit_estimate& e) { return e.baseline_ns; }));
  s.test_ns = median(each(used, [](const visit_estimate& e) { return e.test_ns; }));
  if (s.imported) return;  // the source gives the status, even without an interval
  // A single visit has no interval over visits. Its rounds show whether it resolved a cost.
  const interval& known = used.size() == 1 ? used.front().cost_ns : s.cost_ns;
  s.resolved = known.low > 0;
  if (known.high < 0) {
    s.status = status::interferes;
    s.reason = fmt::format("the test side is faster: {:.4g} ns a step against {:.4g} ns", s.test_ns,
                           s.baseline_ns);
  } else if (!s.resolved) {
    s.status = status::not_resolved;
    s.reason = fmt::format("the interval holds 0; at most {:.3g} ns", known.high);
  } else if (chosen.busy && !costs_as_if_quiet(all)) {
    s.status = status::busy;
    s.reason = "a CPU of its threads was shared or slow while measuring";
  }
}

std::size_t count_of(const visits_of_point& visits, status wanted) {
  return static_cast<std::size_t>(std::ranges::count(visits, wanted, &visit_record::status));
}

// Gives a visit's own status priority over the interval for facts that an interval cannot show.
void overrule(point_summary& s, const visits_of_point& visits) {
  const auto take = [&](status word) {
    s.status = word;
    s.reason = (*std::ranges::find(visits, word, &visit_record::status))->reason;
  };
  for (const status word :
       {status::failed, status::timeout, status::too_slow, status::unsupported, status::elided}) {
    if (count_of(visits, word) != 0) return take(word);
  }
  if (2 * count_of(visits, status::noisy) > visits.size()) return take(status::noisy);
  if (s.visits == 0 && !s.imported) {
    s.status = status::noisy;
    s.reason = "no repetition holds an estimate";
  }
}

void add_conduct(point_summary& s, const visits_of_point& visits) {
  std::vector<double> fairness, slowest, owner_changes;
  std::size_t adds_up = 0, checked = 0;
  for (const visit_record* visit : visits) {
    s.rounds_kept += visit->rounds_kept;
    for (const auto& [why, n] : visit->drops) s.rounds_dropped += n;
    if (!visit->estimates.empty() && visit->fairness > 0) fairness.push_back(visit->fairness);
    if (!visit->estimates.empty() && visit->slowest_over_fastest > 0)
      slowest.push_back(visit->slowest_over_fastest);
    if (!visit->estimates.empty() && visit->owner_changes > 0)
      owner_changes.push_back(visit->owner_changes);
    if (visit->additivity.additive) {
      ++checked;
      adds_up += *visit->additivity.additive ? 1U : 0U;
    }
  }
  if (!fairness.empty()) s.fairness = median(fairness);
  if (!slowest.empty()) s.slowest_over_fastest = median(slowest);
  if (!owner_changes.empty()) s.owner_changes = median(owner_changes);
  if (checked != 0) s.additive = 2 * adds_up > checked;
}

// Copies the worker's report about the measured op. A lost visit reports nothing.
void add_op(point_summary& s, const visits_of_point& visits) {
  const auto found = std::ranges::find_if(
      visits, [](const visit_record* visit) { return !visit->family.empty(); });
  if (found == visits.end()) return;
  const visit_record& visit = **found;
  s.family = visit.family;
  s.pairing = visit.pairing == "insert" ? "insert" : "self";
  s.cost_per_lane = visit.cost_per_lane;
  s.host_lane = visit.host_lane;
  s.launching = visit.launching;
  s.participants = visit.participants;
  if (visit.devices.size() > 1) s.devices = visit.devices.size();
}

// Returns the median of the visits' waits, and the longest of all.
objects::lane_waits waits_of(const visits_of_point& visits) {
  objects::lane_waits all;
  std::vector<double> p50, p999;
  for (const visit_record* visit : visits) {
    const objects::lane_waits& waits = visit->lane_waits;
    if (waits.count == 0) continue;
    all.count += waits.count;
    p50.push_back(waits.p50_ns);
    p999.push_back(waits.p999_ns);
    all.longest_ns = std::max(all.longest_ns, waits.longest_ns);
  }
  if (all.count == 0) return all;
  all.p50_ns = median(p50);
  all.p999_ns = median(p999);
  return all;
}

/// The visits to one point. A repeated visit counts as its last try.
struct visited_point {
  point what;
  std::map<std::uint64_t, const visit_record*> by_number;
  visits_of_point visits;  // ordered by number
  std::string family;
  std::vector<int> pus;
  point_states states;
};

point_summary summarize_point(const visited_point& p, const headline_rule& rule) {
  point_summary s;
  s.what = p.what;
  add_op(s, p.visits);
  const visit_record& first = *p.visits.front();
  if (first.imported) {
    s.imported = true;
    s.status = first.status;
    s.reason = first.reason;
  }
  s.visited = s.resolved = true;
  s.build = first.build;
  s.doubt = first.doubt;
  s.oversubscribed = std::ranges::any_of(
      p.visits, [](const visit_record* visit) { return visit->oversubscribed; });
  s.lane_waits = waits_of(p.visits);
  s.device = first.device;
  const std::uint64_t queued =
      std::ranges::max(p.visits, {}, &visit_record::rounds_at_once)->rounds_at_once;
  if (queued > 1) s.rounds_at_once = queued;
  s.pus = p.pus;
  add_conduct(s, p.visits);
  if (!p.states.empty()) {
    const point_summary before = s;
    const state_key shown = rule.of(p.family, p.pus, p.states);
    estimate(s, p.states, shown, p.visits);
    for (const auto& [key, estimates] : p.states) {
      if (key == shown) continue;
      s.other_states.push_back(before);
      s.other_states.back().headline = false;
      estimate(s.other_states.back(), p.states, key, p.visits);
    }
  }
  overrule(s, p.visits);
  return s;
}

/// The points in a file in order of first appearance, and the rule for their headlines.
struct visited_points {
  std::vector<visited_point> points;
  std::unordered_map<std::string, std::size_t> index;  // by canonical text
  headline_rule rule;

  explicit visited_points(const results_file& file) {
    for (const visit_record& visit : file.visits) {
      const auto [found, is_new] = index.try_emplace(canonical(visit.point), points.size());
      if (is_new) points.emplace_back().what = visit.point;
      points[found->second].by_number[visit.visit] = &visit;
    }
    const state_classes classes(file);
    for (visited_point& p : points) {
      for (const auto& [number, visit] : p.by_number) {
        p.visits.push_back(visit);
        if (p.family.empty()) p.family = visit->family;
      }
      p.pus = p.visits.front()->pus;
      p.states = states_of(p.visits, p.what.lanes, classes);
      rule.add(p.family, p.pus, p.states);
    }
  }
};

}  // namespace

op_facts facts_of(const point_summary& s) {
  if (s.family.empty()) return facts_of(s.what.op);
  op_facts facts = facts_of(s.what.op, s.family, s.pairing == "insert", s.cost_per_lane);
  facts.host_lane = s.host_lane;
  facts.launching = s.launching;
  facts.participants = static_cast<unsigned>(s.participants);
  facts.devices = std::max(1U, static_cast<unsigned>(s.devices));
  return facts;
}

std::map<std::string, std::size_t> quiet_visits(const results_file& file) {
  std::map<std::string, std::size_t> found;
  const visited_points visited(file);
  for (const visited_point& p : visited.points)
    if (!p.states.empty() && !p.pus.empty())
      found[canonical(p.what)] = visited.rule.quiet_visits(p.family, p.pus, p.states);
  return found;
}

std::vector<point_summary> summarize(const results_file& file) {
  const visited_points visited(file);
  std::vector<point_summary> all;
  for (const visited_point& p : visited.points) all.push_back(summarize_point(p, visited.rule));
  for (const same_point& same : file.same) {
    const std::string measured_as = canonical(same.measured_as);
    const auto found = visited.index.find(measured_as);
    if (found == visited.index.end()) continue;  // the campaign ended before its first visit
    point_summary copy = all[found->second];
    const auto rename = [&](point_summary& s) {
      s.what = same.what;
      s.measured_as = measured_as;
    };
    rename(copy);
    std::ranges::for_each(copy.other_states, rename);
    all.push_back(std::move(copy));
  }
  for (const unmeasured_point& refused : file.refused) {
    point_summary& s = all.emplace_back();
    s.what = refused.what;
    s.status = refused.status;
    s.reason = refused.reason;
  }
  return all;
}

std::vector<double> round_costs_ns(const visit_record& visit, unsigned workers_of_op) {
  if (!visit.round_costs_ns.empty()) return visit.round_costs_ns;
  // Both pairings have one measured op in the difference.
  double ops = static_cast<double>(visit.trips) * static_cast<double>(visit.unroll) *
               static_cast<double>(visit.ops_per_step);
  if (visit.cost_per_lane) ops *= workers_of_op;
  std::vector<double> costs;
  if (!(ops > 0)) return costs;
  for (const auto& [baseline_ns, test_ns] : visit.rounds)
    costs.push_back((test_ns - baseline_ns) / ops);
  return costs;
}

std::optional<interval> pooled_interval(std::span<const visit_record* const> visits,
                                        unsigned workers_of_op) {
  if (visits.size() < 2) return std::nullopt;
  double highest_low = -infinity, lowest_high = infinity;
  double lowest = infinity, highest = -infinity;
  std::vector<double> costs_ns;
  for (const visit_record* visit : visits) {
    // A visit without an estimate agrees with every other visit.
    const interval bounds = visit->estimates.empty() ? unknown : visit->estimates.front().cost_ns;
    highest_low = std::max(highest_low, bounds.low);
    lowest_high = std::min(lowest_high, bounds.high);
    lowest = std::min(lowest, bounds.value);
    highest = std::max(highest, bounds.value);
    const std::vector<double> costs = round_costs_ns(*visit, workers_of_op);
    if (costs.empty()) return std::nullopt;
    costs_ns.insert(costs_ns.end(), costs.begin(), costs.end());
  }
  if (highest_low > lowest_high) return std::nullopt;
  // Rounds within a visit are more alike than rounds from several visits. The medians show the
  // differences between visits, however many rounds there are.
  interval all = median_interval(costs_ns);
  all.low = std::min(all.low, lowest);
  all.high = std::max(all.high, highest);
  return all;
}

}  // namespace syncmeter
