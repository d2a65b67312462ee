// The costs between pairs of PUs as matrices, one for each op.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/machine/topology.hpp"
#include "driver/results/results.hpp"

namespace syncmeter {

/// Points that differ in nothing but their two PUs.
struct pair_matrix {
  std::string name;                                             ///< what all of them are, in words
  std::map<std::pair<int, int>, const point_summary*> cells{};  ///< by PUs of first and second lane

  /// Null where the pair has no cost.
  [[nodiscard]] const point_summary* at(int first, int second) const;
  /// "same core 22.4 ns, same L3 71.9 ns": the median of each class of pairs, closest first.
  [[nodiscard]] std::string classes(const std::vector<processing_unit>& units) const;
};

/// One for each group of two points or more that name two PUs, some of them with a cost, in the
/// order of the points; they must outlive the matrices.
[[nodiscard]] std::vector<pair_matrix> pair_matrices(const std::vector<point_summary>& points);

}  // namespace syncmeter
