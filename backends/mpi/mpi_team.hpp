// The lanes of MPI: the ranks of one world, which live as long as the worker. Rank 0 leads, the
// others wait for what to run, in memory that all have at one address.
#pragma once

#include <cstdint>

#include "backends/mpi/mpi_rank.hpp"
#include "core/axes.hpp"
#include "core/host/host_rig.hpp"
#include "core/host/teams.hpp"

namespace syncmeter::mpi {

/// Where ranks have their common memory, and how much there may be of it: far from all that
/// programs and libraries are loaded to.
inline constexpr std::uintptr_t common_address = std::uintptr_t{1} << 45U;
inline constexpr std::size_t common_bytes = std::size_t{1} << 30U;

/// What the ranks tell each other, in the first bytes of the common memory.
struct team_board : process_board {
  epoch around = epoch::none;
  /// The pages on which the two arrays of cells begin, as core/host/ has them: windows mirror them.
  std::byte *first = nullptr, *second = nullptr;
};

class rank_team {
 public:
  /// `board` is in common memory, `here` in static memory. `waiting`: whether a rank without work
  /// spins for a while before it sleeps, or sleeps at once.
  rank_team(team_board& board, rank_state& here, wait_policy waiting);

  /// Rank 0: runs `body` on all ranks at once, and comes back when all have ended. False, having
  /// run nothing, where `lanes` is not the number of ranks. Throws std::runtime_error with what a
  /// rank threw.
  [[nodiscard]] bool run(unsigned lanes, lane_body body, bench& rig);
  /// Rank 0: has the others leave serve().
  void release();
  /// The other ranks: run what rank 0 asks for, until it releases them.
  void serve();

  [[nodiscard]] rank_state& here() { return here_; }
  [[nodiscard]] const team_board& board() const { return board_; }

 private:
  void run_lane();

  team_board& board_;
  rank_state& here_;
  unsigned spins_;
};

/// Of the lane's own process: lane_setup::backend is the team.
[[nodiscard]] rank_state& here(const lane_setup& s);
/// Its cells' addresses in the shared window, in place of those in the rig's arrays.
[[nodiscard]] lane_setup in_shared_window(lane_setup s);
/// Where its cell is in every window, in bytes from the page that the first cell is on.
[[nodiscard]] MPI_Aint offset_in_window(const lane_setup& s);

}  // namespace syncmeter::mpi
