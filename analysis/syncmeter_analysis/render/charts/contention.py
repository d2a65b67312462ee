"""Throughput of all lanes by the number of cells that they share out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import altair as alt

from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.relation import Ratio, Verdict, verdict
from syncmeter_analysis.render.charts.figure import (
    Figure,
    Panel,
    long_lines,
    palette,
    panel_height,
    panel_width,
)
from syncmeter_analysis.studies.contention import Contention, Row


def figures(contention: Contention) -> list[Figure]:
    """A figure for each op of each backend and file; a panel for each placement, a line for each
    number of lanes."""
    by_op: dict[tuple[int, str, str], list[Row]] = defaultdict(list)
    for number, part in enumerate(contention.parts, 1):
        for row in part.rows:
            if part.most_lanes > 1:
                by_op[number, row.first.point.backend, row.first.point.op].append(row)
    return [_figure(*key, rows) for key, rows in by_op.items()]


_not_in_a_panel = ("backend", "op", "placement", "lanes", "affinity")


def _figure(number: int, backend: str, op: str, rows: Sequence[Row]) -> Figure:
    panels: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        what = text.short_name(row.first.point, _not_in_a_panel)
        for cells, c in row.by_cells.items():
            if (rate := c.seen.ops_per_s_total) is not None:
                panels[f"{what}, affinity {row.placed}".lstrip(", ")].append(
                    {"cells": cells, "rate": rate, "lanes": str(row.lanes), "id": c.seen.id}
                )
    return Figure(
        f"contention-{number}-{backend}-{op}".replace("_", "-"),
        f"{backend} {op}: {_finding(rows)}",
        "Operations per second of all lanes together against the number of cells; both axes "
        "logarithmic.",
        [Panel(title, _chart(fields)) for title, fields in panels.items()],
        [c.seen.id for row in rows for c in row.by_cells.values()],
    )


def _finding(rows: Sequence[Row]) -> str:
    """What the most lanes do on one cell, over a lone lane, at their worst."""
    most = max(row.lanes for row in rows)
    found = [
        row.over_alone
        for row in rows
        if row.lanes == most
        and isinstance(row.over_alone, Ratio)
        and verdict(row.over_alone) is not Verdict.cannot_tell
    ]
    if not found:
        return f"cannot tell how {most} lanes on one cell compare with one lane alone"
    least = min(found, key=lambda r: r.value)
    return (
        f"{most} lanes on one cell do {text.ratio_interval(least)} times as many operations per second "
        "as one lane alone"
    )


def _chart(fields: list[dict[str, Any]]) -> Any:
    lanes = sorted({f["lanes"] for f in fields}, key=int)
    cells = sorted({f["cells"] for f in fields})
    looks = [palette[i % len(palette)] for i in range(len(lanes))]
    base = alt.Chart().encode(
        x=alt.X(
            "cells:Q",
            title="cells",
            axis=alt.Axis(values=cells, format="d"),
            scale=alt.Scale(type="log", base=2, nice=False),
        ),
        y=alt.Y(
            "rate:Q",
            title="ops/s of all lanes",
            axis=alt.Axis(format="~s"),
            scale=alt.Scale(type="log", nice=False),
        ),
        color=alt.Color(
            "lanes:N", title="lanes", sort=lanes, scale=alt.Scale(domain=lanes, range=looks)
        ),
    )
    dots = base.mark_point(filled=True, opacity=1).encode(
        tooltip=[
            alt.Tooltip("lanes:N", title="lanes"),
            alt.Tooltip("cells:Q", title="cells"),
            alt.Tooltip("rate:Q", title="ops/s", format=".4s"),
            alt.Tooltip("id:N", title="point"),
        ],
    )
    lines = long_lines(base.mark_line(), fields, "cells", "lanes")
    return alt.layer(*lines, dots, data=alt.Data(values=fields)).properties(
        width=panel_width, height=panel_height
    )
