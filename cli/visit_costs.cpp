#include "cli/visit_costs.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace syncmeter {

using nlohmann::json;

costs_by_state costs_of(const json& visit, unsigned lanes, const state_classes& classes) {
  costs_by_state costs;
  for (const json& e : visit.value("estimates", json::array())) {
    const json value = e.value("cost_ns", json::object()).value("value", json());
    if (!value.is_number() || !(value.get<double>() > 0)) continue;
    cost_in_state& found = costs[{classes.of(e, lanes), e.value("busy", false)}];
    const auto rounds = e.value("rounds", std::size_t{0});
    if (rounds >= found.rounds) found = {value.get<double>(), rounds};
  }
  return costs;
}

namespace {

// In one placement state: across caches an op costs several times what it does on one core, and
// where each side happened to lie is no difference between them. Of several the one that both saw
// most of; quiet against busy only where there is nothing better. Nothing where they have no state
// in common.
std::optional<double> ratio_in_one_state(const costs_by_state& upper, const costs_by_state& lower) {
  std::optional<double> ratio;
  std::pair<bool, std::size_t> best;  // both busy or both quiet, and rounds
  for (const auto& [state, cost] : upper) {
    for (const auto& [other_state, other] : lower) {
      if (state.first != other_state.first) continue;
      const std::pair rank{state.second == other_state.second, std::min(cost.rounds, other.rounds)};
      if (ratio && rank <= best) continue;
      ratio = cost.ns / other.ns;
      best = rank;
    }
  }
  return ratio;
}

}  // namespace

// In logarithms, so that A over B and B over A say the same.
interval ratio_over_visits(const costs_by_visit& upper, const costs_by_visit& lower,
                           std::size_t& visits) {
  std::vector<double> logs;
  for (const auto& [number, costs] : upper) {
    const auto other = lower.find(number);
    if (other == lower.end()) continue;
    if (const auto ratio = ratio_in_one_state(costs, other->second))
      logs.push_back(std::log(*ratio));
  }
  visits = logs.size();
  if (logs.empty()) return {};
  const interval all = over_visits(logs);
  return {std::exp(all.value), std::exp(all.low), std::exp(all.high)};
}

}  // namespace syncmeter
