// Rows for divergence, and the check of the lanes' results.
#pragma once

#include <cuda_runtime_api.h>

#include "backends/cuda/divergence/divergence_paths.hpp"
#include "backends/cuda/lane/cuda_setup.hpp"
#include "backends/cuda/rig/gpu_rig.hpp"

namespace syncmeter::cuda {

/// A launch's lanes, and their divergence.
struct diverging_lanes {
  unsigned lanes = 1, of_block = 1;
  divergence by = divergence::none;
  unsigned paths = 1;
};
/// Queues a check of each lane's word against the expected word for its first path.
void check_words(const diverging_lanes& who, const lane_outcome* outcomes,
                 const std::uint32_t* expected, own_outcome* found, cudaStream_t stream);

[[nodiscard]] std::vector<measurable> divergence_rows();
/// Returns the rows with their rig and declared code.
[[nodiscard]] row_group divergence_group();

}  // namespace syncmeter::cuda
