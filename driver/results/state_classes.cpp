#include "driver/results/state_classes.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace syncmeter {

using nlohmann::json;

state_classes::state_classes(const results_file& file) {
  std::map<unsigned, std::vector<double>> hops_ns;
  for (const json& visit : file.visits) {
    const unsigned lanes = visit.at("point").value("lanes", 1U);
    for (const json& estimate : visit.value("estimates", json::array())) {
      if (const double hop = number_or(estimate, "hop_ns", 0); hop > 0)
        hops_ns[lanes].push_back(hop);
    }
  }
  for (const auto& [lanes, hops] : hops_ns) bounds_ns_[lanes] = class_bounds(hops, state_gap);
}

unsigned state_classes::of(const json& estimate, unsigned lanes) const {
  const double hop = number_or(estimate, "hop_ns", 0);
  const auto found = bounds_ns_.find(lanes);
  if (hop <= 0 || found == bounds_ns_.end()) return estimate.value("state", 0U);
  const auto& bounds = found->second;
  return static_cast<unsigned>(std::upper_bound(bounds.begin(), bounds.end(), hop) -
                               bounds.begin());
}

}  // namespace syncmeter
