// The rows of the study of accumulation: float adds by many threads to several cells, and the
// kernels around them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

#include "backends/cuda/accumulate/updates.hpp"
#include "backends/cuda/lane/cuda_setup.hpp"
#include "backends/cuda/rig/gpu_rig.hpp"

namespace syncmeter::cuda {

/// Bytes for the update_set before the cells, read by the lanes.
inline constexpr std::size_t bytes_before_cells = 256;
/// The smallest number of cells: the copy engine adds multiples of 16 bytes.
inline constexpr std::size_t least_cells = 4;

/// The updates after a sample.
struct finished_updates {
  update_set what;
  std::uint64_t ops = 0;            ///< each lane's ops
  accumulation of;                  ///< type of the cells
  const std::byte* data = nullptr;  ///< the lanes' data
  long long* expected = nullptr;    ///< room for `cells` sums
};

/// The error in a rounded set.
struct update_errors {
  double largest = 0;  ///< relative to a cell's sum
};

/// Queues the cells' expected sums (in parts of a value) and their comparison. Exact sets must be
/// exact. Rounded sets may have the worst addition order's error. `found` has doubles as bit
/// patterns, and starts all zero like `errors`.
void check_updates(const finished_updates& done, own_outcome* found, update_errors* errors,
                   cudaStream_t stream);

/// Return the rows for floats and integers, and for doubles.
[[nodiscard]] std::vector<measurable> accumulate_rows();
[[nodiscard]] std::vector<measurable> accumulate_double_rows();
/// Returns the rows with their rig and declared code.
[[nodiscard]] row_group accumulate_group();

}  // namespace syncmeter::cuda
