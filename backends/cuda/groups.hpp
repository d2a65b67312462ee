// The rows of a CUDA worker: all_groups.cpp for this project, user_groups.cpp for a user's worker.
#pragma once

#include <vector>

#include "backends/cuda/rig/gpu_rig.hpp"

namespace syncmeter::cuda {

/// Returns the shared ops and CUDA's own ops on one device, for the kernels' rig. The parts of the
/// table are separate translation units (cmake/tables.cmake).
[[nodiscard]] std::vector<measurable> all_rows();

[[nodiscard]] std::vector<row_group> row_groups();

}  // namespace syncmeter::cuda
