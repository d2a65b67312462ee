"""Concludes the study `levels`: how to synchronize the threads of a warp, a block, a cluster and a
grid, and whether to begin the next kernel instead."""

from __future__ import annotations

from collections.abc import Iterator

from syncmeter_analysis.conclude import references
from syncmeter_analysis.conclude.choice import (
    choose,
    least_gain_of_own,
    quotient,
    situation_of,
    subject_of,
    with_conditions,
)
from syncmeter_analysis.conclude.conclusion import Conclusion, Condition, Kind
from syncmeter_analysis.conclude.studies.next_kernel import (
    Launch,
    largest,
    launch_of,
    next_kernel,
)
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest
from syncmeter_analysis.relate.gpu_levels import GpuLevels, warp_size
from syncmeter_analysis.relate.gpu_levels import rows as rows
from syncmeter_analysis.relate.grid_barriers import each_kernel, software
from syncmeter_analysis.relate.summary import Measured

_of_warps = ("warp_sync", "warp_sync_partial", "tile_sync", "coalesced_sync")
_next = ("study_launch",)


def conclude(campaign: Campaign) -> list[Conclusion]:
    """Returns a conclusion for each level, the narrowest first, then for phases and for the grid
    with the most blocks."""
    return [c for found in rows(campaign) for c in _of_backend(found) if c]


def _of_backend(found: GpuLevels) -> Iterator[Conclusion | None]:
    launch = _launch_of_grids(found)
    yield _warp(found)
    yield _block(found)
    yield _cluster(found, launch)
    yield _grid(found, launch, "level")
    yield _kernel(found, launch)
    yield _phase(found, launch)
    yield _most_blocks(found, launch)


def _launch_of_grids(found: GpuLevels) -> Launch | None:
    """Returns the launch for the rows of the cluster, the grid and the next kernel: full blocks, one on
    each multiprocessor, if the next kernel was measured so, too."""
    grids = [s for s in found.points if s.point.op == "grid_sync" and s.usable]
    if not grids:
        return None
    alike = {launch_of(k.own) for k in found.kernels}
    known = [s for s in grids if launch_of(s) in alike] or grids
    return max(map(launch_of, known), key=lambda launch: (launch[1], -launch[0]))


def _of(found: GpuLevels, *ops: str) -> list[Measured]:
    return [s for op in ops for s in found.points if s.point.op == op and s.usable]


def _warp(found: GpuLevels) -> Conclusion | None:
    """Compares the barrier of a whole warp with the barrier of the block around it."""
    whole = [s for s in _of(found, *_of_warps) if s.point.size in (0, warp_size)]
    whole = [s for s in whole if s.point.lanes >= warp_size]
    blocks = {launch_of(s): s for s in _of(found, "barrier")}
    both = [s for s in whole if launch_of(s) in blocks]
    if not both:
        return None
    launch = largest(both)
    points = [s for s in both if launch_of(s) == launch]
    mine = blocks[launch]
    apart = [s for s in _of(found, "warp_sync_divergent") if launch_of(s) == launch]
    ns = apart[0].cost.value if apart and apart[0].cost else None
    return choose(
        [*points, mine],
        "level",
        situation_of(mine, "warp"),
        mine,
        conditions=lambda s: [Condition("divergent", ns) if ns else Condition("converged")],
        next=_next,
    )


def _block(found: GpuLevels) -> Conclusion | None:
    """Compares the barriers of the largest block."""
    compared = [b for b in found.in_block if len(b.contest.points) > 1]
    if not compared:
        return None
    one = compared[-1].contest
    mine = references.block_barrier.among(one.points)
    made = choose(
        one,
        "level",
        situation_of(one.first, "each_block" if one.first.point.blocks > 1 else "block"),
        mine,
        shown=[s for s, _ in one.slower[-1:]],
        next=_next,
    )
    return _with_nearest(made, one, mine)


def _with_nearest(made: Conclusion, one: Contest, mine: Measured | None) -> Conclusion:
    """Adds the fastest slower alternative to a default that is kept."""
    if made.kind is not Kind.keep or mine is None or not one.slower:
        return made
    other, _ = one.slower[-1]
    nearest = Condition("nearest", quotient(other, mine), None, subject_of(other))
    return with_conditions(made, nearest)


def _cluster(found: GpuLevels, launch: Launch | None) -> Conclusion | None:
    """Compares the smallest clusters with grid_sync around them."""
    clusters = _of(found, "cluster_sync")
    grids = {launch_of(s): s for s in _of(found, "grid_sync")}
    if launch is None or not clusters:
        return None
    fitting = [s for s in clusters if launch_of(s) == launch]
    same_blocks = [s for s in clusters if s.point.lanes == launch[1]]
    points = fitting or same_blocks or clusters
    least = min(points, key=lambda s: (s.point.size, -s.point.blocks))
    mine = grids[launch]
    situation = situation_of(least, "cluster", size=least.point.size)
    return choose([least, mine], "level", situation, mine, next=_next)


def _grid(found: GpuLevels, launch: Launch | None, question: str) -> Conclusion | None:
    """Compares grid_sync with barriers from atomics."""
    one = next((b.contest for b in found.barriers if launch_of(b.contest.first) == launch), None)
    if one is None:
        return None
    mine = references.grid_barrier.among(one.points)
    if mine is None:
        return None
    return choose(
        one,
        question,
        situation_of(mine, "grid"),
        mine,
        least_gain=least_gain_of_own,
        conditions=lambda s: [Condition("resident")] if s.point.op in software else [],
        next=_next,
    )


def _most_blocks(found: GpuLevels, launch: Launch | None) -> Conclusion | None:
    """Returns the advice for the grid with the most blocks if it differs from the main one."""
    launches = [launch_of(b.contest.first) for b in found.barriers if "grid_sync" in b.by_op]
    most = max(launches, default=None)
    made = _grid(found, most, "many_blocks") if most and most != launch else None
    return made if made and made.kind is Kind.use else None


def _kernel(found: GpuLevels, launch: Launch | None) -> Conclusion | None:
    """Compares ways to begin the next kernel."""
    return next_kernel(found.points, "level", launch, next=_next)


def _phase(found: GpuLevels, launch: Launch | None) -> Conclusion | None:
    """Compares grid_sync with a new kernel in a graph, between two phases."""
    ends = {launch_of(k.own): k for k in found.kernels}
    if launch is None or launch not in ends:
        return None
    k = ends[launch]
    return choose(
        [k.own, each_kernel(k.graph)],
        "phase",
        situation_of(k.own, "phase"),
        k.own,
        conditions=lambda s: [Condition("state_is_lost")],
        next=_next,
    )
