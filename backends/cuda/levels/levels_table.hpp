// The rows of study `levels`, their rig, and what their machine code is declared to be.
#pragma once

#include <vector>

#include "backends/cuda/rig/gpu_rig.hpp"

namespace syncmeter::cuda {

[[nodiscard]] std::vector<measurable> rows_tiles();
[[nodiscard]] std::vector<measurable> rows_coalesced();
[[nodiscard]] std::vector<measurable> rows_chains();
[[nodiscard]] std::vector<measurable> rows_clusters();
[[nodiscard]] std::vector<measurable> rows_grids();

/// All of them.
[[nodiscard]] row_group levels_rows();

}  // namespace syncmeter::cuda
