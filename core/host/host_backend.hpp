// The thin template over host_rig: one function per op, count and lane, and nothing else, is
// compiled for each row of a CPU backend's table.
#pragma once

#include "core/harness/core_probes.hpp"
#include "core/host/host_litmus.hpp"
#include "core/host/host_rig.hpp"
#include "core/host/reduction_array.hpp"

namespace syncmeter {

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
};

}  // namespace syncmeter
