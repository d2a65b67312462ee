#include "backends/mpi/mpi_team.hpp"

#include <algorithm>
#include <cstring>

#include "core/host/teams.hpp"

namespace syncmeter::mpi {
namespace {

constexpr std::uintptr_t page_mask = 4095;

// Calls MPI, because MPI only sends pending messages during calls.
void make_progress() {
  int found = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

std::byte* page_of(void* cell) {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(cell) & ~page_mask);
}

// Copies a point's cells between the rig's arrays, which core/host/ sets and checks, and rank 0's
// memory in a window.
struct mirrored_cells {
  const host_rig& rig;
  const team_board& board;
  bool into_window;

  static void copy(std::byte* window, void* with) {
    static_cast<const mirrored_cells*>(with)->all(window);
  }
  void all(std::byte* window) const {
    const std::size_t bytes = size_of(*rig.row().type);
    for (unsigned lane = 0; lane < rig.lanes(); ++lane) {
      const lane_setup s = rig.setup(lane);
      one(s.cell, window + (static_cast<std::byte*>(s.cell) - board.first), bytes);
      one(s.second_cell,
          window + window_half + (static_cast<std::byte*>(s.second_cell) - board.second), bytes);
    }
  }
  void one(void* cell, std::byte* in_window, std::size_t bytes) const {
    if (into_window) std::memcpy(in_window, cell, bytes);
    else std::memcpy(cell, in_window, bytes);
  }
};

}  // namespace

rank_team::rank_team(team_board& board, rank_state& here, wait_policy waiting)
    : board_{board}, here_{here}, spins_{spins_before_sleep(waiting)} {}

void rank_team::run_lane() {
  before_loop(here_, board_.around);
  board_.run_body(static_cast<unsigned>(here_.rank));
  after_loop(here_, board_.around);
}

bool rank_team::run(unsigned lanes, lane_body body, bench& on) {
  if (lanes != static_cast<unsigned>(here_.ranks)) return false;
  const auto& rig = static_cast<const host_rig&>(on);
  const measurable& row = rig.row();
  const bool timed = std::ranges::find(row.by_count, body) != row.by_count.end();
  const bool mirrored = timed && row.info.places != places::none;
  const auto kind = static_cast<epoch>(row.info.kind);
  const lane_setup first = rig.setup(0);
  board_.first = page_of(first.cell);
  board_.second = page_of(first.second_cell);
  mirrored_cells cells{rig, board_, true};
  if (mirrored) own_memory(here_, kind, &mirrored_cells::copy, &cells);
  board_.around = timed ? kind : epoch::none;
  board_.begin(lanes - 1, body, &on);
  run_lane();
  while (const auto left = board_.running.load())
    board_.running.wait_while(left, spins_, &make_progress);
  board_.throw_problem();
  cells.into_window = false;
  if (mirrored) own_memory(here_, kind, &mirrored_cells::copy, &cells);
  return true;
}

void rank_team::release() { board_.begin(0, nullptr, nullptr); }

void rank_team::serve() {
  for (std::uint32_t past = 0; board_.next_region(past, spins_); ++past) {
    run_lane();
    board_.end_region();
  }
}

rank_state& here(const lane_setup& s) { return static_cast<rank_team*>(s.backend)->here(); }

lane_setup in_shared_window(lane_setup s) {
  if (s.cell == nullptr) return s;
  const auto& team = *static_cast<rank_team*>(s.backend);
  const rank_state& mine = here(s);
  std::byte* const window = mine.of(epoch::none).base + mine.of(epoch::none).offset;
  s.cell = window + (static_cast<std::byte*>(s.cell) - team.board().first);
  s.second_cell =
      window + window_half + (static_cast<std::byte*>(s.second_cell) - team.board().second);
  return s;
}

MPI_Aint offset_in_window(const lane_setup& s) {
  if (s.cell == nullptr) return 0;
  return static_cast<std::byte*>(s.cell) - static_cast<rank_team*>(s.backend)->board().first;
}

}  // namespace syncmeter::mpi
