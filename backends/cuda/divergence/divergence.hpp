// The rows of the study of divergence, and the check of what their lanes end with.
#pragma once

#include <cuda_runtime_api.h>

#include "backends/cuda/divergence/divergence_paths.hpp"
#include "backends/cuda/lane/cuda_setup.hpp"
#include "backends/cuda/rig/gpu_rig.hpp"

namespace syncmeter::cuda {

/// Lanes of a launch, and how they diverge.
struct diverging_lanes {
  unsigned lanes = 1, of_block = 1;
  divergence by = divergence::none;
  unsigned paths = 1;
};
/// Queues the comparison of each lane's word with the one expected of its first path.
void check_words(const diverging_lanes& who, const lane_outcome* outcomes,
                 const std::uint32_t* expected, own_outcome* found, cudaStream_t stream);

[[nodiscard]] std::vector<measurable> divergence_rows();
/// With their rig, and what they compile to.
[[nodiscard]] row_group divergence_group();

}  // namespace syncmeter::cuda
