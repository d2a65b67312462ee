// The lane of MPI: a rank. Its cells are in a shared window for direct processor access
// (std::atomic_ref), or in a window for MPI calls.
#pragma once

#include <cstring>
#include <type_traits>

#include "backends/mpi/mpi_team.hpp"
#include "backends/std/std_atomics.hpp"

namespace syncmeter::mpi {

template <class T> MPI_Datatype datatype_of() {
  if constexpr (std::is_same_v<T, std::int32_t>) return MPI_INT32_T;
  else if constexpr (std::is_same_v<T, std::uint64_t>) return MPI_UINT64_T;
  else if constexpr (std::is_same_v<T, float>) return MPI_FLOAT;
  else return MPI_DOUBLE;
}

template <class T, order O>
class lane : public standard::atomic_words<T, O>, public standard::ring_words {
  using base = standard::atomic_words<T, O>;

 public:
  explicit lane(const lane_setup& s)
      : base{in_shared_window(s)}, ring_words{s}, here_{&here(s)}, all_{here_->all},
        sum_{static_cast<std::uint64_t>(here_->ranks) *
             (static_cast<std::uint64_t>(here_->ranks) + 1) / 2} {
    rank_state& mine = *here_;
    mine.type = datatype_of<T>();
    mine.at = offset_in_window(s);
    mine.one = bits(this->one());
    mine.operand = bits(this->operand());
    mine.initial = bits(this->initial());
    mine.mailbox = s.mailbox;
    mine.token = 0;
  }

  SM_FN void barrier() const { MPI_Barrier(all_); }
  SM_FN void ibarrier() const { start_barrier_and_wait(*here_); }
  SM_FN void allreduce_0() const { reduce_nothing(*here_); }
  /// Returns the difference from the expected sum.
  SM_FN bits_of<T> allreduce_8() const {
    return static_cast<bits_of<T>>(reduce_word(*here_) ^ sum_);
  }

  SM_FN void rma_accumulate() const { accumulate_and_flush(*here_); }
  SM_FN void rma_fetch_add() const { keep(fetch_and_flush(*here_)); }
  SM_FN T rma_compare_and_swap() const
    requires std::is_integral_v<T>
  {
    return static_cast<T>(compare_and_flush(*here_));
  }
  SM_FN void rma_put() const { put_and_flush(*here_); }
  SM_FN void rma_lock_add() const { accumulate_under_lock(*here_); }
  SM_FN void rma_fence_add() const { accumulate_and_fence(*here_); }
  SM_FN void window_sync() const { sync_window(*here_); }
  SM_FN void send_receive() const { hand_on(*here_); }

 private:
  static std::uint64_t bits(T value) { return std::bit_cast<bits_of<T>>(value); }
  // Keeps the value in a register, because a sink with floating-point type would convert the value.
  SM_FN static void keep(std::uint64_t value) { make_opaque(value); }

  rank_state* here_;
  MPI_Comm all_;
  std::uint64_t sum_;
};

}  // namespace syncmeter::mpi
