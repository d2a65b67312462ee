"""A branch by how many paths are taken inside a warp or across warps, and the same without a branch."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import altair as alt

from syncmeter_analysis.figures.figure import (
    Figure,
    Panel,
    palette,
    panel_height,
    panel_width,
    shapes,
    short_scale,
)
from syncmeter_analysis.statistics import text
from syncmeter_analysis.statistics.campaign import Campaign
from syncmeter_analysis.statistics.summary import Measured

_names = {
    "branch_in_warp": "inside a warp",
    "branch_across_warps": "across warps",
    "branch_predicated": "no branch, all done",
    "branch_uniform": "one path for all",
}


def divergence_figures(campaign: Campaign) -> list[Figure]:
    """One figure with a panel for each launch, where a GPU's branches were measured."""
    points = [
        s
        for s in campaign.measured
        if s.point.on_gpu and s.point.op in _names and s.usable and s.cost and not s.doubt
    ]
    launches: dict[tuple[int, int], list[Measured]] = defaultdict(list)
    for s in points:
        launches[s.point.blocks, s.point.lanes].append(s)
    curves = {
        launch: members
        for launch, members in launches.items()
        if len({s.point.size for s in members if s.point.size}) > 1
    }
    drawn = [s for members in curves.values() for s in members]
    if not drawn:
        return []
    domain = short_scale([_ns(s) for s in drawn])
    panels = [
        Panel(f"{blocks} x {lanes} threads", _chart(members, domain))
        for (blocks, lanes), members in sorted(curves.items())
    ]
    note = (
        "Cost of one branch to a path of eight dependent operations, against the number of paths; "
        "both logarithmic; blocks x threads of each."
    )
    return [Figure("divergence", _finding(drawn), note, panels, [s.id for s in drawn])]


def _ns(s: Measured) -> float:
    return s.cost.value if s.cost else 0.0


def _finding(points: list[Measured]) -> str:
    """The dearest branch inside a warp against one path, in the same launch."""
    one = {(s.point.blocks, s.point.lanes): s for s in points if s.point.op == "branch_uniform"}
    ratios = [
        (_ns(s) / _ns(under), s)
        for s in points
        if s.point.op == "branch_in_warp"
        and (under := one.get((s.point.blocks, s.point.lanes)))
        and _ns(under) > 0
    ]
    if not ratios:
        return "What a branch costs by its number of paths"
    ratio, worst = max(ratios, key=lambda r: r[0])
    return f"{worst.point.size} paths inside a warp cost {text.ratio(ratio)} times one path"


def _chart(points: list[Measured], domain: tuple[float, float]) -> Any:
    rows = [
        {
            "paths": max(s.point.size, 1),
            "ns": _ns(s),
            "low": s.cost.low if s.cost and s.cost.bounded else None,
            "high": s.cost.high if s.cost and s.cost.bounded else None,
            "how": _names[s.point.op],
            "id": s.id,
        }
        for s in sorted(points, key=lambda s: s.point.size)
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
    dots = (
        alt.Chart()
        .mark_point(filled=True, size=45, opacity=1)
        .encode(x=x, y=y, color=colour, shape=shape, tooltip=tips)
    )
    chart = alt.layer(lines, dots, data=alt.Data(values=rows))
    return chart.properties(width=panel_width, height=panel_height)
