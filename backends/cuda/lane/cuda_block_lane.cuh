// The whole CUDA lane: adds the ops of a block, a warp, a fence, a lock, a token ring, and a memory
// walk to the atomic ops.
#pragma once

#include <cuda/barrier>

#include "backends/cuda/lane/cuda_atomic_lane.cuh"

namespace syncmeter::cuda {

using block_barrier_object = ::cuda::barrier<::cuda::thread_scope_block>;

template <class T, class Form> class lane : public atomic_lane<T, Form> {
  static constexpr form F = Form::value;
  static constexpr enum order O = F.order;
  static constexpr enum scope S = F.scope;

 public:
  SM_FN explicit lane(const kernel_setup& s)
      : atomic_lane<T, Form>{s}, word_{static_cast<unsigned>(s.ones[0]) + threadIdx.x},
        lock_{s.lock}, walk_{s.ring},
        here_{cells_offset + static_cast<unsigned>(__cvta_generic_to_shared(block_memory))},
        bump_{this->thread() == 0 ? 1U : 0U}, expected_{1U - bump_} {
    const unsigned warps_of_block = warps_in(blockDim.x);
    const unsigned warp = blockIdx.x * warps_of_block + threadIdx.x / warp_size;
    const unsigned warps = gridDim.x * warps_of_block;
    mailbox_ = reinterpret_cast<std::uint64_t*>(s.mailboxes + std::size_t{warp} * mailbox_bytes);
    next_mailbox_ = reinterpret_cast<std::uint64_t*>(s.mailboxes + std::size_t{(warp + 1) % warps} *
                                                                       mailbox_bytes);
  }

  // Block ops.
  SM_FN void barrier() const { __syncthreads(); }
  SM_FN void syncthreads_count() { word_ = static_cast<unsigned>(__syncthreads_count(word_ != 0)); }
  SM_FN void syncthreads_and() { word_ = static_cast<unsigned>(__syncthreads_and(word_ != 0)); }
  SM_FN void syncthreads_or() { word_ = static_cast<unsigned>(__syncthreads_or(word_ != 0)); }
  // The instruction needs a thread count in whole warps.
  SM_FN void named_barrier() const {
    asm volatile("bar.sync 1, %0;" ::"r"((blockDim.x + 31U) & ~31U) : "memory");
  }
  SM_FN void block_barrier() const {
    reinterpret_cast<block_barrier_object*>(block_memory)->arrive_and_wait();
  }

  // Warp ops. Each result is the next operand: this measures latency, and nothing can be hoisted.
  SM_FN void warp_sync() const { __syncwarp(); }
  SM_FN void warp_sync_part() const { __syncwarp(lower_half * static_cast<unsigned>(this->one())); }
  [[nodiscard]] SM_FN bool in_lower_half() const { return (threadIdx.x & 16U) == 0; }
  // Diverges into two sides that cannot be merged or predicated, because each votes among its
  // lanes.
  SM_FN void diverge() {
    if ((threadIdx.x & 1U) != 0) word_ ^= __ballot_sync(odd_lanes, (word_ & 2U) != 0);
    else word_ += __ballot_sync(~odd_lanes, (word_ & 4U) != 0);
  }
  SM_FN void shuffle_idx() {
    word_ = __shfl_sync(all_lanes, word_, static_cast<int>(threadIdx.x + 1));
  }
  SM_FN void shuffle_up() { word_ = __shfl_up_sync(all_lanes, word_, 1); }
  SM_FN void shuffle_down() { word_ = __shfl_down_sync(all_lanes, word_, 1); }
  SM_FN void shuffle_xor() { word_ = __shfl_xor_sync(all_lanes, word_, 1); }
  SM_FN void vote_all() { word_ = static_cast<unsigned>(__all_sync(all_lanes, word_ != 0)); }
  SM_FN void vote_any() { word_ = static_cast<unsigned>(__any_sync(all_lanes, word_ != 0)); }
  SM_FN void vote_ballot() { word_ = __ballot_sync(all_lanes, word_ != 0); }
  SM_FN void match_any() { word_ = __match_any_sync(all_lanes, word_); }
  SM_FN void match_all() {
    int all_equal = 0;
    word_ = __match_all_sync(all_lanes, word_, &all_equal);
  }
  SM_FN void reduce_add() { word_ = __reduce_add_sync(all_lanes, word_); }
  SM_FN void reduce_min() { word_ = __reduce_min_sync(all_lanes, word_); }
  SM_FN void reduce_max() { word_ = __reduce_max_sync(all_lanes, word_); }
  SM_FN void reduce_and() { word_ = __reduce_and_sync(all_lanes, word_); }
  SM_FN void reduce_or() { word_ = __reduce_or_sync(all_lanes, word_); }
  SM_FN void reduce_xor() { word_ = __reduce_xor_sync(all_lanes, word_); }
  SM_FN void active_mask() { word_ ^= __activemask(); }

  // Fences: CUDA's own by scope, libcu++'s by order and scope.
  SM_FN void fence() const
    requires(O == order::unordered)
  {
    if constexpr (S == scope::block) __threadfence_block();
    else if constexpr (S == scope::system) __threadfence_system();
    else __threadfence();
  }
  SM_FN void fence() const
    requires(O != order::unordered && O != order::relaxed)
  {
    ::cuda::atomic_thread_fence(memory_order_of(O), thread_scope<S>);
  }
  // Loads that skip L1, and loads that a fence's L1 invalidation sends to L2 again. The address
  // moves by an opaque zero, because ptxas merges loads from one address, volatile or not.
#define SM_CUDA_CACHED_LOAD(NAME)                                                                  \
  SM_FN void load_##NAME(const T& x) {                                                             \
    bits_of<T> bits;                                                                               \
    const auto at = ptx::global_address(x) + this->nowhere();                                      \
    if constexpr (sizeof(T) == 8)                                                                  \
      asm volatile("ld.global." #NAME ".b64 %0, [%1];" : "=l"(bits) : "l"(at));                    \
    else asm volatile("ld.global." #NAME ".b32 %0, [%1];" : "=r"(bits) : "l"(at));                 \
    this->sunk_ ^= bits;                                                                           \
  }
  SM_CUDA_CACHED_LOAD(cg)
  SM_CUDA_CACHED_LOAD(ca)
#undef SM_CUDA_CACHED_LOAD

  // One lock for the grid. The holder releases it inside the acquiring loop: a lane that left the
  // loop with the lock could wait forever for the rest of its warp.
  SM_FN void critical_add(T& x, T by) const {
    const ::cuda::atomic_ref<std::int32_t, ::cuda::thread_scope_device> lock{*lock_};
    for (bool done = false; !done;) {
      std::int32_t open = 0;
      if (lock.compare_exchange_strong(open, 1, ::cuda::std::memory_order_acquire)) {
        this->plain_write(x, static_cast<T>(this->plain_read(x) + by));
        lock.store(0, ::cuda::std::memory_order_release);
        done = true;
      }
    }
  }

  SM_FN void await_token() const {
    const ::cuda::atomic_ref<std::uint64_t, thread_scope<S>> mine{*mailbox_};
    while (mine.load(::cuda::std::memory_order_acquire) != expected_) {
    }
  }
  SM_FN void pass_token() {
    const ::cuda::atomic_ref<std::uint64_t, thread_scope<S>> next{*next_mailbox_};
    next.store(expected_ + bump_, ::cuda::std::memory_order_release);
    ++expected_;
  }

  // Dependent loads: each address comes from the previous load.
  SM_FN void walk_shared() { asm volatile("ld.shared.u32 %0, [%0];" : "+r"(here_) : : "memory"); }
  SM_FN void walk_l1() { asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(walk_) : : "memory"); }
  SM_FN void walk_l2() { asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(walk_) : : "memory"); }

  [[nodiscard]] SM_FN cuda_outcome outcome() const { return {this->tallied(), sunk()}; }

 private:
  [[nodiscard]] SM_FN std::uint64_t sunk() const {
    return atomic_lane<T, Form>::sunk() ^ word_ ^ here_ ^ reinterpret_cast<std::uint64_t>(walk_);
  }

  static constexpr unsigned lower_half = 0x0000ffffU;
  static constexpr unsigned odd_lanes = 0xaaaaaaaaU;

  unsigned word_;  // different in each lane: the compiler drops a shuffle of equal values
  std::int32_t* lock_;
  std::byte* walk_;
  unsigned here_;
  std::uint64_t bump_;
  std::uint64_t expected_;
  std::uint64_t* mailbox_;
  std::uint64_t* next_mailbox_;
};

}  // namespace syncmeter::cuda
