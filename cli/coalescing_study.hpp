// The study `coalescing`: what the loads of a warp cost by how its lanes lie on memory, and how
// much is moved for each byte that is used.
#pragma once

#include <string>
#include <vector>

#include "cli/results.hpp"
#include "cli/studies.hpp"

namespace syncmeter {

[[nodiscard]] study coalescing_study();

/// One pattern of loads at one level of memory, with the device full. Figures are of one load by a
/// warp: each lane one word.
struct pattern_row {
  std::string pattern;                     ///< "strided"
  unsigned size = 0;                       ///< as in point::size
  bool in_l2 = false;                      ///< else from device memory
  const point_summary* full = nullptr;     ///< the throughput; null: not measured
  const point_summary* latency = nullptr;  ///< of a warp alone; null: not measured
  double ns = 0;                           ///< of all lanes' time that one load of a warp takes
  double useful_bytes = 0;                 ///< of the words that it asks for, each once
  /// Bytes moved for each useful one: the coalesced load moves what it uses, and another one that
  /// lasts so many times as long moves so many times as much. 0: there is nothing to compare with.
  double moved_per_useful = 0;
};

/// Of one backend: device memory first, then L2; rows of a level in the order of the patterns.
[[nodiscard]] std::vector<pattern_row> pattern_rows(const std::vector<point_summary>& points);

/// The tables, and what follows in a line each; empty when the file is of another study.
[[nodiscard]] std::string coalescing_text(const results_file& file,
                                          const std::vector<point_summary>& points);

}  // namespace syncmeter
