"""Loads of a warp by access pattern: the time of each pattern for a useful byte over the coalesced
load's, and bank conflicts of shared memory."""

from __future__ import annotations

from collections.abc import Sequence

from syncmeter_analysis.conclude.studies.coalescing import (
    BankRow,
    Coalescing,
    Level,
    level_names,
    patterns,
)
from syncmeter_analysis.conclude.studies.coalescing import rows as rows
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.studies.blocks import Block, Cell, Table, Text, table
from syncmeter_analysis.studies.cells import cost_text, legend_of_marks
from syncmeter_analysis.studies.figures import Dots, Figure, Panel
from syncmeter_analysis.studies.figures import row as figure_row

title = "Coalescing and bank conflicts"
order = 14

#: Names by level.
_memories = dict(zip(level_names, ("device memory", "L2"), strict=True))


def text(loads: Coalescing) -> list[Block]:
    """Returns a table for each level, and for bank conflicts."""
    several = len({(level.backend, level.device) for level in loads.levels} | set(loads.banks)) > 1

    def of(backend: str, device: int) -> str:
        return f", {backend} device {device}" if several else ""

    blocks: list[Block] = [_level(level, of(level.backend, level.device)) for level in loads.levels]
    if loads.levels:
        blocks.append(
            Text(
                "useful: words that the threads ask for, each once. time/useful: time of a useful byte "
                f"over the coalesced load's ({legend_of_marks(*blocks)}). random: without the load of "
                "the indices. row_walk and column_walk: L1 may serve them."
            )
        )
    return blocks + [_banks(found, of(*place)) for place, found in loads.banks.items()]


def _level(level: Level, of: str) -> Table:
    def ns(value: float | None) -> str:
        return formats.nanoseconds(value) if value else ""

    return table(
        f"Loads of a warp from {_memories[level.name]}{of}",
        "pattern|size>|ns/warp load>|useful B/ns>|time/useful>|latency ns>",
        [
            [
                Cell(row.pattern, [s.id for s in row.points]),
                str(row.size or ""),
                ns(row.ns.value if row.ns else None),
                ns(row.useful_bytes_per_ns),
                formats.marked(row.over),
                cost_text(row.latency),
            ]
            for row in level.rows
        ],
        keys=2,
    )


def _banks(conflicts: Sequence[BankRow], of: str) -> Table:
    return table(
        f"Bank conflicts: loads of a warp from shared memory, one multiprocessor{of}",
        "threads per bank>|ns/warp load>|over one>|latency ns>|over one>",
        [
            [
                Cell(str(row.ways), [s.id for s in row.points]),
                formats.nanoseconds(row.ns.value) if row.ns else "",
                formats.marked(row.full_over_one),
                cost_text(row.latency),
                formats.marked(row.latency_over_one),
            ]
            for row in conflicts
        ],
    )


def figures(loads: Coalescing) -> list[Figure]:
    """Draws the loads by access pattern and device, from device memory and from L2 on one axis."""
    by_device = grouped(loads.levels, lambda level: (level.backend, level.device))
    return [figure for levels in by_device.values() for figure in _figure(levels, len(by_device))]


def _figure(levels: Sequence[Level], devices: int) -> list[Figure]:
    found = [(level, r, r.full, r.ns) for level in levels for r in level.rows]
    found.sort(key=lambda f: (patterns.index(f[1].pattern), f[1].size))
    drawn = [
        figure_row(ns, full.id, row=r.name, group=_memories[level.name])
        for level, r, full, ns in found
        if full and ns
    ]
    if len(drawn) < 2:
        return []
    note = (
        "Time of one load by a warp with the device full, and its 95 % interval, logarithmic. "
        "Numbers: bytes from the start of a line (misaligned), words from thread to thread (strided). "
        "random: two loads."
    )
    first = levels[0]
    name = "coalescing" + (f"-{first.backend}-{first.device}" if devices > 1 else "")
    dots = Dots(drawn, "ns per load of a warp", list(_memories.values()), "pattern", "from")
    panels = [Panel(f"all patterns, {first.backend}", dots)]
    return [Figure(name, "Loads of a warp by access pattern", note, panels, wide=True)]
