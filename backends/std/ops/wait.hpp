// A handoff between lanes that sleep: what waiting without burning a core costs.
#pragma once

#include "backends/std/ops/words.hpp"
#include "core/op.hpp"

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

}  // namespace syncmeter::standard::ops
