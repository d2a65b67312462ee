// GPU points that differ in their grid size alone, from small to large. Where all lanes want one
// cell, the time of a step can grow with their square, and a kernel that has begun cannot be
// stopped: so the small ones come first, and what was too slow at one is not tried at a larger one.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "driver/campaign/visit_log.hpp"
#include "driver/plan/plan.hpp"

namespace syncmeter {

class grid_size_order {
 public:
  /// `points` must outlive it.
  explicit grid_size_order(const std::vector<planned_point>& points);

  /// The same order, but that points which differ in their grid size alone exchange places, so that
  /// the smaller come first.
  [[nodiscard]] std::vector<std::size_t> smallest_first(std::vector<std::size_t> order) const;

  /// A point with the same axes and no more lanes and blocks, a step of which took too long;
  /// nothing when there is none. A worker that did not answer may do so the next time.
  [[nodiscard]] std::optional<std::size_t> known_too_slow(std::size_t point,
                                                          const visit_log& visits) const;

 private:
  const std::vector<planned_point>& points_;
  std::vector<std::vector<std::size_t>> families_;  ///< points by grid size, smallest first
  std::vector<std::size_t> family_of_;              ///< of each point
};

}  // namespace syncmeter
