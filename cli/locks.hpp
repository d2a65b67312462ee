// What each lock costs round one add: alone, shared by all lanes, and one for each lane; beside the
// cheapest of them, and beside an atomic add, which needs none.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/results.hpp"
#include "cli/visit_ratios.hpp"

namespace syncmeter {

/// One lock, or the atomic add, of one backend. Null where it was not measured so.
struct lock_row {
  point what;                                         ///< without lanes and cells
  std::map<unsigned, const point_summary*> on_one{};  ///< one lock for all lanes, by lanes
  const point_summary* own = nullptr;                 ///< one for each of most lanes
  visit_ratio alone_over_cheapest{};   ///< one lane: over the cheapest lock of all backends
  visit_ratio alone_over_atomic{};     ///< over its backend's atomic add
  visit_ratio shared_over_cheapest{};  ///< most lanes, in one placement state
  visit_ratio shared_over_atomic{};
  [[nodiscard]] bool is_lock() const;
  /// With so many lanes on one lock; null where that has no cost to show.
  [[nodiscard]] const point_summary* cost_at(unsigned lanes) const;
};

/// Locks of one type, affinity and wait policy, in the order of a table's rows.
struct lock_table {
  point what;               ///< what its rows have in common
  unsigned most_lanes = 0;  ///< the largest number that was measured
  std::vector<lock_row> rows{};
  std::optional<std::size_t> cheapest_alone{};  ///< lock, among rows; nothing: none has a cost
  std::optional<std::size_t> cheapest_shared{};
};

/// Of a file's locks on CPUs. Points into `points`.
[[nodiscard]] std::vector<lock_table> lock_tables(const results_file& file,
                                                  const std::vector<point_summary>& points);

/// Jain's index where lanes that all do the same number of ops do them one lane after the other:
/// what `fairness` cannot fall below. 0.9 for two lanes.
[[nodiscard]] double least_fairness(unsigned lanes);

/// The tables, and what follows in a line each; empty when the file is of another study.
[[nodiscard]] std::string locks_text(const results_file& file,
                                     const std::vector<point_summary>& points);

}  // namespace syncmeter
