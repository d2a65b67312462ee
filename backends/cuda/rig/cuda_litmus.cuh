// The untimed checks of ops that leave no value: how often the outcome was seen that the op rules
// out.
#pragma once

#include "backends/cuda/lane/cuda_kernel.cuh"

namespace syncmeter::cuda {

inline constexpr unsigned litmus_rounds = 200;

/// Every lane writes, passes the barrier, and reads what its neighbour wrote. `board` has one cell
/// per thread of the block.
template <class Op> SM_FN void check_barrier(auto lane, unsigned* board, unsigned long long* seen) {
  fill_block_memory<Op>(lane);
  __syncthreads();
  const auto at = [&](unsigned i) { return const_cast<volatile unsigned*>(board + i); };
  const unsigned neighbour = (lane_in_block() + lanes_in_block() / 2 + 1) % lanes_in_block();
  for (unsigned round = 1; round <= litmus_rounds; ++round) {
    *at(lane_in_block()) = round;
    Op::measured(lane);
    if (*at(neighbour) != round) atomicAdd(seen, 1ULL);
    Op::measured(lane);
  }
}

/// Message passing (Alglave et al., "GPU concurrency", ASPLOS 2015): a writer stores data, fences,
/// and sets a flag; a reader that sees the flag fences and must see the data. Reader and writer are
/// two warps of one block for scope block, two blocks otherwise.
template <class Op> SM_FN void check_fence(auto lane, unsigned* board, unsigned long long* seen) {
  constexpr bool one_block = decltype(lane)::lane_form.scope == scope::block;
  const unsigned side = one_block ? lane_in_block() / warp_size : blockIdx.x;
  if (lane_in_block() % warp_size != 0 || side > 1) return;
  volatile unsigned* data = board;
  volatile unsigned* flag = board + 1024;
  volatile unsigned* answer = board + 2048;
  for (unsigned round = 1; round <= litmus_rounds; ++round) {
    if (side == 0) {
      *data = round;
      Op::measured(lane);
      *flag = round;
      while (*answer != round) {
      }
    } else {
      while (*flag != round) {
      }
      Op::measured(lane);
      if (*data != round) atomicAdd(seen, 1ULL);
      Op::measured(lane);
      *answer = round;
    }
  }
}

template <class Op, class Lane>
__global__ void barrier_litmus(const kernel_setup s, unsigned* board, unsigned long long* seen) {
  check_barrier<Op>(Lane{s}, board, seen);
}
template <class Op, class Lane>
__global__ void fence_litmus(const kernel_setup s, unsigned* board, unsigned long long* seen) {
  check_fence<Op>(Lane{s}, board, seen);
}

}  // namespace syncmeter::cuda
