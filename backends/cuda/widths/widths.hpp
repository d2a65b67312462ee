// Atomics by the width of what they update: their rows, and the kernels that set and check cells.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "backends/cuda/lane/cuda_cells.hpp"
#include "backends/cuda/rig/gpu_rig.hpp"
#include "backends/cuda/widths/shapes.hpp"

namespace syncmeter::cuda {

/// Queues the first bits into every cell at every place.
void reset_widths(const op_info& info, const cell_layout& layout, std::byte* array,
                  const cell_places& places, cudaStream_t stream);

/// Queues the check of all cells, and of what their lanes brought back; `found` is all zero. Into
/// `held` goes what a wrong cell should hold, into the lane's operand what it holds, both as far as
/// their lower 8 bytes.
void check_widths(const op_info& info, const cell_layout& layout, const std::byte* array,
                  const cell_places& places, const lane_outcome* outcomes, own_outcome* found,
                  cudaStream_t stream);

[[nodiscard]] std::vector<measurable> width_rows();
/// With their rig, and what they compile to.
[[nodiscard]] row_group widths_group();

}  // namespace syncmeter::cuda
