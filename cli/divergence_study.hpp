// The study `divergence`: what a branch costs by how many paths the lanes of a warp, or the warps
// of a block, take; and what it would cost without a branch.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/results.hpp"
#include "cli/studies.hpp"

namespace syncmeter {

[[nodiscard]] study divergence_study();

/// Costs by number of paths, and what each further path adds to them.
struct cost_of_paths {
  std::map<unsigned, const point_summary*> by_paths{};  ///< points that have a cost
  /// ns of one more path: least squares over all of them; nothing for fewer than two.
  [[nodiscard]] std::optional<double> slope_ns() const;
  /// Null where that has no cost to show.
  [[nodiscard]] const point_summary* at(unsigned paths) const;
};

/// One launch of one backend and device. One path is branch_uniform where that was measured.
struct divergence_table {
  point what;  ///< backend, blocks and lanes
  cost_of_paths in_warp{}, across_warps{}, predicated{};
  const point_summary* uniform = nullptr;
};

[[nodiscard]] std::vector<divergence_table>
divergence_tables(const std::vector<point_summary>& points);

/// The tables, and what follows in a line each; empty when the file is of another study.
[[nodiscard]] std::string divergence_text(const results_file& file,
                                          const std::vector<point_summary>& points);

}  // namespace syncmeter
