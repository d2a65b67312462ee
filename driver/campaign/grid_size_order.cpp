#include "driver/campaign/grid_size_order.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace syncmeter {
namespace {

std::string text_without_grid_size(const planned_point& planned) {
  if (!planned.device) return canonical(planned.what);
  point any = planned.what;
  any.lanes = any.blocks = 1;
  return canonical(any);
}

auto size_of_grid(const point& p) { return std::tuple(std::size_t{p.lanes} * p.blocks, p.blocks); }

}  // namespace

grid_size_order::grid_size_order(const std::vector<planned_point>& points) : points_{points} {
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t family =
        known.emplace(text_without_grid_size(points[i]), families_.size()).first->second;
    if (family == families_.size()) families_.emplace_back();
    families_[family].push_back(i);
    family_of_.push_back(family);
  }
  for (auto& members : families_)
    std::ranges::stable_sort(members, {},
                             [&points](std::size_t i) { return size_of_grid(points[i].what); });
}

std::vector<std::size_t> grid_size_order::smallest_first(std::vector<std::size_t> order) const {
  std::vector<std::size_t> next(families_.size());
  for (std::size_t& place : order) {
    const std::size_t family = family_of_[place];
    place = families_[family][next[family]++];
  }
  return order;
}

std::optional<std::size_t> grid_size_order::known_too_slow(std::size_t point,
                                                           const visit_log& visits) const {
  if (!points_[point].device) return {};
  const auto& wanted = points_[point].what;
  for (const std::size_t other : families_[family_of_[point]]) {
    const auto& smaller = points_[other].what;
    if (other != point && smaller.lanes <= wanted.lanes && smaller.blocks <= wanted.blocks &&
        visits.took_too_long(other))
      return other;
  }
  return {};
}

}  // namespace syncmeter
