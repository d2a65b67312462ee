// The rows of the study of accumulation: adds of floats by many threads to a number of cells, and
// the kernels around them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

#include "backends/cuda/accumulate/updates.hpp"
#include "backends/cuda/lane/cuda_setup.hpp"
#include "backends/cuda/rig/gpu_rig.hpp"

namespace syncmeter::cuda {

/// Before the cells: the update_set, read by the lanes.
inline constexpr std::size_t bytes_before_cells = 256;
/// Cells at least: what the copy engine adds is a multiple of 16 bytes.
inline constexpr std::size_t least_cells = 4;

/// What the lanes did to the cells.
struct finished_updates {
  update_set what;
  std::uint64_t ops = 0;            ///< of each lane
  accumulation of;                  ///< what the cells are
  const std::byte* data = nullptr;  ///< as the lanes had it
  long long* expected = nullptr;    ///< room for `cells` sums
};

/// Of a rounded set.
struct update_errors {
  double largest = 0;  ///< of a cell, over its sum
};

/// Queues the sums that the cells must hold, in parts of a value, and their comparison: exact sets
/// must be exact; of rounded ones the error may be that of the worst order of additions. `found`
/// has doubles as bit patterns; it and `errors` are all zero before.
void check_updates(const finished_updates& done, own_outcome* found, update_errors* errors,
                   cudaStream_t stream);

/// Of floats and integers, and of doubles.
[[nodiscard]] std::vector<measurable> accumulate_rows();
[[nodiscard]] std::vector<measurable> accumulate_double_rows();
/// With their rig, and what they compile to.
[[nodiscard]] row_group accumulate_group();

}  // namespace syncmeter::cuda
