#include "backends/mpi/mpi_team.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <ctime>
#include <exception>
#include <stdexcept>

#include "core/host/gate.hpp"

namespace syncmeter::mpi {
namespace {

// About a millisecond, as in a team of threads.
constexpr unsigned active_spins = 20000;
constexpr std::uintptr_t page_mask = 4095;

// Not std::atomic's wait and notify: those are for the threads of one process.
void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t old, const timespec* limit) {
  ::syscall(SYS_futex, &word, FUTEX_WAIT, old, limit, nullptr, 0);
}
void wake_all(std::atomic<std::uint32_t>& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

// MPI sends what is still to be sent where it is called only.
void make_progress(const rank_state& here) {
  int found = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, here.all, &found, MPI_STATUS_IGNORE);
}

std::byte* page_of(void* cell) {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(cell) & ~page_mask);
}

// A point's cells, copied between the rig's arrays, which core/host/ sets and checks, and rank 0's
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
    : board_{board}, here_{here}, spins_{waiting == wait_policy::active ? active_spins : 0} {}

void rank_team::wait_while(std::atomic<std::uint32_t>& word, std::uint32_t old) const {
  const bool leads = here_.rank == 0;
  constexpr timespec for_now{.tv_sec = 0, .tv_nsec = 1'000'000};
  for (unsigned spin = 0; word.load(std::memory_order_acquire) == old; ++spin) {
    if (leads) make_progress(here_);
    if (spin < spins_) spin_pause();
    else sleep_while(word, old, leads ? &for_now : nullptr);
  }
}

void rank_team::run_lane() {
  before_loop(here_, board_.around);
  try {
    board_.body(*board_.rig, static_cast<unsigned>(here_.rank));
  } catch (const std::exception& e) {
    std::strncpy(board_.problem.data(), e.what(), board_.problem.size() - 1);
  }
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
  board_.body = body;
  board_.rig = &on;
  board_.around = timed ? kind : epoch::none;
  board_.problem.fill('\0');
  board_.running.store(lanes - 1, std::memory_order_relaxed);
  board_.regions.fetch_add(1, std::memory_order_release);
  wake_all(board_.regions);
  run_lane();
  while (const auto left = board_.running.load(std::memory_order_acquire))
    wait_while(board_.running, left);
  if (board_.problem.front() != '\0') throw std::runtime_error(board_.problem.data());
  cells.into_window = false;
  if (mirrored) own_memory(here_, kind, &mirrored_cells::copy, &cells);
  return true;
}

void rank_team::release() {
  board_.body = nullptr;
  board_.regions.fetch_add(1, std::memory_order_release);
  wake_all(board_.regions);
}

void rank_team::serve() {
  for (std::uint32_t past = 0;; ++past) {
    wait_while(board_.regions, past);
    if (board_.body == nullptr) return;
    run_lane();
    if (board_.running.fetch_sub(1, std::memory_order_acq_rel) == 1) wake_all(board_.running);
  }
}

rank_state& here(const lane_setup& s) { return static_cast<rank_team*>(s.backend)->here(); }

lane_setup in_shared_window(lane_setup s) {
  if (s.cell == nullptr) return s;
  const auto& team = *static_cast<rank_team*>(s.backend);
  const rank_state& mine = here(s);
  std::byte* const window = mine.shared_base + mine.shared_offset;
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
