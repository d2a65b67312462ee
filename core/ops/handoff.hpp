// Handoff: a token goes around a ring of lanes by release store, and is awaited by acquire load or
// by compare-and-swap.
#pragma once

#include "core/op.hpp"
#include "core/ops/words.hpp"

namespace syncmeter::ops {

struct handoff {  // test - baseline == one more rotation; the cost is per handoff: divided by the
                  // lanes
  static constexpr op_info info{.name = "handoff",
                                .family = family::handoff,
                                .unroll = 4,
                                .min_lanes = 2,
                                .cost_per_lane = true,
                                .communicates = true};
  SM_FN static void common(has_token_ring auto& lane) { lane.await_token(), lane.pass_token(); }
  SM_FN static void measured(has_token_ring auto& lane) { common(lane); }
};

// A lock's or a queue's way to wait: each try wants the line for writing, whether or not the token
// is there.
struct handoff_cas {  // test - baseline == one more rotation; the cost is per handoff, as handoff's
  static constexpr op_info info{.name = "handoff_cas",
                                .family = family::handoff,
                                .unroll = 4,
                                .min_lanes = 2,
                                .cost_per_lane = true,
                                .communicates = true,
                                .takes_token = true};
  SM_FN static void common(has_token_taking auto& lane) { lane.take_token(), lane.pass_token(); }
  SM_FN static void measured(has_token_taking auto& lane) { common(lane); }
};

}  // namespace syncmeter::ops
