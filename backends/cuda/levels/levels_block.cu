// Block synchronization by objects in shared memory instead of the hardware barrier (BAR.SYNC).
// Ops, lanes and rows. test - baseline == one more.
#include <cuda/latch>
#include <cuda/pipeline>

#include <new>
#include <utility>

#include "backends/cuda/lane/cuda_shared_objects.cuh"
#include "backends/cuda/levels/levels.cuh"

namespace syncmeter::cuda {

template <class L>
concept has_mbarrier = requires(L& l) {
  l.mbarrier_sync();
  l.mbarrier_transaction();
};
template <class L> concept has_split_barrier = requires(L& l) { l.barrier_arrive_wait(); };
template <class L> concept has_latch = requires(L& l) { l.latch_sync(); };
template <class L> concept has_pipeline = requires(L& l) { l.pipeline_stage(); };

namespace ops {

SM_LEVEL_OP(mbarrier_sync, has_mbarrier, mbarrier_sync, written, any_size,
            .family = family::barrier, .oracle = oracle::agreed, .litmus = litmus::barrier,
            .communicates = true,
            .note = "PTX mbarrier: every thread arrives, and waits for the phase by its parity")
SM_LEVEL_OP(mbarrier_transaction, has_mbarrier, mbarrier_transaction, written, any_size,
            .family = family::barrier, .oracle = oracle::agreed, .litmus = litmus::barrier,
            .communicates = true,
            .note = "PTX mbarrier with a transaction count: as mbarrier_sync, and one thread "
                    "expects 16 bytes and completes them",
            .kind = static_cast<std::uint8_t>(level::transaction))
SM_LEVEL_OP(block_barrier_arrive_wait, has_split_barrier, barrier_arrive_wait, written, any_size,
            .family = family::barrier, .litmus = litmus::barrier, .unroll = 8, .communicates = true,
            .note = "cuda::barrier of the block split into arrive and wait, with 16 dependent adds "
                    "between them")

// A trip of three, because three latches take turns.
struct block_latch {
  static constexpr op_info info{
      .name = "block_latch",
      .in_quick = false,
      .family = family::barrier,
      .litmus = litmus::barrier,
      .unroll = 3,
      .communicates = true,
      .note = "cuda::latch of the block, arrive_and_wait; a latch serves once: one thread makes "
              "the next"};
  static constexpr expected_result expects = expected_result::written;
  static constexpr std::array forms = any_size;
  static constexpr bool without_additivity = true;  // long code: polls with a pause that grows
  SM_FN static void common(has_latch auto& lane) { lane.latch_sync(); }
  SM_FN static void measured(has_latch auto& lane) { lane.latch_sync(); }
};

struct block_pipeline {
  static constexpr op_info info{
      .name = "block_pipeline",
      .in_quick = false,
      .family = family::barrier,
      .litmus = litmus::barrier,
      .unroll = 1,
      .communicates = true,
      .note = "cuda::pipeline of the block, two stages: every thread acquires and commits one as "
              "producer without a copy, waits for it and releases it as consumer"};
  static constexpr expected_result expects = expected_result::written;
  static constexpr std::array forms = any_size;
  static constexpr bool without_additivity = true;  // 2 and 4 in a row are laid out differently
  SM_FN static void common(has_pipeline auto& lane) { lane.pipeline_stage(); }
  SM_FN static void measured(has_pipeline auto& lane) { lane.pipeline_stage(); }
};

}  // namespace ops

/// The common part of block lanes. Each object type has its own lane, because a shared lane would
/// cost every loop registers.
template <class T, class Form> class meeting_lane : public lane<T, Form> {
 public:
  using lane<T, Form>::lane;

  [[nodiscard]] SM_FN team members() const {
    return {blockIdx.x * blockDim.x, blockDim.x, threadIdx.x};
  }

 protected:
  [[nodiscard]] SM_FN static bool is_first() { return threadIdx.x == 0; }
};

template <class T, class Form> class mbarrier_lane : public meeting_lane<T, Form> {
 public:
  SM_FN explicit mbarrier_lane(const kernel_setup& s) : meeting_lane<T, Form>{s} {
    __shared__ std::uint64_t mbarrier;
    at_ = &mbarrier;
    if (this->is_first()) ::cuda::ptx::mbarrier_init(at_, blockDim.x);
    __syncthreads();
  }

  SM_FN void mbarrier_sync() {
    arrive();
    wait_for_phase();
  }

  SM_FN void mbarrier_transaction() {
#if SM_HAS_TRANSACTIONS
    if (this->is_first()) {
      constexpr unsigned bytes = 16;
      static_cast<void>(::cuda::ptx::mbarrier_arrive_expect_tx(
          ::cuda::ptx::sem_release, ::cuda::ptx::scope_cta, ::cuda::ptx::space_shared, at_, bytes));
      asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(
                       static_cast<unsigned>(__cvta_generic_to_shared(at_))),
                   "n"(bytes)
                   : "memory");
    } else {
      arrive();
    }
#else
    arrive();
#endif
    wait_for_phase();
  }

  /// Finds the object in an unexpected phase after too many or too few arrivals or completions.
  [[nodiscard]] SM_FN cuda_outcome outcome() const {
    cuda_outcome done = lane<T, Form>::outcome();
    done.outcome.tally = ::cuda::ptx::mbarrier_test_wait_parity(at_, phase_) ? 1 : 0;
    return done;
  }

 private:
  SM_FN void arrive() { static_cast<void>(::cuda::ptx::mbarrier_arrive(at_)); }
  SM_FN void wait_for_phase() {
    while (!has_ended(at_, phase_)) {
    }
    phase_ ^= 1U;
  }

  std::uint64_t* at_;
  unsigned phase_ = 0;
};

template <class T, class Form> class split_barrier_lane : public meeting_lane<T, Form> {
 public:
  SM_FN explicit split_barrier_lane(const kernel_setup& s) : meeting_lane<T, Form>{s} {
    __shared__ room_for<block_barrier_object> barrier;
    at_ = &barrier.object();
    if (this->is_first()) init(at_, blockDim.x);
    __syncthreads();
  }

  // The barrier's wait hides the adds, except for their part beyond it.
  SM_FN void barrier_arrive_wait() {
    auto token = at_->arrive();
    add_floats(std::make_index_sequence<16>{});
    at_->wait(std::move(token));
  }

 private:
  template <std::size_t... I> SM_FN void add_floats(std::index_sequence<I...>) {
    ((void(I), this->add_float()), ...);
  }

  block_barrier_object* at_;
};

template <class T, class Form> class latch_lane : public meeting_lane<T, Form> {
  using latch = ::cuda::latch<::cuda::thread_scope_block>;

 public:
  SM_FN explicit latch_lane(const kernel_setup& s) : meeting_lane<T, Form>{s} {
    __shared__ room_for<latch> first, second, third;
    now_ = &first.object();
    next_ = &second.object();
    last_ = &third.object();
    if (this->is_first()) make(now_);
    __syncthreads();
  }

  // A thread here knows that all threads reached the previous latch, and hence left its
  // predecessor. The next latch reuses the predecessor's memory.
  SM_FN void latch_sync() {
    if (this->is_first()) make(next_);
    now_->arrive_and_wait();
    latch* const used = now_;
    now_ = next_;
    next_ = last_;
    last_ = used;
  }

 private:
  SM_FN static void make(latch* at) { new (at) latch(blockDim.x); }

  latch *now_, *next_, *last_;
};

template <class T, class Form> class pipeline_lane : public meeting_lane<T, Form> {
  using pipeline = ::cuda::pipeline<::cuda::thread_scope_block>;
  using stages = ::cuda::pipeline_shared_state<::cuda::thread_scope_block, 2>;

 public:
  SM_FN explicit pipeline_lane(const kernel_setup& s) : meeting_lane<T, Form>{s} {
    __shared__ room_for<stages> of_block;
    new (&mine_) pipeline(::cuda::make_pipeline(cg::this_thread_block(), &of_block.object()));
  }

  SM_FN void pipeline_stage() {
    pipeline& p = mine_.object();
    p.producer_acquire();
    p.producer_commit();
    p.consumer_wait();
    p.consumer_release();
  }

 private:
  room_for<pipeline> mine_;  // bytes, because a lane is copied and a pipeline has no copy
};

std::vector<measurable> rows_blocks() {
  static constexpr auto by_mbarrier = bind_untyped<levels_backend<mbarrier_lane>>(
      op_list<ops::mbarrier_sync, ops::mbarrier_transaction>{});
  static constexpr auto by_barrier =
      bind_untyped<levels_backend<split_barrier_lane>>(op_list<ops::block_barrier_arrive_wait>{});
  static constexpr auto by_latch =
      bind_untyped<levels_backend<latch_lane>>(op_list<ops::block_latch>{});
  static constexpr auto by_pipeline =
      bind_untyped<levels_backend<pipeline_lane>>(op_list<ops::block_pipeline>{});
  std::vector<measurable> rows(by_mbarrier.begin(), by_mbarrier.end());
  rows.insert(rows.end(), by_barrier.begin(), by_barrier.end());
  rows.insert(rows.end(), by_latch.begin(), by_latch.end());
  rows.insert(rows.end(), by_pipeline.begin(), by_pipeline.end());
  return rows;
}

}  // namespace syncmeter::cuda
