"""Concludes the study `levels`: how to synchronize the threads of a warp, a block, a cluster and a
grid, and whether to begin the next kernel instead."""

from __future__ import annotations

from collections.abc import Iterator

from syncmeter_analysis.conclude import references
from syncmeter_analysis.conclude.choice import (
    choose,
    concluded,
    least_gain_of_own,
    nearest_of,
    situation_of,
    with_conditions,
)
from syncmeter_analysis.conclude.conclusion import Conclusion, Condition, Grade, Kind
from syncmeter_analysis.conclude.studies.next_kernel import (
    Launch,
    largest,
    launch_of,
    next_kernel,
)
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.gpu_levels import GpuLevels, rows, warp_size
from syncmeter_analysis.relate.grid_barriers import software
from syncmeter_analysis.relate.summary import Measured

_of_warps = ("warp_sync", "warp_sync_partial", "tile_sync", "coalesced_sync")
_next = ("study_handoff",)


def conclude(campaign: Campaign) -> list[Conclusion]:
    """Returns a conclusion for each level, the narrowest first, then for phases and for the grid
    with the most blocks."""
    return [c for found in rows(campaign) for c in _of_backend(found) if c]


def _of_backend(found: GpuLevels) -> Iterator[Conclusion | None]:
    launch = _launch_of_grids(found)
    yield _warp(found)
    yield _divergent_warp(found)
    yield _block(found)
    yield _cluster(found, launch)
    yield _grid(found, launch, "level")
    yield next_kernel(found.points, "level", launch, next=_next)
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
    points = _of_whole_warps(found)
    if not points:
        return None
    mine = next(s for s in _of(found, "barrier") if launch_of(s) == launch_of(points[0]))
    return choose(
        [*points, mine],
        "level",
        situation_of(mine, "warp"),
        mine,
        conditions=lambda s: [Condition("converged")],
        next=_next,
    )


def _of_whole_warps(found: GpuLevels) -> list[Measured]:
    """Returns the barriers of whole warps in the largest launch with a barrier of the block."""
    blocks = set(map(launch_of, _of(found, "barrier")))
    whole = [
        s
        for s in _of(found, *_of_warps)
        if s.point.size in (0, warp_size) and s.point.lanes >= warp_size and launch_of(s) in blocks
    ]
    return [s for s in whole if launch_of(s) == largest(whole)]


def _divergent_warp(found: GpuLevels) -> Conclusion | None:
    """Returns the cost after a branch, which has no alternative."""
    launches = set(map(launch_of, _of_whole_warps(found)))
    for s in _of(found, "warp_sync_divergent"):
        if launch_of(s) in launches:
            return concluded(
                Kind.nothing_to_gain,
                "level",
                situation_of(s, "divergent_warp"),
                [s],
                grade=Grade.measured,
                conditions=[Condition("with_branch")],
                next=_next,
            )
    return None


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
        next=_next,
    )
    return with_conditions(made, *nearest_of(made, one, mine))


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
    if made is None or most is None or made.kind is not Kind.use:
        return None
    # Full blocks with equally many threads wait for fewer arrivals.
    alike = [
        (s.point.blocks, s.cost.value)
        for s in _of(found, "grid_sync")
        if s.cost and s.point.blocks * s.point.lanes == most[0] * most[1]
    ]
    fewest, ns = min(alike)
    return with_conditions(made, *[Condition("fuller_blocks", ns, fewest)] * (fewest < most[0]))


def _phase(found: GpuLevels, launch: Launch | None) -> Conclusion | None:
    """Compares grid_sync with a new kernel in a graph, between two phases."""
    k = next((k for k in found.kernels if launch_of(k.own) == launch), None)
    if k is None:
        return None
    return choose(
        [k.own, k.graph.per_part(k.graph.point.size)],
        "phase",
        situation_of(k.own, "phase", size=k.graph.point.size),
        k.own,
        conditions=lambda s: [Condition("state_is_lost")],
        next=_next,
    )
