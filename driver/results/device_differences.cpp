#include "driver/results/device_differences.hpp"

#include <cmath>
#include <map>
#include <tuple>

namespace syncmeter {
namespace {

constexpr std::size_t least_points = 6;  // below, the extremes do not reach 95 %
constexpr double beyond_doubt = 0.005;

double cost_of(const visit_record& visit) {
  return visit.estimates.empty() || visit.status != status::ok
             ? 0
             : visit.estimates.front().cost_ns.value;
}

}  // namespace

std::vector<device_difference> device_differences(const results_file& file) {
  // The costs of a point's visits on each GPU.
  std::map<std::pair<std::string, std::string>, std::map<unsigned, std::vector<double>>> costs;
  for (const visit_record& visit : file.visits) {
    if (const double cost = cost_of(visit); visit.visited_device && cost > 0)
      costs[{visit.family, canonical(visit.point)}][*visit.visited_device].push_back(cost);
  }
  std::map<std::tuple<std::string, unsigned, unsigned>, std::vector<double>> ratios;
  for (auto& [key, by_device] : costs) {
    const double reference = median(by_device.begin()->second);
    for (auto other = std::next(by_device.begin()); other != by_device.end(); ++other)
      ratios[{key.first, other->first, by_device.begin()->first}].push_back(median(other->second) /
                                                                            reference);
  }
  std::vector<device_difference> found;
  for (const auto& [key, of_points] : ratios) {
    if (of_points.size() < least_points) continue;
    const auto& [family, device, reference] = key;
    const interval ratio = median_interval(of_points);
    const bool apart = ratio.low > 1 || ratio.high < 1;
    found.push_back({.family = family,
                     .device = device,
                     .reference = reference,
                     .points = of_points.size(),
                     .ratio = ratio,
                     .found = apart && std::abs(ratio.value - 1) > beyond_doubt});
  }
  return found;
}

}  // namespace syncmeter
