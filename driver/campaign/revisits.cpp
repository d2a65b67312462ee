#include "driver/campaign/revisits.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/harness/stats.hpp"
#include "core/point.hpp"
#include "driver/results/estimate.hpp"
#include "driver/results/headline.hpp"

namespace syncmeter {
namespace {

/// Fewer pairs of visits do not show their scatter.
constexpr std::size_t enough_pairs = 3;

// Returns whether more visits would change nothing.
bool is_settled(const point_summary& s) {
  return s.status == status::failed || s.status == status::unsupported ||
         s.status == status::elided || s.status == status::too_slow;
}

std::vector<const point_summary*> states_of(const point_summary& s) {
  std::vector<const point_summary*> all{&s};
  for (const point_summary& other : s.other_states) all.push_back(&other);
  return all;
}

/// Returns costs by visit number, from visits with enough rounds, or from all visits if none has
/// enough.
std::map<std::uint64_t, double> costs_by_visit(const point_summary& s) {
  std::map<std::uint64_t, double> all, solid;
  for (const objects::by_visit& each : s.by_visit) {
    if (each.cost_ns <= 0) continue;
    all.emplace(each.visit, each.cost_ns);
    if (each.rounds >= enough_rounds) solid.emplace(each.visit, each.cost_ns);
  }
  return solid.empty() ? all : solid;
}

/// Returns log ratios for visit numbers that both have in the same placement state: the state with
/// most such visits.
std::vector<double> logs_of_ratios(const point_summary& a, const point_summary& b) {
  std::vector<double> most;
  for (const point_summary* in_a : states_of(a)) {
    for (const point_summary* in_b : states_of(b)) {
      if (in_a->state != in_b->state || in_a->busy != in_b->busy) continue;
      std::vector<double> logs;
      const std::map<std::uint64_t, double> below = costs_by_visit(*in_b);
      for (const auto& [number, cost] : costs_by_visit(*in_a))
        if (const auto other = below.find(number); other != below.end())
          logs.push_back(std::log(other->second / cost));
      if (logs.size() > most.size()) most = std::move(logs);
    }
  }
  return most;
}

}  // namespace

revisits::revisits(const std::vector<planned_point>& points) : points_(points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    // Leaves out points shared among GPUs, because each visit is on another GPU.
    if (points[i].devices.empty()) index_.emplace(canonical(points[i].what), i);
  }
}

void revisits::learn(const visit_record& visit) {
  if (visit.estimates.empty()) {
    if (const auto found = index_.find(canonical(visit.point)); found != index_.end())
      lost_.insert(found->second);
    return;
  }
  visit_record& kept = visits_.visits.emplace_back(visit);
  kept.rounds.clear();
  kept.round_costs_ns.clear();
}

// Returns errors for points with enough visits for an interval and a resolved cost. They come from
// the scatter between visits, on a GPU too.
std::unordered_map<std::string, double> revisits::errors() const {
  std::unordered_map<std::string, std::size_t> visits;
  for (const visit_record& visit : visits_.visits) ++visits[canonical(visit.point)];
  std::unordered_map<std::string, double> all;
  for (const point_summary& s : summarize(visits_)) {
    const std::string name = canonical(s.what);
    const auto found = index_.find(name);
    if (found == index_.end() || is_settled(s) || !s.resolved) continue;
    const std::size_t planned = points_[found->second].visits;
    if (s.visits < 2 || planned < enough_visits || visits[name] >= most_times_the_visits * planned)
      continue;
    // Costs without contention are compared in cycles.
    const interval& cost = s.hop_ns == 0 && s.cost_cycles.value > 0 ? s.cost_cycles : s.cost_ns;
    const double error = (cost.high - cost.low) / (2 * cost.value);
    if (std::isfinite(error) && error > precise_error) all.emplace(name, error);
  }
  return all;
}

std::vector<revisits::wanted> revisits::lacking() const {
  const std::map<std::string, std::size_t> quiet = quiet_visits(visits_);
  const std::unordered_map<std::string, double> error_of = errors();
  std::vector<wanted> all;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const std::string name = canonical(points_[i].what);
    if (!index_.contains(name) || lost_.contains(i)) continue;
    wanted each{.point = i};
    // Fewer visits on request stay fewer on a quiet machine. A GPU's lanes have no quiet probe.
    const std::size_t enough = std::min<std::size_t>(enough_visits, points_[i].visits);
    const auto seen = quiet.find(name);
    if (!points_[i].device && seen != quiet.end() && seen->second < enough)
      each.visits = enough - seen->second;
    if (const auto error = error_of.find(name); error != error_of.end()) each.error = error->second;
    if (each.visits > 0 || each.error > 0) all.push_back(each);
  }
  std::ranges::stable_sort(all, [](const wanted& a, const wanted& b) {
    return std::pair(a.error, a.visits) > std::pair(b.error, b.visits);
  });
  return all;
}

revisits::meeting_points revisits::meeting() const {
  meeting_points found;
  std::map<unsigned, std::set<std::uint64_t>> classes;  // by lanes
  for (const point_summary& s : summarize(visits_)) {
    const auto index = index_.find(canonical(s.what));
    if (s.hop_ns == 0 || index == index_.end() || lost_.contains(index->second)) continue;
    found.points.push_back(index->second);
    for (const point_summary* state : states_of(s))
      if (state == &s || state->visits >= enough_visits) classes[s.what.lanes].insert(state->state);
  }
  for (const auto& [lanes, numbers] : classes)
    found.placements = std::max(found.placements, numbers.size());
  return found;
}

bool is_undecided(std::span<const double> logs, double threshold, double alpha, std::size_t pairs) {
  const std::size_t n = logs.size();
  if (n < enough_pairs) return true;
  const double distance = std::abs(median(logs)), margin = std::log1p(threshold);
  const double error =
      scatter_of_median(n) * standard_deviation(logs) / std::sqrt(static_cast<double>(n));
  const auto half = [&](double share) { return error * student_t(1 - share, n - 1); };
  if (distance <= margin) return distance + half(alpha) > margin;
  return distance - half(alpha / static_cast<double>(pairs)) < margin;
}

double share_of_look(std::size_t visits, std::size_t planned) {
  return visits <= std::max<std::size_t>(planned, 1) ? 0.5 : 0.1;
}

std::size_t next_look_at(std::size_t visits) { return visits + (visits + 1) / 2; }

void undecided_pairs::learn(const visit_record& visit) {
  if (!plan_.arms) return;
  std::size_t& visits = visits_[canonical(visit.point)];
  visits = std::max<std::size_t>(visits, visit.visit);
  visit_record& kept = visited_.visits.emplace_back(visit);
  kept.rounds.clear();
  kept.round_costs_ns.clear();
}

std::vector<undecided_pairs::wanted> undecided_pairs::lacking() const {
  std::vector<wanted> all;
  if (!plan_.arms) return all;
  const std::vector<point_summary> summaries = summarize(visited_);
  std::unordered_map<std::string, const point_summary*> by_point;
  for (const point_summary& s : summaries) by_point.emplace(canonical(s.what), &s);
  for (std::size_t i = 0; i < plan_.pairs.size(); ++i) {
    const planned_point &in_a = plan_.points[plan_.pairs[i][0]],
                        &in_b = plan_.points[plan_.pairs[i][1]];
    const auto a = by_point.find(canonical(in_a.what)), b = by_point.find(canonical(in_b.what));
    if (a == by_point.end() || b == by_point.end()) continue;  // without visits
    if (is_settled(*a->second) || is_settled(*b->second)) continue;
    const std::size_t visits = std::max(visits_.at(a->first), visits_.at(b->first));
    const double alpha = chance_of_false_alarm * share_of_look(visits, in_a.visits);
    const std::vector<double> logs = logs_of_ratios(*a->second, *b->second);
    if (is_undecided(logs, plan_.arms->threshold, alpha, plan_.pairs.size()))
      all.push_back({i, next_look_at(visits)});
  }
  return all;
}

}  // namespace syncmeter
