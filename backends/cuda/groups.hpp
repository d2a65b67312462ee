// What a CUDA worker measures: all_groups.cpp of this project's, user_groups.cpp of a user's.
#pragma once

#include <vector>

#include "backends/cuda/rig/gpu_rig.hpp"

namespace syncmeter::cuda {

[[nodiscard]] std::vector<row_group> row_groups();

}  // namespace syncmeter::cuda
