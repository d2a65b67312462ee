"""Loads of a warp by access pattern: the time of each pattern for a useful byte over the coalesced
load's, and bank conflicts of shared memory."""

from __future__ import annotations

from syncmeter_analysis.relate.coalescing import (
    Coalescing,
    level_names,
    patterns,
)
from syncmeter_analysis.relate.coalescing import rows as rows
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.studies.blocks import Line, Table, table
from syncmeter_analysis.studies.cells import named
from syncmeter_analysis.studies.figures import Figure, dots

title = "Coalescing and bank conflicts"
order = 14

#: Names by level.
_memories = dict(zip(level_names, ("device memory", "L2"), strict=True))


def text(loads: Coalescing) -> list[Table]:
    """Returns a table for each level, and for bank conflicts."""
    tables = [
        table(
            f"Loads of a warp from {_memories[level.name]}, {level.backend} device {level.device}",
            "pattern|size>|ns/warp load (95 % CI)>|useful B/ns>|time of a useful byte over coalesced>"
            "|latency ns>",
            [
                [
                    *(named(row.pattern, *row.points), row.size or "", row.ns),
                    *(row.useful_bytes_per_ns, row.over, row.latency),
                ]
                for row in level.rows
            ],
            keys=2,
        )
        for level in loads.levels
    ]
    return tables + [
        table(
            f"Bank conflicts: loads of a warp from shared memory, {backend} device {device}",
            "threads per bank>|ns/warp load (95 % CI)>|over one>|latency ns>|over one>",
            [
                [
                    named(row.ways, *row.points),
                    row.ns,
                    row.full_over_one,
                    row.latency,
                    row.latency_over_one,
                ]
                for row in conflicts
            ],
        )
        for (backend, device), conflicts in loads.banks.items()
    ]


def figures(loads: Coalescing) -> list[Figure]:
    """Draws the loads by access pattern, from device memory and from L2 on one axis."""
    note = (
        "Time of one load by a warp with the device full, and its 95 % interval, logarithmic. "
        "Numbers: bytes from the start of a line (misaligned), words from thread to thread (strided). "
        "random: two loads."
    )
    found = []
    for (backend, device), levels in grouped(loads.levels, lambda x: (x.backend, x.device)).items():
        rows = [(row, level) for level in levels for row in level.rows if row.full and row.ns]
        rows.sort(key=lambda r: (patterns.index(r[0].pattern), r[0].size))
        lines: list[Line] = [([row.name], {_memories[lv.name]: row.ns}, ()) for row, lv in rows]
        id, title = (
            f"coalescing-{backend}-{device}",
            f"Loads of a warp by access pattern, {backend}",
        )
        figures = dots(id, title, note, lines, title="ns per load of a warp")
        for figure in figures:
            figure.points = [s.id for row, _ in rows for s in row.points]
        found += figures
    return found
