// The CUDA table, by type: each is a translation unit of its own (cuda_table.cu).
#pragma once

#include <vector>

#include "backends/cuda/gpu_rig.hpp"
#include "core/measurable.hpp"

namespace syncmeter::cuda {

[[nodiscard]] std::vector<measurable> rows_untyped();
[[nodiscard]] std::vector<measurable> rows_int32();
[[nodiscard]] std::vector<measurable> rows_own_int32();
[[nodiscard]] std::vector<measurable> rows_uint32();
[[nodiscard]] std::vector<measurable> rows_uint64();
[[nodiscard]] std::vector<measurable> rows_float();
[[nodiscard]] std::vector<measurable> rows_double();

/// The shared ops and CUDA's own on one device: what the rig of kernels measures.
[[nodiscard]] inline std::vector<measurable> kernel_rows() {
  auto rows = rows_untyped();
  for (const auto& more : {rows_int32(), rows_own_int32(), rows_uint32(), rows_uint64(),
                           rows_float(), rows_double()}) {
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

}  // namespace syncmeter::cuda
