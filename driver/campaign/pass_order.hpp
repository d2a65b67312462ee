// The order in which a pass visits the points: random, and the same everywhere for a seed; of a
// GPU's points those of small grids first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "driver/campaign/campaign_file.hpp"
#include "driver/plan/plan.hpp"

namespace syncmeter {

/// 0 .. size-1 in the order of pass `pass` (from 1) of a campaign with this seed. Fisher and Yates'
/// shuffle (Knuth, TAOCP vol. 2, algorithm P) on std::mt19937_64; std::shuffle and the standard
/// distributions may differ between standard libraries.
[[nodiscard]] std::vector<std::size_t> pass_order(std::size_t size, std::uint64_t seed,
                                                  unsigned pass);

/// The same for groups of indices: groups in that order, the members of each one after the other,
/// beginning with another one in every pass.
[[nodiscard]] std::vector<std::size_t>
pass_order(const std::vector<std::vector<std::size_t>>& groups, std::uint64_t seed, unsigned pass);

/// A seed for one visit of one point, below 2^53 so that every JSON reader keeps it exactly.
[[nodiscard]] std::uint64_t visit_seed(std::uint64_t seed, std::string_view canonical_point,
                                       unsigned visit);

/// GPU points that differ in their grid size alone, from small to large. Where all lanes want one
/// cell, the time of a step can grow with their square, and a kernel that has begun cannot be
/// stopped: so the small ones come first, and what was too slow at one is not tried at a larger
/// one.
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
