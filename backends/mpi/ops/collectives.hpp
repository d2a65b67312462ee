// Collective operations beside MPI_Barrier, which is `barrier`. test - baseline == one more call by
// every rank.
#pragma once

#include "backends/mpi/ops/words.hpp"
#include "core/op.hpp"

namespace syncmeter::mpi::ops {

consteval op_info collective_info(std::string_view name, std::string_view note) {
  return {.name = name, .family = family::barrier, .communicates = true, .note = note};
}

struct ibarrier {
  static constexpr op_info info = [] {
    op_info waits = collective_info("ibarrier", "MPI_Ibarrier and MPI_Wait, with nothing between");
    waits.litmus = litmus::barrier;
    return waits;
  }();
  SM_FN static void common(has_collectives auto& lane) { lane.ibarrier(); }
  SM_FN static void measured(has_collectives auto& lane) { lane.ibarrier(); }
};

struct allreduce_0 {  // no litmus: where there is no element, MPI need not wait for anybody
  static constexpr op_info info =
      collective_info("allreduce_0", "MPI_Allreduce of no element, which MPI may leave at once");
  SM_FN static void common(has_collectives auto& lane) { lane.allreduce_0(); }
  SM_FN static void measured(has_collectives auto& lane) { lane.allreduce_0(); }
};

struct allreduce_8 {
  static constexpr op_info info = [] {
    op_info sums = collective_info("allreduce_8", "MPI_Allreduce, the sum of one word of 8 bytes");
    sums.oracle = oracle::agreed;
    return sums;
  }();
  SM_FN static void common(has_collectives auto& lane) { lane.tally_wrong(lane.allreduce_8()); }
  SM_FN static void measured(has_collectives auto& lane) { common(lane); }
};

}  // namespace syncmeter::mpi::ops
