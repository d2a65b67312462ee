"""The nodes of a run side by side: each by its median over points, with its quartiles."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import altair as alt

from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.fleet import Fleet, Group, Whole
from syncmeter_analysis.render.charts.figure import Figure, Panel, palette

_alike, _differs = "like most", "differs"


def fleet_figure(fleet: Fleet) -> Figure:
    """One panel for each kind of nodes and part of them, its nodes from the fastest to the slowest."""
    panels = []
    for group in fleet.groups:
        parts: dict[str, list[Whole]] = defaultdict(list)
        for whole in group.wholes:
            parts[whole.part].append(whole)
        for part, wholes in parts.items():
            name = f"{part} points, {len(wholes)} nodes of {group.kind}"
            panels.append(Panel(name, _nodes(group, wholes)))
    differ = sum(len(g.differing) for g in fleet.groups)
    nodes = sum(len(g.nodes) for g in fleet.groups)
    verb = "differs" if differ < 2 else "differ"
    found = f"{differ or 'None'} of {nodes} nodes {verb}"
    note = "costs over the medians over nodes: median over points, and quartiles as a bar"
    return Figure("fleet", found, note, panels, wide=True)


def _nodes(group: Group, wholes: list[Whole]) -> Any:
    differing = set(group.differing)
    rows = [
        {
            "rank": rank,
            "node": group.names[w.node],
            "low": w.quartiles[0],
            "ratio": w.quartiles[1],
            "high": w.quartiles[2],
            "group": _differs if w.node in differing else _alike,
            "points": w.points,
        }
        for rank, w in enumerate(sorted(wholes, key=lambda w: w.quartiles[1]), 1)
    ]
    names = [_alike, _differs]
    scale = alt.Scale(type="log", nice=False)
    title = "ratio of costs to the median node"
    x = alt.X("rank:Q", title="node, from the fastest on", axis=alt.Axis(tickMinStep=1))
    looks = alt.Scale(domain=names, range=[palette[0], palette[4]])
    colour = alt.Color("group:N", title=None, sort=names, scale=looks)
    shape = alt.Shape(
        "group:N", title=None, sort=names, scale=alt.Scale(domain=names, range=["circle", "square"])
    )
    tips = [alt.Tooltip("node:N"), alt.Tooltip("group:N", title="found")]
    tips += [
        alt.Tooltip(f"{field}:Q", title=said, format=".4g")
        for field, said in (
            ("ratio", "median"),
            ("low", "lower quartile"),
            ("high", "upper quartile"),
            ("points", "points"),
        )
    ]
    y = alt.Y("ratio:Q", scale=scale, title=title)
    one = alt.Chart(alt.Data(values=[{"one": 1}])).mark_rule(strokeDash=[3, 3]).encode(y="one:Q")
    bars = (
        alt.Chart()
        .mark_rule(opacity=0.35)
        .encode(x=x, y=alt.Y("low:Q", scale=scale, title=title), y2="high:Q", color=colour)
    )
    dots = (
        alt.Chart()
        .mark_point(filled=True, size=35, opacity=1)
        .encode(x=x, y=y, color=colour, shape=shape, tooltip=tips)
    )
    layers = [one, bars, dots]
    named = [r for r in rows if r["group"] == _differs]
    if 0 < len(named) <= 10:
        written = [
            {**r, "beside": f"{r['node']} {text.ratio(float(str(r['ratio'])))}"} for r in named
        ]
        layers.append(
            alt.Chart(alt.Data(values=written))
            .mark_text(dx=-8, align="right", fontSize=11)
            .encode(x=x, y=y, text="beside:N")
        )
    return alt.layer(*layers, data=alt.Data(values=rows)).properties(width=420, height=260)
