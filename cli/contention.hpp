// What lanes do to each other on the cells that they share out: throughput and fairness by the
// number of cells, and the same lanes near each other against far from each other.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/results.hpp"
#include "cli/visit_ratios.hpp"
#include "core/pu_pairs.hpp"

namespace syncmeter {

/// So many cells, shared out among the lanes of a row.
struct shared_cells {
  const point_summary* seen = nullptr;
  std::optional<sharing> joined_by{};  ///< what the farthest lanes of one cell share; nothing: one
                                       ///< lane on each, or the file does not say where its PUs are
  visit_ratio throughput_over_one{};   ///< ops/s of all lanes, over that on one cell, in one
                                       ///< placement state
};

/// One op on so many lanes, under affinities that place the lanes alike.
struct contention_row {
  point what;              ///< its first point; cells are those of that one
  std::string affinities;  ///< "close, smt"
  std::map<unsigned, shared_cells> by_cells{};
  visit_ratio over_alone{};  ///< ops/s of all lanes on one cell, over those of a lone lane
};

/// Every such row of a file's points on CPUs, by op, placement and lanes. Points into `points`.
[[nodiscard]] std::vector<contention_row> contention_of(const results_file& file,
                                                        const std::vector<point_summary>& points);

/// The same op on as many lanes and cells, the lanes of a cell once nearer to each other.
struct near_and_far {
  const contention_row* near = nullptr;
  const contention_row* far = nullptr;
  unsigned cells = 1;
  visit_ratio far_over_near{};  ///< cost; each in the state that its visits were mostly in
};
/// The nearest against each farther placement. Points into `rows`.
[[nodiscard]] std::vector<near_and_far> near_against_far(const results_file& file,
                                                         const std::vector<contention_row>& rows);

/// The tables, and what follows in a line each; empty when the file is of another study.
[[nodiscard]] std::string contention_text(const results_file& file,
                                          const std::vector<point_summary>& points);

}  // namespace syncmeter
