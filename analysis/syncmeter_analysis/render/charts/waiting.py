"""What waiting costs by lateness, and the CPU time that it burns: a line for each way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt

from syncmeter_analysis.render.charts.figure import (
    Figure,
    Panel,
    dashes,
    long_lines,
    palette,
    panel_height,
    panel_width,
)
from syncmeter_analysis.studies.waiting import Part, Waiting, Way, sentences


def figures(waiting: Waiting) -> list[Figure]:
    """A figure for each file with three latenesses or more."""
    found = []
    for number, part in enumerate(waiting.parts, 1):
        panels = [
            Panel(title, _chart(part, fields, title))
            for title, fields in _fields(part).items()
            if len({f["late"] for f in fields}) > 2
        ]
        if panels:
            found.append(
                Figure(
                    f"waiting-{number}",
                    _finding(part),
                    "By how late the other thread comes; both axes logarithmic. Solid: spinning, "
                    "dashed: asleep.",
                    panels,
                    part.points,
                )
            )
    return found


def _finding(part: Part) -> str:
    first = sentences(part)[0]
    return first[0].upper() + first[1:]


def _fields(part: Part) -> dict[str, list[dict[str, Any]]]:
    return {
        "ns until it is seen": [f for w in part.ways for f in _of(w, w.curve)],
        "ns of CPU time burnt": [f for w in part.ways for f in _of(w, w.cpu_ns)],
    }


def _of(way: Way, values: Mapping[int, float]) -> list[dict[str, Any]]:
    return [
        {"way": way.name, "sleeps": way.sleeps, "late": late, "ns": ns, "id": way.costs[late].id}
        for late, ns in values.items()
        if ns > 0
    ]


def _chart(part: Part, fields: list[dict[str, Any]], title: str) -> Any:
    names = [way.name for way in part.ways]
    x = alt.X("late:Q", title="us late", scale=alt.Scale(type="log"))
    y = alt.Y("ns:Q", title=title, scale=alt.Scale(type="log", nice=False))
    colour = alt.Color(
        "way:N", title=None, scale=alt.Scale(domain=names, range=palette[: len(names)])
    )
    dash = alt.StrokeDash(
        "sleeps:N", legend=None, scale=alt.Scale(domain=[False, True], range=dashes[:2])
    )
    tips = [
        alt.Tooltip("way:N", title="way"),
        alt.Tooltip("late:Q", title="us late"),
        alt.Tooltip("ns:Q", title="ns", format=".4g"),
        alt.Tooltip("id:N", title="point"),
    ]
    base = alt.Chart()
    lines = base.mark_line().encode(x=x, y=y, color=colour, strokeDash=dash)
    lines = long_lines(lines, fields, "late", "way")
    dots = base.mark_point(filled=True, opacity=1).encode(x=x, y=y, color=colour, tooltip=tips)
    return alt.layer(*lines, dots, data=alt.Data(values=fields)).properties(
        width=panel_width, height=panel_height
    )
