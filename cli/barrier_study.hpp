// What the study `barrier` finds: the cost of a barrier by number of lanes, runtime and way of
// waiting, and what the others pay for a late arriver beyond its lateness.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/results.hpp"
#include "cli/visit_ratios.hpp"

namespace syncmeter {

/// Two barriers cost the same when the interval of their ratio lies between 1 / (1 + this) and
/// 1 + this.
inline constexpr double same_barrier_within = 0.05;

/// One ratio of costs, and what it says.
struct barrier_ratio {
  interval ratio;  ///< median over the visits that both have in a placement state that both saw,
                   ///< with its interval over their logarithms; infinite bounds for one visit
  std::size_t visits = 0;  ///< that it is made of; 0 where there is no ratio
  enum class word : std::uint8_t { unknown, same, dearer, cheaper, open };
  /// open: the interval holds one of the bounds. unknown: fewer than two visits.
  [[nodiscard]] word says() const;
};

/// Who waits, and how: a column of the tables.
using barrier_runtime = std::pair<std::string, wait_policy>;

struct barrier_cost {
  const point_summary* point = nullptr;
  costs_by_visit visits;
  bool all_positive = true;  ///< no visit found a cost of 0 or less, which no ratio can hold
};

/// One number of lanes, placed in one way; of barrier_late also one lateness.
struct barrier_row {
  unsigned lanes = 1, late_us = 0;
  std::map<barrier_runtime, barrier_cost> costs;
};

/// Affinity policies that place every number of lanes alike, and what was measured there.
struct barrier_placement {
  std::string affinities;          ///< "close, smt"
  std::vector<barrier_row> curve;  ///< of the op barrier, by lanes
  std::vector<barrier_row> late;   ///< of barrier_late, by lanes and lateness
};

[[nodiscard]] std::vector<barrier_placement> barriers_of(const results_file& file,
                                                         const std::vector<point_summary>& points);

[[nodiscard]] barrier_ratio ratio_of(const barrier_cost& upper, const barrier_cost& lower);

/// The tables and what follows from them; empty when the file is of another study.
[[nodiscard]] std::string barrier_text(const results_file& file,
                                       const std::vector<point_summary>& points);

}  // namespace syncmeter
