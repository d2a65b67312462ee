// Warps of a block hand on a token by an object in shared memory: semaphores, atomics with wait and
// notify, mbarriers. Ops, lanes and rows. test - baseline == one more rotation of the ring. The
// cost is per handoff.
#include <cuda/semaphore>

#include <new>

#include "backends/cuda/handoff/object_ring.cuh"

namespace syncmeter::cuda {

namespace ops {

inline constexpr std::array in_block{form{.order = order::acq_rel, .scope = scope::block}};
SM_RING_OP(semaphore_handoff, in_block,
           handoff_info("semaphore_handoff",
                        "around a ring of warps of a block: cuda::binary_semaphore, acquire one's "
                        "own and release the next warp's"))
SM_RING_OP(atomic_wait_handoff, in_block,
           handoff_info("atomic_wait_handoff",
                        "around a ring of warps of a block: cuda::atomic, wait for one's own to "
                        "change, store the next warp's and notify_one"))
SM_RING_OP(mbarrier_handoff, in_block,
           handoff_info("mbarrier_handoff",
                        "around a ring of warps of a block: PTX mbarriers of one arrival, wait for "
                        "a phase of one's own and arrive at the next warp's"))

}  // namespace ops

/// An object from a library: its wait has no limit.
template <class Object> struct object_in_ring : token_of_block {
  using storage = room_for<Object>;
  Object *mine, *next;

  SM_FN void bind(storage& own, storage& of_next, unsigned) {
    mine = &own.object();
    next = &of_next.object();
  }
};

using binary_semaphore = ::cuda::binary_semaphore<::cuda::thread_scope_block>;
struct semaphore_in_ring : object_in_ring<binary_semaphore> {
  SM_FN void make(bool) const { new (mine) binary_semaphore(0); }
  SM_FN void begin(bool first) const {
    if (first) mine->release();
  }
  SM_FN void await(unsigned, unsigned&) const { mine->acquire(); }
  SM_FN void pass(unsigned) const { next->release(); }
};

using atomic_word = ::cuda::atomic<unsigned, ::cuda::thread_scope_block>;
struct atomic_in_ring : object_in_ring<atomic_word> {
  SM_FN void make(bool) const { new (mine) atomic_word(0); }
  SM_FN void begin(bool first) const {
    if (first) mine->store(1, ::cuda::std::memory_order_release);
  }
  SM_FN void await(unsigned turn, unsigned&) const {
    mine->wait(turn - 1, ::cuda::std::memory_order_acquire);
  }
  SM_FN void pass(unsigned turn) const {
    next->store(turn, ::cuda::std::memory_order_release);
    next->notify_one();
  }
};

struct mbarrier_in_ring : token_of_block {
  using storage = std::uint64_t;
  std::uint64_t *mine, *next;

  SM_FN void bind(storage& own, storage& of_next, unsigned) {
    mine = &own;
    next = &of_next;
  }
  SM_FN void make(bool) const { ::cuda::ptx::mbarrier_init(mine, 1); }
  SM_FN void begin(bool first) const {
    if (first) static_cast<void>(::cuda::ptx::mbarrier_arrive(mine));
  }
  // The first turn's phase has parity 0.
  SM_FN void await(unsigned turn, unsigned& polls) const {
    while (!has_ended(mine, (turn & 1U) ^ 1U) && polls < most_polls) ++polls;
  }
  SM_FN void pass(unsigned) const { static_cast<void>(::cuda::ptx::mbarrier_arrive(next)); }
};

template <class T, class Form>
using semaphore_lane = object_lane_of_ring<T, Form, semaphore_in_ring>;
template <class T, class Form>
using atomic_wait_lane = object_lane_of_ring<T, Form, atomic_in_ring>;
template <class T, class Form>
using mbarrier_ring_lane = object_lane_of_ring<T, Form, mbarrier_in_ring>;

std::vector<measurable> object_ring_rows() {
  std::vector<measurable> rows;
  add_rows<semaphore_lane, ops::semaphore_handoff>(rows);
  add_rows<atomic_wait_lane, ops::atomic_wait_handoff>(rows);
  add_rows<mbarrier_ring_lane, ops::mbarrier_handoff>(rows);
  return rows;
}

}  // namespace syncmeter::cuda
