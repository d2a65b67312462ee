// The rows of a token between two multiprocessors, and their kernels.
#include "backends/cuda/handoff/handoff_lane.cuh"
#include "backends/cuda/handoff/handoff_rows.hpp"
#include "backends/cuda/handoff/pair_rig.hpp"
#include "backends/cuda/ops/handoff.cuh"
#include "backends/cuda/rig/cuda_backend.cuh"

namespace syncmeter::cuda {

/// Which end of the pair this block is, 0 or 1; 2: none. Returns when all blocks have said where
/// they are: none of them starts on a place that another has left.
SM_FN unsigned find_end(const pair_setup& s) {
  const unsigned at = multiprocessor();
  const unsigned rank = at < s.multiprocessors ? atomicAdd(s.here + at, 1U) : 2U;
  atomicAdd(s.arrived, 1U);
  for (unsigned polls = 0; *const_cast<volatile unsigned*>(s.arrived) < gridDim.x; ++polls) {
    if (polls == most_polls / 8) return 2;
  }
  if (at == 0 && rank == 0) return 0;
  return at == s.partner && rank == (s.partner == 0 ? 1U : 0U) ? 1 : 2;
}

// Two blocks of a multiprocessor hold all its threads: 32 registers each. What is not the loop's is
// in memory while it runs.
template <class Op, int Count, class Lane>
__global__ void __launch_bounds__(largest_block, blocks_per_multiprocessor)
    pair_kernel(const pair_setup s, const std::uint32_t trips) {
  if (threadIdx.x != 0) return;
  const unsigned end = find_end(s);
  if (end > 1) return;
  pair_record& record = s.ends[end];
  const Lane lane{s.flags, end, 2};
  const clock_reading begin = read_timer_and_clock();
  record.lane_ns = begin.ns;
  record.lane_cycles = begin.cycles_twice;
  const std::int64_t start = clock64();
  record.cycles = start;
  const auto done = loop<Op, Count>(lane, trips);
  const std::int64_t stop = clock64();
  const clock_reading finish = read_timer_and_clock();
  record.cycles = stop - record.cycles;
  record.lane_ns = finish.ns - record.lane_ns;
  record.lane_cycles = (finish.cycles_twice - record.lane_cycles) / 2;
  record.polls = done.outcome.tally;
  record.multiprocessor = static_cast<unsigned>(done.outcome.operand);
  record.ran = 1;
}

template <class Op, class Lane>
__global__ void __launch_bounds__(largest_block, blocks_per_multiprocessor)
    pair_litmus(const pair_setup s, const std::uint32_t rounds) {
  if (threadIdx.x != 0) return;
  const unsigned end = find_end(s);
  if (end > 1) return;
  Lane lane{s.flags, end, 2};
  unsigned used = 0;
  const unsigned stale = stale_messages(lane, s.data, rounds, used);
  pair_record& record = s.ends[end];
  record.cycles = used;
  record.stale = stale;
  record.polls = lane.polls();
  record.multiprocessor = multiprocessor();
  record.ran = 1;
}

template <class Op, class Lane> const void* pair_stub_at(std::size_t index) {
  return index == 0 ? reinterpret_cast<const void*>(&pair_kernel<Op, 0, Lane>)
                    : reinterpret_cast<const void*>(&pair_kernel<Op, 1, Lane>);
}

template <class Op, class Lane> std::uint64_t run_pair_litmus(bench& rig) {
  return static_cast<pair_rig&>(rig).look_at_messages(
      reinterpret_cast<const void*>(&pair_litmus<Op, Lane>));
}

struct pair_backend : backend_of<handoff_lane> {
  template <class Op, class Lane> static consteval bool is_additive() { return false; }
  template <class Op, class Lane> static consteval code_finder code_of() {
    return &pair_stub_at<Op, Lane>;
  }
  template <class Op, class Lane> static consteval litmus_check litmus_of() {
    return &run_pair_litmus<Op, Lane>;
  }
};

std::vector<measurable> pair_rows() {
  static constexpr auto rows = bind_untyped<pair_backend>(op_list<ops::sm_handoff>{});
  return {rows.begin(), rows.end()};
}

}  // namespace syncmeter::cuda
