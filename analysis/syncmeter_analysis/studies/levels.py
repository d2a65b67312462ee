"""What it costs to synchronize the threads of a warp, a block, a cluster, a grid, and to end a kernel:
the fastest way of each level, and what the tables of the study `levels` are made of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter

from syncmeter_analysis.relate import point_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, contest
from syncmeter_analysis.relate.group import group, grouped
from syncmeter_analysis.relate.op_groups import called, level_of, levels
from syncmeter_analysis.relate.relation import Verdict, default_margin, ratio, verdict
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.text import percent
from syncmeter_analysis.studies import block_barriers, grid_barriers
from syncmeter_analysis.studies.blocks import Block, Bullets, Table, table
from syncmeter_analysis.studies.both_clocks import BothClocks, both_clocks_table, by_both_clocks
from syncmeter_analysis.studies.cells import cost, ns_of, of_each, op_and_launch
from syncmeter_analysis.studies.figures import Dots, Figure, Panel, most_colours, rows_of

title = "GPU levels"
order = 10

several_gpus = "several GPUs"

#: Rows of the axis, and the ops of each that wait for all; a last `*` stands for any letters.
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

_warp_size = 32

#: Levels with several ways to synchronize: a sentence names the one that its cost is of. And those
#: that have several blocks: a sentence says of how many threads it is.
_named_ops, _with_launch = (
    ("warp, barrier", "grid", several_gpus),
    ("cluster", "grid", several_gpus),
)


@dataclass
class BlockRate:
    """Of blocks of one size the launch that synchronizes most warps per time, and the launches whose
    rate no difference to it could be shown."""

    best: Measured
    ties: list[Measured]


@dataclass
class GpuLevels:
    """What one backend measured; `drawn` are the points of the figure of all levels. `prefix` of titles
    and `suffix` of ids tell it from others.

    Barriers of several GPUs alone are no levels: the study multi-gpu tells of them.
    """

    backend: str
    axis: list[tuple[str, Contest]]
    drawn: list[Measured]
    blocks: list[BlockRate]
    in_block: list[block_barriers.BlockBarriers]
    grid: list[Measured]
    barriers: list[grid_barriers.GridBarriers]
    kernels: list[grid_barriers.KernelEnd]
    chain: list[Measured]
    clocks: list[BothClocks]
    prefix: str = ""
    suffix: str = ""

    @property
    def of_one_gpu(self) -> bool:
        return any(one.best and name != several_gpus for name, one in self.axis)


def rows(campaign: Campaign) -> list[GpuLevels]:
    """Each GPU backend that has a latency of a level inside one GPU: resolved costs, without those that
    another's doubt lies on, repeats and whole arrays."""
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
        name: contest(s for s in points if _is_one_of(s.point.op, ops) and _is_latency(s))
        for name, ops in axis_levels
    }
    barriers = grid_barriers.barriers_of(points)
    # Of one launch, the smallest, as the sentence on it.
    axis |= {"grid": barriers[0].contest} if barriers else {}
    return GpuLevels(
        backend,
        [*axis.items()],
        _drawn(points),
        _block_rates(by_op.get("barrier", [])),
        block_barriers.barriers_of(points),
        by_op.get("grid_sync", []),
        barriers,
        grid_barriers.kernel_ends(points),
        [s for s in by_op.get("fadd_chain", []) if s.point.size and s.cycles],
        by_both_clocks(by_op, campaign),
    )


_launch_and_size = attrgetter("point.blocks", "point.lanes", "point.size")


def _is_one_of(op: str, names: Iterable[str]) -> bool:
    return any(op.startswith(n[:-1]) if n.endswith("*") else op == n for n in names)


def _is_latency(s: Measured) -> bool:
    """Inside a block a latency is that of one warp alone: more warps hide each other's. A group of
    one thread waits for nobody."""
    level = level_of(s.point.op)
    if level in ("warp", "block") and (s.point.blocks, s.point.lanes) != (1, _warp_size):
        return False
    return s.point.size != 1 or level == "launch"


def _drawn(points: Iterable[Measured]) -> list[Measured]:
    """Blocks of one warp and of 1024 threads of every op of a level; of an op that works on groups of
    a size its smallest and its largest at each launch."""
    of_levels = [
        s
        for s in points
        if level_of(s.point.op)
        and s.point.lanes in (_warp_size, 1024)
        and s.point.type in ("", "int32")
    ]
    order = [name for name, _ in levels]
    kept = []
    for alike in grouped(of_levels, attrgetter("point.op", "point.blocks", "point.lanes")).values():
        sizes = [s.point.size for s in alike]
        kept += [s for s in alike if s.point.size in (min(sizes), max(sizes))]
    return sorted(kept, key=lambda s: (order.index(level_of(s.point.op)), ns_of(s)))


def _warps(s: Measured) -> int:
    return s.point.blocks * ((s.point.lanes + _warp_size - 1) // _warp_size)


def _block_rates(barriers: list[Measured]) -> list[BlockRate]:
    found = []
    full = (s for s in barriers if s.point.blocks > 1)
    for launches in group(full, "lanes").values():
        if len(launches) < 2:
            continue
        best = max(launches, key=lambda s: _warps(s) / ns_of(s))
        # Time for each warp that is synchronized.
        over = (
            (s, ratio(s, best).times(_warps(best) / _warps(s))) for s in launches if s is not best
        )
        ties = [
            s for s, r in over if verdict(r) in (Verdict.same, Verdict.faster, Verdict.cannot_tell)
        ]
        found.append(BlockRate(best, ties))
    return found


@of_each
def answer(found: GpuLevels) -> list[str]:
    """The way to take at each level, which barrier of the largest block and of the smallest and the
    largest grid to take, and whether the end of a kernel is a faster one."""
    ends = found.barriers[:1] + found.barriers[1:][-1:]
    sentences = [_of_each_level(found), *map(block_barriers.sentence, found.in_block[-1:])]
    sentences += map(grid_barriers.sentence, ends)
    sentences += map(grid_barriers.kernel_sentence, found.kernels[-1:])
    return [found.prefix + each for each in sentences if each]


def way_of(name: str, one: Contest) -> Measured | None:
    """The one to take at a level; among those of a warp that are the same one of a whole warp, or
    what its language has."""
    ops = dict(axis_levels)[name]
    same = [s for s in one.leaders if s is one.best or verdict(one.over_best[s.id]) is Verdict.same]
    of_warp = same if name.startswith("warp") else []
    whole = [s for s in of_warp if s.point.size == _warp_size]
    named = whole or [s for s in of_warp if s.point.op == ops[0]]
    return named[0] if named else one.taken


def _of_each_level(found: GpuLevels) -> str:
    # A shuffle brings a value with it, and is no barrier; a launch is of another size than a grid.
    levels = [(name, one) for name, one in found.axis if "shuffle" not in name and name != "launch"]
    taken = [(name, s) for name, one in levels if (s := way_of(name, one))]
    costs = [f"{_named(name, s)} {formats.duration(ns_of(s))}" for name, s in taken]
    wider = len(taken) > 1 and all(ns_of(a) < ns_of(b) for (_, a), (_, b) in pairwise(taken))
    because = ", as wider ones take longer" if wider else ""
    use = f"In a kernel use the narrowest level that will do{because}: {'; '.join(costs)}"
    use += formats.all_within([s for _, s in taken])
    return use if costs else ""


def _named(name: str, s: Measured) -> str:
    """`warp (__syncwarp of half)`, `cluster of 2 x 32 threads`, `grid of 9 x 32 threads
    (grid_sync)`."""
    level = name.partition(",")[0]
    if name in _with_launch:
        level += f" of {point_text.blocks_by_threads(s.point)} threads"
    op = called(s.point.backend, s.point.op) or point_text.op_and_size(s.point)
    return f"{level} ({op})" if name in _named_ops else level


@of_each
def text(levels: GpuLevels) -> list[Block]:
    """The levels on one axis, blocks by their rate, barriers of a block and of the grid, chains, and
    both clocks."""
    found = [
        *_axis(levels.axis),
        *_blocks(levels.blocks),
        *block_barriers.by_launch(levels.in_block),
        *grid_barriers.by_launch(levels.grid),
        *grid_barriers.against_own(levels.barriers),
        *grid_barriers.against_kernels(levels.kernels),
        *_chain(levels.chain),
        *both_clocks_table(levels.clocks),
    ]
    for block in found:
        if isinstance(block, Table):
            block.caption = levels.prefix + block.caption
    return found


def _axis(axis: Sequence[tuple[str, Contest]]) -> list[Block]:
    alone = sum(one.best is not None for _, one in axis) == 1
    rows: list[list[object]] = []
    for name, one in axis:
        s = way_of(name, one)
        if s is None or s.cost is None:
            rows += [] if alone else [[name, "not measured", *[""] * 7]]
            continue
        width = min(max(8 * math.log10(ns_of(s)) + 1, 1), 48)
        cycles = formats.nanoseconds(s.cycles.value) if s.cycles else ""
        costs = [formats.nanoseconds(ns_of(s)), formats.interval_ns(s.cost), cycles]
        end = [grid_barriers.also(one, s), "=" * int(width)]
        rows.append([name, *op_and_launch(s), *costs, *end])
    found = table(
        "Levels of synchronization: the way to take at each, one warp alone inside a block",
        "level|op|size>|blocks x threads>|ns>|95 % interval>|cycles>"
        f"|no difference shown within {percent(default_margin)}|1 ns to 100 us, 8 characters a decade",
        rows,
        keys=2,
    )
    notes = []
    if any(name.startswith("warp") and one.best for name, one in axis):
        notes.append(
            "converged threads of a warp pass its sync without waiting; a shuffle waits for its "
            "value"
        )
    if any(name == several_gpus and not one.best for name, one in axis) and not alone:
        notes.append("barriers of several GPUs are measured by `syncmeter run --study multi-gpu`")
    return [found, Bullets(notes)] if notes else [found]


def _blocks(found: Sequence[BlockRate]) -> list[Block]:
    columns = "threads per block>|blocks>|ns per barrier>|warps synchronized per s>"
    columns += f"|as many within {percent(default_margin)} with blocks"
    rows = []
    for row in found:
        s, blocks = row.best, ", ".join(str(tie.point.blocks) for tie in row.ties)
        per_s = formats.rate(_warps(s) * 1e9 / ns_of(s))
        rows.append([s.point.lanes, s.point.blocks, cost(s), per_s, blocks])
    what = "barrier: the launch of each block size that synchronizes most warps per time"
    return [table(what, columns, rows)] if rows else []


def _chain(points: Sequence[Measured]) -> list[Block]:
    rows = [
        [s.point.size, formats.nanoseconds(s.cycles.value), f"{s.cycles.value / s.point.size:.3f}"]
        for s in points
        if s.cycles
    ]
    what = "fadd_chain: dependent adds without a branch; more per add is the instruction cache"
    return [table(what, "adds in a line>|cycles>|cycles per add>", rows)] if rows else []


@of_each
def figures(found: GpuLevels) -> list[Figure]:
    """All levels on one axis, and the heat map of the grid's barrier, where they were measured."""
    return _axis_figure(found) + _grid_figure(found)


def _launches(points: list[Measured]) -> list[tuple[int, int]]:
    """Blocks and threads of as many launches as there are colours: of each level the launch that
    most of its ops have, then those with most ops of all."""
    by_launch = group(points, "blocks", "lanes")
    ops = {launch: {s.point.op for s in alike} for launch, alike in by_launch.items()}
    chosen: list[tuple[int, int]] = []
    for level, _ in levels:
        of_level = {at: sum(level_of(op) == level for op in names) for at, names in ops.items()}
        if any(of_level.values()):
            chosen.append(min(of_level, key=lambda at: (-of_level[at], at)))
    chosen += sorted(ops, key=lambda launch: (-len(ops[launch]), launch))
    return sorted(list(dict.fromkeys(chosen))[:most_colours])


def _axis_figure(found: GpuLevels) -> list[Figure]:
    if not found.drawn:
        return []
    names = {launch: f"{launch[0]} x {launch[1]}" for launch in _launches(found.drawn)}
    rows = [
        row
        for s in found.drawn
        if (launch := (s.point.blocks, s.point.lanes)) in names
        for row in rows_of(
            s,
            row=f"{level_of(s.point.op)}: {s.point.op}"
            + (f" of {s.point.size}" if s.point.size else ""),
            cycles=s.cycles.value if s.cycles else None,
            group=names[launch],
        )
    ]
    missing = [name for name, _ in levels if not any(r["row"].startswith(name) for r in rows)]
    note = "Cost per op with its 95 % interval, logarithmic; blocks x threads of each"
    note += f"; not measured: {', '.join(missing)}." if missing else "."
    dots = Dots(rows, "ns per op", list(names.values()), "op", "blocks x threads")
    panel = Panel("all levels", dots)
    title = found.prefix + (_of_each_level(found) or "What each level costs")
    return [Figure(f"levels{found.suffix}", title, note, [panel], wide=True)]


def _grid_figure(found: GpuLevels) -> list[Figure]:
    if not (panels := grid_barriers.panels(found.grid)):
        return []
    title = found.prefix + grid_barriers.heading(found.grid, found.barriers)
    note = "grid_sync, microseconds; empty: not resident at once, or not measured."
    return [Figure(f"grid-barrier{found.suffix}", title, note, panels, wide=True)]
