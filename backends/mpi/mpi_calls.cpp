#include "backends/mpi/mpi_calls.hpp"

namespace syncmeter::mpi {

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
  MPI_Accumulate(&here.one, 1, here.type, 0, here.passive_offset + here.at, 1, here.type, MPI_SUM,
                 here.passive);
  MPI_Win_flush(0, here.passive);
}

std::uint64_t fetch_and_flush(const rank_state& here) {
  std::uint64_t before = 0;
  MPI_Fetch_and_op(&here.one, &before, here.type, 0, here.passive_offset + here.at, MPI_SUM,
                   here.passive);
  MPI_Win_flush(0, here.passive);
  return before;
}

std::uint64_t compare_and_flush(const rank_state& here) {
  std::uint64_t before = 0;
  MPI_Compare_and_swap(&here.initial, &here.initial, &before, here.type, 0,
                       here.passive_offset + here.at, here.passive);
  MPI_Win_flush(0, here.passive);
  return before;
}

void put_and_flush(const rank_state& here) {
  MPI_Put(&here.operand, 1, here.type, 0, here.passive_offset + here.at, 1, here.type,
          here.passive);
  MPI_Win_flush(0, here.passive);
}

void accumulate_under_lock(const rank_state& here) {
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, here.locked);
  MPI_Accumulate(&here.one, 1, here.type, 0, here.locked_offset + here.at, 1, here.type, MPI_SUM,
                 here.locked);
  MPI_Win_unlock(0, here.locked);
}

void accumulate_and_fence(const rank_state& here) {
  MPI_Accumulate(&here.one, 1, here.type, 0, here.fenced_offset + here.at, 1, here.type, MPI_SUM,
                 here.fenced);
  MPI_Win_fence(0, here.fenced);
}

void sync_window(const rank_state& here) { MPI_Win_sync(here.shared); }

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
