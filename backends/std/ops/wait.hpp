// Waiting for another lane asleep: a handoff, and a lane that is late.
#pragma once

#include <cstdint>

#include "backends/std/ops/words.hpp"
#include "backends/std/std_calls.hpp"
#include "core/host/channel_ring.hpp"
#include "core/op.hpp"
#include "core/ops/late.hpp"

namespace syncmeter::standard::ops {

struct atomic_wait_handoff {  // test - baseline == one more rotation; the cost is per handoff:
                              // divided by the lanes
  static constexpr op_info info{.name = "atomic_wait_handoff",
                                .family = family::handoff,
                                .unroll = 4,
                                .min_lanes = 2,
                                .cost_per_lane = true,
                                .communicates = true,
                                .note = "a token of 64 bits by std::atomic's wait and notify_all"};
  SM_FN static void common(has_sleeping_ring auto& lane) {
    lane.sleep_for_token(), lane.pass_token_and_wake();
  }
  SM_FN static void measured(has_sleeping_ring auto& lane) { common(lane); }
};

/// What waits in it (core/host/channel_ring.hpp).
struct atomic_wait_channel {
  std::uint64_t receive(std::uint64_t& box, std::uint64_t token) {
    wait_for_token(box, token);
    return token;
  }
  void send(std::uint64_t& box, std::uint64_t token) { post_token(box, token); }
};

struct wait_atomic : syncmeter::ops::late_wait<late_ring<atomic_wait_channel>> {
  static constexpr op_info info =
      syncmeter::ops::late_wait_info("wait_atomic", "sleeps by std::atomic's wait");
};

}  // namespace syncmeter::standard::ops
