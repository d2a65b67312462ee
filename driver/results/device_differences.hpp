// Equal GPUs that shared the points of a campaign: do they cost the same?
#pragma once

#include <string>
#include <vector>

#include "core/harness/stats.hpp"
#include "driver/results/results.hpp"

namespace syncmeter {

/// One GPU against another over the points of a family that both visited.
struct device_difference {
  std::string family;
  unsigned device = 0, reference = 0;
  std::size_t points = 0;
  interval ratio;      ///< of the costs, median over the points
  bool found = false;  ///< the interval excludes 1, and the ratio is more than half a percent off
};

/// By family; each GPU against the one of the lowest index. Families with fewer than six such
/// points, whose median has no interval, are left out.
[[nodiscard]] std::vector<device_difference> device_differences(const results_file& file);

}  // namespace syncmeter
