"""What was published of CUDA's primitives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from syncmeter_analysis.claims.claim import (
    above,
    against,
    at_least,
    claim,
    on_cuda,
    row,
    within,
)
from syncmeter_analysis.claims.sources import belief, on_gpu, primitives
from syncmeter_analysis.conclude.conclusion import Kind
from syncmeter_analysis.conclude.finding import Finding, Note
from syncmeter_analysis.relate.evidence import Evidence, Pairs
from syncmeter_analysis.relate.group import grouped

cuda_syncthreads_warps = row(
    on_cuda("barrier", lanes=(32, 1024)).ends("lanes", 32).above(1.5),
    on_gpu(f"{primitives}, V-B1 and V-B5", "paper --backend cuda", "levels"),
)

cuda_warp_over_block = row(
    on_cuda("barrier", lanes=at_least(64))
    .over(on_cuda("shuffle_idx", type=("", "int32")), "op", "type")
    .above(1.1),
    on_gpu(f"{primitives}, V-B5", "paper --backend cuda", "levels"),
)

cuda_fence_scope = row(
    on_cuda("fence_between_adds fence fence_between_stores")
    .between("scope", ("system", "device"), ("device", "block"))
    .above(1.1),
    on_gpu(f"{primitives}, V-B4 and V-B5", "paper --backend cuda"),
)

cuda_shuffle_alike = row(
    against("shuffle_up shuffle_down shuffle_xor", "shuffle_idx", backend="cuda").within(0.9, 1.1),
    on_gpu(f"{primitives}, V-B3", "paper --backend cuda", "levels"),
    if_true=Kind.any,
    if_false=Kind.use,
)


@claim(
    on_gpu(f"{primitives}, V-B3", "paper --backend cuda", "levels"),
)
def cuda_shuffle_64(data: Evidence) -> Finding:
    """Shuffles of 8 bytes against of 4."""
    shuffles = ("shuffle_idx", "shuffle_up", "shuffle_down", "shuffle_xor")
    points = data.measured(shuffles, backend="cuda")
    pairs, few = Pairs(), Pairs()
    for large, small in (("uint64", "int32"), ("double", "float")):
        found = data.between(points, "type", (large, small))
        pairs += Pairs([p for p in found.found if p.over.point.lanes >= 512], found.without)
        few += Pairs([p for p in found.found if p.over.point.lanes <= 128])
    notes = [Note("few_threads", ratios=(few.typical,))] if few else []
    return within(pairs, 1.5, 2.5, *notes)


@claim(
    on_gpu(f"{primitives}, V-B1", "paper --backend cuda", "levels"),
    if_true=Kind.any,
    if_false=Kind.avoid,
)
def cuda_syncthreads_grid(data: Evidence) -> Finding:
    """__syncthreads in a grid of many blocks against in one block, small and large grids apart."""
    points = data.measured("barrier", backend="cuda", lanes=at_least(32))
    pairs = data.between(points, "blocks", (lambda n: n > 1, 1))
    return within(_small_and_large(pairs, 0.9, 1.1), 0.9, 1.1)


def _span(sizes: Sequence[int]) -> str:
    least, most = min(sizes), max(sizes)
    return f"{least} blocks" if least == most else f"{least} to {most} blocks"


def _small_and_large(pairs: Pairs, low: float, high: float) -> Pairs:
    """The pairs in two steps: the smallest grids, as long as each size is within the bounds, and the
    larger ones. Blocks that share a multiprocessor wait for each other, and a median over grids with
    and without such blocks would depend on how many of each were measured."""
    by_size = grouped(pairs.found, lambda p: p.over.point.blocks)
    small: list[int] = []
    for size in sorted(by_size):
        effect = Pairs(by_size[size]).undoubted.typical
        if not (low <= effect.low and effect.high <= high):
            break
        small.append(size)
    large = sorted(by_size.keys() - set(small))
    found = [
        replace(p, step=f"in {_span(sizes)}")
        for sizes in (small, large)
        for size in sizes
        for p in by_size[size]
    ]
    return Pairs(found, pairs.without)


cuda_fence_threads = row(
    on_cuda("fence_between_adds fence", scope="device", lanes=(32, 1024))
    .ends("lanes", 32)
    .within(0.8, 1.25),
    on_gpu(f"{primitives}, V-B4", "paper --backend cuda"),
    if_true=Kind.any,
    if_false=Kind.avoid,
)


_updates = "atomic_add atomic_exchange atomic_cas_pass"
_own = {"flavour": "atomic_ref", "placement": "strided", "stride": 1}

cuda_default_order = row(
    on_cuda(_updates, order="seq_cst", scope="system", **_own)
    .over(on_cuda(_updates, order="relaxed", scope="device", **_own), "order", "scope")
    .above(1.1),
    on_gpu(belief, "defaults --backend cuda", "gpu-updates"),
)

_others = (
    "reduce_max_global_atomic reduce_max_warp_atomic reduce_max_block_atomic reduce_max_warp_reduce"
)
# Below it a reduction is mostly its launch.
_least_elements = 1 << 20

reductions_persistent = row(
    on_cuda(_others, size=at_least(_least_elements))
    .over(on_cuda("reduce_max_persistent"), "op")
    .every(0.95, math.inf),
    on_gpu(f"{primitives}, Listing 1", "reductions --backend cuda", "reductions"),
    if_false=Kind.undecided,
)

_by_warps = {"lanes": at_least(32), "order": "relaxed"}

cuda_int_atomics = row(
    on_cuda("atomic_add", placement="shared", **_by_warps)
    .between("type", (("uint64", "float", "double"), "int32"))
    .above(1.1),
    on_gpu(f"{primitives}, V-B2 and V-B5", "paper --backend cuda"),
    if_false=Kind.keep,
)

_atomics = "atomic_add atomic_cas_pass atomic_cas_fail atomic_exchange"

cuda_atomic_contention = row(
    on_cuda(_atomics, placement="shared", **_by_warps)
    .over(on_cuda(_atomics, placement="strided", stride=1, **_by_warps), "placement", "stride")
    .above(1.1),
    on_gpu(f"{primitives}, V-B2 and V-B5", "paper --backend cuda"),
    if_false=Kind.keep,
    usual="atomic_add",
)


@claim(
    on_gpu(f"{primitives}, V-B2 and V-B5", "paper --backend cuda"),
)
def cuda_cas_cost(data: Evidence) -> Finding:
    """atomicCAS against atomicAdd on one address: one that data decide, where that was measured."""

    def ratios(kind: str, **where: Any) -> Pairs:
        where |= {"backend": "cuda", "type": kind, **_by_warps}
        return against("atomic_cas_pass", "atomic_add", "repeat", **where).pairs(data)

    by_data = {"placement": "strided", "stride": 0}
    known = {"placement": "shared"}
    place = by_data if ratios("int32", **by_data) else known
    wide = ratios("uint64", **place)
    notes = [Note("wide", ratios=(wide.typical,))] if wide else []
    found = above(ratios("int32", **place), 1.1, *notes)
    if place is known and found.effect:
        found.doubts.append("combined")
    return found


cuda_atomic_stride = row(
    on_cuda("atomic_add atomic_cas_pass", placement="strided", lanes=at_least(32))
    .between("stride", ((16, 32, 128), 1))
    .above(1.2),
    on_gpu(f"{primitives}, V-B2 and V-B5", "paper --backend cuda"),
)

cuda_fewer_lanes = row(
    on_cuda("atomic_add", order="relaxed").between("active", (0, 1)).above(1.1),
    on_gpu(f"{primitives}, V-B5 (eighth recommendation)", "paper --backend cuda"),
)

cuda_cas_pass_fail = row(
    against("atomic_cas_fail", "atomic_cas_pass", "repeat", backend="cuda").within(0.9, 1.1),
    on_gpu(f"{primitives}, V-B2", "paper --backend cuda"),
    if_true=Kind.any,
    if_false=Kind.any,
)
