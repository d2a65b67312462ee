#include "driver/results/pooled_rounds.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <vector>

namespace syncmeter {
namespace {

using nlohmann::json;

constexpr double infinity = std::numeric_limits<double>::infinity();

double number_or(const json& j, const char* member, double otherwise) {
  const auto found = j.find(member);
  return found != j.end() && found->is_number() ? found->get<double>() : otherwise;
}

// The bounds of a visit's first estimate; all numbers where it has none, so that it agrees with
// every other.
interval bounds_of(const json& visit) {
  const json estimates = visit.value("estimates", json::array());
  if (estimates.empty()) return {0, -infinity, infinity};
  const json cost = estimates.front().value("cost_ns", json::object());
  return {number_or(cost, "value", 0), number_or(cost, "low", -infinity),
          number_or(cost, "high", infinity)};
}

// Cost per op of each raw round: both pairings take one measured op from the difference.
bool add_rounds(const json& visit, unsigned workers_of_op, std::vector<double>& costs_ns) {
  const json rounds = visit.value("rounds", json::array());
  double ops = number_or(visit, "trips", 0) * number_or(visit, "unroll", 0) *
               number_or(visit, "ops_per_step", 1);
  if (visit.value("cost_per_lane", false)) ops *= workers_of_op;
  if (rounds.empty() || !(ops > 0)) return false;
  for (const json& round : rounds) {
    if (!round.is_array() || round.size() < 2 || !round[0].is_number() || !round[1].is_number())
      return false;
    costs_ns.push_back((round[1].get<double>() - round[0].get<double>()) / ops);
  }
  return true;
}

}  // namespace

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
    if (!add_rounds(*visit, workers_of_op, costs_ns)) return std::nullopt;
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
