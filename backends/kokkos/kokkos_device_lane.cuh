// The lane of Kokkos' CUDA space: a member of a team, which is a block. What is timed and checked,
// and where, is the CUDA backend's; the words are Kokkos'.
#pragma once

#include "backends/cuda/lane/cuda_kernel.cuh"
#include "backends/cuda/rig/cuda_litmus.cuh"
#include "backends/kokkos/kokkos_words.hpp"

namespace syncmeter::kokkos {

/// Kernels keep to the registers with which so many of the largest teams fit on a multiprocessor:
/// two as in the CUDA backend, but one where the trip counter would be spilled to memory.
template <class Op>
inline constexpr unsigned teams_that_fit = Op::info.compares ? 1 : cuda::blocks_per_multiprocessor;
template <unsigned Teams>
using policy_for =
    Kokkos::TeamPolicy<Kokkos::Cuda, Kokkos::LaunchBounds<cuda::largest_block, Teams>>;
using device_member = policy_for<1>::member_type;

template <class T, class Form>
class device_lane : public cuda::basic_lane<T, Form>, public words<T, Form::value.order> {
 public:
  SM_FN device_lane(const cuda::kernel_setup& s, const device_member& member)
      : cuda::basic_lane<T, Form>{s}, member_{member}, lock_{s.lock},
        bump_{this->thread() == 0 ? 1U : 0U}, expected_{1U - bump_} {
    cuda::make_opaque(this->one_);  // or it is converted from an integer in the loop, now and then
    const unsigned warps_of_team = cuda::warps_in(cuda::lanes_in_block());
    const unsigned warp = blockIdx.x * warps_of_team + cuda::lane_in_block() / cuda::warp_size;
    const unsigned next = (warp + 1) % (gridDim.x * warps_of_team);
    mailbox_ =
        reinterpret_cast<std::uint64_t*>(s.mailboxes + std::size_t{warp} * cuda::mailbox_bytes);
    next_mailbox_ =
        reinterpret_cast<std::uint64_t*>(s.mailboxes + std::size_t{next} * cuda::mailbox_bytes);
  }

  SM_FN void barrier() const { member_.team_barrier(); }

  // The lock of kokkos_lane.hpp. Its holder releases it inside the loop that takes it: a lane that
  // left the loop with the lock held could wait for ever for the rest of its warp.
  SM_FN void critical_add(T& x, T by) const {
    for (bool done = false; !done;) {
      if (Kokkos::atomic_compare_exchange(lock_, 0, 1) == 0) {
        Kokkos::load_fence();
        this->plain_write(x, static_cast<T>(this->plain_read(x) + by));
        Kokkos::store_fence();
        Kokkos::atomic_store(lock_, 0);
        done = true;
      }
    }
  }

  SM_FN void await_token() const {
    while (Kokkos::atomic_load(mailbox_) != expected_) {
    }
    Kokkos::load_fence();
  }
  SM_FN void pass_token() {
    Kokkos::store_fence();
    Kokkos::atomic_store(next_mailbox_, expected_ + bump_);
    ++expected_;
  }

  [[nodiscard]] SM_FN cuda::cuda_outcome outcome() const { return {this->tallied(), this->sunk()}; }

 private:
  device_member member_;
  int* lock_;
  std::uint64_t bump_;
  std::uint64_t expected_;
  std::uint64_t* mailbox_;
  std::uint64_t* next_mailbox_;
};

/// The functor of one row and count: its type is what the census knows its kernel by.
template <class Op, int Count, class Lane> struct timed_team {
  cuda::kernel_setup setup;
  std::uint32_t trips;
  __device__ void operator()(const device_member& member) const {
    __shared__ cuda::block_clock clock;
    cuda::run_block<Op, Count>(Lane{setup, member}, setup, trips, clock);
  }
};

template <class Op, class Lane> struct litmus_team {
  cuda::kernel_setup setup;
  unsigned* board;
  unsigned long long* seen;
  __device__ void operator()(const device_member& member) const {
    const Lane lane{setup, member};
    if constexpr (Op::info.litmus == litmus::barrier) cuda::check_barrier<Op>(lane, board, seen);
    else cuda::check_fence<Op>(lane, board, seen);
  }
};

}  // namespace syncmeter::kokkos
