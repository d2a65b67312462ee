// The ops that only lanes on a CPU can do: waiting for a late arriver (one lane in turn comes so
// many microseconds after the others), what a waiting lane costs one that works, locks that
// programs write themselves of their API's atomics, and the maximum of an array. In every table
// host_ops follow the shared ones.
#pragma once

#include <string>

#include "core/cell_object.hpp"
#include "core/measurable.hpp"
#include "core/ops/critical.hpp"
#include "core/ops/spun_work.hpp"
#include "core/ops/words.hpp"

namespace syncmeter {

template <class L>
concept has_spin_lock_add = requires(L& l) { l.spin_lock_add(l.cell(), l.one()); };
template <class L>
concept has_ticket_lock_add = requires(L& l) { l.ticket_lock_add(l.cell(), l.one()); };
template <class L> concept has_reduce_max = requires(L& l) { l.reduce_max(); };

namespace ops {

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
      .note =
          "threads take turns to arrive --late us after the others: the cost beyond that delay"};
  SM_FN static void before(has_late_arrival auto& lane) { lane.be_late(); }
  SM_FN static void measured(has_late_arrival auto& lane) { lane.barrier(), lane.pass_turn(); }
  SM_FN static void after(has_late_arrival auto&) {}
};

/// Work of each lane of point::section_ns, on a core by itself.
struct lane_work {
  explicit lane_work(sharers who) : steps{steps_of(who.section_ns)} {}
  std::uint64_t steps;
};

// test - baseline == what a barrier adds to work that each lane does before it, as in a program: in
// the baseline the lanes work alone. Work hides nothing of a barrier; but lanes do not arrive
// together, as those do that have just left one.
struct barrier_after_work {
  static constexpr op_info info{
      .name = "barrier_after_work",
      .in_quick = false,
      .family = family::barrier,
      .pairing = pairing::insert,
      .unroll = 4,
      .communicates = true,
      .has_work = true,
      .note = "a barrier after --section ns of work by each lane: the cost beyond that work"};
  using object = lane_work;
  SM_FN static void before(has_barrier auto& lane) { work(lane.object()); }
  SM_FN static void measured(has_barrier auto& lane) { lane.barrier(); }
  SM_FN static void after(has_barrier auto&) {}
  SM_LOOP static void work(const lane_work& own) { spend(own.steps); }
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

// test - baseline == from the arrival of the late lane until the one that waits for it has noticed
// it: that one is late next. Of more than two lanes the others wait for their turn.
template <class Ring> struct late_wait {
  using object = Ring;  // core/host/channel_ring.hpp
  SM_FN static void before(auto& lane) { lane.be_late(); }
  SM_FN static void measured(auto& lane) { lane.object().meet(lane.number()), lane.pass_turn(); }
  SM_FN static void after(auto&) {}
  static std::string check(const Ring& ring, const object_use& use) { return ring.check(use.ops); }
};

// test - baseline == the time of one more piece of work by lane 0, while the other lanes wait for
// it: they see its end by a token, within the step. Alone it is what the work takes.
template <class Ring> struct work_beside : self_paired<work_beside<Ring>> {
  struct object : Ring {  // core/host/channel_ring.hpp
    explicit object(sharers seats) : Ring{seats, wide_steps_of(1000 * work_us)} {}
  };
  static constexpr unsigned work_us = 100;
  SM_FN static void common(auto& lane) { lane.object().work_or_wait(lane.number()); }
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

// test - baseline == one more section under the lock, holding one add.
struct spin_lock_add : self_paired<spin_lock_add> {
  static constexpr op_info info =
      lock_info("spin_lock_add", "x += 1 under a test-and-test-and-set spin lock of atomics");
  SM_FN static void common(has_spin_lock_add auto& lane) {
    lane.spin_lock_add(lane.cell(), lane.one());
  }
};

struct ticket_lock_add : self_paired<ticket_lock_add> {
  static constexpr op_info info =
      lock_info("ticket_lock_add", "x += 1 under a ticket lock of two atomics (FIFO)");
  SM_FN static void common(has_ticket_lock_add auto& lane) {
    lane.ticket_lock_add(lane.cell(), lane.one());
  }
};

// Of an array on the lanes of a CPU, by the API's own reduction. Lane 0 alone runs the loop; the
// lanes are those that it starts. test - baseline == one more reduction: the lanes started, their
// shares read, the parts combined and the result back in lane 0.
struct reduce_max : self_paired<reduce_max> {
  static constexpr op_info info{
      .name = "reduce_max",
      .in_quick = false,
      .family = family::reduction,
      .typed = true,
      .oracle = oracle::agreed,
      .unroll = 1,
      .communicates = true,
      .host_lane = true,
      .note = "the maximum of an array; each thread reads the part that it touched first",
      .size_of = "elements"};
  static constexpr bool reduces_an_array = true;
  SM_FN static void common(has_reduce_max auto& lane) { lane.reduce_max(); }
};

}  // namespace ops

using host_ops = op_list<ops::barrier_late, ops::spin_lock_add, ops::ticket_lock_add>;

}  // namespace syncmeter
