"""Barriers by the number of devices, and accesses by where the cells lie."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import altair as alt

from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.relation import Ratio, Verdict, verdict
from syncmeter_analysis.render.charts.dots import cost_dots
from syncmeter_analysis.render.charts.figure import (
    Figure,
    Panel,
    long_lines,
    palette,
    panel_height,
    panel_width,
    shapes,
)
from syncmeter_analysis.studies.multi_gpu import (
    Access,
    Barrier,
    Fastest,
    SeveralGpus,
    barrier_name,
    in_kernels,
    places,
)


def figures(found: SeveralGpus) -> list[Figure]:
    """One of the barriers over several numbers of devices, one of a thread's accesses."""
    return _barrier_figure(found) + _access_figure(found.accesses)


def _barrier_figure(found: SeveralGpus) -> list[Figure]:
    several = [
        b
        for b in found.barriers
        if sum(s.usable for s in b.by_devices.values()) > 1 and b.point.home != "second"
    ]
    inside = Counter(
        (b.point.blocks, b.point.lanes) for b in several if b.point.op.startswith(in_kernels)
    )
    # Of the launches that most barriers have, the smallest.
    usual = min(inside, key=lambda launch: (-inside[launch], launch), default=None)
    drawn = [
        b
        for b in several
        if not b.point.op.startswith(in_kernels) or (b.point.blocks, b.point.lanes) == usual
    ]
    if not drawn or usual is None:
        return []
    return [
        Figure(
            "multi-gpu-barriers",
            _finding(found.fastest),
            "Cost of a barrier by the number of devices, logarithmic; inside kernels "
            f"{usual[0]} blocks of {usual[1]} threads on each device, the others one block. "
            "Counters on the second device are in the table.",
            [Panel("all barriers", _chart(drawn))],
            [s.id for b in drawn for s in b.by_devices.values() if s.usable],
        )
    ]


def _finding(fastest: Sequence[Fastest]) -> str:
    """The fastest over the most devices, by the rule of the text."""
    if not fastest:
        return "What a barrier costs by the number of devices"
    most = max(fastest, key=lambda f: f.devices)
    names = list(
        dict.fromkeys(barrier_name(s.point) for s in (most.winners.best, *most.winners.ties))
    )
    cost = most.winners.best.cost
    assert cost is not None
    return (
        f"Inside kernels over {text.count(most.devices, 'device')} {' and '.join(names)} "
        f"{'is' if len(names) == 1 else 'are'} the fastest, from {text.duration(cost.value)} on"
    )


def _short(barrier: Barrier) -> str:
    return barrier.name.removeprefix("multi_gpu_")


def _chart(barriers: Sequence[Barrier]) -> Any:
    rows = [
        {"devices": n, "ns": s.cost.value, "barrier": _short(b), "id": s.id}
        for b in barriers
        for n, s in b.by_devices.items()
        if s.usable and s.cost
    ]
    names = list(dict.fromkeys(map(_short, barriers)))
    looks = range(len(names))
    x = alt.X("devices:O", title="devices", axis=alt.Axis(labelAngle=0))
    y = alt.Y("ns:Q", title="ns", scale=alt.Scale(type="log", nice=False))
    colours = alt.Scale(domain=names, range=[palette[i % len(palette)] for i in looks])
    colour = alt.Color("barrier:N", title=None, legend=alt.Legend(columns=1), scale=colours)
    marks = alt.Scale(domain=names, range=[shapes[i % len(shapes)] for i in looks])
    shape = alt.Shape("barrier:N", title=None, scale=marks)
    tips = [
        alt.Tooltip("barrier:N"),
        alt.Tooltip("devices:O"),
        alt.Tooltip("ns:Q", format=".4g"),
        alt.Tooltip("id:N", title="point"),
    ]
    lines = alt.Chart().mark_line(strokeWidth=1.5).encode(x=x, y=y, color=colour)
    lines = long_lines(lines, rows, "devices", "barrier")
    dots = (
        alt.Chart()
        .mark_point(filled=True, size=45, opacity=1)
        .encode(x=x, y=y, color=colour, shape=shape, tooltip=tips)
    )
    chart = alt.layer(*lines, dots, data=alt.Data(values=rows))
    return chart.properties(width=panel_width, height=panel_height)


def _name(access: Access) -> str:
    return f"{access.point.op} {access.point.type} {access.point.scope}"


def _access_figure(accesses: Sequence[Access]) -> list[Figure]:
    alone = [a for a in accesses if a.point.blocks == 1 and a.point.lanes == 1]
    rows = [
        {
            "row": _name(access),
            "group": place,
            "ns": s.cost.value,
            "low": s.cost.low if s.cost.bounded else None,
            "high": s.cost.high if s.cost.bounded else None,
            "id": s.id,
        }
        for access in alone
        for place, s in access.by_place.items()
        if s.usable and s.cost
    ]
    if len({row["group"] for row in rows}) < 2:
        return []
    slower = [
        (r.value, access)
        for access in alone
        if isinstance(r := access.peer_over_local, Ratio) and verdict(r) is Verdict.slower
    ]
    finding = "What an access of one thread costs by where the cell lies"
    if slower:
        value, access = max(slower, key=lambda found: found[0])
        finding = (
            f"{access.point.op} of one thread takes up to {text.ratio(value)} times as long on a "
            "peer's cell as on its own device's"
        )
    note = "Cost of an access by one thread of one device and its 95 % interval, logarithmic."
    chart = cost_dots(rows, "ns per access", list(places.values()), "access", "cells on")
    ids = [str(row["id"]) for row in rows]
    panels = [Panel("all accesses", chart)]
    return [Figure("multi-gpu-accesses", finding, note, panels, ids, wide=True)]
