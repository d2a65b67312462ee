"""What a barrier costs by number of lanes: a panel for each placement, a line for each runtime and way
of waiting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.relation import Ratio, Verdict
from syncmeter_analysis.render.charts.figure import (
    Figure,
    Panel,
    dashes,
    long_lines,
    palette,
    panel_height,
    panel_width,
)
from syncmeter_analysis.studies.barrier import Barriers, Comparison, Part, Placement, span_of


def figures(barriers: Barriers) -> list[Figure]:
    """A figure for each file whose barriers have a cost at three numbers of lanes or more."""
    found = []
    for number, part in enumerate(barriers.parts, 1):
        drawable = [(placed, _fields(placed)) for placed in part.placements]
        panels = [
            Panel(f"affinity {placed.placed}", _chart(part, fields))
            for placed, fields in drawable
            if len({f["lanes"] for f in fields}) > 2
        ]
        if panels:
            found.append(_figure(number, part, panels))
    return found


def _figure(number: int, part: Part, panels: list[Panel]) -> Figure:
    return Figure(
        f"barrier-{number}",
        _finding(part),
        "ns of a barrier by number of lanes with the 95 % interval; both axes logarithmic. Costs "
        "may be from different placement states; the title compares within one state.",
        panels,
        part.points,
    )


def _finding(part: Part) -> str:
    """What passive waiting costs over active; else one runtime over another; else the costs."""
    told = [_told(f"{c.name}, passive waiting over active", c) for c in part.sleeping]
    if not told:
        told = [_told(f"{' '.join(c.over)} over {' '.join(c.under)}", c) for c in part.between]
    return "; ".join(told) or _costs(part.placements)


def _told(what: str, c: Comparison) -> str:
    parts = []
    for says in (Verdict.slower, Verdict.faster, Verdict.same, Verdict.cannot_tell):
        if lanes := c.lanes_that(says):
            differs = says in (Verdict.slower, Verdict.faster)
            ratios = [r for n in lanes if isinstance(r := c.ratios[n], Ratio)]
            times = f"{span_of(ratios)} times " if differs else ""
            parts.append(f"{times}{says.value} at {_among(lanes, list(c.ratios))}")
    return f"{what}: {', '.join(parts) or Verdict.not_comparable.value} ({c.placed})"


def _among(lanes: Sequence[int], measured: Sequence[int]) -> str:
    """`2 to 16 lanes` where all that were measured between are among them, else each."""
    between = [n for n in measured if lanes[0] <= n <= lanes[-1]]
    if len(lanes) > 1 and list(lanes) == between:
        return f"{lanes[0]} to {lanes[-1]} lanes"
    return f"{' '.join(map(str, lanes))} lane{'' if list(lanes) == [1] else 's'}"


def _costs(placements: Sequence[Placement]) -> str:
    """The costs at the fewest and at the most lanes, as they stand: of two states there is no ratio."""
    ends = [
        f"{text.cost(s)} ns at {text.count(row.lanes, 'lane')}"
        for row in (placements[0].curve[0], placements[0].curve[-1])
        for s in list(row.costs.values())[:1]
    ]
    return f"A barrier costs {', '.join(ends)} ({placements[0].placed})"


def _fields(placed: Placement) -> list[dict[str, Any]]:
    return [
        {
            "lanes": row.lanes,
            "ns": s.cost.value,
            "low": s.cost.low if s.cost.bounded else s.cost.value,
            "high": s.cost.high if s.cost.bounded else s.cost.value,
            "backend": backend,
            "wait": wait,
            "id": s.id,
        }
        for row in placed.curve
        for (backend, wait), s in row.costs.items()
        if s.usable and s.cost is not None
    ]


def _chart(part: Part, fields: list[dict[str, Any]]) -> Any:
    lanes = sorted({f["lanes"] for f in fields})
    waits = sorted({f["wait"] for f in fields})
    x = alt.X(
        "lanes:Q",
        title="lanes",
        axis=alt.Axis(values=lanes, format="d"),
        scale=alt.Scale(type="log", base=2, nice=False),
    )
    scale = alt.Scale(type="log", nice=False)
    colour = alt.Color(
        "backend:N",
        title=None,
        scale=alt.Scale(domain=part.backends, range=palette[: len(part.backends)]),
    )
    dash = alt.StrokeDash(
        "wait:N", title="waiting", scale=alt.Scale(domain=waits, range=dashes[: len(waits)])
    )
    tips = [
        alt.Tooltip("backend:N", title="backend"),
        alt.Tooltip("wait:N", title="waiting"),
        alt.Tooltip("lanes:Q", title="lanes"),
        alt.Tooltip("ns:Q", title="ns", format=".4g"),
        alt.Tooltip("low:Q", title="from", format=".4g"),
        alt.Tooltip("high:Q", title="to", format=".4g"),
        alt.Tooltip("id:N", title="point"),
    ]
    base = alt.Chart()
    bars = base.mark_rule(opacity=0.6).encode(
        x=x,
        y=alt.Y("low:Q", scale=scale, title="ns of a barrier"),
        y2="high:Q",
        color=colour,
    )
    y = alt.Y("ns:Q", scale=scale, title="ns of a barrier")
    lines = base.mark_line().encode(x=x, y=y, color=colour, strokeDash=dash)
    lines = long_lines(lines, fields, "lanes", "backend", "wait")
    dots = base.mark_point(filled=True, opacity=1).encode(x=x, y=y, color=colour, tooltip=tips)
    return alt.layer(bars, *lines, dots, data=alt.Data(values=fields)).properties(
        width=panel_width, height=panel_height
    )
