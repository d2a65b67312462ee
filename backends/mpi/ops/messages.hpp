// A handoff by messages.
#pragma once

#include "backends/mpi/ops/words.hpp"
#include "core/op.hpp"

namespace syncmeter::mpi::ops {

struct message_handoff {  // test - baseline == one more rotation; the cost is per handoff: divided
                          // by the lanes
  static constexpr op_info info{.name = "message_handoff",
                                .family = family::handoff,
                                .unroll = 4,
                                .min_lanes = 2,
                                .cost_per_lane = true,
                                .communicates = true,
                                .note = "a token of 64 bits by MPI_Send and MPI_Recv"};
  SM_FN static void common(has_messages auto& lane) { lane.send_receive(); }
  SM_FN static void measured(has_messages auto& lane) { lane.send_receive(); }
};

}  // namespace syncmeter::mpi::ops
