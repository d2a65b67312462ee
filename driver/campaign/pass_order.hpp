// The order of points in a pass: random, and the same everywhere for a seed. GPU points with small
// grids come first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "driver/campaign/campaign_file.hpp"
#include "driver/plan/plan.hpp"

namespace syncmeter {

/// Returns 0 .. size-1 in the order of pass `pass` (from 1) of a campaign with this seed. Uses
/// Fisher and Yates' shuffle (Knuth, TAOCP vol. 2, algorithm P) on std::mt19937_64, because
/// std::shuffle and the standard distributions may differ between standard libraries.
[[nodiscard]] std::vector<std::size_t> pass_order(std::size_t size, std::uint64_t seed,
                                                  unsigned pass);

/// Does the same for groups of indices. The members of a group are consecutive, and begin with a
/// different member in every pass.
[[nodiscard]] std::vector<std::size_t>
pass_order(const std::vector<std::vector<std::size_t>>& groups, std::uint64_t seed, unsigned pass);

/// Returns a seed for one visit to a point, below 2^53, because every JSON reader keeps such a
/// number exactly.
[[nodiscard]] std::uint64_t visit_seed(std::uint64_t seed, std::string_view canonical_point,
                                       unsigned visit);

/// GPU points that differ only in grid size, from small to large. If all lanes use one cell, a
/// step's time can grow with their square, and a running kernel cannot be stopped. Small grids
/// therefore come first, and grids larger than a too slow grid are not tried.
class grid_size_order {
 public:
  /// `points` must outlive this object.
  explicit grid_size_order(const std::vector<planned_point>& points);

  /// Returns the same order, except that points which differ only in grid size exchange places:
  /// smaller grids come first.
  [[nodiscard]] std::vector<std::size_t> smallest_first(std::vector<std::size_t> order) const;

  /// Returns a point with the same axes and no more lanes and blocks, if a step of it took too
  /// long, or nothing. A worker without an answer does not count, because it may answer the next
  /// time.
  [[nodiscard]] std::optional<std::size_t> known_too_slow(std::size_t point,
                                                          const visit_log& visits) const;

 private:
  const std::vector<planned_point>& points_;
  std::vector<std::vector<std::size_t>> families_;  ///< points by grid size, smallest first
  std::vector<std::size_t> family_of_;              ///< by point
};

}  // namespace syncmeter
