// The ops of the CUDA worker's kernel rig, in table order (cmake/tables.cmake): the shared ops, and
// CUDA's own ops. CUDA's own are block ops, warp ops, atomics, fences between loads, and memory
// latencies.
#pragma once

#include "backends/cuda/ops/walk.hpp"
#include "core/measurable.hpp"
#include "core/ops/all.hpp"

namespace syncmeter::cuda {

template <class L>
concept has_block_words = requires(L& l) {
  l.syncthreads_count();
  l.named_barrier();
  l.block_barrier();
};
template <class L>
concept has_warp_words = requires(L& l) {
  l.warp_sync();
  l.shuffle_idx();
  l.vote_ballot();
};
template <class L> concept has_atomic_and = requires(L& l) { l.atomic_and(l.cell(), l.one()); };
template <class L> concept has_atomic_or = requires(L& l) { l.atomic_or(l.cell(), l.one()); };
template <class L> concept has_atomic_xor = requires(L& l) { l.atomic_xor(l.cell(), l.one()); };
template <class L> concept has_atomic_inc = requires(L& l) { l.atomic_inc(l.cell(), l.one()); };
template <class L>
concept has_dependent_add =
    requires(L& l) { l.depend_on(l.atomic_fetch_add(l.cell(), l.dependent_one())); };
template <class L>
concept has_cached_loads = requires(L& l) {
  l.load_cg(l.cell());
  l.load_ca(l.cell());
};
template <class L>
concept has_walks = requires(L& l) {
  l.walk_shared();
  l.walk_l1();
  l.walk_l2();
};
template <class L> concept has_add_float = requires(L& l) { l.add_float(); };

}  // namespace syncmeter::cuda

namespace syncmeter::cuda::ops {

// Block barriers, beyond the shared `barrier` (`__syncthreads`). test - baseline == one more.

consteval op_info block_info(std::string_view name, std::string_view note) {
  return {.name = name,
          .family = family::barrier,
          .litmus = litmus::barrier,
          .communicates = true,
          .note = note};
}

// Defines a self-paired op with a single call.
#define SM_CUDA_OP(NAME, INFO, WORDS, CALL)                                                        \
  struct NAME {                                                                                    \
    static constexpr op_info info = INFO;                                                          \
    SM_FN static void common(WORDS auto& lane) { lane.CALL(); }                                    \
    SM_FN static void measured(WORDS auto& lane) { lane.CALL(); }                                  \
  };

#define SM_CUDA_BLOCK(NAME, NOTE) SM_CUDA_OP(NAME, block_info(#NAME, NOTE), has_block_words, NAME)
SM_CUDA_BLOCK(syncthreads_count, "__syncthreads_count")
SM_CUDA_BLOCK(syncthreads_and, "__syncthreads_and")
SM_CUDA_BLOCK(syncthreads_or, "__syncthreads_or")
SM_CUDA_BLOCK(named_barrier, "bar.sync id, n")

struct block_barrier {  // cuda::barrier: arrive and wait on an mbarrier in shared memory
  static constexpr op_info info =
      block_info("block_barrier", "cuda::barrier of the block, arrive_and_wait");
  static constexpr bool uses_block_barrier = true;
  SM_FN static void common(has_block_words auto& lane) { lane.block_barrier(); }
  SM_FN static void measured(has_block_words auto& lane) { lane.block_barrier(); }
};

// Warp ops. Each result is the next operand: the cost is a latency, and nothing can be hoisted or
// merged. Published tables contain loop-invariant votes.

consteval op_info warp_info(std::string_view name, std::string_view note) {
  return {.name = name, .family = family::warp, .note = note};
}

#define SM_CUDA_WARP(NAME, CALL, NOTE)                                                             \
  SM_CUDA_OP(NAME, warp_info(#NAME, NOTE), has_warp_words, CALL)
SM_CUDA_WARP(warp_sync, warp_sync, "__syncwarp() of a warp that is converged")

struct warp_sync_divergent {  // pairs diverge, and synchronize: branch and __syncwarp()
  static constexpr op_info info =
      warp_info("warp_sync_divergent", "a divergent branch, then __syncwarp()");
  SM_FN static void common(has_warp_words auto& lane) {
    lane.diverge();
    lane.warp_sync();
  }
  SM_FN static void measured(has_warp_words auto& lane) { common(lane); }
};

struct warp_sync_partial {  // the lower half warp alone
  static constexpr op_info info =
      warp_info("warp_sync_partial", "__syncwarp(0xffff) by the lower half of the warp");
  SM_FN static void common(has_warp_words auto& lane) {
    if (lane.in_lower_half()) lane.warp_sync_part();
  }
  SM_FN static void measured(has_warp_words auto& lane) { common(lane); }
};

SM_CUDA_WARP(shuffle_idx, shuffle_idx, "__shfl_sync from lane + 1")
SM_CUDA_WARP(shuffle_up, shuffle_up, "__shfl_up_sync by 1")
SM_CUDA_WARP(shuffle_down, shuffle_down, "__shfl_down_sync by 1")
SM_CUDA_WARP(shuffle_xor, shuffle_xor, "__shfl_xor_sync with 1")
SM_CUDA_WARP(vote_all, vote_all, "__all_sync")
SM_CUDA_WARP(vote_any, vote_any, "__any_sync")
SM_CUDA_WARP(vote_ballot, vote_ballot, "__ballot_sync")
SM_CUDA_WARP(match_any, match_any, "__match_any_sync, all lanes equal after the first")
SM_CUDA_WARP(match_all, match_all, "__match_all_sync, all lanes equal after the first")
SM_CUDA_WARP(reduce_add_sync, reduce_add, {})
SM_CUDA_WARP(reduce_min_sync, reduce_min, {})
SM_CUDA_WARP(reduce_max_sync, reduce_max, {})
SM_CUDA_WARP(reduce_and_sync, reduce_and, {})
SM_CUDA_WARP(reduce_or_sync, reduce_or, {})
SM_CUDA_WARP(reduce_xor_sync, reduce_xor, {})
SM_CUDA_WARP(active_mask, active_mask, "__activemask")

// CUDA-only atomics, and the dependent add: a third use of a result, besides unused (`atomic_add`)
// and used independently (`atomic_fetch_add`).

using syncmeter::ops::atomic_info;

struct atomic_add_dependent {  // v = x, x += e, with e from the previous v: a latency
  static constexpr op_info info = atomic_info("atomic_add_dependent", oracle::adds,
                                              "each result feeds the next operand (latency)");
  SM_FN static void common(has_dependent_add auto& lane) {
    lane.depend_on(lane.atomic_fetch_add(lane.cell(), lane.dependent_one()));
  }
  SM_FN static void measured(has_dependent_add auto& lane) { common(lane); }
};

// With a repeated operand the compiler could merge repetitions without effect.
struct atomic_and {  // x &= e, where e grows and always includes x
  static constexpr op_info info = atomic_info("atomic_and", oracle::unchanged);
  SM_FN static void common(has_atomic_and auto& lane) {
    lane.atomic_and(lane.cell(), lane.operand_up() | lane.initial());
  }
  SM_FN static void measured(has_atomic_and auto& lane) { common(lane); }
};

struct atomic_or {  // x |= e, where e grows within x
  static constexpr op_info info = atomic_info("atomic_or", oracle::unchanged);
  SM_FN static void common(has_atomic_or auto& lane) {
    lane.atomic_or(lane.cell(), lane.operand_up() & lane.initial());
  }
  SM_FN static void measured(has_atomic_or auto& lane) { common(lane); }
};

struct atomic_xor {  // x ^= e with e == 0 from memory: other operands would cancel
  static constexpr op_info info = atomic_info("atomic_xor", oracle::unchanged);
  SM_FN static void common(has_atomic_xor auto& lane) { lane.atomic_xor(lane.cell(), lane.zero()); }
  SM_FN static void measured(has_atomic_xor auto& lane) { common(lane); }
};

struct atomic_inc {  // x = x >= limit ? 0 : x + 1, with an unreachable limit
  static constexpr op_info info = atomic_info("atomic_inc", oracle::adds);
  SM_FN static void common(has_atomic_inc auto& lane) {
    lane.atomic_inc(lane.cell(), lane.largest());
  }
  SM_FN static void measured(has_atomic_inc auto& lane) { common(lane); }
};

// A fence's cost during outstanding loads, the latency of each memory level, and a control: the
// yardsticks for every synchronization cost.

consteval op_info fence_between_loads_info(std::string_view name, std::string_view note) {
  op_info info = syncmeter::ops::fence_between(name, oracle::none, note);
  info.litmus = litmus::none;  // `fence` has the litmus
  info.unroll = 4;             // on sm_100 the compiler keeps a whole trip's loads in registers
  return info;
}

struct fence_between_loads {  // fence only: the loads skip L1, which a fence invalidates
  static constexpr op_info info = fence_between_loads_info(
      "fence_between_loads", "marginal cost between two loads from L2 (.cg)");
  SM_FN static void before(has_cached_loads auto& lane) { lane.load_cg(lane.cell()); }
  SM_FN static void measured(has_fence auto& lane) { lane.fence(); }
  SM_FN static void after(has_cached_loads auto& lane) { lane.load_cg(lane.second_cell()); }
};

struct fence_between_cached_loads {  // fence and refill: L1 holds the cells until a fence
  static constexpr op_info info = fence_between_loads_info(
      "fence_between_cached_loads", "marginal cost between two loads that can hit L1 (.ca)");
  SM_FN static void before(has_cached_loads auto& lane) { lane.load_ca(lane.cell()); }
  SM_FN static void measured(has_fence auto& lane) { lane.fence(); }
  SM_FN static void after(has_cached_loads auto& lane) { lane.load_ca(lane.second_cell()); }
};

consteval op_info walk_info(std::string_view name, walk ring, std::string_view note) {
  const unsigned block_bytes =
      ring == walk::shared_memory ? shared_walk_length * shared_walk_pitch : 0;
  return {.name = name, .family = family::memory, .note = note, .block_bytes = block_bytes};
}

#define SM_CUDA_WALK(NAME, RING, CALL, NOTE)                                                       \
  struct NAME {                                                                                    \
    static constexpr op_info info = walk_info(#NAME, walk::RING, NOTE);                            \
    static constexpr walk ring = walk::RING;                                                       \
    SM_FN static void common(has_walks auto& lane) { lane.CALL(); }                                \
    SM_FN static void measured(has_walks auto& lane) { lane.CALL(); }                              \
  };
SM_CUDA_WALK(memory_latency_shared, shared_memory, walk_shared,
             "a dependent load from shared memory")
SM_CUDA_WALK(memory_latency_l1, l1, walk_l1, "a dependent load that hits L1")
SM_CUDA_WALK(memory_latency_l2, l2, walk_l2, "a dependent load that hits L2 (.cg)")
SM_CUDA_WALK(memory_latency_device, device, walk_l2,
             "a dependent load from device memory: a ring larger than L2")

SM_CUDA_OP(control_fadd,
           (op_info{.name = "control_fadd",
                    .family = family::control,
                    .note = "a dependent single-precision add: 4 cycles since Volta"}),
           has_add_float, add_float)

}  // namespace syncmeter::cuda::ops

namespace syncmeter::cuda {

// CUDA's own ops, in the order of every table, after the shared ops.

using own_ops =
    op_list<ops::syncthreads_count, ops::syncthreads_and, ops::syncthreads_or, ops::named_barrier,
            ops::block_barrier, ops::warp_sync, ops::warp_sync_divergent, ops::warp_sync_partial,
            ops::shuffle_idx, ops::shuffle_up, ops::shuffle_down, ops::shuffle_xor, ops::vote_all,
            ops::vote_any, ops::vote_ballot, ops::match_any, ops::match_all, ops::reduce_add_sync,
            ops::reduce_min_sync, ops::reduce_max_sync, ops::reduce_and_sync, ops::reduce_or_sync,
            ops::reduce_xor_sync, ops::active_mask, ops::atomic_add_dependent, ops::atomic_and,
            ops::atomic_or, ops::atomic_xor, ops::atomic_inc, ops::fence_between_loads,
            ops::fence_between_cached_loads, ops::memory_latency_shared, ops::memory_latency_l1,
            ops::memory_latency_l2, ops::memory_latency_device, ops::control_fadd>;

}  // namespace syncmeter::cuda

using syncmeter_ops =
    decltype(syncmeter::joined(syncmeter::shared_ops{}, syncmeter::cuda::own_ops{}));
