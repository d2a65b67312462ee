// The kernel that each device of a point runs, and the litmus checks over devices.
#pragma once

#include "backends/cuda/multi/multi_lane.cuh"

namespace syncmeter::cuda {

/// All blocks of all devices leave together; they are known to run at once. By loads and stores
/// only between devices: not all have atomics there. False for all lanes of a block that gave up.
SM_FN bool pass_multi_gate(const multi_setup& s, bounded_wait& waiter) {
  const auto word = [](std::byte* board, unsigned at) {
    return reinterpret_cast<unsigned*>(board + gate_at + at);
  };
  __syncthreads();
  if (lane_in_block() == 0) {
    unsigned* const go = word(s.board, board_line);
    if (add_acq_rel<scope::device>(word(s.board, 0), 1) + 1 == s.round * gridDim.x) {
      for (unsigned i = 0; i < s.devices; ++i)
        store_release<scope::system>(word(s.boards[i], (2 + s.self) * board_line), s.round);
      for (unsigned i = 0; i < s.devices; ++i) {
        const unsigned* const flag = word(s.board, (2 + i) * board_line);
        waiter.wait([&] { return load_acquire<scope::system>(flag) >= s.round; },
                    wait_timeout::at_gate, i);
      }
      store_release<scope::device>(go, s.round);
    }
    waiter.wait([&] { return load_acquire<scope::device>(go) >= s.round; }, wait_timeout::at_gate,
                s.self);
  }
  return __syncthreads_or(waiter.where() != 0) == 0;
}

SM_FN void report_wait(const bounded_wait& waited, multi_record& record) {
  if (waited.where() == 0) return;
  record.step = waited.step();
  record.where = waited.where();
}

template <class Op, int Count, class Lane>
__global__ void __launch_bounds__(largest_block, blocks_per_multiprocessor)
    multi_kernel(const multi_setup s, const std::uint32_t trips) {
  multi_record& record = s.records[blockIdx.x];
  bounded_wait at_gate;
  const bool open = pass_multi_gate(s, at_gate);
  report_wait(at_gate, record);
  if (!open) return;
  const Lane lane{s};
  const clock_reading begin = read_timer_and_clock();
  const std::int64_t start = clock64();
  const auto done = loop<Op, Count>(lane, trips);
  const std::int64_t stop = clock64();
  const clock_reading end = read_timer_and_clock();
  report_wait(done.waited, record);
  if (lane_in_block() == 0) {
    record.start_ns = begin.ns;
    record.stop_ns = end.ns;
    record.lane_ns = end.ns - begin.ns;
    record.lane_cycles = stop - start;
  }
  if (done.sunk == 1) record.sunk = done.sunk;
}

/// Data that no word orders: plain accesses, which a cache may hold back or hold on to.
SM_FN void store_weak(unsigned* p, unsigned v) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
SM_FN unsigned load_weak(const unsigned* p) {
  unsigned v;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}

/// Every block of every device writes its place, passes the barrier, and reads what as many others
/// wrote as it has lanes.
template <class Op, class Lane>
__global__ void multi_barrier_litmus(const multi_setup s, std::uint32_t) {
  bounded_wait at_gate;
  const bool open = pass_multi_gate(s, at_gate);
  report_wait(at_gate, s.records[blockIdx.x]);
  if (!open) return;
  Lane lane{s};
  const auto place = [&](unsigned block) {
    return reinterpret_cast<unsigned*>(s.boards[block / gridDim.x] + places_at) + block % gridDim.x;
  };
  const unsigned mine = s.self * gridDim.x + blockIdx.x;
  const unsigned other = (mine + 1 + lane_in_block()) % (gridDim.x * s.devices);
  for (unsigned round = 1; round <= litmus_rounds_over_devices; ++round) {
    if (lane_in_block() == 0) store_weak(place(mine), round);
    Op::measured(lane);
    if (load_weak(place(other)) != round)
      atomicAdd(reinterpret_cast<unsigned*>(s.board + seen_at), 1U);
    Op::measured(lane);
  }
  report_wait(lane.outcome().waited, s.records[blockIdx.x]);
}

/// Message passing, both ways: who has the token reads what the other side wrote before it, and
/// writes for the other side. One word lies with the reader, one with the writer.
template <class Op, class Lane> __global__ void token_litmus(const multi_setup s, std::uint32_t) {
  bounded_wait at_gate;
  const bool open = pass_multi_gate(s, at_gate);
  report_wait(at_gate, s.records[blockIdx.x]);
  if (!open) return;
  Lane lane{s};
  unsigned wrong = 0;
  for (unsigned round = 1; round <= litmus_rounds_over_devices; ++round) {
    const unsigned token = lane.token();
    lane.await_token();
    // The other side wrote the number of its token, and the first of all found nothing.
    if (token != 0 && load_weak(s.data) != token) ++wrong;
    if (token != 0 && load_weak(s.next_data + 1) != token) ++wrong;
    store_weak(s.next_data, token + 1);
    store_weak(s.data + 1, token + 1);
    lane.pass_token();
  }
  if (lane.outcome().waited.where() == 0)
    atomicAdd(reinterpret_cast<unsigned*>(s.board + seen_at), wrong);
  report_wait(lane.outcome().waited, s.records[blockIdx.x]);
}

}  // namespace syncmeter::cuda
