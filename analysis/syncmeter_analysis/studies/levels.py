"""The tables and figures of the study `levels`: what it costs to synchronize the threads of a warp, a
block, a cluster and a grid, and to end a kernel."""

from __future__ import annotations

import math
from collections.abc import Sequence

from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.contest import Contest
from syncmeter_analysis.relate.gpu_levels import (
    BlockRate,
    GpuLevels,
    several_gpus,
    warps_of,
    way_of,
)
from syncmeter_analysis.relate.gpu_levels import rows as rows
from syncmeter_analysis.relate.group import group
from syncmeter_analysis.relate.op_groups import level_of, levels
from syncmeter_analysis.relate.relation import default_margin
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.text import percent
from syncmeter_analysis.studies import block_barriers, grid_barriers
from syncmeter_analysis.studies.blocks import Block, Bullets, Table, table
from syncmeter_analysis.studies.both_clocks import both_clocks_table
from syncmeter_analysis.studies.cells import cost, ns_of, of_each, op_and_launch
from syncmeter_analysis.studies.figures import Dots, Figure, Panel, most_colours, rows_of

title = "GPU levels"
order = 10


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
        "Levels of synchronization: the fastest of each, one warp alone inside a block",
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
        per_s = formats.rate(warps_of(s) * 1e9 / ns_of(s))
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
    title = found.prefix + "Cost of each level"
    return [Figure(f"levels{found.suffix}", title, note, [panel], wide=True)]


def _grid_figure(found: GpuLevels) -> list[Figure]:
    if not (panels := grid_barriers.panels(found.grid)):
        return []
    title = found.prefix + "grid_sync by launch"
    note = "grid_sync, microseconds; empty: not resident at once, or not measured."
    return [Figure(f"grid-barrier{found.suffix}", title, note, panels, wide=True)]
