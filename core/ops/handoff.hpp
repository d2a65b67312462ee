// Handoff: a token goes around a ring of lanes by release store, and is awaited by acquire load or
// by compare-and-swap.
#pragma once

#include "core/op.hpp"
#include "core/ops/words.hpp"

namespace syncmeter::ops {

consteval op_info handoff_info(std::string_view name, std::string_view note = {}) {
  return {.name = name,
          .family = family::handoff,
          .unroll = 4,
          .min_lanes = 2,
          .cost_per_lane = true,
          .communicates = true,
          .note = note};
}

// test - baseline == one more rotation; the cost is per handoff: divided by the lanes
struct handoff : self_paired<handoff> {
  static constexpr op_info info = handoff_info("handoff");
  SM_FN static void common(has_token_ring auto& lane) { lane.await_token(), lane.pass_token(); }
};

// A lock's or a queue's way to wait: each try wants the line for writing, whether or not the token
// is there.
// test - baseline == one more rotation; the cost is per handoff, as handoff's
struct handoff_cas : self_paired<handoff_cas> {
  static constexpr op_info info = handoff_info("handoff_cas").with(&op_info::takes_token, true);
  SM_FN static void common(has_token_taking auto& lane) { lane.take_token(), lane.pass_token(); }
};

}  // namespace syncmeter::ops
