#include "driver/results/pooled_rounds.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <vector>

#include "driver/results/results.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;

constexpr double infinity = std::numeric_limits<double>::infinity();

// The bounds of a visit's first estimate; all numbers where it has none, so that it agrees with
// every other.
interval bounds_of(const json& visit) {
  const json estimates = visit.value("estimates", json::array());
  if (estimates.empty()) return {0, -infinity, infinity};
  const json cost = estimates.front().value("cost_ns", json::object());
  return {number_or(cost, "value", 0), number_or(cost, "low", -infinity),
          number_or(cost, "high", infinity)};
}

}  // namespace

std::vector<double> round_costs_ns(const json& visit, unsigned workers_of_op) {
  std::vector<double> costs;
  if (const auto told = visit.find("round_costs_ns"); told != visit.end() && told->is_array()) {
    for (const json& cost : *told) {
      if (!cost.is_number()) return {};
      costs.push_back(cost.get<double>());
    }
    return costs;
  }
  // Both pairings take one measured op from the difference.
  double ops = number_or(visit, "trips", 0) * number_or(visit, "unroll", 0) *
               number_or(visit, "ops_per_step", 1);
  if (visit.value("cost_per_lane", false)) ops *= workers_of_op;
  if (!(ops > 0)) return {};
  for (const json& round : visit.value("rounds", json::array())) {
    if (!round.is_array() || round.size() < 2 || !round[0].is_number() || !round[1].is_number())
      return {};
    costs.push_back((round[1].get<double>() - round[0].get<double>()) / ops);
  }
  return costs;
}

std::optional<interval> pooled_interval(std::span<const json* const> visits,
                                        unsigned workers_of_op) {
  if (visits.size() < 2) return std::nullopt;
  double highest_low = -infinity, lowest_high = infinity;
  double lowest = infinity, highest = -infinity;
  std::vector<double> costs_ns;
  for (const json* visit : visits) {
    const interval bounds = bounds_of(*visit);
    highest_low = std::max(highest_low, bounds.low);
    lowest_high = std::min(lowest_high, bounds.high);
    lowest = std::min(lowest, bounds.value);
    highest = std::max(highest, bounds.value);
    const std::vector<double> costs = round_costs_ns(*visit, workers_of_op);
    if (costs.empty()) return std::nullopt;
    costs_ns.insert(costs_ns.end(), costs.begin(), costs.end());
  }
  if (highest_low > lowest_high) return std::nullopt;
  // Rounds of one visit are more alike than those of several: what the visits differ by is seen in
  // their medians, however many rounds there are.
  interval all = median_interval(costs_ns);
  all.low = std::min(all.low, lowest);
  all.high = std::max(all.high, highest);
  return all;
}

}  // namespace syncmeter
