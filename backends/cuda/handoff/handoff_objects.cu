// A token handed from warp to warp by an object in shared memory: semaphores, atomics that wait and
// notify, mbarriers in a block; asynchronous reductions and bulk copies that complete on an
// mbarrier of another block of the cluster. Ops, lanes and rows. test - baseline == one more
// rotation of the ring; the cost is per handoff.
#include <cuda/ptx>
#include <cuda/semaphore>

#include <new>

#include "backends/cuda/handoff/handoff.cuh"
#include "backends/cuda/handoff/ring_rows.cuh"

namespace syncmeter::cuda {

// Waits that suspend the thread came with compute capability 9.0.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define SM_HAS_TRY_WAIT 1
#else
#define SM_HAS_TRY_WAIT 0
#endif

namespace ops {

inline constexpr std::array in_block{form{.order = order::acq_rel, .scope = scope::block}};
#define SM_RING_OP(NAME, FORMS, INFO)                                                              \
  struct NAME {                                                                                    \
    static constexpr op_info info = INFO;                                                          \
    static constexpr std::array forms = FORMS;                                                     \
    static constexpr bool without_additivity = true;                                               \
    SM_FN static void common(has_token_ring auto& lane) { lane.await_token(), lane.pass_token(); } \
    SM_FN static void measured(has_token_ring auto& lane) { common(lane); }                        \
  };
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
#undef SM_RING_OP

}  // namespace ops

inline constexpr unsigned most_warps = largest_block / warp_size;

/// One warp's place in the ring, and its objects: `Object` says how it is made with a token or
/// without, waited for and handed on. A lane that waited in vain gives up, and with it the ring.
template <class T, class Form, template <class> class Object> class object_lane_of_ring {
 public:
  using value_type = T;
  static constexpr form lane_form = Form::value;

  SM_FN explicit object_lane_of_ring(const kernel_setup& s)
      : place_{blockIdx.x * warps_in(blockDim.x) + threadIdx.x / warp_size},
        warps_{gridDim.x * warps_in(blockDim.x)},
        mailbox_{
            reinterpret_cast<std::uint64_t*>(s.mailboxes + std::size_t{place_} * mailbox_bytes)} {
    __shared__ typename Object<Form>::storage objects[most_warps];
    const unsigned next = (place_ + 1) % warps_;
    const unsigned of_block = warps_in(blockDim.x);
    object_.bind(objects[threadIdx.x / warp_size], objects[next % of_block], next / of_block);
    if (threadIdx.x % warp_size == 0) object_.make();
    __syncthreads();
    if (thread() == 0) object_.begin(objects[0]);
  }

  SM_FN static unsigned thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

  SM_FN void await_token() { object_.await(++turns_, polls_); }
  // The first warp is handed the token of the rotation before.
  SM_FN void pass_token() { object_.pass(turns_ + (place_ + 1 == warps_ ? 1 : 0)); }

  [[nodiscard]] SM_FN unsigned place() const { return place_; }
  [[nodiscard]] SM_FN unsigned before() const { return (place_ + warps_ - 1) % warps_; }
  [[nodiscard]] SM_FN unsigned polls() const { return polls_; }

  /// Each warp says how many tokens it was handed.
  [[nodiscard]] SM_FN cuda_outcome outcome() const {
    *mailbox_ = turns_;
    return {{polls_, multiprocessor()}, 0};
  }

 private:
  Object<Form> object_;
  unsigned place_, warps_;
  std::uint64_t* mailbox_;
  unsigned turns_ = 0;
  unsigned polls_ = 0;
};

/// Of a library: it waits for as long as it takes.
template <class Form> struct semaphore_in_ring {
  using semaphore = ::cuda::binary_semaphore<::cuda::thread_scope_block>;
  struct storage {
    alignas(semaphore) std::byte bytes[sizeof(semaphore)];
  };
  semaphore *mine, *next;

  SM_FN void bind(storage& own, storage& of_next, unsigned) {
    mine = reinterpret_cast<semaphore*>(&own);
    next = reinterpret_cast<semaphore*>(&of_next);
  }
  SM_FN void make() const { new (mine) semaphore(0); }
  SM_FN void begin(storage&) const { mine->release(); }
  SM_FN void await(unsigned, unsigned&) const { mine->acquire(); }
  SM_FN void pass(unsigned) const { next->release(); }
};

template <class Form> struct atomic_in_ring {
  using word = ::cuda::atomic<unsigned, ::cuda::thread_scope_block>;
  struct storage {
    alignas(word) std::byte bytes[sizeof(word)];
  };
  word *mine, *next;

  SM_FN void bind(storage& own, storage& of_next, unsigned) {
    mine = reinterpret_cast<word*>(&own);
    next = reinterpret_cast<word*>(&of_next);
  }
  SM_FN void make() const { new (mine) word(0); }
  SM_FN void begin(storage&) const { mine->store(1, ::cuda::std::memory_order_release); }
  SM_FN void await(unsigned turn, unsigned&) const {
    mine->wait(turn - 1, ::cuda::std::memory_order_acquire);
  }
  SM_FN void pass(unsigned turn) const {
    next->store(turn, ::cuda::std::memory_order_release);
    next->notify_one();
  }
};

/// Waits for the phase of a turn: the first is that of parity 0.
SM_FN void await_phase(std::uint64_t* mbarrier, unsigned turn, unsigned& polls) {
  const unsigned parity = (turn & 1U) ^ 1U;
#if SM_HAS_TRY_WAIT
  while (!::cuda::ptx::mbarrier_try_wait_parity(mbarrier, parity) && polls < most_polls) ++polls;
#else
  while (!::cuda::ptx::mbarrier_test_wait_parity(mbarrier, parity) && polls < most_polls) ++polls;
#endif
}

template <class Form> struct mbarrier_in_ring {
  using storage = std::uint64_t;
  std::uint64_t *mine, *next;

  SM_FN void bind(storage& own, storage& of_next, unsigned) {
    mine = &own;
    next = &of_next;
  }
  SM_FN void make() const { ::cuda::ptx::mbarrier_init(mine, 1); }
  SM_FN void begin(storage&) const { static_cast<void>(::cuda::ptx::mbarrier_arrive(mine)); }
  SM_FN void await(unsigned turn, unsigned& polls) const { await_phase(mine, turn, polls); }
  SM_FN void pass(unsigned) const { static_cast<void>(::cuda::ptx::mbarrier_arrive(next)); }
};

template <class T, class Form>
using semaphore_lane = object_lane_of_ring<T, Form, semaphore_in_ring>;
template <class T, class Form>
using atomic_wait_lane = object_lane_of_ring<T, Form, atomic_in_ring>;
template <class T, class Form>
using mbarrier_ring_lane = object_lane_of_ring<T, Form, mbarrier_in_ring>;
template <template <class, class> class Lane, class Op>
void add_rows(std::vector<measurable>& rows) {
  static constexpr auto found = bind_untyped<ring_backend<Lane>>(op_list<Op>{});
  rows.insert(rows.end(), found.begin(), found.end());
}

std::vector<measurable> object_ring_rows() {
  std::vector<measurable> rows;
  add_rows<semaphore_lane, ops::semaphore_handoff>(rows);
  add_rows<atomic_wait_lane, ops::atomic_wait_handoff>(rows);
  add_rows<mbarrier_ring_lane, ops::mbarrier_handoff>(rows);
  return rows;
}

}  // namespace syncmeter::cuda
