// What one rank has of MPI: its communicator, its windows, and the calls in its loop. Each call
// stands with all that a program has to write for it behind one call of ours, in a source of its
// own, so that both sides of a loop hold the same.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace syncmeter::mpi {

/// Which MPI this worker is built with: "Open MPI v4.1.4", "MPICH Version: 4.0.2": what the library
/// calls itself, up to the first comma or end of line. May be asked before MPI is up.
[[nodiscard]] std::string library_name();

/// What has to be done around a loop beside the loop: info.kind of MPI's own ops.
enum class epoch : std::uint8_t {
  none,     ///< cells are in the shared window, and reached by the processor's own accesses
  passive,  ///< in the window that is locked by all ranks for as long as they live
  locked,   ///< in the window that the op locks and unlocks
  fenced,   ///< in the window whose epochs are between fences
};

/// All windows have their memory in rank 0, as all cells of a point are one array: of its `first`
/// half for the first array of cells, of the other half for the second.
inline constexpr std::size_t window_half = std::size_t{4} << 20U;

/// MPI's window for cells of an epoch, rank 0's memory of it (null in other ranks, but for the
/// shared window's), and the displacement of its first page: rank 0's memory may begin off one.
struct cell_window {
  MPI_Win window = MPI_WIN_NULL;
  std::byte* base = nullptr;
  MPI_Aint offset = 0;
};

/// One of each process, in static memory and so at the same address in all of them.
struct rank_state {
  MPI_Comm all = MPI_COMM_NULL;
  int rank = 0, ranks = 0;
  std::array<cell_window, 4> windows{};  ///< by epoch
  [[nodiscard]] const cell_window& of(epoch kind) const {
    return windows[static_cast<std::size_t>(kind)];
  }

  // Of the lane in its loop, set by its constructor.
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Aint at = 0;  ///< of its cell: bytes from the first one's page
  std::uint64_t one = 0, operand = 0, initial = 0;  ///< bit patterns at `type`
  std::uint64_t* mailbox = nullptr;
  std::uint64_t token = 0;
};

/// Collective: makes the windows, and starts the epochs that last. MPI is up before.
void open_windows(rank_state& here);
/// Collective: ends them.
void close_windows(rank_state& here);

/// Collective: before and after a loop on cells of an epoch. Afterwards no rank has an access
/// outstanding, and rank 0 may look at its memory.
void before_loop(const rank_state& here, epoch kind);
void after_loop(const rank_state& here, epoch kind);

/// In rank 0, which has the memory: between loops its cells of an epoch may be read and written by
/// the processor's own accesses. Other ranks see what was written once before_loop is through.
void own_memory(const rank_state& here, epoch kind, void (*access)(std::byte* cells, void* with),
                void* with);

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
