// The CUDA table: compiled once for each type and part of it, which the build names
// (cmake/tables.cmake).
#include "backends/cuda/rig/cuda_backend.cuh"
#include "backends/cuda/rig/cuda_table.hpp"

namespace syncmeter::cuda {

using all_ops = decltype(joined(shared_ops{}, own_ops{}));

std::vector<measurable> SM_ROWS() {
  return rows_of_part<backend, SM_TYPE, table_part{SM_PART, SM_PARTS}>(all_ops{});
}

}  // namespace syncmeter::cuda
