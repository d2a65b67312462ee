"""The levels of a GPU's synchronization: warp, block, cluster, grid, several GPUs, kernel. Each has
the points of the ops that wait at this level."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatch
from operator import attrgetter

from syncmeter_analysis.relate.block_barriers import BlockBarriers
from syncmeter_analysis.relate.block_barriers import barriers_of as block_barriers
from syncmeter_analysis.relate.both_clocks import BothClocks, by_both_clocks
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, contest
from syncmeter_analysis.relate.grid_barriers import GridBarriers, KernelEnd, kernel_ends
from syncmeter_analysis.relate.grid_barriers import barriers_of as grid_barriers
from syncmeter_analysis.relate.group import group, grouped
from syncmeter_analysis.relate.op_groups import level_of, levels
from syncmeter_analysis.relate.relation import Verdict, ratio, verdict
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.text import ns_of

several_gpus = "several GPUs"

#: Rows on the axis with ops. `*` means any letters.
axis_levels = (
    ("warp, barrier", ("warp_sync_partial", "tile_sync", "coalesced_sync")),
    ("warp, shuffle", ("shuffle_*", "tile_shuffle")),
    ("block of 32 threads", ("barrier",)),
    ("cluster", ("cluster_sync",)),
    ("grid", ("grid_sync", "software_barrier_*")),
    (several_gpus, ("multi_gpu_barrier_*",)),
    (
        "launch",
        (
            "launch",
            "additional_launch",
            "cooperative_launch",
            "graph_launch",
            "additional_graph_launch",
            "programmatic_launch",
        ),
    ),
)

warp_size = 32


@dataclass
class BlockRate:
    """For one block size: the launch with the highest rate (warps per time), and launches without a
    shown difference to this rate."""

    best: Measured
    ties: list[Measured]


@dataclass
class GpuLevels:
    """All points for one backend. The figure with all levels shows `drawn`. `prefix` (titles) and
    `suffix` (ids) distinguish backends. The study multi-gpu reports barriers over several GPUs.
    """

    backend: str
    axis: list[tuple[str, Contest]]
    drawn: list[Measured]
    blocks: list[BlockRate]
    in_block: list[BlockBarriers]
    grid: list[Measured]
    barriers: list[GridBarriers]
    kernels: list[KernelEnd]
    chain: list[Measured]
    clocks: list[BothClocks]
    points: list[Measured]
    prefix: str = ""
    suffix: str = ""

    @property
    def of_one_gpu(self) -> bool:
        return any(one.best and name != several_gpus for name, one in self.axis)


def rows(campaign: Campaign) -> list[GpuLevels]:
    """Returns each GPU backend with a latency inside one GPU. Leaves out doubtful costs, repeats
    and whole arrays."""
    points = [
        s
        for s in campaign.measured
        if s.on_gpu and s.family != "reduction" and not s.doubt and not s.point.repeat
    ]
    all_backends = (_of_backend(*of, campaign) for of in group(points, "backend").items())
    found = [of_backend for of_backend in all_backends if of_backend.of_one_gpu]
    for i, of_backend in enumerate(found):
        of_backend.prefix = f"{of_backend.backend}: " * (len(found) > 1)
        of_backend.suffix = f"-{of_backend.backend}" * (i > 0)
    return found


def _of_backend(backend: str, points: list[Measured], campaign: Campaign) -> GpuLevels:
    points = sorted(points, key=_launch_and_size)
    by_op = grouped(points, attrgetter("point.op"))
    axis = {
        name: contest(
            s for s in points if _is_latency(s) and any(fnmatch(s.point.op, op) for op in ops)
        )
        for name, ops in axis_levels
    }
    barriers = grid_barriers(points)
    # Different launches are not alternatives.
    axis |= {"grid": barriers[0].contest} if barriers else {}
    return GpuLevels(
        backend,
        [*axis.items()],
        _drawn(points),
        _block_rates(by_op.get("barrier", [])),
        block_barriers(points),
        by_op.get("grid_sync", []),
        barriers,
        kernel_ends(points),
        [s for s in by_op.get("fadd_chain", []) if s.point.size and s.cycles],
        by_both_clocks(by_op, campaign),
        points,
    )


_launch_and_size = attrgetter("point.blocks", "point.lanes", "point.size")


def _is_latency(s: Measured) -> bool:
    """Returns whether one warp alone was measured inside a block, because several warps hide their
    latencies. A group with one thread never waits."""
    level = level_of(s.point.op)
    if level in ("warp", "block") and (s.point.blocks, s.point.lanes) != (1, warp_size):
        return False
    return s.point.size != 1 or level == "launch"


def _drawn(points: Iterable[Measured]) -> list[Measured]:
    """Returns blocks with one warp and with 1024 threads for each op. Ops on groups have the smallest
    and the largest group at each launch."""
    of_levels = [
        s
        for s in points
        if level_of(s.point.op)
        and s.point.lanes in (warp_size, 1024)
        and s.point.type in ("", "int32")
    ]
    order = [name for name, _ in levels]
    kept = []
    for alike in grouped(of_levels, attrgetter("point.op", "point.blocks", "point.lanes")).values():
        sizes = [s.point.size for s in alike]
        kept += [s for s in alike if s.point.size in (min(sizes), max(sizes))]
    return sorted(kept, key=lambda s: (order.index(level_of(s.point.op)), ns_of(s)))


def warps_of(s: Measured) -> int:
    return s.point.blocks * ((s.point.lanes + warp_size - 1) // warp_size)


def _block_rates(barriers: list[Measured]) -> list[BlockRate]:
    found = []
    full = (s for s in barriers if s.point.blocks > 1)
    for launches in group(full, "lanes").values():
        if len(launches) < 2:
            continue
        best = max(launches, key=lambda s: warps_of(s) / ns_of(s))
        # Time for each warp.
        over = (
            (s, ratio(s, best).times(warps_of(best) / warps_of(s)))
            for s in launches
            if s is not best
        )
        ties = [
            s for s, r in over if verdict(r) in (Verdict.same, Verdict.faster, Verdict.cannot_tell)
        ]
        found.append(BlockRate(best, ties))
    return found


def way_of(name: str, one: Contest) -> Measured | None:
    """Returns the fastest op. Prefers, among equals, a whole warp and the first op."""
    ops = dict(axis_levels)[name]
    same = [s for s in one.leaders if s is one.best or verdict(one.over_best[s.id]) is Verdict.same]
    of_warp = same if name.startswith("warp") else []
    whole = [s for s in of_warp if s.point.size == warp_size]
    named = whole or [s for s in of_warp if s.point.op == ops[0]]
    return named[0] if named else one.taken
