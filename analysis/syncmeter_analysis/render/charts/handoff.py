"""What it costs to hand a flag from one warp of a GPU to another: by form, and by distance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from syncmeter_analysis.relate import text
from syncmeter_analysis.render.charts.dots import cost_dots
from syncmeter_analysis.render.charts.figure import (
    Figure,
    Panel,
    palette,
    panel_height,
    panel_width,
)
from syncmeter_analysis.studies.handoff import (
    Handoff,
    Handoffs,
    Launch,
    Pairs,
    between_multiprocessors,
    form_of,
    ns_of,
    rank_of,
)


def figures(found: Handoffs) -> list[Figure]:
    """One figure for forms and one for distances, where they were measured; of each backend."""
    drawn = []
    for i, backend in enumerate(found.backends):
        launches = [x for x in (*found.rings, *found.chains) if x.backend == backend]
        chains = {id(x) for x in found.chains}
        by_name = {_name(x, id(x) in chains): x for x in launches}
        pairs = [p for p in found.pairs if p.backend == backend]
        for figure in _by_form(by_name) + _by_distance(pairs):
            if i:
                figure.id += f"-{backend}"
            if len(found.backends) > 1:
                figure.title = f"{backend}: {figure.title}"
            drawn.append(figure)
    return drawn


def _name(launch: Launch, chain: bool) -> str:
    if chain:
        return f"one-shot chain over {launch.blocks} blocks"
    return "ring in one block" if launch.blocks == 1 else f"ring through {launch.blocks} blocks"


def _finding(launches: dict[str, Launch]) -> str:
    """Of each launch the fastest form that keeps order, else what there is from least to most."""
    told = [
        f"{text.duration(ns_of(launch.in_order.best))} by a {name}"
        for name, launch in launches.items()
        if launch.in_order
    ]
    if told:
        return f"A flag from warp to warp, its data in order, takes {', '.join(told)}"
    costs = [ns_of(h.s) for launch in launches.values() for h in _usable(launch)]
    return (
        f"A flag from warp to warp takes {text.duration(min(costs))} to {text.duration(max(costs))}"
    )


def _usable(launch: Launch) -> list[Handoff]:
    return [h for h in launch.handoffs if h.s.usable]


def _by_form(launches: dict[str, Launch]) -> list[Figure]:
    points = [(name, h.s) for name, launch in launches.items() for h in _usable(launch)]
    if not points:
        return []
    points.sort(key=lambda point: rank_of(point[1].point))
    rows: list[dict[str, Any]] = [
        {
            "row": f"{form_of(s.point)}, {s.point.scope}",
            "ns": ns_of(s),
            "low": s.cost.low if s.cost and s.cost.bounded else None,
            "high": s.cost.high if s.cost and s.cost.bounded else None,
            "group": name,
            "id": s.id,
        }
        for name, s in points
    ]
    groups = list(dict.fromkeys(name for name, _ in points))
    chart = cost_dots(rows, "ns per handoff", groups, "form")
    note = (
        "ns per handoff with the 95 % interval, logarithmic; form and scope, the fastest that keeps "
        "data and flag in order in the title. The chain is from an article: every warp of a grid "
        "waits once for one flag."
    )
    panel = Panel("by form", chart)
    return [
        Figure("handoffs", _finding(launches), note, [panel], [s.id for _, s in points], wide=True)
    ]


def _by_distance(found: Sequence[Pairs]) -> list[Figure]:
    across = [(p.distance, s) for p in found for s in p.points if s.point.op == "sm_handoff"]
    costs = [ns_of(s) for _, s in across if between_multiprocessors(s.point)]
    if len(costs) < 2:
        return []
    rows = [
        {"partner": s.point.size, "ns": ns_of(s), "where": where, "id": s.id} for where, s in across
    ]
    names = list(dict.fromkeys(where for where, _ in across))
    colours = alt.Scale(domain=names, range=palette[: len(names)])
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_point(filled=True, size=50, opacity=1)
        .encode(
            x=alt.X("partner:Q", title="multiprocessor of the other warp"),
            y=alt.Y("ns:Q", title="ns per handoff", scale=alt.Scale(zero=False)),
            color=alt.Color("where:N", title=None, sort=names, scale=colours),
            tooltip=[
                alt.Tooltip("partner:Q", title="multiprocessor"),
                alt.Tooltip("where:N", title="two warps"),
                alt.Tooltip("ns:Q", title="ns", format=".4g"),
                alt.Tooltip("id:N", title="point"),
            ],
        )
        .properties(width=panel_width, height=panel_height)
    )
    title = (
        f"From the first multiprocessor to another a handoff takes {text.duration(min(costs))} to "
        f"{text.duration(max(costs))}"
    )
    note = (
        "ns per handoff by acquire and release at scope device; 1 is another block of the first "
        "multiprocessor itself."
    )
    panel = Panel("by distance", chart)
    return [Figure("handoff-distance", title, note, [panel], [s.id for _, s in across])]
