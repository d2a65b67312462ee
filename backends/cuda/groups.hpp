// What a CUDA worker measures: all_groups.cpp of this project's, user_groups.cpp of a user's.
#pragma once

#include <vector>

#include "backends/cuda/rig/gpu_rig.hpp"

namespace syncmeter::cuda {

/// The shared ops and CUDA's own on one device, which the rig of kernels measures: the parts of the
/// table are translation units of their own (cmake/tables.cmake).
[[nodiscard]] std::vector<measurable> all_rows();

[[nodiscard]] std::vector<row_group> row_groups();

}  // namespace syncmeter::cuda
