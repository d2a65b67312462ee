// How the cells of strided lanes lie: which strides and base offsets a point's type takes.
#pragma once

#include <string>
#include <vector>

#include "core/point.hpp"
#include "driver/plan/options.hpp"
#include "driver/plan/study.hpp"

namespace syncmeter {

struct cell_layout {
  unsigned stride = 0;       ///< elements between the cells of neighbouring lanes
  unsigned base_offset = 0;  ///< bytes from the start of a line to the first cell
  unsigned cells = 0;        ///< that the lanes share out; 0: as many as lanes
};

/// Every stride at every base offset and number of cells: the user's, else the study's, else one
/// line. A study's numbers of cells are those that `lanes` lanes can share out evenly.
[[nodiscard]] std::vector<cell_layout> layouts_of(const run_options& options,
                                                  const study_axes& axes, value_type type,
                                                  unsigned lanes, unsigned line_bytes);

/// Why the cells of a point cannot lie as it says; empty when they can.
[[nodiscard]] std::string why_no_layout(const point& p);

}  // namespace syncmeter
