// Collective operations, one-sided access and messages of MPI, and all ops of the MPI worker in
// table order (cmake/tables.cmake).
#pragma once

#include "backends/mpi/mpi_rank.hpp"
#include "core/ops/all.hpp"

namespace syncmeter::mpi {

// Concepts for MPI's own ops: the words that a lane must offer to run an op.
template <class L>
concept has_collectives = requires(L& l) {
  l.ibarrier();
  l.allreduce_0();
  l.tally_wrong(l.allreduce_8());
};

template <class L>
concept has_rma = requires(L& l) {
  l.rma_accumulate();
  l.rma_fetch_add();
  l.rma_put();
  l.rma_lock_add();
  l.rma_fence_add();
};

// Integers only, because MPI does not compare floating-point values.
template <class L>
concept has_rma_compare = requires(L& l) { l.tally_difference(l.rma_compare_and_swap()); };

template <class L> concept has_window_sync = requires(L& l) { l.window_sync(); };
template <class L> concept has_messages = requires(L& l) { l.send_receive(); };

namespace ops {

// Collective ops besides MPI_Barrier (`barrier`). test - baseline == one more call by every rank.
consteval op_info collective_info(std::string_view name, std::string_view call,
                                  std::string_view note) {
  return {.name = name,
          .family = family::barrier,
          .communicates = true,
          .note = note,
          .compiles_to = call};
}

struct ibarrier : self_paired<ibarrier> {
  static constexpr op_info info =
      collective_info("ibarrier", "call:syncmeter::mpi::start_barrier_and_wait 1",
                      "MPI_Ibarrier and MPI_Wait, with nothing between")
          .with(&op_info::litmus, litmus::barrier);
  SM_FN static void common(has_collectives auto& lane) { lane.ibarrier(); }
};

// no litmus: without elements, MPI may return without waiting
struct allreduce_0 : self_paired<allreduce_0> {
  static constexpr op_info info =
      collective_info("allreduce_0", "call:syncmeter::mpi::reduce_nothing 1",
                      "MPI_Allreduce of no element, which MPI may leave at once");
  SM_FN static void common(has_collectives auto& lane) { lane.allreduce_0(); }
};

struct allreduce_8 : self_paired<allreduce_8> {
  static constexpr op_info info =
      collective_info("allreduce_8", "call:syncmeter::mpi::reduce_word 1",
                      "MPI_Allreduce, the sum of one word of 8 bytes")
          .with(&op_info::oracle, oracle::agreed);
  SM_FN static void common(has_collectives auto& lane) { lane.tally_wrong(lane.allreduce_8()); }
};

// One-sided access to a cell in rank 0's memory. test - baseline == one more access, complete at
// its target.
consteval op_info rma_info(std::string_view name, enum oracle oracle, epoch kind,
                           std::string_view call, std::string_view note) {
  return {.name = name,
          .family = family::atomic,
          .typed = true,
          .places = places::shared_and_strided,
          .oracle = oracle,
          .unroll = 4,
          .note = note,
          .kind = static_cast<std::uint8_t>(kind),
          .compiles_to = call};
}

struct rma_accumulate : self_paired<rma_accumulate> {  // x += 1, result unused
  static constexpr op_info info = rma_info("rma_accumulate", oracle::adds, epoch::passive,
                                           "call:syncmeter::mpi::accumulate_and_flush 1",
                                           "MPI_Accumulate of a sum, MPI_Win_flush");
  SM_FN static void common(has_rma auto& lane) { lane.rma_accumulate(); }
};

struct rma_fetch_add : self_paired<rma_fetch_add> {  // v = x, x += 1
  static constexpr op_info info = rma_info("rma_fetch_add", oracle::adds, epoch::passive,
                                           "call:syncmeter::mpi::fetch_and_flush 1",
                                           "MPI_Fetch_and_op of a sum, MPI_Win_flush");
  SM_FN static void common(has_rma auto& lane) { lane.rma_fetch_add(); }
};

// expected == desired == the cell's value, like atomic_cas_pass
struct rma_cas_pass : self_paired<rma_cas_pass> {
  static constexpr op_info info =
      rma_info("rma_cas_pass", oracle::unchanged, epoch::passive,
               "call:syncmeter::mpi::compare_and_flush 1", "MPI_Compare_and_swap, MPI_Win_flush");
  SM_FN static void common(has_rma_compare auto& lane) {
    lane.tally_difference(lane.rma_compare_and_swap());
  }
};

struct rma_put : self_paired<rma_put> {  // x = e
  static constexpr op_info info =
      rma_info("rma_put", oracle::written, epoch::passive, "call:syncmeter::mpi::put_and_flush 1",
               "MPI_Put, MPI_Win_flush");
  SM_FN static void common(has_rma auto& lane) { lane.rma_put(); }
};

// passive target: x += 1 in a separate epoch
struct rma_lock_add : self_paired<rma_lock_add> {
  static constexpr op_info info = rma_info(
      "rma_lock_add", oracle::adds, epoch::locked, "call:syncmeter::mpi::accumulate_under_lock 1",
      "MPI_Win_lock (exclusive), MPI_Accumulate of a sum, MPI_Win_unlock");
  SM_FN static void common(has_rma auto& lane) { lane.rma_lock_add(); }
};

// active target: x += 1, and all ranks end the epoch together
struct rma_fence_add : self_paired<rma_fence_add> {
  static constexpr op_info info = rma_info("rma_fence_add", oracle::adds, epoch::fenced,
                                           "call:syncmeter::mpi::accumulate_and_fence 1",
                                           "MPI_Accumulate of a sum, MPI_Win_fence of all ranks")
                                      .with(&op_info::communicates, true);
  SM_FN static void common(has_rma auto& lane) { lane.rma_fence_add(); }
};

// test - baseline == one more MPI_Win_sync without outstanding access
struct window_sync : self_paired<window_sync> {
  static constexpr op_info info{.name = "window_sync",
                                .family = family::fence,
                                .litmus = litmus::fence,
                                .note = "MPI_Win_sync of a shared window, no access outstanding",
                                .compiles_to = "call:syncmeter::mpi::sync_window 1"};
  SM_FN static void common(has_window_sync auto& lane) { lane.window_sync(); }
};

// test - baseline == one more rotation, divided by the lanes to get the cost per handoff
struct message_handoff : self_paired<message_handoff> {
  static constexpr op_info info =
      syncmeter::ops::handoff_info("message_handoff", "a token of 64 bits by MPI_Send and MPI_Recv")
          .with(&op_info::compiles_to, "call:syncmeter::mpi::hand_on 1");
  SM_FN static void common(has_messages auto& lane) { lane.send_receive(); }
};

}  // namespace ops

using own_ops = op_list<ops::ibarrier, ops::allreduce_0, ops::allreduce_8, ops::rma_accumulate,
                        ops::rma_fetch_add, ops::rma_cas_pass, ops::rma_put, ops::rma_lock_add,
                        ops::rma_fence_add, ops::window_sync, ops::message_handoff>;

}  // namespace syncmeter::mpi

using syncmeter_ops =
    decltype(syncmeter::joined(syncmeter::shared_ops{}, syncmeter::mpi::own_ops{}));
