"""What was published of CUDA's primitives, besides atomics."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from syncmeter_analysis.claims.claim import (
    Finding,
    above,
    against,
    between,
    claim,
    ends,
    every,
    points,
    row,
    versus,
    within,
)
from syncmeter_analysis.claims.sources import primitives, run_paper, run_reductions
from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.evidence import Evidence, Pair, Pairs

cuda_syncthreads_warps = row(
    ends(points("barrier", backend="cuda", lanes=(32, 1024)), "lanes", 32),
    (above, 1.5, "1024 threads over 32"),
    statement="__syncthreads gets slower with the number of warps in the block.",
    source=f"{primitives}, V-B1 and V-B5",
    needs="cuda barrier at 32 and 1024 threads",
    command=f"{run_paper} --backend cuda",
    advice="Prefer smaller blocks in kernels that synchronize often.",
    otherwise="The size of the block hardly matters to __syncthreads here.",
    figure="levels",
)


@claim(
    statement="A warp exchanges data faster by shuffles than by a barrier of the block.",
    source=f"{primitives}, V-B5",
    needs="cuda shuffle_idx and barrier at 64 threads or more",
    command=f"{run_paper} --backend cuda",
    advice="Keep exchanges inside a warp and use shuffles there.",
    otherwise="A barrier costs no more than a shuffle here.",
    figure="levels",
)
def cuda_warp_over_block(data: Evidence) -> Finding:
    """An exchange inside the warp against a barrier of the block."""
    pairs = data.pairs(
        data.measured("barrier", backend="cuda", lanes=lambda n: n >= 64),
        [*data.measured("shuffle_idx", backend="cuda", type=("", "int32"))],
        ("op", "type"),
    )
    return above(pairs, 1.1, "__syncthreads over a shuffle")


cuda_fence_scope = row(
    between(
        points(("fence_between_adds", "fence", "fence_between_stores"), backend="cuda"),
        "scope",
        ("system", "device"),
        ("device", "block"),
    ),
    (above, 1.1, "wider over narrower scope"),
    statement="A fence costs more the wider its scope: system over device over block.",
    source=f"{primitives}, V-B4 and V-B5",
    needs="cuda fences of at least two scopes",
    command=f"{run_paper} --backend cuda",
    advice="Use the narrowest fence that is correct: __threadfence_block, then __threadfence.",
    otherwise="A fence of wider scope costs no more here.",
)

cuda_shuffle_alike = row(
    against(("shuffle_up", "shuffle_down", "shuffle_xor"), "shuffle_idx", backend="cuda"),
    (within, 0.9, 1.1, "up, down and xor over idx"),
    statement="All variants of the shuffle cost the same.",
    source=f"{primitives}, V-B3",
    needs="cuda shuffle_idx and another shuffle",
    command=f"{run_paper} --backend cuda",
    advice="Choose the shuffle that reads best.",
    otherwise="Variants differ here; look at what they compile to.",
    figure="levels",
)


@claim(
    statement="In full blocks a 64-bit shuffle costs as much as two 32-bit ones.",
    source=f"{primitives}, V-B3",
    needs="cuda shuffles of types of 4 and of 8 bytes, 512 threads or more",
    command=f"{run_paper} --backend cuda",
    advice="Shuffle 32-bit values; split what does not need 64 bits.",
    otherwise="A 64-bit shuffle does not cost two here.",
    figure="levels",
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
    statement="__syncthreads does not depend on the number of blocks in the grid.",
    source=f"{primitives}, V-B1",
    needs="cuda barrier with 1 block and with more",
    command=f"{run_paper} --backend cuda",
    advice="Size the grid by the work; it does not slow down barriers inside blocks.",
    otherwise="Barriers inside blocks are slower in large grids here; the evidence has the sizes.",
    figure="levels",
)
def cuda_syncthreads_grid(data: Evidence) -> Finding:
    """__syncthreads in a grid of many blocks against in one block, small and large grids apart."""
    points = data.measured("barrier", backend="cuda", lanes=lambda n: n >= 32)
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
    by_size: dict[int, list[Pair]] = defaultdict(list)
    for p in pairs.found:
        by_size[p.over.point.blocks].append(p)
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
    ends(
        points(("fence_between_adds", "fence"), backend="cuda", scope="device", lanes=(32, 1024)),
        "lanes",
        32,
    ),
    (within, 0.8, 1.25, "1024 threads over 32"),
    statement="The cost of a fence does not grow with the number of threads.",
    source=f"{primitives}, V-B4",
    needs="cuda fences of device scope at 32 and 1024 threads",
    command=f"{run_paper} --backend cuda",
    advice="Fences are no reason for smaller blocks.",
    otherwise="Fence with fewer threads, or one lane for all.",
)


_others = (
    "reduce_max_global_atomic",
    "reduce_max_warp_atomic",
    "reduce_max_block_atomic",
    "reduce_max_warp_reduce",
)
# Below it a reduction is mostly its launch.
_least_elements = 1 << 20

reductions_persistent = row(
    versus(
        points(_others, backend="cuda", size=lambda n: n >= _least_elements),
        points("reduce_max_persistent", backend="cuda"),
        "op",
    ),
    (every, 0.95, math.inf, "another form over persistent threads"),
    statement="Of the published forms of a maximum, persistent threads that reduce in registers "
    "first are the fastest on large arrays.",
    source=f"{primitives}, Listing 1",
    needs="cuda reduce_max_persistent and another reduce_max of 2^20 elements or more",
    command=f"{run_reductions} --backend cuda",
    advice="Reduce in registers first, then in the warp, the block and the grid.",
    otherwise="Another form is faster here for some size or type.",
    figure="reductions",
)
