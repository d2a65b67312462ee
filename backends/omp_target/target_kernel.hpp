// The target region of a row and count: gate, clocks, loop, clocks, outcomes. Also the region for
// the untimed check of a barrier.
#pragma once

#include <utility>

#include "backends/omp_target/target_lane.hpp"

namespace syncmeter::omp_target {

/// Returns whether an op's lanes are threads. Only atomic ops may use `simd` lanes, because OpenMP
/// allows no other construct in a `simd` loop.
[[nodiscard]] constexpr bool is_of_threads(const op_info& info) {
  return info.family == family::barrier || info.family == family::critical ||
         info.family == family::fence || info.family == family::handoff;
}

/// Runs a lane's part of a sample. Not inlined: `simd` lanes would share a thread's stack, but each
/// call gets a stack. A function also has the same name on host and device.
template <class Op, int Count, class Lane>
SM_LOOP void run_lane(const kernel_setup* s, unsigned number) {
  Lane lane{*s, number};
  const std::uint32_t trips = s->trips;
  const clock_reading first = read_clocks();
  SM_ROLLED for (std::uint32_t t = 0; t < trips; ++t)
      trip<Op, Count>(lane, std::make_index_sequence<steps_in_trip<Op, Lane>()>{});
  const clock_reading last = read_clocks();
  lane.bring_back(s->outcomes[number]);
  // Times from a thread's first lane to its last, because the host runs lanes one after another.
  constexpr unsigned lanes_of_thread = is_of_threads(Op::info) ? 1 : simd_lanes;
  thread_record& record = s->records[number / lanes_of_thread];
  if (number % lanes_of_thread == 0) record.first = first;
  if (number % lanes_of_thread == lanes_of_thread - 1) record.last = last;
}

/// Makes all threads of all teams leave together. OpenMP does not promise concurrent teams: if
/// teams are missing after a second, `given` records the smaller number.
SM_FN void pass_gate(const kernel_setup& s) {
  constexpr std::uint64_t longest_wait_ns = 1'000'000'000;
  if (s.gate_opens_at > 0 && omp_get_thread_num() == 0) {
    unsigned& arrived = *s.gate;
    unsigned seen = 0;
#pragma omp atomic update seq_cst
    ++arrived;
    const std::uint64_t since = read_clocks().ns;
    while (seen < s.gate_opens_at && read_clocks().ns - since < longest_wait_ns) {
#pragma omp atomic read seq_cst
      seen = arrived;
    }
    if (seen < s.gate_opens_at) s.given->teams = seen;
  }
#pragma omp barrier
}

template <class Op, int Count, class Lane> SM_FN void run_thread(const kernel_setup& s) {
  const auto team = static_cast<unsigned>(omp_get_team_num());
  const unsigned thread = team * s.threads + static_cast<unsigned>(omp_get_thread_num());
  if (thread == 0)
    *s.given = {static_cast<unsigned>(omp_get_num_teams()),
                static_cast<unsigned>(omp_get_num_threads())};
  pass_gate(s);
  const kernel_setup* const setup = &s;
  if constexpr (is_of_threads(Op::info)) {
    run_lane<Op, Count, Lane>(setup, thread);
  } else {
#pragma omp simd
    for (unsigned n = 0; n < simd_lanes; ++n)
      run_lane<Op, Count, Lane>(setup, thread * simd_lanes + n);
  }
}

template <class Op, int Count, class Lane> void launch(const kernel_setup& given) {
  const kernel_setup s = given;
#pragma omp target teams num_teams(s.teams) thread_limit(s.threads) firstprivate(s) device(s.device)
#pragma omp parallel num_threads(s.threads)
  run_thread<Op, Count, Lane>(s);
}

/// Counts stale reads: every thread writes, passes the barrier and reads its neighbour's value.
/// `board` has a cell per thread.
template <class Op, class Lane>
void launch_litmus(const kernel_setup& given, unsigned* board, unsigned* forbidden) {
  constexpr unsigned rounds = 200;
  const kernel_setup s = given;
#pragma omp target teams num_teams(1) thread_limit(s.threads) firstprivate(s) device(s.device)     \
    is_device_ptr(board, forbidden)
#pragma omp parallel num_threads(s.threads)
  {
    const auto thread = static_cast<unsigned>(omp_get_thread_num());
    const auto threads = static_cast<unsigned>(omp_get_num_threads());
    volatile unsigned& own = board[thread];
    const volatile unsigned& other = board[(thread + (threads + 1) / 2) % threads];
    Lane lane{s, thread};
    for (unsigned round = 1; round <= rounds; ++round) {
      own = round;
      Op::measured(lane);
      if (other != round) {
#pragma omp atomic update
        ++*forbidden;
      }
      Op::measured(lane);
    }
  }
}

}  // namespace syncmeter::omp_target
