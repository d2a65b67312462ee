// The thin template over host_rig: one function per op, count and lane, and nothing else, is
// compiled for each row of a CPU backend's table; the litmus checks of ops that leave no value
// behind; and, for scripts/atlas, loops that nothing here runs.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "core/harness/core_probes.hpp"
#include "core/host/host_rig.hpp"
#include "core/host/reduction_array.hpp"

namespace syncmeter {

/// Memory of one litmus run, shared by the lanes.
struct litmus_board {
  static constexpr std::size_t rounds = 512;
  struct alignas(128) cell {
    std::atomic<std::uint32_t> value{0};
  };
  explicit litmus_board(unsigned lanes) : at_lane(lanes) {}
  std::vector<cell, lane_allocator<cell>> at_lane;
  std::array<cell, rounds> x, y;
  std::array<std::array<std::uint32_t, rounds>, 2> read{};
  cell flag;
  std::atomic<std::uint64_t> forbidden{0};
};

// After a barrier every lane's store of before it is visible; without one, a late lane's is not.
template <class Op, class Lane> void barrier_litmus(host_rig& rig, unsigned lane) {
  Lane words{rig.setup(lane)};
  auto& board = *static_cast<litmus_board*>(rig.board());
  for (std::uint32_t round = 1; round <= litmus_board::rounds; ++round) {
    board.at_lane[lane].value.store(round, std::memory_order_relaxed);
    Op::measured(words);
    for (unsigned other = 0; other < rig.lanes(); ++other) {
      if (board.at_lane[other].value.load(std::memory_order_relaxed) != round) ++board.forbidden;
    }
    Op::measured(words);
  }
}

// Store buffering: each of two lanes stores, fences, and loads what the other stores. Both reading
// the old value is what a full fence forbids and hardware with store buffers does without one.
template <class Fence> void store_buffering(host_rig& rig, unsigned lane, Fence fence) {
  auto& board = *static_cast<litmus_board*>(rig.board());
  auto& mine = lane == 0 ? board.x : board.y;
  auto& theirs = lane == 0 ? board.y : board.x;
  for (std::size_t i = 0; i < litmus_board::rounds; ++i) {
    rig.gate().wait(rig.lanes());
    if (lane > 1) continue;
    mine[i].value.store(1, std::memory_order_relaxed);
    fence();
    board.read[lane][i] = theirs[i].value.load(std::memory_order_relaxed);
  }
  rig.gate().wait(rig.lanes());
  if (lane != 0) return;
  for (std::size_t i = 0; i < litmus_board::rounds; ++i) {
    if (board.read[0][i] == 0 && board.read[1][i] == 0) ++board.forbidden;
  }
}

template <class Op, class Lane> void full_fence_litmus(host_rig& rig, unsigned lane) {
  Lane words{rig.setup(lane)};
  store_buffering(rig, lane, [&] { Op::measured(words); });
}

// Message passing: data, fence, flag on one side; flag, fence, data on the other. A new flag with
// old data is what release and acquire together forbid.
template <class Op, class Lane> void message_litmus(host_rig& rig, unsigned lane) {
  Lane words{rig.setup(lane)};
  auto& board = *static_cast<litmus_board*>(rig.board());
  rig.gate().wait(rig.lanes());
  for (std::uint32_t i = 0; lane == 0 && i < litmus_board::rounds; ++i) {
    board.x[i].value.store(i + 1, std::memory_order_relaxed);
    Op::measured(words);
    board.flag.value.store(i + 1, std::memory_order_relaxed);
  }
  for (std::uint32_t newest = 0; lane == 1 && newest < litmus_board::rounds;) {
    newest = board.flag.value.load(std::memory_order_relaxed);
    Op::measured(words);
    if (newest != 0 && board.x[newest - 1].value.load(std::memory_order_relaxed) != newest)
      ++board.forbidden;
  }
}

template <untimed_body Body> std::uint64_t run_host_litmus(bench& on) {
  auto& rig = static_cast<host_rig&>(on);
  if (rig.lanes() < 2) return 0;  // nothing to order against
  const auto board = make_for_lanes<litmus_board>(rig.lanes());
  rig.make_objects();
  rig.run_untimed(Body, board.get());
  return board->forbidden;
}

/// The litmus of an op on a lane. A lone acquire or release fence has none: it promises something
/// only together with its other half.
template <class Op, class Lane> constexpr litmus_check host_litmus_of() {
  if constexpr (Op::info.litmus == litmus::barrier) {
    return &run_host_litmus<&barrier_litmus<Op, Lane>>;
  } else if constexpr (Op::info.litmus == litmus::fence) {
    constexpr order o = Lane::memory_order;
    if constexpr (o == order::unordered || o == order::seq_cst) {
      return &run_host_litmus<&full_fence_litmus<Op, Lane>>;
    } else if constexpr (o == order::acq_rel) {
      return &run_host_litmus<&message_litmus<Op, Lane>>;
    }
  }
  return nullptr;
}

/// One lane's part of one sample. Only `loop` stands between the two clock readings.
template <class Op, int Count, class Lane> void timed_body(bench& on, unsigned lane) {
  auto& rig = static_cast<host_rig&>(on);
  const Lane words{rig.setup(lane)};
  const auto trips = rig.trips();
  rig.enter(lane);
  const auto start = steady_ns();
  const auto outcome = loop<Op, Count, Lane>(words, trips);
  const auto stop = steady_ns();
  auto& record = rig.record(lane);
  record.start_ns = start;
  record.stop_ns = stop;
  rig.leave(lane, outcome);
}

/// Runs one lane in the sample that counts owner changes: the test side's loop adds to the note for
/// the lane's lock.
template <class Op, class Lane> void count_owners(bench& on, unsigned lane) {
  auto& rig = static_cast<host_rig&>(on);
  lane_setup setup = rig.setup(lane);
  setup.cell = &static_cast<noted_lock*>(rig.board())[setup.cell_index].note;
  const Lane words{setup};
  rig.enter(lane);
  const auto outcome = loop<Op, 1, Lane>(words, rig.trips());
  rig.leave(lane, outcome);
}

/// Before a sample on an array, which is made for the point and gets another maximum each time.
/// `input` and `fill` are the backend's.
template <class T>
void plant_maximum(host_rig& rig, reduction_array& input, reduction_array::filler<T> fill) {
  input.fit<T>(rig.size(), rig.lanes(), fill);
  input.plant();
}

/// The address of the loop for counts[index], for its machine code. (Not a table of addresses: a
/// function's address as data is no constant expression.)
template <class Op, class Lane> const void* code_at(std::size_t index) {
  constexpr std::array<lane_outcome (*)(Lane, std::uint32_t), 4> loops{
      &loop<Op, counts[0], Lane>, &loop<Op, counts[1], Lane>, &loop<Op, counts[2], Lane>,
      &loop<Op, counts[3], Lane>};
  return reinterpret_cast<const void*>(loops.at(index));
}

/// What bind_typed and bind_untyped need of a CPU backend beside its lane and its reasons.
struct host_backend {
  template <class Object, class Lane> using lane_with = object_lane<Object, Lane>;

  template <class Op, int Count, class Lane> static constexpr lane_body body_of() {
    return &timed_body<Op, Count, Lane>;
  }
  template <class Op, class Lane> static constexpr code_finder code_of() {
    return &code_at<Op, Lane>;
  }
  template <class Op, class Lane> static constexpr litmus_check litmus_of() {
    return host_litmus_of<Op, Lane>();
  }
  /// Returns a body for ops that add under a lock or hold a lock, and null for readers.
  template <class Backend, class Op, form F> static constexpr lane_body owner_body_of() {
    if constexpr (Op::info.family == family::critical &&
                  (Op::info.oracle == oracle::adds || Op::info.holds_lock)) {
      using lane = detail::lane_for<Backend, Op, typename Backend::template lane<owner_note, F>>;
      if constexpr (runs_on<Op, lane>) return &count_owners<Op, lane>;
    }
    return nullptr;
  }
};

/// The address of the loop without or with the op.
template <class Op, class Lane> const void* two_loops_at(std::size_t index) {
  return reinterpret_cast<const void*>(index == 0 ? &loop<Op, counts[0], Lane>
                                                  : &loop<Op, counts[1], Lane>);
}

/// In place of `Backend`: it has no body and no hooks, as far as the seam can see.
template <class Backend> struct loops_alone : Backend {
  template <class, int Count, class>
    requires(Count < 0)
  static lane_body body_of();
  template <class, class Lane>
    requires(sizeof(Lane) == 0)
  static sample_hooks hooks_of();
  template <class Op, class Lane> static constexpr code_finder code_of() {
    return &two_loops_at<Op, Lane>;
  }
  template <class, class> static constexpr litmus_check litmus_of() { return nullptr; }
  template <class, class, form> static constexpr lane_body owner_body_of() { return nullptr; }
};

}  // namespace syncmeter
