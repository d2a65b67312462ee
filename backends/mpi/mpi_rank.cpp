#include "backends/mpi/mpi_rank.hpp"

#include <algorithm>

namespace syncmeter::mpi {
namespace {

constexpr MPI_Aint page_bytes = 4096;
constexpr auto window_bytes = static_cast<MPI_Aint>(2 * window_half) + page_bytes;

MPI_Aint bytes_here(const rank_state& here) { return here.rank == 0 ? window_bytes : 0; }

// Returns the distance to the next page in rank 0, which all ranks use.
MPI_Aint offset_of(const rank_state& here, const std::byte* base) {
  auto offset = static_cast<MPI_Aint>(-reinterpret_cast<std::intptr_t>(base) & (page_bytes - 1));
  MPI_Bcast(&offset, 1, MPI_AINT, 0, here.all);
  return offset;
}

}  // namespace

std::string library_name() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string name{text.data()};
  name.resize(std::min(name.find_first_of(",\n"), name.size()));
  for (char& c : name)
    if (c == '\t') c = ' ';
  return name;
}

void open_windows(rank_state& here) {
  for (cell_window& at : here.windows) {
    if (&at != &here.windows.front()) {
      MPI_Win_allocate(bytes_here(here), 1, MPI_INFO_NULL, here.all, &at.base, &at.window);
    } else {
      std::byte* own = nullptr;
      MPI_Win_allocate_shared(bytes_here(here), 1, MPI_INFO_NULL, here.all, &own, &at.window);
      MPI_Aint bytes = 0;
      int unit = 0;
      MPI_Win_shared_query(at.window, 0, &bytes, &unit, &at.base);
    }
    at.offset = offset_of(here, at.base);
  }
  MPI_Win_lock_all(0, here.of(epoch::none).window);
  MPI_Win_lock_all(0, here.of(epoch::passive).window);
}

void close_windows(rank_state& here) {
  MPI_Win_unlock_all(here.of(epoch::passive).window);
  MPI_Win_unlock_all(here.of(epoch::none).window);
  for (auto at = here.windows.rbegin(); at != here.windows.rend(); ++at) MPI_Win_free(&at->window);
}

void before_loop(const rank_state& here, epoch kind) {
  if (kind == epoch::none) return;
  MPI_Barrier(here.all);  // after rank 0's writes to its memory
  if (kind == epoch::fenced) MPI_Win_fence(0, here.of(epoch::fenced).window);
}

// Ends with a barrier, in which rank 0 makes progress for accesses to rank 0's memory.
void after_loop(const rank_state& here, epoch kind) {
  if (kind == epoch::none) return;
  if (kind == epoch::fenced) MPI_Win_fence(MPI_MODE_NOSUCCEED, here.of(epoch::fenced).window);
  MPI_Barrier(here.all);
}

void own_memory(const rank_state& here, epoch kind, void (*access)(std::byte* cells, void* with),
                void* with) {
  const cell_window& at = here.of(kind);
  std::byte* const cells = at.base + at.offset;
  if (kind == epoch::locked) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, at.window);
  else if (kind != epoch::fenced) MPI_Win_sync(at.window);
  access(cells, with);
  if (kind == epoch::locked) MPI_Win_unlock(0, at.window);
  else if (kind != epoch::fenced) MPI_Win_sync(at.window);
}

void start_barrier_and_wait(const rank_state& here) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(here.all, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void reduce_nothing(const rank_state& here) {
  std::uint64_t mine = 0, sum = 0;
  MPI_Allreduce(&mine, &sum, 0, MPI_UINT64_T, MPI_SUM, here.all);
}

std::uint64_t reduce_word(const rank_state& here) {
  const auto mine = static_cast<std::uint64_t>(here.rank) + 1;
  std::uint64_t sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, here.all);
  return sum;
}

void accumulate_and_flush(const rank_state& here) {
  MPI_Accumulate(&here.one, 1, here.type, 0, here.of(epoch::passive).offset + here.at, 1, here.type,
                 MPI_SUM, here.of(epoch::passive).window);
  MPI_Win_flush(0, here.of(epoch::passive).window);
}

std::uint64_t fetch_and_flush(const rank_state& here) {
  std::uint64_t before = 0;
  MPI_Fetch_and_op(&here.one, &before, here.type, 0, here.of(epoch::passive).offset + here.at,
                   MPI_SUM, here.of(epoch::passive).window);
  MPI_Win_flush(0, here.of(epoch::passive).window);
  return before;
}

std::uint64_t compare_and_flush(const rank_state& here) {
  std::uint64_t before = 0;
  MPI_Compare_and_swap(&here.initial, &here.initial, &before, here.type, 0,
                       here.of(epoch::passive).offset + here.at, here.of(epoch::passive).window);
  MPI_Win_flush(0, here.of(epoch::passive).window);
  return before;
}

void put_and_flush(const rank_state& here) {
  MPI_Put(&here.operand, 1, here.type, 0, here.of(epoch::passive).offset + here.at, 1, here.type,
          here.of(epoch::passive).window);
  MPI_Win_flush(0, here.of(epoch::passive).window);
}

void accumulate_under_lock(const rank_state& here) {
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, here.of(epoch::locked).window);
  MPI_Accumulate(&here.one, 1, here.type, 0, here.of(epoch::locked).offset + here.at, 1, here.type,
                 MPI_SUM, here.of(epoch::locked).window);
  MPI_Win_unlock(0, here.of(epoch::locked).window);
}

void accumulate_and_fence(const rank_state& here) {
  MPI_Accumulate(&here.one, 1, here.type, 0, here.of(epoch::fenced).offset + here.at, 1, here.type,
                 MPI_SUM, here.of(epoch::fenced).window);
  MPI_Win_fence(0, here.of(epoch::fenced).window);
}

void sync_window(const rank_state& here) { MPI_Win_sync(here.of(epoch::none).window); }

void hand_on(rank_state& here) {
  const int next = (here.rank + 1) % here.ranks, before = (here.rank + here.ranks - 1) % here.ranks;
  if (here.rank == 0) {
    ++here.token;
    MPI_Send(&here.token, 1, MPI_UINT64_T, next, 0, here.all);
    MPI_Recv(here.mailbox, 1, MPI_UINT64_T, before, 0, here.all, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(here.mailbox, 1, MPI_UINT64_T, before, 0, here.all, MPI_STATUS_IGNORE);
    MPI_Send(here.mailbox, 1, MPI_UINT64_T, next, 0, here.all);
  }
}

}  // namespace syncmeter::mpi
