// Handoff: a token goes round a ring of lanes by release store and acquire load.
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

}  // namespace syncmeter::ops
