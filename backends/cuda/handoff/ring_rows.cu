// The rows of tokens that go round a ring of warps.
#include "backends/cuda/handoff/handoff_lane.cuh"
#include "backends/cuda/handoff/handoff_rows.hpp"
#include "backends/cuda/handoff/ring_rig.hpp"
#include "backends/cuda/ops/handoff.cuh"
#include "backends/cuda/rig/cuda_backend.cuh"

namespace syncmeter::cuda {

template <class Op, class Lane>
__global__ void ring_litmus(const kernel_setup s, unsigned*, unsigned long long* seen) {
  if (threadIdx.x % warp_size != 0) return;
  Lane lane{s};
  const unsigned rounds = max(16U, litmus_handoffs / (gridDim.x * warps_in(blockDim.x)));
  unsigned used = 0;
  const unsigned stale = stale_messages(lane, s.board, rounds, used);
  if (stale > 0) atomicAdd(seen, static_cast<unsigned long long>(stale));
  s.sinks[Lane::thread()] = used;
}

template <class Op, class Lane> std::uint64_t run_ring_litmus(bench& rig) {
  return static_cast<ring_rig&>(rig).look_at_messages(call_of(&ring_litmus<Op, Lane>));
}

struct ring_backend : backend_of<handoff_lane> {
  template <class Op, class Lane> static consteval litmus_check litmus_of() {
    return &run_ring_litmus<Op, Lane>;
  }
};

std::vector<measurable> ring_rows() {
  static constexpr auto rows =
      bind_untyped<ring_backend>(op_list<ops::warp_handoff, ops::cluster_handoff>{});
  return {rows.begin(), rows.end()};
}

}  // namespace syncmeter::cuda
