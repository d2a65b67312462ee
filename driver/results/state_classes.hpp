// The placement states of a whole results file: classes of the hop between lanes, over all that its
// start-up probe and its visits saw. A state may appear only minutes after the start.
#pragma once

#include <map>
#include <vector>

#include "driver/results/results.hpp"

namespace syncmeter {

class state_classes {
 public:
  explicit state_classes(const results_file& file);

  /// The class of an estimate (a member of a visit's "estimates") of a point with so many lanes; 0
  /// is the fastest. An estimate without a pair probe keeps the class that its visit gave it.
  [[nodiscard]] unsigned of(const nlohmann::json& estimate, unsigned lanes) const;

 private:
  std::map<unsigned, std::vector<double>> bounds_ns_;  // by lanes
};

}  // namespace syncmeter
