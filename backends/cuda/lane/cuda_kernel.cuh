// The kernel of one row and count: gate, clock, the loop, clock, and the lanes' results. Also the
// kernels for untimed checks of ops without a value.
#pragma once

#include "backends/cuda/lane/cuda_block_lane.cuh"
#include "backends/cuda/lane/cuda_clock.cuh"
#include "backends/cuda/ops/walk.hpp"

namespace syncmeter::cuda {

/// Releases all blocks of the grid together. The device is known to run all of them at once.
SM_FN void pass_gate(const kernel_setup& s) {
  __syncthreads();
  if (s.gate_opens_at == 0) return;
  if (lane_in_block() == 0) {
    atomicAdd(s.gate, 1U);
    while (*const_cast<volatile unsigned*>(s.gate) < s.gate_opens_at) {
    }
  }
  __syncthreads();
}

template <class Op> concept uses_block_barrier = requires { Op::uses_block_barrier; };
/// Lanes in blocks that access each other's own memory: all blocks must end together.
template <class Lane> concept leaves = requires(const Lane& lane) { lane.leave(); };
template <class Op> concept walks_memory = requires { Op::ring; };
template <class Op>
concept walks_block_memory = requires { requires Op::ring == walk::shared_memory; };

/// Prepares the block's own memory before the clock starts.
template <class Op, class Lane> SM_FN void fill_block_memory(const Lane& lane) {
  using T = typename Lane::value_type;
  if constexpr (uses_block_barrier<Op>) {
    if (lane_in_block() == 0)
      init(reinterpret_cast<block_barrier_object*>(block_memory), lanes_in_block());
  }
  if constexpr (walks_block_memory<Op>) {
    for (unsigned i = lane_in_block(); i < shared_walk_length; i += lanes_in_block()) {
      const unsigned next = cells_offset + (i + 1) % shared_walk_length * shared_walk_pitch;
      *reinterpret_cast<unsigned*>(block_memory + cells_offset + i * shared_walk_pitch) =
          next + static_cast<unsigned>(__cvta_generic_to_shared(block_memory));
    }
  }
  if constexpr (Lane::lane_form.space == space::shared_memory) {
    if (lane.has_own_cell() || lane_in_block() == 0)
      *const_cast<volatile T*>(&lane.cell()) = lane.initial();
  }
}

/// The times of a block's warps, and their evaluation.
struct block_clock {
  std::int64_t start[largest_block / warp_size];
  std::int64_t stop[largest_block / warp_size];
  clock_reading begin, end;  ///< around thread 0's start and stop
};

SM_FN void report(const block_clock& clock, block_record& record) {
  const unsigned warps = warps_in(lanes_in_block());
  block_record r;
  r.first_cycle = clock.start[0];
  r.last_cycle = clock.stop[0];
  r.lane_cycles = (clock.end.cycles_twice - clock.begin.cycles_twice) / 2;
  r.lane_ns = clock.end.ns - clock.begin.ns;
  r.shortest = static_cast<double>(clock.stop[0] - clock.start[0]);
  for (unsigned w = 0; w < warps; ++w) {
    r.first_cycle = min(r.first_cycle, clock.start[w]);
    r.last_cycle = max(r.last_cycle, clock.stop[w]);
    const double cycles = static_cast<double>(max(clock.stop[w] - clock.start[w], std::int64_t{1}));
    r.shortest = fmin(r.shortest, cycles);
    r.longest = fmax(r.longest, cycles);
    r.rate_sum += 1 / cycles;
    r.rate_square_sum += 1 / (cycles * cycles);
  }
  r.warps = warps;
  record = r;
}

/// Runs the timed part for participating lanes. Only the loop and the store of the start are timed:
/// otherwise the start would occupy a register in the loop. The readings for the clock rate enclose
/// them.
template <class Op, int Count, class Lane>
SM_FN void timed(const Lane& lane, const kernel_setup& s, std::uint32_t trips, block_clock& clock) {
  if (lane_in_block() == 0) clock.begin = read_timer_and_clock();
  const bool first_in_warp = lane_in_block() % warp_size == 0;
  const std::int64_t start = clock64();
  if (first_in_warp) clock.start[lane_in_block() / warp_size] = start;
  const auto done = loop<Op, Count>(lane, trips);
  // Lanes leave a lock one after another, and a warp's first lane reads the clock for all.
  if constexpr (Op::info.family == family::critical) __syncwarp();
  const std::int64_t stop = clock64();
  if (first_in_warp) clock.stop[lane_in_block() / warp_size] = stop;
  if (lane_in_block() == 0) clock.end = read_timer_and_clock();
  s.outcomes[Lane::thread()] = done.outcome;
  s.sinks[Lane::thread()] = done.sunk;
}

/// Results around a seq_cst fence and 16-byte results live longer: with 32 registers they would
/// spill.
template <class Lane>
inline constexpr unsigned blocks_that_fit =
    Lane::lane_form.order == order::seq_cst || sizeof(typename Lane::value_type) > 8
        ? 1
        : blocks_per_multiprocessor;

/// Runs a kernel, in all lanes of its blocks.
template <class Op, int Count, class Lane>
SM_FN void run_block(const Lane& lane, const kernel_setup& s, std::uint32_t trips,
                     block_clock& clock) {
  using T = typename Lane::value_type;
  fill_block_memory<Op>(lane);
  pass_gate(s);
  // Switches lanes off only on purpose: behind an if, the compiler no longer knows a warp as whole.
  if constexpr (Op::info.family == family::handoff) {
    if (lane_in_block() % warp_size == 0) timed<Op, Count>(lane, s, trips, clock);
  } else if constexpr (Lane::lane_form.some_lanes) {
    if (lane_in_block() % warp_size < s.active) timed<Op, Count>(lane, s, trips, clock);
  } else {
    timed<Op, Count>(lane, s, trips, clock);
  }
  __syncthreads();
  if constexpr (leaves<Lane>) lane.leave();
  if (lane_in_block() == 0) report(clock, s.records[blockIdx.x]);
  if constexpr (Lane::lane_form.space == space::shared_memory) {
    const bool own = lane.has_own_cell();
    const std::size_t at =
        own ? std::size_t{Lane::thread()} * s.stride_bytes : std::size_t{blockIdx.x} * sizeof(T);
    if (own || lane_in_block() == 0)
      *reinterpret_cast<T*>(s.cells + at) = *const_cast<volatile T*>(&lane.cell());
  }
}

template <class Op, int Count, class Lane>
__global__ void __launch_bounds__(largest_block, blocks_that_fit<Lane>)
    kernel(const kernel_setup s, const std::uint32_t trips) {
  __shared__ block_clock clock;
  run_block<Op, Count>(Lane{s}, s, trips, clock);
}

// Untimed checks count the outcomes forbidden by the op.

inline constexpr unsigned litmus_rounds = 200;

/// Checks that every lane sees its neighbour's write after the barrier. `board` has one cell per
/// thread of the block.
template <class Op>
SM_FN void check_barrier(auto lane, unsigned* board, unsigned long long* forbidden) {
  fill_block_memory<Op>(lane);
  __syncthreads();
  const auto at = [&](unsigned i) { return const_cast<volatile unsigned*>(board + i); };
  const unsigned neighbour = (lane_in_block() + lanes_in_block() / 2 + 1) % lanes_in_block();
  for (unsigned round = 1; round <= litmus_rounds; ++round) {
    *at(lane_in_block()) = round;
    Op::measured(lane);
    if (*at(neighbour) != round) atomicAdd(forbidden, 1ULL);
    Op::measured(lane);
  }
}

/// Checks message passing (Alglave et al., "GPU concurrency", ASPLOS 2015). A writer stores data,
/// fences, and sets a flag. A reader that sees the flag fences and must see the data. Scope block
/// uses two warps of one block, other scopes two blocks.
template <class Op>
SM_FN void check_fence(auto lane, unsigned* board, unsigned long long* forbidden) {
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
      if (*data != round) atomicAdd(forbidden, 1ULL);
      Op::measured(lane);
      *answer = round;
    }
  }
}

template <class Op, class Lane>
__global__ void barrier_litmus(const kernel_setup s, unsigned* board,
                               unsigned long long* forbidden) {
  check_barrier<Op>(Lane{s}, board, forbidden);
}
template <class Op, class Lane>
__global__ void fence_litmus(const kernel_setup s, unsigned* board, unsigned long long* forbidden) {
  check_fence<Op>(Lane{s}, board, forbidden);
}

}  // namespace syncmeter::cuda
