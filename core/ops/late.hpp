// Waiting for a late arriver: one lane in turn comes so many microseconds after the others; and
// what a waiting lane costs one that works.
#pragma once

#include <string>

#include "core/cell_object.hpp"
#include "core/op.hpp"
#include "core/ops/spun_work.hpp"
#include "core/ops/words.hpp"

namespace syncmeter::ops {

// test - baseline == from the arrival of the late lane until the lane that is late next has left
// the barrier: what the others pay beyond the lateness itself. The late lane is another one each
// time, so that the chain of delays runs through a lane that waited; were it always the same, what
// it takes to wake the others would hide behind its next delay. In the baseline there is no
// barrier, and every lane spends the same delay at each step.
struct barrier_late {
  static constexpr op_info info{
      .name = "barrier_late",
      .in_quick = false,
      .family = family::barrier,
      .pairing = pairing::insert,
      .unroll = 4,
      .min_lanes = 2,
      .communicates = true,
      .arrives_late = true,
      .note = "lanes take turns to arrive --late us after the others: the cost beyond that delay"};
  SM_FN static void before(has_late_arrival auto& lane) { lane.be_late(); }
  SM_FN static void measured(has_late_arrival auto& lane) { lane.barrier(), lane.pass_turn(); }
  SM_FN static void after(has_late_arrival auto&) {}
};

consteval op_info late_wait_info(std::string_view name, std::string_view note) {
  return {.name = name,
          .in_quick = false,
          .family = family::handoff,
          .pairing = pairing::insert,
          .unroll = 4,
          .min_lanes = 2,
          .communicates = true,
          .arrives_late = true,
          .note = note};
}

// test - baseline == from the arrival of the late lane until the one that waits for it has seen it:
// that one is late next. Of more than two lanes the others wait for their turn.
template <class Ring> struct late_wait {
  using object = Ring;  // core/host/channel_ring.hpp
  SM_FN static void before(auto& lane) { lane.be_late(); }
  SM_FN static void measured(auto& lane) { lane.object().meet(lane.number()), lane.pass_turn(); }
  SM_FN static void after(auto&) {}
  static std::string check(const Ring& ring, const object_use& use) { return ring.check(use.ops); }
};

// test - baseline == the time of one more piece of work by lane 0, while the other lanes wait for
// it: they see its end by a token, within the step. Alone it is what the work takes.
template <class Ring> struct work_beside {
  struct object : Ring {  // core/host/channel_ring.hpp
    explicit object(sharers seats) : Ring{seats, wide_steps_of(1000 * work_us)} {}
  };
  static constexpr unsigned work_us = 100;
  SM_FN static void common(auto& lane) { lane.object().work_or_wait(lane.number()); }
  SM_FN static void measured(auto& lane) { common(lane); }
  static std::string check(const object& ring, const object_use& use) {
    return ring.check(use.ops);
  }
};

consteval op_info work_beside_info(std::string_view name, std::string_view note) {
  return {.name = name,
          .in_quick = false,
          .family = family::handoff,
          .unroll = 1,
          .communicates = true,
          .note = note};
}

}  // namespace syncmeter::ops
