// Barrier: all lanes of the team wait for each other.
#pragma once

#include "core/op.hpp"
#include "core/ops/words.hpp"

namespace syncmeter::ops {

// test - baseline == one barrier; the common one makes the lanes arrive together
struct barrier : self_paired<barrier> {
  static constexpr op_info info{.name = "barrier",
                                .family = family::barrier,
                                .litmus = litmus::barrier,
                                .communicates = true};
  SM_FN static void common(has_barrier auto& lane) { lane.barrier(); }
};

}  // namespace syncmeter::ops
