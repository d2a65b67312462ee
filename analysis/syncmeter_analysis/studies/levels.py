"""The tables of the GPU's levels of synchronization."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.relation import (
    NotComparable,
    Winners,
    default_margin,
    verdict,
)
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Bullets, Cell, Table, Text
from syncmeter_analysis.studies.levels_rows import (
    BlockRate,
    BothClocks,
    GpuLevels,
    GridBarriers,
    Levels,
    ns_of,
    rows,
    several_gpus,
    software,
)

__all__ = ["rows", "text", "title"]

title = "GPU levels"
measured_by = "`syncmeter run --study levels` on a GPU"


def text(levels: Levels) -> list[Block]:
    """The levels on one axis, blocks by their rate, barriers of the grid, chains, and both clocks."""
    several = len(levels.backends) > 1
    return [
        block
        for of_backend in levels.backends
        for block in _of_backend(of_backend, f"{of_backend.backend}: " if several else "")
    ]


def _of_backend(levels: GpuLevels, prefix: str) -> list[Block]:
    found = [
        *_axis(levels.axis),
        *_blocks(levels.blocks),
        *_grid(levels.grid),
        *_barriers(levels.barriers),
        *_chain(levels.chain),
        *_clocks(levels.clocks),
    ]
    for block in found:
        if isinstance(block, Table):
            block.caption = prefix + block.caption
    return found


def also(winners: Winners) -> str:
    """The ops that the fastest is not told apart from, and how many points of each."""
    ops = Counter(s.point.op for s in winners.ties)
    return ", ".join(op if n == 1 else f"{op} ({n})" for op, n in sorted(ops.items()))


def _axis(axis: Sequence[tuple[str, Winners | None]]) -> list[Block]:
    table = Table(
        [
            "level",
            "fastest op",
            "size",
            "blocks x threads",
            "ns",
            "95 % interval",
            "cycles",
            f"not told apart within {default_margin:.0%}",
            "1 ns to 100 µs, 8 characters a decade",
        ],
        [],
        right=[2, 3, 4, 5, 6],
        caption="Levels of synchronization: the fastest way of each, one warp alone inside a block",
        keys=2,
    )
    alone = sum(winners is not None for _, winners in axis) == 1
    for name, winners in axis:
        if winners is None:
            if not alone:
                table.rows.append([Cell(t) for t in (name, "not measured", *[""] * 7)])
            continue
        s = winners.best
        assert s.cost is not None
        width = min(max(8 * math.log10(ns_of(s)) + 1, 1), 48) if ns_of(s) > 0 else 1
        texts = [name, s.point.op, _size(s), formats.blocks_by_threads(s.point)]
        texts += [formats.nanoseconds(ns_of(s)), formats.interval_ns(s.cost), _cycles(s)]
        cells = [Cell(t) for t in [*texts, also(winners), "=" * int(width)]]
        cells[1].points = [s.id]
        table.rows.append(cells)
    notes = []
    if any(name.startswith("warp") and winners for name, winners in axis):
        notes.append(
            "converged threads of a warp pass its sync without waiting; a shuffle waits for its "
            "value"
        )
    if any(name == several_gpus and winners is None for name, winners in axis) and not alone:
        notes.append("barriers of several GPUs are measured by `syncmeter run --study multi-gpu`")
    return [table, Bullets(notes)] if notes else [table]


def _size(s: Measured) -> str:
    return str(s.point.size) if s.point.size else ""


def _cycles(s: Measured) -> str:
    return formats.nanoseconds(s.cycles.value) if s.cycles else ""


def _blocks(found: Sequence[BlockRate]) -> list[Block]:
    table = Table(
        [
            "threads per block",
            "blocks",
            "ns per barrier",
            "warps synchronized per s",
            f"as many within {default_margin:.0%} with blocks",
        ],
        [],
        right=[0, 1, 2, 3],
        caption="barrier: the launch of each block size that synchronizes most warps per time",
    )
    for row in found:
        p = row.best.point
        texts = [str(p.lanes), str(p.blocks), formats.nanoseconds(ns_of(row.best))]
        texts += [formats.rate(row.warps_per_s), ", ".join(str(s.point.blocks) for s in row.ties)]
        cells = [Cell(t) for t in texts]
        cells[2].points = [row.best.id]
        table.rows.append(cells)
    return [table] if table.rows else []


def microseconds(s: Measured | None) -> str:
    return f"{ns_of(s) / 1e3:.2f}" if s else ""


def _grid(points: Sequence[Measured]) -> list[Block]:
    if len(points) < 2:
        return []
    blocks = sorted({s.point.blocks for s in points})
    at = {(s.point.lanes, s.point.blocks): s for s in points}
    table = Table(
        ["threads per block", *(f"{n} blocks" for n in blocks)],
        [],
        right=range(len(blocks) + 1),
        caption="grid_sync: µs by launch; empty: not resident at once, or not measured",
    )
    for threads in sorted({s.point.lanes for s in points}):
        cells = [Cell(str(threads))]
        for n in blocks:
            s = at.get((threads, n))
            cells.append(Cell(microseconds(s), [s.id] if s else []))
        table.rows.append(cells)
    return [table]


def _barriers(found: Sequence[GridBarriers]) -> list[Block]:
    table = Table(
        [
            "blocks x threads",
            "grid_sync µs",
            *(op.removeprefix("software_barrier_") for op in software),
            "fastest",
            f"not told apart within {default_margin:.0%}",
            "over grid_sync",
            "95 % interval",
            "",
        ],
        [],
        right=[0, 1, 2, 3, 4, 5, 8, 9],
        caption="Barriers of the grid in software against grid_sync",
    )
    for row in found:
        best, r = row.winners.best, row.over_grid_sync
        texts = [formats.blocks_by_threads(best.point)]
        texts += [microseconds(row.by_op.get(op)) for op in ("grid_sync", *software)]
        texts += [best.point.op, also(row.winners)]
        if isinstance(r, NotComparable):
            texts += ["", "", r.why]
        elif r.identical:
            texts += ["1", "", ""]
        else:
            texts += [formats.ratio(r.value), formats.ratio_bounds(r), verdict(r).value]
        cells = [Cell(t) for t in texts]
        cells[6].points = [s.id for s in row.by_op.values()]
        table.rows.append(cells)
    return [table] if table.rows else []


def _chain(points: Sequence[Measured]) -> list[Block]:
    table = Table(
        ["adds in a line", "cycles", "cycles per add"],
        [],
        right=[0, 1, 2],
        caption="fadd_chain: dependent adds without a branch; more per add is the instruction cache",
    )
    for s in points:
        each = s.cycles.value / s.point.size if s.cycles else math.nan
        texts = [_size(s), _cycles(s), f"{each:.3f}"]
        table.rows.append([Cell(t) for t in texts])
    return [table] if table.rows else []


def _plus_minus(value: float, deviation: float) -> str:
    return f"{formats.nanoseconds(value)} ± {formats.nanoseconds(deviation)}"


def _clocks(found: Sequence[BothClocks]) -> list[Block]:
    if all(row.host_ns is None for row in found):
        return []
    table = Table(
        [
            "op",
            "size",
            "blocks x threads",
            "GPU's clock ns",
            "host's clock ns",
            "host : GPU",
            "the GPU's clock is",
        ],
        [],
        right=[1, 2, 3, 4, 5],
        caption="Both methods: the GPU's clock, and the host's by the difference of two numbers of "
        "repeats",
        keys=3,
    )
    for row in found:
        s, cost = row.s, row.s.cost
        assert cost is not None
        own = cost.relative_half_width * cost.value
        texts = [s.point.op, _size(s), formats.blocks_by_threads(s.point)]
        texts += [_plus_minus(cost.value, own) if cost.bounded else formats.nanoseconds(cost.value)]
        if row.host_ns is None:
            texts += ["", ""]
        else:
            texts.append(_plus_minus(row.host_ns, row.deviation_ns))
            texts.append(f"{row.host_ns / cost.value:.3f}")
        one = s.point.blocks == 1
        texts.append("cycles of one multiprocessor" if one else "events around the launch")
        cells = [Cell(t) for t in texts]
        cells[0].points = [s.id]
        table.rows.append(cells)
    notes = (
        "GPU: median over visits ± half its 95 % interval; host: (T1 - T2) / (r1 - r2) ± "
        "sqrt(s1² + s2²) / |r1 - r2|, of one launch each."
    )
    if any(row.host_ns is None for row in found):
        notes += " No host's time: its samples are several launches in a row."
    return [table, Text(notes)]
