"""All claims, in the order in which they are told: this list is the table of contents."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from syncmeter_analysis.claims.claim import Claim, Finding
from syncmeter_analysis.statistics.evidence import Evidence

_modules = (
    # recommendations and statements on OpenMP
    "omp_barrier_lanes",
    "omp_atomic_contention",
    "omp_integer_add",
    "omp_padding",
    "omp_atomic_over_critical",
    "omp_atomic_read_free",
    "omp_flush_padding",
    "omp_affinity",
    "omp_small_types",
    "omp_word_size",
    "omp_capture",
    "smt_no_false_sharing",
    "smt_variance",
    # recommendations and statements on CUDA
    "cuda_syncthreads_warps",
    "cuda_warp_over_block",
    "cuda_int_atomics",
    "cuda_atomic_contention",
    "cuda_cas_cost",
    "cuda_fence_scope",
    "cuda_atomic_stride",
    "cuda_fewer_lanes",
    "cuda_cas_pass_fail",
    "cuda_shuffle_alike",
    "cuda_shuffle_64",
    "cuda_syncthreads_grid",
    "cuda_fence_threads",
    "reductions_persistent",
    # levels of synchronization on GPUs
    "levels_block_warps",
    "levels_grid_blocks",
    "levels_tile_size",
    "levels_coalesced_size",
    "levels_1024_degrade",
    "levels_one_warp_block",
    "levels_coresident",
    "levels_multi_gpu",
    "multi_gpu_remote_add",
    "multi_gpu_order",
    # handing on a flag
    "potato_scope",
    "potato_order",
    "potato_volatile",
    "potato_atomic_ref",
    # a lecture
    "lecture_divergence_inside",
    "lecture_divergence_across",
    "lecture_coalescing",
    "lecture_kernel_boundary",
    # beliefs
    "belief_padding_64",
    "belief_critical_never",
    "belief_relaxed",
    "belief_spin_cas",
    "belief_spin_lock",
    "belief_ticket_lock",
    "belief_split_counter",
    "belief_graph",
    "belief_kokkos",
    "reductions_library",
)


@cache
def all_claims() -> tuple[Claim, ...]:
    """Every claim, each from the file of its name."""
    found = (import_module(f"{__name__}.{name}").claim for name in _modules)
    return tuple(claim for claim in found if isinstance(claim, Claim))


def judged(data: Evidence) -> list[tuple[Claim, Finding]]:
    """Every claim with what the data say of it."""
    return [(claim, claim.judge(data)) for claim in all_claims()]
