// The rows of the study of divergence, and the kernel that checks what their lanes end with.
#include "backends/cuda/divergence/divergence.hpp"

#include "backends/cuda/divergence/divergence_lane.cuh"
#include "backends/cuda/rig/cuda_backend.cuh"

namespace syncmeter::cuda {
namespace {

constexpr unsigned check_block = 256;

__global__ void check(diverging_lanes who, const lane_outcome* outcomes,
                      const std::uint32_t* expected, own_outcome* found) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < who.lanes;
       i += gridDim.x * blockDim.x) {
    const unsigned lane = i % who.of_block;
    const unsigned first = who.by == divergence::none      ? 0
                           : who.by == divergence::in_warp ? lane % who.paths
                                                           : lane / warp_size % who.paths;
    if (outcomes[i].operand == expected[first]) continue;
    if (atomicAdd(&found->wrong, 1ULL) != 0) continue;
    found->at = i;
    found->held = expected[first];
    found->lane = outcomes[i];
  }
}

}  // namespace

void check_words(const diverging_lanes& who, const lane_outcome* outcomes,
                 const std::uint32_t* expected, own_outcome* found, cudaStream_t stream) {
  const unsigned blocks = std::min((who.lanes + check_block - 1) / check_block, 1024U);
  check<<<blocks, check_block, 0, stream>>>(who, outcomes, expected, found);
  SM_CUDA(cudaGetLastError());
}

std::vector<measurable> divergence_rows() {
  static constexpr auto rows = bind_untyped<backend_of<divergence_lane>>(branch_ops{});
  return {rows.begin(), rows.end()};
}

}  // namespace syncmeter::cuda
