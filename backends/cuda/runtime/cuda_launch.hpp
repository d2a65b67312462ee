// How a kernel is launched: its grid, and what cudaLaunchKernelExC has to know of it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "backends/cuda/runtime/cuda_check.hpp"

namespace syncmeter::cuda {

struct launch_shape {
  unsigned blocks = 1, lanes = 1;
  std::size_t shared_bytes = 0;  ///< of a block's own memory
  cudaStream_t stream = nullptr;
  unsigned cluster = 0;      ///< blocks of one; 0: no clusters
  bool cooperative = false;  ///< all blocks run at once, or the launch fails
};

/// Lets a kernel be launched in clusters of `size` blocks: it has to allow those that not every
/// device with clusters has.
inline void allow_clusters_of(unsigned size, const void* stub) {
  constexpr unsigned portable = 8;
  if (size > portable)
    SM_CUDA(cudaFuncSetAttribute(stub, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
}

/// A launch_shape as the runtime takes it. `get()` points into this object.
class launch_config {
 public:
  explicit launch_config(const launch_shape& shape) {
    config_.gridDim = dim3(shape.blocks);
    config_.blockDim = dim3(shape.lanes);
    config_.dynamicSmemBytes = shape.shared_bytes;
    config_.stream = shape.stream;
    config_.attrs = attributes_;
    if (shape.cluster > 0) {
      cudaLaunchAttribute& a = attributes_[config_.numAttrs++];
      a.id = cudaLaunchAttributeClusterDimension;
      a.val.clusterDim.x = shape.cluster;
      a.val.clusterDim.y = a.val.clusterDim.z = 1;
    }
    if (shape.cooperative) {
      cudaLaunchAttribute& a = attributes_[config_.numAttrs++];
      a.id = cudaLaunchAttributeCooperative;
      a.val.cooperative = 1;
    }
  }
  launch_config(const launch_config&) = delete;
  launch_config& operator=(const launch_config&) = delete;
  [[nodiscard]] const cudaLaunchConfig_t* get() const { return &config_; }

 private:
  cudaLaunchConfig_t config_{};
  cudaLaunchAttribute attributes_[2]{};
};

}  // namespace syncmeter::cuda
