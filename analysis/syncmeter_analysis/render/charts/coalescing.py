"""Loads of a warp by how its lanes lie on memory, from device memory and from L2, on one axis."""

from __future__ import annotations

from collections.abc import Sequence

from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.relation import Ratio
from syncmeter_analysis.render.charts.dots import cost_dots
from syncmeter_analysis.render.charts.figure import Figure, Panel
from syncmeter_analysis.studies.coalescing import Level, Loads, level_names, patterns


def figures(loads: Loads) -> list[Figure]:
    """One figure for each backend's device where loads of several patterns were measured."""
    by_device: dict[tuple[str, int], list[Level]] = {}
    for level in loads.levels:
        by_device.setdefault((level.backend, level.device), []).append(level)
    return [figure for levels in by_device.values() for figure in _figure(levels, len(by_device))]


def _figure(levels: Sequence[Level], devices: int) -> list[Figure]:
    found = [(level, row, row.full) for level in levels for row in level.rows if row.full]
    found.sort(key=lambda f: (patterns.index(f[1].pattern), f[1].size))
    drawn = [
        {
            "row": row.name,
            "group": level.name,
            "ns": row.ns.value,
            "low": row.ns.low if row.ns.bounded else None,
            "high": row.ns.high if row.ns.bounded else None,
            "id": s.id,
        }
        for level, row, s in found
        if row.ns
    ]
    if len(drawn) < 2:
        return []
    note = (
        "Time of one load by a warp with the device full, and its 95 % interval, logarithmic. "
        "Numbers: bytes from the start of a line (misaligned), words from lane to lane (strided); "
        "random: two loads; the title counts the second alone."
    )
    first = levels[0]
    suffix = f"-{first.backend}-{first.device}" if devices > 1 else ""
    chart = cost_dots(drawn, "ns per load of a warp", level_names, "pattern", "from")
    panels = [Panel(f"all patterns, {first.backend}", chart)]
    ids = [s.id for _, _, s in found]
    return [Figure(f"coalescing{suffix}", _finding(levels), note, panels, ids, wide=True)]


def _finding(levels: Sequence[Level]) -> str:
    """The slowest pattern of all levels, by the rule of the text."""
    slowest = [
        (rows[0].over.value, " and ".join(row.told for row in rows), level.name)
        for level in levels
        if (rows := level.slowest) and isinstance(rows[0].over, Ratio)
    ]
    if not slowest:
        return "What a load costs, by the access pattern of a warp"
    value, name, level = max(slowest)
    return (
        f"A useful byte of {level} takes {text.ratio(value)} times as long in the pattern {name} as "
        "coalesced"
    )
