// The lanes of MPI: the ranks of one world, which live as long as the worker. Rank 0 leads. All
// other ranks wait for work, in memory with the same address in all ranks.
#pragma once

#include <cstdint>

#include "backends/mpi/mpi_rank.hpp"
#include "core/axes.hpp"
#include "core/host/host_rig.hpp"
#include "core/host/teams.hpp"

namespace syncmeter::mpi {

/// Address and size of the ranks' common memory, far from the load addresses of programs and
/// libraries.
inline constexpr std::uintptr_t common_address = std::uintptr_t{1} << 45U;
inline constexpr std::size_t common_bytes = std::size_t{1} << 30U;

/// Shared state of the ranks, in the first bytes of the common memory.
struct team_board : process_board {
  epoch around = epoch::none;
  /// First pages of the two cell arrays in core/host/. Windows mirror these pages.
  std::byte *first = nullptr, *second = nullptr;
};

class rank_team {
 public:
  /// `board` is in common memory, `here` in static memory. `waiting` decides whether an idle rank
  /// spins before sleeping or sleeps at once.
  rank_team(team_board& board, rank_state& here, wait_policy waiting);

  /// Rank 0: runs `body` on all ranks at once and waits for all ranks. Returns false without
  /// running `body` if `lanes` differs from the rank count. Throws std::runtime_error with a rank's
  /// error.
  [[nodiscard]] bool run(unsigned lanes, lane_body body, bench& rig);
  /// Rank 0: makes all other ranks leave serve().
  void release();
  /// All other ranks: run bodies for rank 0 until release().
  void serve();

  [[nodiscard]] rank_state& here() { return here_; }
  [[nodiscard]] const team_board& board() const { return board_; }

 private:
  void run_lane();

  team_board& board_;
  rank_state& here_;
  unsigned spins_;
};

/// Returns the rank state in the lane's process. lane_setup::backend is the team.
[[nodiscard]] rank_state& here(const lane_setup& s);
/// Returns the setup with cell addresses in the shared window.
[[nodiscard]] lane_setup in_shared_window(lane_setup s);
/// Returns the cell's offset in every window, in bytes from the first cell's page.
[[nodiscard]] MPI_Aint offset_in_window(const lane_setup& s);

}  // namespace syncmeter::mpi
