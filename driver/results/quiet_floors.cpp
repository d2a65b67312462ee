#include "driver/results/quiet_floors.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace syncmeter {

std::vector<double> quiet_floors::of(const std::vector<int>& pus) const {
  const auto found = known_.find(pus);
  return found == known_.end() ? std::vector<double>{} : found->second;
}

void quiet_floors::learn(const nlohmann::json& line) {
  try {
    const auto seen = line.at("quiet_probe").at("floor_ns").get<std::vector<double>>();
    auto& known = known_[line.at("pus").get<std::vector<int>>()];
    if (known.size() != seen.size()) known = seen;
    for (std::size_t lane = 0; lane < seen.size(); ++lane)
      known[lane] = std::min(known[lane], seen[lane]);
  } catch (const nlohmann::json::exception&) {
    // A worker without quiet probes.
  }
}

}  // namespace syncmeter
