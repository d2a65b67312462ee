// Handoffs between threads that sleep. test - baseline == one more rotation of the token; the cost
// is per handoff: divided by the lanes.
#pragma once

#include <string>

#include "backends/posix/posix_channels.hpp"
#include "core/host/channel_ring.hpp"

namespace syncmeter::posix::ops {

consteval op_info handoff_info(std::string_view name, std::string_view note) {
  return {.name = name,
          .family = family::handoff,
          .unroll = 4,
          .min_lanes = 2,
          .cost_per_lane = true,
          .communicates = true,
          .note = note};
}

template <class Channel> struct channel_handoff {
  using object = token_ring<Channel>;
  SM_FN static void common(auto& lane) { lane.object().pass_on(lane.number()); }
  SM_FN static void measured(auto& lane) { common(lane); }
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

}  // namespace syncmeter::posix::ops
