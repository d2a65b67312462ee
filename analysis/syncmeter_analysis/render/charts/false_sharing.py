"""Stride by lanes: what cells near each other cost over cells far apart, for each affinity."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.relation import Ratio, Verdict, default_margin, verdict
from syncmeter_analysis.render.charts.figure import Figure, Panel
from syncmeter_analysis.render.charts.heat import heat_map
from syncmeter_analysis.studies.false_sharing import (
    Row,
    Sharing,
    apart_bytes,
    next_line_spans,
    size_of_all,
    sizing,
)


def figures(sharing: Sharing) -> list[Figure]:
    """A figure for each op; panels by affinity and by where the array begins."""
    by_op: dict[str, list[Row]] = defaultdict(list)
    for row in sizing(sharing.rows):
        if row.has_control:
            by_op[row.first.point.op].append(row)
    return [_figure(op, rows) for op, rows in by_op.items()]


def _figure(op: str, rows: Sequence[Row]) -> Figure:
    panels: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for row in rows:
        panels[", ".join(row.affinities), row.first.point.base_offset].append(row)
    drawn = [_panel(affinity, base, found) for (affinity, base), found in panels.items()]
    return Figure(
        f"false-sharing-{op.replace('_', '-')}",
        f"{op}: {_finding(rows)}",
        f"Cost over that of cells {apart_bytes} B apart (same visits, same placement state; types "
        "pooled); the line is the destructive interference size, the smallest stride that costs the "
        f"same within {default_margin:.0%} where all smaller ones are resolved to cost more.",
        drawn,
        [id for row in rows for id in row.points],
    )


def _finding(rows: Sequence[Row]) -> str:
    """The title's finding, by the rule of the text."""
    ratios = [r for row in rows for r in row.over_apart.values() if isinstance(r, Ratio)]
    slower = [r.value for r in ratios if verdict(r) is Verdict.slower]
    size = size_of_all(rows)
    if not slower:
        same = all(verdict(r) is Verdict.same for r in ratios)
        return "sharing a line costs nothing" if ratios and same else "cannot tell"
    told = f"sharing a line costs up to {text.ratio(max(slower))} times"
    if by_lanes := next_line_spans(rows):
        told += f"; 64 B over 128 B: {by_lanes}"
    if size.enough is None:
        return f"{told}; more than {size.slower_at} bytes apart are needed, cannot tell how many"
    lanes = sorted({row.first.point.lanes for row in rows})
    span = f"{lanes[0]}" if len(lanes) == 1 else f"{lanes[0]} to {lanes[-1]}"
    return f"{told}; {size.enough} bytes apart are enough for {span} lanes"


def _panel(affinity: str, base: int, rows: Sequence[Row]) -> Panel:
    fields: list[dict[str, Any]] = [
        {
            "x": str(stride),
            "y": str(row.first.point.lanes),
            "v": r.value,
            "label": text.ratio(r.value),
            "low": r.low if r.bounded else None,
            "high": r.high if r.bounded else None,
            "id": row.first.id,
        }
        for row in rows
        for stride, r in row.over_apart.items()
        if isinstance(r, Ratio)
    ]
    strides = sorted({stride for row in rows for stride in row.strides})
    lanes = sorted({row.first.point.lanes for row in rows})
    size = size_of_all(rows).enough
    start = f", from {base} B" if base else ""
    chart = heat_map(
        fields,
        ("bytes between cells", [str(x) for x in strides]),
        ("lanes", [str(n) for n in lanes]),
        "times slower",
        logarithmic=True,
        domain=(1.0, max([2.0, *(f["v"] for f in fields)])),
        size=(46, 26),
        after=str(size) if size else None,
    )
    return Panel(f"affinity {affinity}{start} (1 = {apart_bytes} B apart)", chart)
