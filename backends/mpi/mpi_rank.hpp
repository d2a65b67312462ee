// MPI state of one rank: communicator, windows, and the calls in its loop. Each MPI call and its
// arguments stand behind one function in mpi_rank.cpp, because both sides of a loop must have the
// same code.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace syncmeter::mpi {

/// Returns the name of the MPI library: "Open MPI v4.1.4", "MPICH Version: 4.0.2". The name ends at
/// the first comma or end of line. May be called before MPI_Init.
[[nodiscard]] std::string library_name();

/// Kind of work around a loop: info.kind in MPI's own ops.
enum class epoch : std::uint8_t {
  none,     ///< cells are in the shared window, for direct processor access
  passive,  ///< in the window that all ranks lock for their lifetime
  locked,   ///< in the window that the op locks and unlocks
  fenced,   ///< in the window with epochs between fences
};

/// Size of half a window. All windows have their memory in rank 0, because a point's cells are one
/// array. The first half has the first array of cells, the second half the second array.
inline constexpr std::size_t window_half = std::size_t{4} << 20U;

/// A window for the cells of an epoch. `base` is rank 0's memory (null in all other ranks, except
/// for the shared window). `offset` is the first page boundary, because the memory may begin within
/// a page.
struct cell_window {
  MPI_Win window = MPI_WIN_NULL;
  std::byte* base = nullptr;
  MPI_Aint offset = 0;
};

/// State of a process, in static memory for the same address in all ranks.
struct rank_state {
  MPI_Comm all = MPI_COMM_NULL;
  int rank = 0, ranks = 0;
  std::array<cell_window, 4> windows{};  ///< by epoch
  [[nodiscard]] const cell_window& of(epoch kind) const {
    return windows[static_cast<std::size_t>(kind)];
  }

  // State of the lane in its loop, set by the lane's constructor.
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Aint at = 0;  ///< offset of the cell from the first cell's page
  std::uint64_t one = 0, operand = 0, initial = 0;  ///< bit patterns for `type`
  std::uint64_t* mailbox = nullptr;
  std::uint64_t token = 0;
};

/// Collective: creates the windows and starts the lasting epochs. MPI must be initialized.
void open_windows(rank_state& here);
/// Collective: ends the epochs and frees the windows.
void close_windows(rank_state& here);

/// Collective: run before and after a loop on cells of an epoch. Afterwards no rank has an
/// outstanding access, and rank 0 may read its memory.
void before_loop(const rank_state& here, epoch kind);
void after_loop(const rank_state& here, epoch kind);

/// Rank 0 only: calls `access` on an epoch's cells between loops, for direct processor access. All
/// ranks see the writes after before_loop.
void own_memory(const rank_state& here, epoch kind, void (*access)(std::byte* cells, void* with),
                void* with);

/// Calls MPI_Ibarrier and MPI_Wait.
void start_barrier_and_wait(const rank_state& here);
/// Calls MPI_Allreduce without elements.
void reduce_nothing(const rank_state& here);
/// Returns the sum of the ranks' numbers from 1, by MPI_Allreduce of one word.
[[nodiscard]] std::uint64_t reduce_word(const rank_state& here);

// Access the lane's cell in rank 0's memory until completion at the target (MPI_Win_flush).
void accumulate_and_flush(const rank_state& here);
/// Returns the previous value as a bit pattern.
[[nodiscard]] std::uint64_t fetch_and_flush(const rank_state& here);
/// Swaps `initial` for `initial` and returns the previous value.
[[nodiscard]] std::uint64_t compare_and_flush(const rank_state& here);
/// Writes `operand`.
void put_and_flush(const rank_state& here);
/// Calls MPI_Win_lock (exclusive), MPI_Accumulate, MPI_Win_unlock.
void accumulate_under_lock(const rank_state& here);
/// Calls MPI_Accumulate and MPI_Win_fence.
void accumulate_and_fence(const rank_state& here);
/// Calls MPI_Win_sync on the shared window.
void sync_window(const rank_state& here);

/// Passes a token around all ranks by MPI_Send and MPI_Recv. Rank 0 sends the next token and waits,
/// all other ranks forward. The token stays in the rank's mailbox.
void hand_on(rank_state& here);

}  // namespace syncmeter::mpi
