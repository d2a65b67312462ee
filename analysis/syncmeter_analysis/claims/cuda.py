"""What was published of CUDA's primitives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from syncmeter_analysis.claims.claim import (
    Finding,
    above,
    against,
    at_least,
    claim,
    on_cuda,
    row,
    within,
)
from syncmeter_analysis.claims.sources import belief, origin, primitives
from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.evidence import Evidence, Pairs
from syncmeter_analysis.relate.group import grouped

cuda_syncthreads_warps = row(
    on_cuda("barrier", lanes=(32, 1024)).ends("lanes", 32).above(1.5, "1024 threads over 32"),
    origin(f"{primitives}, V-B1 and V-B5", "paper --backend cuda", "levels"),
    statement="__syncthreads gets slower with the number of warps in the block.",
    needs="cuda barrier at 32 and 1024 threads",
    advice="Let fewer threads of a block do more work each, where a kernel synchronizes often.",
    otherwise="The size of the block hardly matters to __syncthreads here.",
)

cuda_warp_over_block = row(
    on_cuda("barrier", lanes=at_least(64))
    .over(on_cuda("shuffle_idx", type=("", "int32")), "op", "type")
    .above(1.1, "__syncthreads over a shuffle"),
    origin(f"{primitives}, V-B5", "paper --backend cuda", "levels"),
    statement="A warp exchanges data faster by shuffles than by a barrier of the block.",
    needs="cuda shuffle_idx and barrier at 64 threads or more",
    advice="Keep exchanges inside a warp and use shuffles there.",
    otherwise="A barrier costs no more than a shuffle here.",
)

cuda_fence_scope = row(
    on_cuda("fence_between_adds fence fence_between_stores")
    .between("scope", ("system", "device"), ("device", "block"))
    .above(1.1, "wider over narrower scope"),
    origin(f"{primitives}, V-B4 and V-B5", "paper --backend cuda"),
    statement="A fence costs more the wider its scope: system over device over block.",
    needs="cuda fences of at least two scopes",
    advice="Use the narrowest fence that is correct: __threadfence_block, then __threadfence.",
    otherwise="A fence of wider scope costs no more here.",
)

cuda_shuffle_alike = row(
    against("shuffle_up shuffle_down shuffle_xor", "shuffle_idx", backend="cuda").within(
        0.9, 1.1, "up, down and xor over idx"
    ),
    origin(f"{primitives}, V-B3", "paper --backend cuda", "levels"),
    statement="All variants of the shuffle cost the same.",
    needs="cuda shuffle_idx and another shuffle",
    advice="Choose the shuffle that reads best.",
    otherwise="Choose the shuffle that is the fastest here: its variants differ.",
)


@claim(
    origin(f"{primitives}, V-B3", "paper --backend cuda", "levels"),
    statement="In full blocks a 64-bit shuffle costs as much as two 32-bit ones.",
    needs="cuda shuffles of types of 4 and of 8 bytes, 512 threads or more",
    advice="Shuffle 32-bit values; split what does not need 64 bits.",
    otherwise="A 64-bit shuffle does not cost two here.",
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
    note = f"in blocks of at most 128 threads {text.ratio_interval(few.typical)}" if few else ""
    return within(pairs, 1.5, 2.5, "64-bit over 32-bit shuffle, 512 threads and more", note)


@claim(
    origin(f"{primitives}, V-B1", "paper --backend cuda", "levels"),
    statement="__syncthreads does not depend on the number of blocks in the grid.",
    needs="cuda barrier with 1 block and with more",
    advice="Size the grid by the work; it does not slow down barriers inside blocks.",
    otherwise="Expect slower barriers inside blocks in large grids.",
)
def cuda_syncthreads_grid(data: Evidence) -> Finding:
    """__syncthreads in a grid of many blocks against in one block, small and large grids apart."""
    points = data.measured("barrier", backend="cuda", lanes=at_least(32))
    pairs = data.between(points, "blocks", (lambda n: n > 1, 1))
    sizes = [p.over.point.blocks for p in pairs.found]
    of = f"{_span(sizes)} over one" if sizes else ""
    return within(_small_and_large(pairs, 0.9, 1.1), 0.9, 1.1, of)


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
    .within(0.8, 1.25, "1024 threads over 32"),
    origin(f"{primitives}, V-B4", "paper --backend cuda"),
    statement="The cost of a fence does not grow with the number of threads.",
    needs="cuda fences of device scope at 32 and 1024 threads",
    advice="Fences are no reason for smaller blocks.",
    otherwise="Fence with fewer threads, or one lane for all.",
)


_updates = "atomic_add atomic_exchange atomic_cas_pass"
_own = {"flavour": "atomic_ref", "placement": "strided", "stride": 1}

cuda_default_order = row(
    on_cuda(_updates, order="seq_cst", scope="system", **_own)
    .over(on_cuda(_updates, order="relaxed", scope="device", **_own), "order", "scope")
    .above(1.1, "libcu++ without arguments over relaxed at device scope"),
    origin(belief, "defaults --backend cuda", "defaults"),
    statement="cuda::atomic without arguments (seq_cst, system scope) is slower than relaxed at device "
    "scope.",
    needs="cuda atomics by atomic_ref, seq_cst at system scope and relaxed at device scope",
    advice="Give each cuda::atomic its scope, cuda::thread_scope_device, and each update its order: "
    "relaxed for counters.",
    otherwise="The default order and scope of cuda::atomic cost nothing here.",
)

_others = (
    "reduce_max_global_atomic reduce_max_warp_atomic reduce_max_block_atomic reduce_max_warp_reduce"
)
# Below it a reduction is mostly its launch.
_least_elements = 1 << 20

reductions_persistent = row(
    on_cuda(_others, size=at_least(_least_elements))
    .over(on_cuda("reduce_max_persistent"), "op")
    .every(0.95, math.inf, "another form over persistent threads"),
    origin(f"{primitives}, Listing 1", "reductions --backend cuda", "reductions"),
    statement="Of the published forms of a maximum, persistent threads that reduce in registers "
    "first are the fastest on large arrays.",
    needs="cuda reduce_max_persistent and another reduce_max of 2^20 elements or more",
    advice="Reduce in registers first, then in the warp, the block and the grid.",
    otherwise="Another form is faster here for some size or type.",
)

_by_warps = {"lanes": at_least(32), "order": "relaxed"}

cuda_int_atomics = row(
    on_cuda("atomic_add", placement="shared", **_by_warps)
    .between("type", (("uint64", "float", "double"), "int32"))
    .above(1.1, "other types over int32"),
    origin(f"{primitives}, V-B2 and V-B5", "paper --backend cuda"),
    statement="atomicAdd on one address is fastest for 32-bit integers.",
    needs="cuda atomic_add on a shared cell for int32 and another type",
    advice="Count in 32-bit integers: the compiler adds up a warp before it goes to memory.",
    otherwise="The type does not matter to atomicAdd on one address here.",
)

_atomics = "atomic_add atomic_cas_pass atomic_cas_fail atomic_exchange"

cuda_atomic_contention = row(
    on_cuda(_atomics, placement="shared", **_by_warps)
    .over(on_cuda(_atomics, placement="strided", stride=1, **_by_warps), "placement", "stride")
    .above(1.1, "one address over private ones"),
    origin(f"{primitives}, V-B2 and V-B5", "paper --backend cuda"),
    statement="Atomics of many threads on one address are slower than on addresses of their own.",
    needs="cuda atomics on a shared cell and on strided ones, 32 threads or more",
    advice="Spread atomics over addresses, or combine per warp or block before the one that is shared.",
    otherwise="One address costs no more than many here (the compiler or L2 combines them).",
)


@claim(
    origin(f"{primitives}, V-B2 and V-B5", "paper --backend cuda"),
    statement="atomicCAS is slower than atomicAdd on the same address.",
    needs="cuda atomic_cas_pass and atomic_add on one address, known or by data (stride 0)",
    advice="Use the atomic made for the purpose; a loop of atomicCAS is the last resort.",
    otherwise="atomicCAS costs no more than atomicAdd here.",
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
    note = f"of 64 bits {text.ratio_interval(wide.typical)}" if wide else ""
    found = above(ratios("int32", **place), 1.1, "atomicCAS over atomicAdd of int32", note)
    if place is known and found.effect:
        found.doubts.append("where the compiler knows the address, a warp sends one addition")
    return found


cuda_atomic_stride = row(
    on_cuda("atomic_add atomic_cas_pass", placement="strided", lanes=at_least(32))
    .between("stride", ((16, 32, 128), 1))
    .above(1.2, "strides of 16 and more over 1"),
    origin(f"{primitives}, V-B2 and V-B5", "paper --backend cuda"),
    statement="Atomics of a warp on consecutive addresses are faster than on scattered ones.",
    needs="cuda atomics on strided cells at stride 1 and at 16 or more",
    advice="Let the lanes of a warp update neighbouring addresses; padding is for CPUs.",
    otherwise="Scattered addresses cost no more here.",
)

cuda_fewer_lanes = row(
    on_cuda("atomic_add", order="relaxed")
    .between("active", (0, 1))
    .above(1.1, "all lanes over one of each warp"),
    origin(f"{primitives}, V-B5 (eighth recommendation)", "paper --backend cuda"),
    statement="Switching lanes of each warp off makes its atomics faster.",
    needs="cuda atomic_add with one and with all lanes of a warp at work",
    advice="Elect one lane of a warp for an atomic where one is enough.",
    otherwise="One lane costs as much as a warp here.",
)

cuda_cas_pass_fail = row(
    against("atomic_cas_fail", "atomic_cas_pass", "repeat", backend="cuda").within(
        0.9, 1.1, "failing over passing compare-and-swap"
    ),
    origin(f"{primitives}, V-B2", "paper --backend cuda"),
    statement="A compare-and-swap that fails costs as much as one that passes.",
    needs="cuda atomic_cas_fail and atomic_cas_pass",
    advice="Do not guard an atomicCAS by a test for the sake of its cost alone.",
    otherwise="Whether it passes matters here.",
)
