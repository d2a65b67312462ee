#include "backends/mpi/mpi_rank.hpp"

#include <initializer_list>

namespace syncmeter::mpi {
namespace {

constexpr MPI_Aint page_bytes = 4096;
constexpr auto window_bytes = static_cast<MPI_Aint>(2 * window_half) + page_bytes;

MPI_Aint bytes_here(const rank_state& here) { return here.rank == 0 ? window_bytes : 0; }

// To the next page, as rank 0 has it: the same number everywhere.
MPI_Aint offset_of(const rank_state& here, const std::byte* base) {
  auto offset = static_cast<MPI_Aint>(-reinterpret_cast<std::intptr_t>(base) & (page_bytes - 1));
  MPI_Bcast(&offset, 1, MPI_AINT, 0, here.all);
  return offset;
}

void allocate(const rank_state& here, MPI_Win& window, std::byte*& base, MPI_Aint& offset) {
  MPI_Win_allocate(bytes_here(here), 1, MPI_INFO_NULL, here.all, &base, &window);
  offset = offset_of(here, base);
}

}  // namespace

void open_windows(rank_state& here) {
  std::byte* own = nullptr;
  MPI_Win_allocate_shared(bytes_here(here), 1, MPI_INFO_NULL, here.all, &own, &here.shared);
  MPI_Aint bytes = 0;
  int unit = 0;
  MPI_Win_shared_query(here.shared, 0, &bytes, &unit, &here.shared_base);
  here.shared_offset = offset_of(here, here.shared_base);
  allocate(here, here.passive, here.passive_base, here.passive_offset);
  allocate(here, here.locked, here.locked_base, here.locked_offset);
  allocate(here, here.fenced, here.fenced_base, here.fenced_offset);
  MPI_Win_lock_all(0, here.shared);
  MPI_Win_lock_all(0, here.passive);
}

void close_windows(rank_state& here) {
  MPI_Win_unlock_all(here.passive);
  MPI_Win_unlock_all(here.shared);
  for (MPI_Win* window : {&here.fenced, &here.locked, &here.passive, &here.shared})
    MPI_Win_free(window);
}

cell_window window_of(const rank_state& here, epoch kind) {
  switch (kind) {
  case epoch::passive:
    return {here.passive, here.passive_base, here.passive_offset};
  case epoch::locked:
    return {here.locked, here.locked_base, here.locked_offset};
  case epoch::fenced:
    return {here.fenced, here.fenced_base, here.fenced_offset};
  case epoch::none:
    break;
  }
  return {here.shared, here.shared_base, here.shared_offset};
}

void before_loop(const rank_state& here, epoch kind) {
  if (kind == epoch::none) return;
  MPI_Barrier(here.all);  // behind rank 0's writes to its own memory
  if (kind == epoch::fenced) MPI_Win_fence(0, here.fenced);
}

// In the barrier rank 0 makes the progress that accesses of others to its memory may need.
void after_loop(const rank_state& here, epoch kind) {
  if (kind == epoch::none) return;
  if (kind == epoch::fenced) MPI_Win_fence(MPI_MODE_NOSUCCEED, here.fenced);
  MPI_Barrier(here.all);
}

void own_memory(const rank_state& here, epoch kind, void (*access)(std::byte* cells, void* with),
                void* with) {
  const cell_window at = window_of(here, kind);
  std::byte* const cells = at.base + at.offset;
  if (kind == epoch::locked) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, at.window);
  else if (kind != epoch::fenced) MPI_Win_sync(at.window);
  access(cells, with);
  if (kind == epoch::locked) MPI_Win_unlock(0, at.window);
  else if (kind != epoch::fenced) MPI_Win_sync(at.window);
}

}  // namespace syncmeter::mpi
