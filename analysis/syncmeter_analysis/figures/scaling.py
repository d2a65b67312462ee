"""Throughput of a lane against lanes, as the primitives paper draws it: a panel for each placement or
grid, a line for each type, intervals as bands, both axes logarithmic, all panels on one scale.
"""

from __future__ import annotations

import copy
from collections import Counter, defaultdict
from functools import lru_cache
from typing import Any

import altair as alt

from syncmeter_analysis.data.point import Point, key_without
from syncmeter_analysis.figures.figure import (
    Figure,
    Panel,
    dashes,
    palette,
    panel_height,
    panel_width,
    shapes,
    short_scale,
    types,
)
from syncmeter_analysis.statistics import text
from syncmeter_analysis.statistics.campaign import Campaign
from syncmeter_analysis.statistics.relation import Ratio, ratio
from syncmeter_analysis.statistics.summary import Measured

# A lane count alone is no curve.
_least_counts = 2

_but_lanes = key_without("lanes")


def scaling_figures(campaign: Campaign) -> list[Figure]:
    """A figure for each op of each backend that was measured at several lane counts."""
    groups: dict[tuple[str, ...], list[Measured]] = defaultdict(list)
    for s in campaign.points.values():
        drawable = s.ops_per_s_per_lane is not None and s.family != "control"
        p = s.point
        special = p.pus or p.active or p.cells or p.size or p.late_us or p.others
        if drawable and not (s.oversubscribed or special):
            groups[_figure_key(s.point)].append(s)
    figures = []
    for key, points in groups.items():
        if len({s.point.lanes for s in points}) >= _least_counts:
            figures.append(_figure(key, points, campaign))
    return figures


def _figure_key(p: Point) -> tuple[str, ...]:
    if p.on_gpu:
        return (p.backend, p.op, _cells(p), p.scope, p.flavour, p.space, p.order)
    return (p.backend, p.op, "", p.order, p.wait)


def _cells(p: Point) -> str:
    """Where the cells lie, in elements: types of all widths are in one figure."""
    if p.placement != "strided":
        return {"shared": "one shared cell"}.get(p.placement, "")
    stride = p.stride or 0
    name = f"{stride} element{'s' * (stride != 1)} apart" if stride else "one hidden cell"
    return name + (f" from {p.base_offset} B" if p.base_offset else "")


def _panel_key(p: Point) -> tuple[Any, ...]:
    """Sorts as panels do: grids by blocks, cells by stride."""
    if p.on_gpu:
        return (p.blocks, f"{p.blocks} block{'s' * (p.blocks != 1)}")
    return ((p.stride or 0) + (p.placement == "strided"), p.base_offset, _cells(p) or "all lanes")


def _main_affinity(points: list[Measured]) -> str:
    counts = Counter(s.point.affinity for s in points)
    return max(counts, key=lambda a: (counts[a], a == "close"))


def _figure(key: tuple[str, ...], points: list[Measured], campaign: Campaign) -> Figure:
    affinity = _main_affinity(points)
    others = sorted({s.point.affinity for s in points} - {affinity})
    drawn = [s for s in points if s.point.affinity == affinity and s.point.repeat == 0]
    panels: dict[tuple[Any, ...], list[Measured]] = defaultdict(list)
    for s in drawn:
        panels[_panel_key(s.point)].append(s)
    domain = short_scale([r for s in drawn for r in _rates(s)])
    lanes = short_scale([float(s.point.lanes) for s in drawn])
    gpu = drawn[0].point.on_gpu
    marks = () if gpu else _marks(campaign, lanes)
    made = [
        Panel(str(k[-1]), _chart(members, domain, lanes, marks, gpu))
        for k, members in sorted(panels.items())
    ]
    parts = [
        part for part in key[2:] if part not in ("", "unordered", "relaxed", "active", "global")
    ]
    name = " ".join([key[1], *parts])
    note = (
        "Operations of one lane per second"
        + (
            ", with 95 % intervals as bands"
            if any(s.cost and s.cost.bounded for s in drawn)
            else ""
        )
        + "; logarithmic"
        + ("; lanes are threads of a block" if gpu else "")
        + (f"; affinity {affinity}" if affinity != "none" else "")
        + (f"; not drawn: affinity {', '.join(others)}" if others else "")
        + ("; not drawn: repeats" if any(s.point.repeat for s in points) else "")
        + "."
    )
    if marks:
        note += " Dashed: " + ", ".join(f"{label} ({at})" for at, label in marks) + "."
    address = "-".join(["scaling", key[0], *key[1:]])
    return Figure(
        _address(address),
        f"{name} ({key[0]}): {_finding(drawn)}",
        note,
        made,
        [s.id for s in drawn],
    )


def _rates(s: Measured) -> list[float]:
    """The rate and its bounds; a bound far off does not squeeze everything else."""
    rate, cost = s.ops_per_s_per_lane, s.cost
    if rate is None or cost is None:
        return []
    if not cost.bounded or cost.low <= 0:
        return [rate]
    low, high = rate * cost.value / cost.high, rate * cost.value / cost.low
    return [max(low, rate / 3), rate, min(high, rate * 3)]


def _address(words: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in words).strip("-").replace("--", "-").lower()


def _finding(points: list[Measured]) -> str:
    """How a lane's rate changes from the fewest lanes to the most, at its worst; where both were seen
    in one placement state."""
    changes = []
    ends: dict[Any, list[Measured]] = defaultdict(list)
    for s in points:
        ends[_but_lanes(s.point)].append(s)
    for curve in ends.values():
        curve.sort(key=lambda s: s.point.lanes)
        r = ratio(curve[-1], curve[0])
        if len(curve) > 1 and isinstance(r, Ratio):
            # A token's hop costs a lane as many times more as there are lanes on its way.
            longer = curve[-1].ring / curve[0].ring
            changes.append((r.value * longer, curve[0], curve[-1]))
    if not changes:
        return "not comparable from the fewest lanes to the most"
    fall, fewest, most = max(changes, key=lambda c: c[0])
    where = " ".join(x for x in (most.point.type, _cells(most.point)) if x)
    span = f"from {fewest.point.lanes} to {most.point.lanes} lanes"
    if fall < 1.25:
        return f"a lane keeps its rate {span}"
    return f"a lane's rate falls to 1/{text.ratio(fall)} {span}" + (f" ({where})" if where else "")


def _marks(campaign: Campaign, lanes: tuple[float, float]) -> tuple[tuple[int, str], ...]:
    m = campaign.machine
    found = []
    if m.cores and m.pus and m.pus > m.cores:
        found.append((m.cores, "all cores; beyond it SMT siblings"))
    elif m.cores:
        found.append((m.cores, "all cores"))
    if m.packages and m.packages > 1 and m.cores:
        found.insert(0, (m.cores // m.packages, "one package"))
    return tuple((at, label) for at, label in found if lanes[0] <= at <= lanes[1])


def _chart(
    points: list[Measured],
    domain: tuple[float, float],
    lanes: tuple[float, float],
    marks: tuple[tuple[int, str], ...],
    gpu: bool,
) -> dict[str, Any]:
    rows = []
    for s in sorted(points, key=lambda s: (s.point.type, s.point.lanes)):
        rate, cost = s.ops_per_s_per_lane, s.cost
        if rate is None or cost is None:
            continue
        row = {
            "lanes": s.point.lanes,
            "y": _short(rate),
            "type": s.point.type or "op",
            "ns": _short(cost.value),
            "id": s.id,
            "status": s.status,
        }
        if cost.bounded and cost.low > 0:
            row["low"] = _short(rate * cost.value / cost.high)
            row["high"] = _short(rate * cost.value / cost.low)
        rows.append(row)
    present = tuple(t for t in (*types, "op") if any(r["type"] == t for r in rows))
    bands = any("low" in r for r in rows)
    spec = copy.deepcopy(_template(present, gpu, bands))
    spec["data"] = {"values": rows}
    for layer in spec["layer"]:
        x = layer["encoding"]["x"]
        x["scale"]["domain"], layer["encoding"]["y"]["scale"]["domain"] = list(lanes), list(domain)
        x["axis"]["values"] = [2**i for i in range(25) if lanes[0] <= 2**i <= lanes[1]]
    for at, _ in marks:
        spec["layer"].append(
            {
                "mark": {"type": "rule", "strokeDash": [4, 3], "opacity": 0.7},
                "encoding": {"x": {"datum": at, "type": "quantitative"}},
            }
        )
    return spec


def _short(value: float) -> float:
    return float(f"{value:.5g}")


@lru_cache(maxsize=256)
def _template(present: tuple[str, ...], gpu: bool, bands: bool) -> dict[str, Any]:
    """The drawing without its data and the ends of its scales: Altair takes long to make one."""
    index = [types.index(t) if t in types else len(types) for t in present]
    legend = None if present == ("op",) else alt.Legend(columns=2)
    x = alt.X(
        "lanes:Q",
        title="threads of a block" if gpu else "lanes",
        axis=alt.Axis(format="d"),
        scale=alt.Scale(type="log", base=2, nice=False),
    )
    scale = alt.Scale(type="log", nice=False)
    axis = alt.Axis(format="~s", tickCount=5)
    colour = alt.Color(
        "type:N",
        title=None,
        legend=legend,
        scale=alt.Scale(domain=list(present), range=[palette[i] for i in index]),
    )
    dash = alt.StrokeDash(
        "type:N",
        title=None,
        legend=legend,
        scale=alt.Scale(domain=list(present), range=[dashes[i] for i in index]),
    )
    shape = alt.Shape(
        "type:N",
        title=None,
        legend=legend,
        scale=alt.Scale(domain=list(present), range=[shapes[i] for i in index]),
    )
    tips = [
        alt.Tooltip("type:N", title="type"),
        alt.Tooltip("lanes:Q", title="lanes"),
        alt.Tooltip("y:Q", title="ops/s per lane", format=".4s"),
        alt.Tooltip("ns:Q", title="ns per op", format=".4g"),
        alt.Tooltip("status:N", title="status"),
        alt.Tooltip("id:N", title="point"),
    ]
    band = (
        alt.Chart()
        .mark_area(opacity=0.25, clip=True)
        .encode(
            x=x,
            y=alt.Y("low:Q", scale=scale, axis=axis, title="ops/s per lane"),
            y2="high:Q",
            color=colour,
        )
    )
    line = (
        alt.Chart()
        .mark_line(strokeWidth=1.5)
        .encode(
            x=x,
            y=alt.Y("y:Q", scale=scale, axis=axis, title="ops/s per lane"),
            color=colour,
            strokeDash=dash,
        )
    )
    dots = (
        alt.Chart()
        .mark_point(filled=True, size=28, opacity=1)
        .encode(
            x=x, y=alt.Y("y:Q", scale=scale, axis=axis), color=colour, shape=shape, tooltip=tips
        )
    )
    chart = alt.layer(band, line, dots, data=alt.Data(values=[])).properties(
        width=panel_width, height=panel_height
    )
    spec: dict[str, Any] = chart.to_dict(validate=False)
    spec.pop("config", None)
    return spec
