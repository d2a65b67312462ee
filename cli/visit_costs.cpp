#include "cli/visit_costs.hpp"

#include <nlohmann/json.hpp>

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

}  // namespace syncmeter
