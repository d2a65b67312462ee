// Atomics by operand width: their rows, and the kernels that set and check cells.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "backends/cuda/lane/cuda_cells.hpp"
#include "backends/cuda/rig/gpu_rig.hpp"
#include "backends/cuda/widths/shapes.hpp"

namespace syncmeter::cuda {

/// Queues the initial bits into every cell at every place.
void reset_widths(const op_info& info, const cell_layout& layout, std::byte* array,
                  const cell_places& places, cudaStream_t stream);

/// Queues the check of all cells and of the lanes' results. `found` is all zero. For a wrong cell,
/// `held` gets the expected value and the lane's operand the actual value, the lower 8 bytes of
/// each.
void check_widths(const op_info& info, const cell_layout& layout, const std::byte* array,
                  const cell_places& places, const lane_outcome* outcomes, own_outcome* found,
                  cudaStream_t stream);

[[nodiscard]] std::vector<measurable> width_rows();
/// Returns the rows with their rig and declared code.
[[nodiscard]] row_group widths_group();

}  // namespace syncmeter::cuda
