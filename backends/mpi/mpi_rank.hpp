// What one rank has of MPI: its communicator, its windows, and what its calls in a loop work on.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace syncmeter::mpi {

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

/// One of each process, in static memory and so at the same address in all of them.
struct rank_state {
  MPI_Comm all = MPI_COMM_NULL;
  int rank = 0, ranks = 0;
  MPI_Win shared = MPI_WIN_NULL, passive = MPI_WIN_NULL, locked = MPI_WIN_NULL,
          fenced = MPI_WIN_NULL;
  std::byte* shared_base = nullptr;  ///< rank 0's memory, where this process has it
  /// Rank 0's own memory in each window; null in other ranks.
  std::byte *passive_base = nullptr, *locked_base = nullptr, *fenced_base = nullptr;
  /// Of the displacements within windows: rank 0's memory may begin off a page.
  MPI_Aint shared_offset = 0, passive_offset = 0, locked_offset = 0, fenced_offset = 0;

  // Of the lane in its loop, set by its constructor.
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Aint at = 0;  ///< of its cell: bytes from the first one's page
  std::uint64_t one = 0, operand = 0, initial = 0;  ///< bit patterns at `type`
  std::uint64_t* mailbox = nullptr;
  std::uint64_t token = 0;
};

/// MPI's window for cells of an epoch, rank 0's memory of it, and where a page of it begins.
struct cell_window {
  MPI_Win window = MPI_WIN_NULL;
  std::byte* base = nullptr;
  MPI_Aint offset = 0;
};
[[nodiscard]] cell_window window_of(const rank_state& here, epoch kind);

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

}  // namespace syncmeter::mpi
