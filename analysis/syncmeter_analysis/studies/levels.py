"""The study `levels`: what it costs to synchronize the threads of a warp, a block, a cluster and a
grid, and to end a kernel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.block_barriers import alike, more
from syncmeter_analysis.relate.contest import Contest
from syncmeter_analysis.relate.gpu_levels import GpuLevels, warps_of, way_of
from syncmeter_analysis.relate.gpu_levels import rows as rows
from syncmeter_analysis.relate.group import group
from syncmeter_analysis.relate.op_groups import level_of, levels
from syncmeter_analysis.relate.point_text import blocks_by_threads
from syncmeter_analysis.relate.relation import default_margin
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Line, Table, pivot, table
from syncmeter_analysis.studies.cells import named, of_each, op_and_launch, over_best
from syncmeter_analysis.studies.figures import Figure, Heat, Panel, dots, most_colours
from syncmeter_analysis.studies.figures import row as figure_row

title = "GPU levels"
order = 10

#: Operations whose ratio is not shown to differ by more than the margin.
_ties = f"no difference above {formats.percent(default_margin)}"


@of_each
def text(levels: GpuLevels) -> list[Block]:
    """Returns the levels, blocks by their rate, barriers of a block and of the grid, chains, and both
    clocks."""
    found = [
        _axis(levels.axis),
        table(
            "Block barriers: the launch of each block size that synchronizes most warps per time",
            f"threads per block>|blocks>|ns per barrier>|warps per s>|blocks with {_ties}",
            (
                [
                    *(b.best.point.lanes, b.best.point.blocks, b.best),
                    formats.rate(warps_of(b.best) * 1e9 / formats.ns_of(b.best)),
                    ", ".join(str(tie.point.blocks) for tie in b.ties),
                ]
                for b in levels.blocks
            ),
        ),
        _in_block(levels),
        pivot(
            "grid_sync: ns by launch",
            "threads per block>",
            (
                (
                    [threads],
                    {f"{s.point.blocks} blocks": s for s in _by_blocks(alike)},
                    (),
                )
                for threads, alike in sorted(group(levels.grid, "lanes").items())
                if len(levels.grid) > 1
            ),
        ),
        _own_barriers(levels),
        table(
            "One more kernel of a graph against grid_sync",
            "blocks x threads>|kernels>|ns each>|grid_sync ns>|grid_sync over a kernel (95 % CI)>",
            (
                [
                    blocks_by_threads(k.own.point),
                    named(k.graph.point.size, k.graph),
                    k.each_ns,
                    k.own,
                    k.own_over_kernel,
                ]
                for k in levels.kernels
            ),
        ),
        table(
            "fadd_chain: dependent adds without a branch",
            "adds in a line>|cycles>|cycles per add>",
            (
                [named(s.point.size, s), s.cycles.value, f"{s.cycles.value / s.point.size:.3f}"]
                for s in levels.chain
                if s.cycles
            ),
        ),
        _both_clocks(levels),
    ]
    return [replace(one, caption=levels.prefix + one.caption) for one in found]


def _by_blocks(points: Sequence[Measured]) -> list[Measured]:
    return sorted(points, key=lambda s: s.point.blocks)


def _cycles(s: Measured) -> float | None:
    return s.cycles.value if s.cycles else None


def _also(one: Contest, shown: Measured) -> str:
    """Returns the operations without a shown difference, and the configurations of each."""
    ops = Counter(s.point.op for s in one.leaders if s is not shown)
    return ", ".join(op if n == 1 else f"{op} ({n})" for op, n in sorted(ops.items()))


def _axis(axis: Sequence[tuple[str, Contest]]) -> Table:
    rows = [
        [name, *op_and_launch(s), s.cost, _cycles(s), _also(one, s)]
        for name, one in axis
        if (s := way_of(name, one)) and s.cost
    ]
    columns = f"level|operation|size>|blocks x threads>|ns (95 % CI)>|cycles>|{_ties}"
    return table("The fastest of each level, one warp alone inside a block", columns, rows, keys=2)


def _in_block(levels: GpuLevels) -> Table:
    rows = [
        [named(op, s), blocks_by_threads(s.point), s, _cycles(s), over_best(row.contest, s)]
        for op in (*alike, *more)
        for row in levels.in_block
        if (s := row.by_op.get(op))
    ]
    columns = "operation|blocks x threads>|ns>|cycles>|over the fastest (95 % CI)>"
    return table("Barriers of a block", columns, rows, keys=2)


def _own_barriers(levels: GpuLevels) -> Table:
    lines: list[Line] = []
    for row in levels.barriers:
        taken = row.contest.taken or row.contest.first
        costs = {op.removeprefix("software_barrier_"): s for op, s in row.by_op.items()}
        behind = [taken.point.op, _also(row.contest, taken), row.over_grid_sync]
        lines.append(([blocks_by_threads(taken.point)], costs, behind))
    behind_columns = f"fastest|{_ties}|over grid_sync (95 % CI)>"
    what = "Barriers of the grid in software against grid_sync, ns"
    return pivot(what, "blocks x threads>", lines, behind_columns)


def _both_clocks(levels: GpuLevels) -> Table:
    rows = []
    for row in levels.clocks:
        s, host = row.s, row.host_ns
        clock = "cycles of one multiprocessor" if s.point.blocks == 1 else "events at the launch"
        over = f"{host / formats.ns_of(s):.3f}" if host is not None else ""
        of_host = [host, row.deviation_ns] if host is not None else ["", ""]
        rows.append([*op_and_launch(s), s.cost, *of_host, over, clock])
    what = "GPU clock, and host clock by the difference of two numbers of repeats (one launch each)"
    columns = "operation|size>|blocks x threads>|GPU clock ns (95 % CI)>|host clock ns>|deviation>"
    shown = rows if any(row.host_ns is not None for row in levels.clocks) else []
    return table(what, f"{columns}|host : GPU>|the GPU clock is", shown, keys=3)


@of_each
def figures(found: GpuLevels) -> list[Figure]:
    """All levels on one axis, and the heat map of the grid's barrier, where they were measured."""
    launches = _launches(found.drawn)
    lines: list[Line] = [
        (
            [f"{level_of(s.point.op)}: {s.point.op}{f' of {s.point.size}' * bool(s.point.size)}"],
            {blocks_by_threads(s.point): s},
            (),
        )
        for s in found.drawn
        if (s.point.blocks, s.point.lanes) in launches
    ]
    note = "Cost of an operation with its 95 % interval, logarithmic."
    title, legend = found.prefix + "Cost of each level", "blocks x threads"
    drawn = dots(f"levels{found.suffix}", title, note, lines, what="op", legend=legend)
    panels = list(_grid(found.grid))
    if not panels:
        return drawn
    title, note = found.prefix + "grid_sync by launch", "Microseconds of a barrier."
    return [*drawn, Figure(f"grid-barrier{found.suffix}", title, note, panels, wide=True)]


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


def _grid(points: Sequence[Measured]) -> Iterator[Panel]:
    """Yields microseconds by blocks and threads of each, unless one launch is alone."""
    blocks = sorted({s.point.blocks for s in points})
    threads = sorted({s.point.lanes for s in points})
    if len(blocks) < 2 or len(threads) < 2:
        return
    costs = [s.cost.scaled(1e-3) for s in points if s.cost]
    rows = [
        figure_row(
            *(us, s.id),
            x=str(s.point.blocks),
            y=str(s.point.lanes),
            label=f"{us.value:.2f}",
        )
        for s, us in zip(points, costs, strict=True)
    ]
    fastest, slowest = (f(us.value for us in costs) for f in (min, max))
    sides = ("blocks", list(map(str, blocks))), ("threads per block", list(map(str, threads)))
    domain = fastest, max(slowest, 1.01 * fastest)
    yield Panel("grid_sync", Heat(rows, *sides, "us per barrier", domain, (70, 34)))
