#include "backends/cuda/multi/multi_graph.hpp"

#include <utility>

#include "backends/cuda/multi/multi_host.hpp"
#include "backends/cuda/runtime/cuda_check.hpp"
#include "backends/cuda/runtime/peer_devices.hpp"

namespace syncmeter::cuda {

// A node's device is the one that is current when it is added.
void round_graph::make(const std::vector<int>& devices, unsigned blocks, unsigned lanes,
                       round_board* board) {
  const graph_plan plan;
  std::vector<cudaGraphNode_t> before;
  auto count = static_cast<unsigned>(devices.size());
  for (unsigned round = 0; round < rounds_in_graph; ++round) {
    std::vector<cudaGraphNode_t> nodes(devices.size());
    for (unsigned self = 0; self < count; ++self) {
      const scoped_device here{devices[self]};
      void* arguments[] = {&board, &self, &count};
      cudaKernelNodeParams kernel{};
      // The runtime takes a stub as it takes any function.
      kernel.func = const_cast<void*>(board == nullptr ? empty_kernel() : checking_kernel());
      kernel.gridDim = dim3(board == nullptr ? blocks : 1);
      kernel.blockDim = dim3(board == nullptr ? lanes : 1);
      kernel.kernelParams = arguments;
      SM_CUDA(
          cudaGraphAddKernelNode(&nodes[self], plan.get(), before.data(), before.size(), &kernel));
    }
    before = std::move(nodes);
  }
  graph_.make(plan);
}

}  // namespace syncmeter::cuda
