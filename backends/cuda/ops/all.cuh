// CUDA's own ops, in the order of every table; they follow the shared ones.
#pragma once

#include "backends/cuda/ops/atomic.cuh"
#include "backends/cuda/ops/block.cuh"
#include "backends/cuda/ops/memory.cuh"
#include "backends/cuda/ops/warp.cuh"
#include "core/measurable.hpp"

namespace syncmeter::cuda {

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
