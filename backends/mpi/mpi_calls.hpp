// The words that are calls of MPI, each with all that a program has to write for it behind one call
// of ours, so that both sides of a loop hold the same. They stand in a source of their own.
#pragma once

#include <cstdint>

#include "backends/mpi/mpi_rank.hpp"

namespace syncmeter::mpi {

/// MPI_Ibarrier and MPI_Wait.
void start_barrier_and_wait(const rank_state& here);
/// MPI_Allreduce of no element.
void reduce_nothing(const rank_state& here);
/// MPI_Allreduce of one word, each rank's number from 1: their sum.
[[nodiscard]] std::uint64_t reduce_word(const rank_state& here);

// One access to the lane's cell, in rank 0's memory, until it is there (MPI_Win_flush).
void accumulate_and_flush(const rank_state& here);
/// The value of before, as a bit pattern.
[[nodiscard]] std::uint64_t fetch_and_flush(const rank_state& here);
/// From `initial` to `initial`; the value of before.
[[nodiscard]] std::uint64_t compare_and_flush(const rank_state& here);
/// Writes `operand`.
void put_and_flush(const rank_state& here);
/// MPI_Win_lock (exclusive), MPI_Accumulate, MPI_Win_unlock.
void accumulate_under_lock(const rank_state& here);
/// MPI_Accumulate, MPI_Win_fence.
void accumulate_and_fence(const rank_state& here);
/// MPI_Win_sync of the shared window.
void sync_window(const rank_state& here);

/// A token around all ranks by MPI_Send and MPI_Recv: rank 0 sends the next one and waits for it,
/// others pass on what they get. It is left in the rank's mailbox.
void hand_on(rank_state& here);

}  // namespace syncmeter::mpi
