// A CUDA graph that can be launched, and is made anew for each point.
#pragma once

#include <cuda_runtime_api.h>

#include <utility>

#include "backends/cuda/runtime/cuda_check.hpp"

namespace syncmeter::cuda {

class executable_graph {
 public:
  executable_graph() = default;
  ~executable_graph() {
    if (graph_ != nullptr) SM_CUDA_NOEXCEPT(cudaGraphExecDestroy(graph_));
  }
  executable_graph(const executable_graph&) = delete;
  executable_graph& operator=(const executable_graph&) = delete;
  /// Replaces the graph that was there.
  void make(const graph_plan& plan) {
    if (graph_ != nullptr) SM_CUDA(cudaGraphExecDestroy(std::exchange(graph_, nullptr)));
    SM_CUDA(cudaGraphInstantiate(&graph_, plan.get(), 0));
  }
  [[nodiscard]] cudaGraphExec_t get() const { return graph_; }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace syncmeter::cuda
