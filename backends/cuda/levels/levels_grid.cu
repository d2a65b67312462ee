// The levels above a block, clusters and the whole grid: lanes and rows.
#include "backends/cuda/levels/levels.cuh"

namespace syncmeter::cuda {

// Clusters need compute capability 9.0. The rig refuses them on older devices, which treat each
// block as its own cluster.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define SM_HAS_CLUSTERS 1
#else
#define SM_HAS_CLUSTERS 0
#endif

/// Lane for a cluster. The cell in the first block counts the adds of all lanes.
template <class T, class Form> class cluster_lane : public lane<T, Form> {
 public:
  SM_FN explicit cluster_lane(const kernel_setup& s)
      : lane<T, Form>{s}, blocks_{s.size},
        cell_{cell_of_cluster() + static_cast<unsigned>(s.ones[1]) * threadIdx.x} {}

  SM_FN void cluster_sync() const {
#if SM_HAS_CLUSTERS
    cg::this_cluster().sync();
#else
    __syncthreads();
#endif
  }
  // The barrier's wait hides the adds, except for their part beyond it.
  SM_FN void cluster_arrive_wait() {
#if SM_HAS_CLUSTERS
    cg::cluster_group::barrier_arrive();
    add_floats(std::make_index_sequence<16>{});
    cg::cluster_group::barrier_wait();
#else
    add_floats(std::make_index_sequence<16>{});
    __syncthreads();
#endif
  }
  // The compiler must not see one address for all lanes, or a warp would add once for all its
  // lanes.
  SM_FN void cluster_atomic_add() {
    atomicAdd(cell_, 1U);
    ++added_;
  }

  [[nodiscard]] SM_FN team members() const {
    const unsigned size = blocks_ * blockDim.x;
    const unsigned place = this->thread() % size;
    return {this->thread() - place, size, place};
  }

  /// Cluster blocks leave together: until then each block reaches the memory of the first block.
  [[nodiscard]] SM_FN cuda_outcome outcome() const {
    cuda_outcome done = lane<T, Form>::outcome();
    cluster_sync();
    done.outcome.tally = *const_cast<volatile unsigned*>(cell_) ^ (added_ * blocks_ * blockDim.x);
    cluster_sync();
    return done;
  }

 private:
  template <std::size_t... I> SM_FN void add_floats(std::index_sequence<I...>) {
    ((void(I), this->add_float()), ...);
  }
  SM_FN static unsigned* cell_of_cluster() {
    __shared__ unsigned cell;
    if (threadIdx.x == 0) cell = 0;
#if SM_HAS_CLUSTERS
    cg::this_cluster().sync();
    return cg::this_cluster().map_shared_rank(&cell, 0);
#else
    return &cell;
#endif
  }

  unsigned blocks_;
  unsigned added_ = 0;
  unsigned* cell_;
};

/// Lane for the whole grid: cooperative groups, and barriers in software. One lane per block
/// arrives for all its lanes, and the rest wait for it. A wait has a deadline: a hanging barrier
/// ends, reports it, and no longer acts as a barrier.
template <class T, class Form> class grid_lane : public lane<T, Form> {
 public:
  SM_FN explicit grid_lane(const kernel_setup& s)
      : lane<T, Form>{s}, board_{reinterpret_cast<unsigned*>(s.board)},
        deadline_{ticks() + longest_wait_ticks} {
    unsigned span = 1;  // blocks per group of the tree: about the number of groups
    while (span * span < gridDim.x) ++span;
    const unsigned group = blockIdx.x / span;
    groups_ = (gridDim.x + span - 1) / span;
    members_ = min(span, gridDim.x - group * span);
    group_ = board_ + board::first_group + group * board::words_per_line;
  }

  SM_FN void grid_sync() const { cg::this_grid().sync(); }

  // The counter only grows, because other blocks may have reached the next barrier already.
  SM_FN void counter_barrier() {
    goal_ += gridDim.x;
    __syncthreads();
    if (is_leader()) {
      add_release(board_ + board::counter);
      wait_until_reached(board_ + board::counter, goal_);
    }
    __syncthreads();
  }

  SM_FN void sense_barrier() {
    goal_ ^= 1U;
    __syncthreads();
    if (is_leader()) {
      if (add_one_acq_rel(board_ + board::counter) == gridDim.x - 1) {
        *const_cast<volatile unsigned*>(board_ + board::counter) = 0;
        store_release<scope::device>(board_ + board::flag, goal_);
      } else {
        wait_until_equal(board_ + board::flag, goal_);
      }
    }
    __syncthreads();
  }

  // "Inter-block GPU communication via fast barrier synchronization" (IPDPS 2010), without atomics:
  // every block has an arrival flag and a leave flag. The lanes of block 0 watch all flags.
  SM_FN void lockfree_barrier() {
    unsigned* const arrived = board_ + board::first_flag;
    unsigned* const leave = arrived + gridDim.x;
    ++goal_;
    __syncthreads();
    if (is_leader()) store_release<scope::device>(arrived + blockIdx.x, goal_);
    if (blockIdx.x == 0) {
      SM_ROLLED for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
          wait_until_equal(arrived + i, goal_);
      __syncthreads();
      SM_ROLLED for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
          store_release<scope::device>(leave + i, goal_);
    }
    if (is_leader()) wait_until_equal(leave + blockIdx.x, goal_);
    __syncthreads();
  }

  // The last block of a group arrives at the root for its group. The last group opens the barrier.
  SM_FN void tree_barrier() {
    ++goal_;
    __syncthreads();
    if (is_leader()) {
      if (add_one_acq_rel(group_) + 1 == goal_ * members_ &&
          add_one_acq_rel(board_ + board::counter) + 1 == goal_ * groups_)
        store_release<scope::device>(board_ + board::flag, goal_);
      wait_until_equal(board_ + board::flag, goal_);
    }
    __syncthreads();
  }

  [[nodiscard]] SM_FN team members() const { return {0, gridDim.x * blockDim.x, this->thread()}; }
  [[nodiscard]] SM_FN bool hung() const { return hung_; }

  [[nodiscard]] SM_FN cuda_outcome outcome() const {
    cuda_outcome done = lane<T, Form>::outcome();
    done.outcome.tally = hung_ ? 1 : 0;
    return done;
  }

 private:
  /// Returns time in steps of about a millisecond (2^20 ns), because a deadline must fit a
  /// register. The census would count a clock around the loop (driver/census/isa/loop_code.cpp).
  SM_FN static unsigned ticks() { return static_cast<unsigned>(global_timer() >> 20); }
  static constexpr unsigned longest_wait_ticks = 1900;  // 2 s

  [[nodiscard]] SM_FN static bool is_leader() { return threadIdx.x == 0; }

  SM_FN static void add_release(unsigned* at) {
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(at) : "memory");
  }
  // With an operand in a register, ptxas lays out the `sense` loops differently.
  SM_FN static unsigned add_one_acq_rel(unsigned* at) {
    unsigned before;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;"
                 : "=r"(before)
                 : "l"(at)
                 : "memory");
    return before;
  }
  SM_FN void wait_until_reached(const unsigned* at, unsigned goal) {
    SM_ROLLED for (unsigned polls = 1; static_cast<int>(load_acquire<scope::device>(at) - goal) < 0;
                   ++polls) {
      if (gives_up(polls)) return;
    }
  }
  SM_FN void wait_until_equal(const unsigned* at, unsigned goal) {
    SM_ROLLED for (unsigned polls = 1; load_acquire<scope::device>(at) != goal; ++polls) {
      if (gives_up(polls)) return;
    }
  }
  // A lane gives up only once, because the loop has many barriers left.
  SM_FN bool gives_up(unsigned polls) {
    if (polls % 1024 == 0 && static_cast<int>(ticks() - deadline_) > 0) hung_ = true;
    return hung_;
  }

  unsigned* board_;
  unsigned* group_;
  unsigned members_, groups_;
  unsigned goal_ = 0;
  unsigned deadline_;
  bool hung_ = false;
};

std::vector<measurable> rows_clusters() {
  static constexpr auto rows = bind_untyped<levels_backend<cluster_lane>>(
      op_list<ops::cluster_sync, ops::cluster_arrive_wait, ops::cluster_atomic_add>{});
  return {rows.begin(), rows.end()};
}

std::vector<measurable> rows_grids() {
  static constexpr auto rows = bind_untyped<levels_backend<grid_lane>>(
      op_list<ops::grid_sync, ops::software_barrier_counter, ops::software_barrier_sense,
              ops::software_barrier_lockfree, ops::software_barrier_tree>{});
  return {rows.begin(), rows.end()};
}

}  // namespace syncmeter::cuda
