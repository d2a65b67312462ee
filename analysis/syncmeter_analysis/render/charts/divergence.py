"""A branch by how many paths are taken inside a warp or across warps, and the same without a branch."""

from __future__ import annotations

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
    shapes,
    short_scale,
)
from syncmeter_analysis.studies.divergence import Launch

_names = {
    "branch_in_warp": "inside a warp",
    "branch_across_warps": "across warps",
    "branch_predicated": "no branch, all computed",
    "branch_uniform": "one path for all",
}


def figures(launches: Sequence[Launch]) -> list[Figure]:
    """One figure with a panel for each launch of several numbers of paths."""
    drawn = [launch for launch in launches if len(launch.paths) > 1]
    if not drawn:
        return []
    points = [s for launch in drawn for s in launch.points]
    domain = short_scale([s.cost.value for s in points if s.cost])
    note = (
        "Cost of one branch to a path of eight dependent operations, against the number of paths; "
        "both logarithmic; backend, blocks and threads of each."
    )
    panels = [Panel(launch.told, _chart(launch, domain)) for launch in drawn]
    return [Figure("divergence", _finding(drawn), note, panels, [s.id for s in points])]


def _finding(launches: Sequence[Launch]) -> str:
    """The slowest branch inside a warp against one path, in the same launch."""
    slower = [
        (r.value, paths, launch)
        for launch in launches
        for (op, paths), r in launch.over_one.items()
        if op == "branch_in_warp" and isinstance(r, Ratio) and verdict(r) is Verdict.slower
    ]
    if not slower:
        return "What a branch costs by its number of paths"
    value, paths, launch = max(slower, key=lambda found: found[0])
    return f"{paths} paths inside a warp cost {text.ratio(value)} times one path ({launch.told})"


def _chart(launch: Launch, domain: tuple[float, float]) -> Any:
    rows = [
        {
            "paths": max(s.point.size, 1),
            "ns": s.cost.value,
            "how": _names[s.point.op],
            "id": s.id,
        }
        for s in sorted(launch.points, key=lambda s: s.point.size)
        if s.cost
    ]
    names = list(_names.values())
    x = alt.X("paths:Q", scale=alt.Scale(type="log", base=2), title="paths")
    y = alt.Y("ns:Q", scale=alt.Scale(type="log", domain=list(domain), nice=False), title="ns")
    colour = alt.Color("how:N", title=None, scale=alt.Scale(domain=names, range=palette[:4]))
    shape = alt.Shape("how:N", title=None, scale=alt.Scale(domain=names, range=shapes[:4]))
    tips = [
        alt.Tooltip("how:N", title="paths are"),
        alt.Tooltip("paths:Q"),
        alt.Tooltip("ns:Q", format=".4g"),
        alt.Tooltip("id:N", title="point"),
    ]
    lines = alt.Chart().mark_line().encode(x=x, y=y, color=colour)
    lines = long_lines(lines, rows, "paths", "how")
    dots = (
        alt.Chart()
        .mark_point(filled=True, size=45, opacity=1)
        .encode(x=x, y=y, color=colour, shape=shape, tooltip=tips)
    )
    chart = alt.layer(*lines, dots, data=alt.Data(values=rows))
    return chart.properties(width=panel_width, height=panel_height)
