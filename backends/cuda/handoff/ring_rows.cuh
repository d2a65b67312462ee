// Binds ring ops to a lane, and checks that earlier messages arrive with the token.
#pragma once

#include "backends/cuda/handoff/handoff.cuh"
#include "backends/cuda/rig/cuda_backend.cuh"

namespace syncmeter::cuda {

template <class Op, class Lane>
__global__ void ring_litmus(const kernel_setup s, unsigned*, unsigned long long* forbidden) {
  if (threadIdx.x % warp_size != 0) return;
  Lane lane{s};
  const unsigned rounds = max(16U, litmus_handoffs / (gridDim.x * warps_in(blockDim.x)));
  unsigned used = 0;
  const unsigned stale = stale_messages(lane, s.board, rounds, used);
  if (stale > 0) atomicAdd(forbidden, static_cast<unsigned long long>(stale));
  s.sinks[Lane::thread()] = used;
  if constexpr (leaves<Lane>) lane.leave();
}

template <class Op, class Lane> std::uint64_t run_ring_litmus(bench& rig) {
  return static_cast<ring_rig&>(rig).run_message_litmus(
      reinterpret_cast<const void*>(&ring_litmus<Op, Lane>));
}

template <template <class, class> class Lane> struct ring_backend : backend_of<Lane> {
  template <class Op, class L> static consteval litmus_check litmus_of() {
    return &run_ring_litmus<Op, L>;
  }
};

}  // namespace syncmeter::cuda
