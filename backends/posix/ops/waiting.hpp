// Handoffs between sleeping threads, ways to wait for a late thread, and the cost of each way to a
// working lane (core/ops/host.hpp).
#pragma once

#include <string>

#include "backends/posix/posix_channels.hpp"
#include "core/host/channel_ring.hpp"
#include "core/ops/handoff.hpp"
#include "core/ops/host.hpp"

namespace syncmeter::posix::ops {

using syncmeter::ops::handoff_info;

// test - baseline == one more rotation of the token, divided by the lanes to get the cost per
// handoff.
template <class Channel> struct channel_handoff : self_paired<channel_handoff<Channel>> {
  using object = token_ring<Channel>;
  SM_FN static void common(auto& lane) { lane.object().pass_on(lane.number()); }
  static std::string check(const object& ring, const object_use& use) {
    return ring.check(use.ops);
  }
};

struct condition_handoff : channel_handoff<condition> {
  static constexpr op_info info =
      handoff_info("condition_handoff", "a token by pthread_cond_wait and pthread_cond_signal");
};
struct semaphore_handoff : channel_handoff<semaphore> {
  static constexpr op_info info =
      handoff_info("semaphore_handoff", "a token by sem_wait and sem_post");
};
struct futex_handoff : channel_handoff<futex_wait> {
  static constexpr op_info info =
      handoff_info("futex_handoff", "a token by futex(2), woken whether or not anybody sleeps");
};
struct eventfd_handoff : channel_handoff<event> {
  static constexpr op_info info =
      handoff_info("eventfd_handoff", "a token by read and write of an eventfd");
};
struct pipe_handoff : channel_handoff<pipe_end> {
  static constexpr op_info info = handoff_info("pipe_handoff", "a token of 8 bytes through a pipe");
};

using syncmeter::ops::late_wait;
using syncmeter::ops::late_wait_info;
using syncmeter::ops::work_beside;
using syncmeter::ops::work_beside_info;

struct wait_spin : late_wait<late_ring<spinning>> {
  static constexpr op_info info = late_wait_info("wait_spin", "spins, loads only");
};
struct wait_pause : late_wait<late_ring<pausing>> {
  static constexpr op_info info =
      late_wait_info("wait_pause", "spins with pause (isb on AArch64) between loads");
};
struct wait_backoff : late_wait<late_ring<backing_off>> {
  static constexpr op_info info =
      late_wait_info("wait_backoff", "spins with 1, 2, 4, ... 1024 pauses between loads");
};
struct wait_yield : late_wait<late_ring<yielding>> {
  static constexpr op_info info = late_wait_info("wait_yield", "sched_yield between loads");
};
struct wait_futex : late_wait<late_ring<futex_wait>> {
  static constexpr op_info info = late_wait_info("wait_futex", "sleeps by futex(2)");
};
struct wait_condition : late_wait<late_ring<condition>> {
  static constexpr op_info info = late_wait_info("wait_condition", "sleeps by pthread_cond_wait");
};

// Cost of each way to wait, measured on a neighbour that works.
struct work_beside_spin : work_beside<worked_ring<spinning>> {
  static constexpr op_info info = work_beside_info(
      "work_beside_spin", "100 us of work, beside a thread that spins, loads only");
};
struct work_beside_pause : work_beside<worked_ring<pausing>> {
  static constexpr op_info info =
      work_beside_info("work_beside_pause",
                       "100 us of work, beside a thread that spins with pause (isb on AArch64)");
};
struct work_beside_backoff : work_beside<worked_ring<backing_off>> {
  static constexpr op_info info = work_beside_info(
      "work_beside_backoff", "100 us of work, beside a thread that spins with up to 1024 pauses");
};
struct work_beside_yield : work_beside<worked_ring<yielding>> {
  static constexpr op_info info =
      work_beside_info("work_beside_yield", "100 us of work, beside a thread in sched_yield");
};
struct work_beside_futex : work_beside<worked_ring<futex_wait>> {
  static constexpr op_info info = work_beside_info(
      "work_beside_futex", "100 us of work, beside a thread asleep in futex(2), and waking it");
};

// A spin-loop step with pause, the unit in spin counts like libgomp's.
// test - baseline == one more pause and load
struct spin_pause : self_paired<spin_pause> {
  static constexpr op_info info{.name = "spin_pause",
                                .family = family::control,
                                .note = "pause (isb on AArch64) and the load after it"};
  SM_FN static void common(auto& lane) { lane.pause_and_look(); }
};

}  // namespace syncmeter::posix::ops
