// One-sided access to a cell in rank 0's memory. test - baseline == one more access that is
// complete at its target.
#pragma once

#include "backends/mpi/mpi_rank.hpp"
#include "backends/mpi/ops/words.hpp"
#include "core/op.hpp"

namespace syncmeter::mpi::ops {

consteval op_info rma_info(std::string_view name, enum oracle oracle, epoch kind,
                           std::string_view note) {
  return {.name = name,
          .family = family::atomic,
          .typed = true,
          .places = places::shared_and_strided,
          .oracle = oracle,
          .unroll = 4,
          .note = note,
          .kind = static_cast<std::uint8_t>(kind)};
}

struct rma_accumulate {  // x += 1, result unused
  static constexpr op_info info = rma_info("rma_accumulate", oracle::adds, epoch::passive,
                                           "MPI_Accumulate of a sum, MPI_Win_flush");
  SM_FN static void common(has_rma auto& lane) { lane.rma_accumulate(); }
  SM_FN static void measured(has_rma auto& lane) { common(lane); }
};

struct rma_fetch_add {  // v = x, x += 1
  static constexpr op_info info = rma_info("rma_fetch_add", oracle::adds, epoch::passive,
                                           "MPI_Fetch_and_op of a sum, MPI_Win_flush");
  SM_FN static void common(has_rma auto& lane) { lane.rma_fetch_add(); }
  SM_FN static void measured(has_rma auto& lane) { common(lane); }
};

struct rma_cas_pass {  // expected == desired == the cell's value, as atomic_cas_pass
  static constexpr op_info info = rma_info("rma_cas_pass", oracle::unchanged, epoch::passive,
                                           "MPI_Compare_and_swap, MPI_Win_flush");
  SM_FN static void common(has_rma_compare auto& lane) {
    lane.tally_difference(lane.rma_compare_and_swap());
  }
  SM_FN static void measured(has_rma_compare auto& lane) { common(lane); }
};

struct rma_put {  // x = e
  static constexpr op_info info =
      rma_info("rma_put", oracle::written, epoch::passive, "MPI_Put, MPI_Win_flush");
  SM_FN static void common(has_rma auto& lane) { lane.rma_put(); }
  SM_FN static void measured(has_rma auto& lane) { common(lane); }
};

struct rma_lock_add {  // passive target: x += 1 in an epoch of its own
  static constexpr op_info info =
      rma_info("rma_lock_add", oracle::adds, epoch::locked,
               "MPI_Win_lock (exclusive), MPI_Accumulate of a sum, MPI_Win_unlock");
  SM_FN static void common(has_rma auto& lane) { lane.rma_lock_add(); }
  SM_FN static void measured(has_rma auto& lane) { common(lane); }
};

struct rma_fence_add {  // active target: x += 1, and all ranks end the epoch together
  static constexpr op_info info = [] {
    op_info fences = rma_info("rma_fence_add", oracle::adds, epoch::fenced,
                              "MPI_Accumulate of a sum, MPI_Win_fence of all ranks");
    fences.communicates = true;
    return fences;
  }();
  SM_FN static void common(has_rma auto& lane) { lane.rma_fence_add(); }
  SM_FN static void measured(has_rma auto& lane) { common(lane); }
};

struct window_sync {  // test - baseline == one more MPI_Win_sync with nothing outstanding
  static constexpr op_info info{.name = "window_sync",
                                .family = family::fence,
                                .litmus = litmus::fence,
                                .note = "MPI_Win_sync of a shared window, no access outstanding"};
  SM_FN static void common(has_window_sync auto& lane) { lane.window_sync(); }
  SM_FN static void measured(has_window_sync auto& lane) { lane.window_sync(); }
};

}  // namespace syncmeter::mpi::ops
