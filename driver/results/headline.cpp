#include "driver/results/headline.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "core/harness/harness.hpp"
#include "core/harness/stats.hpp"

namespace syncmeter {
namespace {

std::size_t solid_in(const std::vector<visit_estimate>& estimates) {
  return static_cast<std::size_t>(std::ranges::count_if(estimates, &visit_estimate::is_solid));
}

std::vector<state_key> well_measured(const point_states& states) {
  std::set<std::size_t> visits;
  for (const auto& [key, estimates] : states)
    for (const visit_estimate& e : estimates) visits.insert(e.visit);
  const std::size_t wanted = std::min(enough_visits, visits.size());
  std::vector<state_key> keys;
  for (const auto& [key, estimates] : states)
    if (solid_in(estimates) >= wanted) keys.push_back(key);
  return keys;
}

}  // namespace

std::vector<visit_estimate> solid_visits(const std::vector<visit_estimate>& estimates) {
  std::vector<visit_estimate> solid;
  std::ranges::copy_if(estimates, std::back_inserter(solid), &visit_estimate::is_solid);
  return solid.empty() ? estimates : solid;
}

std::size_t rounds_in(const std::vector<visit_estimate>& estimates) {
  std::size_t sum = 0;
  for (const visit_estimate& e : estimates) sum += e.rounds;
  return sum;
}

state_classes::state_classes(const results_file& file) {
  std::map<unsigned, std::vector<double>> hops_ns;
  for (const visit_record& visit : file.visits) {
    for (const estimate_record& estimate : visit.estimates)
      if (estimate.hop_ns > 0) hops_ns[visit.point.lanes].push_back(estimate.hop_ns);
  }
  for (const auto& [lanes, hops] : hops_ns) bounds_ns_[lanes] = class_bounds(hops, state_gap);
}

unsigned state_classes::of(const estimate_record& estimate, unsigned lanes) const {
  const auto found = bounds_ns_.find(lanes);
  if (estimate.hop_ns <= 0 || found == bounds_ns_.end())
    return static_cast<unsigned>(estimate.state);
  const auto& bounds = found->second;
  return static_cast<unsigned>(std::upper_bound(bounds.begin(), bounds.end(), estimate.hop_ns) -
                               bounds.begin());
}

point_states states_of(const visits_of_point& visits, unsigned lanes,
                       const state_classes& classes) {
  point_states found;
  for (std::size_t v = 0; v < visits.size(); ++v)
    for (const estimate_record& e : visits[v]->estimates)
      found[{classes.of(e, lanes), e.busy}].push_back({e, v});
  return found;
}

void headline_rule::add(const std::string& family, const std::vector<int>& pus,
                        const point_states& states) {
  std::set<unsigned> classes;
  for (const state_key& key : well_measured(states)) classes.insert(key.state_class);
  if (classes.empty()) return;
  group& of_point = groups_[{family, pus}];
  ++of_point.points;
  for (const unsigned each : classes) ++of_point.points_by_class[each];
}

std::optional<unsigned> headline_rule::common_class(const std::string& family,
                                                    const std::vector<int>& pus) const {
  const auto found = groups_.find({family, pus});
  if (found == groups_.end()) return std::nullopt;
  for (const auto& [state_class, points] : found->second.points_by_class)
    if (2 * points >= found->second.points) return state_class;
  return std::nullopt;
}

state_key headline_rule::of(const std::string& family, const std::vector<int>& pus,
                            const point_states& states) const {
  const std::optional<unsigned> common = common_class(family, pus);
  const std::vector<state_key> keys = well_measured(states);
  if (!keys.empty()) {
    return *std::ranges::min_element(keys, {}, [&](const state_key& key) {
      return std::tuple(key.busy, key.state_class != common, key.state_class);
    });
  }
  // No state is well measured: prefers most visits, then quiet, then the larger share.
  return std::ranges::max_element(states, {},
                                  [](const auto& state) {
                                    return std::tuple(solid_in(state.second), !state.first.busy,
                                                      rounds_in(state.second));
                                  })
      ->first;
}

std::size_t headline_rule::quiet_visits(const std::string& family, const std::vector<int>& pus,
                                        const point_states& states) const {
  const std::optional<unsigned> common = common_class(family, pus);
  std::size_t best = 0;
  for (const auto& [key, estimates] : states)
    if (!key.busy && (!common || key.state_class == *common))
      best = std::max(best, solid_in(estimates));
  return best;
}

}  // namespace syncmeter
