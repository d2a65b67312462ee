#include "driver/results/point_states.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include <nlohmann/json.hpp>

#include "driver/results/results.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;

constexpr double unbounded = std::numeric_limits<double>::infinity();

interval read_interval(const json& j, const char* member,
                       interval otherwise = {0, -unbounded, unbounded}) {
  const auto found = j.find(member);
  if (found == j.end() || !found->is_object()) return otherwise;
  return {number_or(*found, "value", 0), number_or(*found, "low", -unbounded),
          number_or(*found, "high", unbounded)};
}

bool is_solid(const visit_estimate& e) { return e.rounds >= enough_rounds; }

std::size_t solid_in(const std::vector<visit_estimate>& estimates) {
  return static_cast<std::size_t>(std::count_if(estimates.begin(), estimates.end(), is_solid));
}

std::size_t visits_wanted(const point_states& seen) {
  std::set<std::size_t> visits;
  for (const auto& [key, estimates] : seen) {
    for (const visit_estimate& e : estimates) visits.insert(e.visit);
  }
  return std::min(enough_visits, visits.size());
}

std::vector<state_key> well_seen(const point_states& seen) {
  const std::size_t wanted = visits_wanted(seen);
  std::vector<state_key> keys;
  for (const auto& [key, estimates] : seen) {
    if (solid_in(estimates) >= wanted) keys.push_back(key);
  }
  return keys;
}

}  // namespace

point_states states_of(const std::vector<const json*>& visits, unsigned lanes,
                       const state_classes& classes) {
  point_states found;
  for (std::size_t v = 0; v < visits.size(); ++v) {
    for (const json& e : visits[v]->value("estimates", json::array())) {
      found[{classes.of(e, lanes), e.value("busy", false)}].push_back(
          {.visit = v,
           .rounds = e.value("rounds", std::size_t{0}),
           .cost_ns = read_interval(e, "cost_ns"),
           // Of clocks that not every visit has.
           .host_cost_ns = read_interval(e, "host_cost_ns", {0, 0, 0}),
           .cost_cycles = read_interval(e, "cost_cycles", {0, 0, 0}),
           .baseline_ns = number_or(e, "baseline_ns", 0),
           .test_ns = number_or(e, "test_ns", 0),
           .hop_ns = number_or(e, "hop_ns", 0)});
    }
  }
  return found;
}

std::size_t rounds_in(const std::vector<visit_estimate>& estimates) {
  std::size_t sum = 0;
  for (const visit_estimate& e : estimates) sum += e.rounds;
  return sum;
}

std::vector<visit_estimate> solid_visits(const std::vector<visit_estimate>& estimates) {
  std::vector<visit_estimate> solid;
  std::copy_if(estimates.begin(), estimates.end(), std::back_inserter(solid), is_solid);
  return solid.empty() ? estimates : solid;
}

void headline_rule::add(const std::string& family, const std::vector<int>& pus,
                        const point_states& seen) {
  std::set<unsigned> classes;
  for (const state_key& key : well_seen(seen)) classes.insert(key.state_class);
  if (classes.empty()) return;
  group& of_point = groups_[{family, pus}];
  ++of_point.points;
  for (const unsigned each : classes) ++of_point.points_by_class[each];
}

std::optional<unsigned> headline_rule::common_class(const std::string& family,
                                                    const std::vector<int>& pus) const {
  const auto found = groups_.find({family, pus});
  if (found == groups_.end()) return std::nullopt;
  for (const auto& [state_class, points] : found->second.points_by_class) {
    if (2 * points >= found->second.points) return state_class;
  }
  return std::nullopt;
}

state_key headline_rule::of(const std::string& family, const std::vector<int>& pus,
                            const point_states& seen) const {
  const std::optional<unsigned> common = common_class(family, pus);
  const std::vector<state_key> keys = well_seen(seen);
  if (!keys.empty()) {
    return *std::min_element(keys.begin(), keys.end(), [&](const state_key& a, const state_key& b) {
      const auto rank = [&](const state_key& key) {
        return std::tuple(key.busy, key.state_class != common, key.state_class);
      };
      return rank(a) < rank(b);
    });
  }
  // No state is seen well: that of most visits, quiet before busy, then the larger share.
  return std::max_element(seen.begin(), seen.end(),
                          [](const auto& a, const auto& b) {
                            const auto rank = [](const auto& state) {
                              return std::tuple(solid_in(state.second), !state.first.busy,
                                                rounds_in(state.second));
                            };
                            return rank(a) < rank(b);
                          })
      ->first;
}

std::size_t headline_rule::quiet_visits(const std::string& family, const std::vector<int>& pus,
                                        const point_states& seen) const {
  const std::optional<unsigned> common = common_class(family, pus);
  std::size_t best = 0;
  for (const auto& [key, estimates] : seen) {
    if (!key.busy && (!common || key.state_class == *common))
      best = std::max(best, solid_in(estimates));
  }
  return best;
}

}  // namespace syncmeter
