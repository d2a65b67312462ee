// Kernel launches: single launches with a grid and cudaLaunchKernelExC's attributes, and nodes of a
// graph.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>

#include "backends/cuda/runtime/cuda_check.hpp"

namespace syncmeter::cuda {

struct launch_shape {
  unsigned blocks = 1, lanes = 1;
  std::size_t shared_bytes = 0;  ///< a block's own memory
  cudaStream_t stream = nullptr;
  unsigned cluster = 0;      ///< blocks per cluster, 0: no clusters
  bool cooperative = false;  ///< all blocks run at once, or the launch fails
};

/// Allows launches in clusters of `size` blocks. Large sizes need permission, because not every
/// device with clusters supports them.
inline void allow_clusters_of(unsigned size, const void* stub) {
  constexpr unsigned portable = 8;
  if (size > portable)
    SM_CUDA(cudaFuncSetAttribute(stub, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
}

/// A launch_shape in the runtime's format. `get()` points into this object.
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

inline void launch_stub(const void* stub, const launch_shape& shape, void** arguments) {
  const launch_config config{shape};
  SM_CUDA(cudaLaunchKernelExC(config.get(), stub, arguments));
}

/// Returns a kernel's concurrent blocks per multiprocessor. The query loads the kernel.
[[nodiscard]] inline unsigned blocks_at_once(const void* stub, unsigned lanes,
                                             std::size_t shared_bytes = 0) {
  int blocks = 0;
  SM_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, stub, static_cast<int>(lanes),
                                                        shared_bytes));
  return static_cast<unsigned>(blocks);
}

/// Nodes and their order, the plan for an executable graph.
class graph_plan : public owner<cudaGraph_t, &cudaGraphDestroy> {
 public:
  graph_plan() {
    cudaGraph_t made = nullptr;
    SM_CUDA(cudaGraphCreate(&made, 0));
    reset(made);
  }
  /// Adds a kernel, on the current device, after the nodes in `before`.
  cudaGraphNode_t add(const void* stub, unsigned blocks, unsigned lanes, void** arguments,
                      std::span<const cudaGraphNode_t> before) {
    cudaKernelNodeParams kernel{};
    kernel.func = const_cast<void*>(stub);  // the runtime accepts a stub like any function
    kernel.gridDim = dim3(blocks);
    kernel.blockDim = dim3(lanes);
    kernel.kernelParams = arguments;
    cudaGraphNode_t node = nullptr;
    SM_CUDA(cudaGraphAddKernelNode(&node, get(), before.data(), before.size(), &kernel));
    return node;
  }
};

/// An executable CUDA graph, made again for each point.
class executable_graph : public owner<cudaGraphExec_t, &cudaGraphExecDestroy> {
 public:
  /// Replaces the old graph.
  void make(const graph_plan& plan) {
    reset();
    cudaGraphExec_t made = nullptr;
    SM_CUDA(cudaGraphInstantiate(&made, plan.get(), 0));
    reset(made);
  }
};

}  // namespace syncmeter::cuda
