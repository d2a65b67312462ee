// What the quiet probe took at best on the PUs of each point's lanes, over all processes of a
// campaign: each pass measures in new ones, and what one has seen holds for the next.
#pragma once

#include <map>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace syncmeter {

class quiet_floors {
 public:
  /// Per lane, in ns; empty when none is known.
  [[nodiscard]] std::vector<double> of(const std::vector<int>& pus) const;
  /// Takes up what a visit line has; one of a worker without quiet probes has nothing.
  void learn(const nlohmann::json& line);

 private:
  std::map<std::vector<int>, std::vector<double>> known_;
};

}  // namespace syncmeter
