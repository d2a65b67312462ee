"""Reductions over the size of their array: each form's share of the bandwidth of plain reads on a GPU,
and bytes per second of every backend.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import altair as alt

from syncmeter_analysis.data.point import type_bytes
from syncmeter_analysis.figures.figure import (
    Figure,
    Panel,
    dashes,
    palette,
    panel_height,
    panel_width,
    shapes,
    types,
)
from syncmeter_analysis.statistics import text
from syncmeter_analysis.statistics.campaign import Campaign
from syncmeter_analysis.statistics.summary import Measured

_form = "reduce_max"
_reads = "read_bandwidth"
_least_sizes = 2


def reductions(campaign: Campaign) -> list[Measured]:
    """Every reduction of an array that has a cost, and the reads beside it."""
    return [
        s
        for s in campaign.measured
        if s.point.op.startswith((_form, _reads))
        and s.point.size
        and s.cost is not None
        and not s.oversubscribed
        and not s.point.repeat
    ]


def _limit_key(s: Measured) -> tuple[Any, ...]:
    return s.point.backend, s.device, s.point.type, s.point.size


def shares(points: list[Measured]) -> list[tuple[Measured, float]]:
    """Each form with the time of the reads of the same array over its own."""
    limits = {_limit_key(s): s for s in points if s.point.op == _reads}
    found = []
    for s in points:
        limit = limits.get(_limit_key(s))
        if s.point.op != _reads and limit and limit.cost and s.cost and s.cost.value > 0:
            found.append((s, limit.cost.value / s.cost.value))
    return found


def reduction_figures(campaign: Campaign) -> list[Figure]:
    """Shares on a GPU, a panel for each type; and bytes per second of all backends for the first
    of the types."""
    points = reductions(campaign)
    return _share_figure(points) + _rate_figure(points)


def _panels(rows: list[dict[str, Any]], y: str, log: bool, form: str) -> list[Panel]:
    forms = list(dict.fromkeys(r["form"] for r in rows))[: len(palette)]
    by_type: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        if row["form"] in forms:
            by_type[row["type"]].append(row)
    return [
        Panel(t, _chart(by_type[t], forms, y, log, form))
        for t in types
        if len({r["size"] for r in by_type[t]}) >= _least_sizes
    ]


def _usual_lanes(points: list[Measured]) -> int:
    """The threads of a block of most points."""
    counts: dict[int, int] = defaultdict(int)
    for s in points:
        counts[s.point.lanes] += 1
    return max(counts, key=lambda n: counts[n])


def _reaches(s: Measured, best: Measured) -> bool:
    """Whether the intervals of the two overlap."""
    return s.cost is not None and best.cost is not None and s.cost.low <= best.cost.high


def _share_figure(points: list[Measured]) -> list[Figure]:
    found = shares([s for s in points if s.point.on_gpu])
    if not found:
        return []
    lanes = _usual_lanes([s for s, _ in found])
    drawn = [(s, share) for s, share in found if s.point.lanes == lanes]
    rows: list[dict[str, Any]] = [
        {
            "size": s.point.size,
            "y": share,
            "form": s.point.op.removeprefix(_form + "_"),
            "type": s.point.type,
            "ns": s.cost.value if s.cost else None,
            "id": s.id,
        }
        for s, share in sorted(drawn, key=lambda d: d[0].point.size)
    ]
    panels = _panels(rows, "share of the reads' bandwidth", False, "form")
    if not panels:
        return []
    largest = max(s.point.size for s, _ in drawn)
    kind = next(
        t for t in types if any(s.point.type == t and s.point.size == largest for s, _ in drawn)
    )
    of_largest = [d for d in drawn if d[0].point.size == largest and d[0].point.type == kind]
    best, share = max(of_largest, key=lambda d: d[1])
    like = [s.point.op for s, _ in of_largest if s is not best and _reaches(s, best)]
    fastest = " and ".join([best.point.op, *like])
    return [
        Figure(
            "reductions-share",
            f"Of {largest} elements of {kind} {fastest} {'are' if like else 'is'} the fastest, at "
            f"{text.ratio(100 * share)} % of the reads' bandwidth",
            "The time of plain reads of the array over that of its maximum, on a GPU, blocks of "
            f"{lanes} threads. Small arrays are read from a cache, and take as long as a launch.",
            panels,
            [s.id for s, _ in drawn],
        )
    ]


def _rate_figure(points: list[Measured]) -> list[Figure]:
    kind = next((t for t in types if any(s.point.type == t for s in points)), "")
    forms = [s for s in points if s.point.type == kind and s.point.op.startswith(_form)]
    gpu = [s for s in forms if s.point.on_gpu]
    lanes = _usual_lanes(gpu) if gpu else 0
    # Of a GPU's forms the fastest of each size stands for all.
    fastest: dict[tuple[str, int], Measured] = {}
    for s in gpu:
        key = (s.point.backend, s.point.size)
        if s.point.lanes == lanes and (key not in fastest or _ns(s) < _ns(fastest[key])):
            fastest[key] = s
    drawn = [*(s for s in forms if not s.point.on_gpu), *fastest.values()]
    rows: list[dict[str, Any]] = [
        {
            "size": s.point.size,
            "y": s.point.size * type_bytes[kind] / _ns(s),
            "form": f"{s.point.backend}, the fastest form"
            if s.point.on_gpu
            else f"{s.point.backend}, {s.point.lanes} lane{'s' * (s.point.lanes != 1)}",
            "type": kind,
            "ns": _ns(s),
            "id": s.id,
        }
        for s in sorted(drawn, key=lambda s: s.point.size)
        if _ns(s) > 0
    ]
    panels = _panels(rows, "GB/s", True, "backend")
    if not panels:
        return []
    top = max(rows, key=lambda r: r["y"])
    return [
        Figure(
            "reductions-rate",
            f"Maxima are found at up to {text.ratio(top['y'])} GB/s ({top['form']})",
            "Bytes of the array over the time of one maximum, both logarithmic.",
            panels,
            [s.id for s in drawn],
        )
    ]


def _ns(s: Measured) -> float:
    return s.cost.value if s.cost else 0.0


def _chart(rows: list[dict[str, Any]], forms: list[str], title: str, log: bool, of: str) -> Any:
    used = range(len(forms))
    x = alt.X(
        "size:Q",
        title="elements",
        axis=alt.Axis(format="~s", tickCount=5),
        scale=alt.Scale(type="log", base=2, nice=False),
    )
    scale = alt.Scale(type="log", nice=False) if log else alt.Scale(zero=True)
    axis = alt.Axis(format="~s" if log else "%", tickCount=5)
    y = alt.Y("y:Q", title=title, scale=scale, axis=axis)
    colour = alt.Color(
        "form:N",
        title=None,
        legend=alt.Legend(columns=2),
        scale=alt.Scale(domain=forms, range=[palette[i] for i in used]),
    )
    shape = alt.Shape(
        "form:N", title=None, scale=alt.Scale(domain=forms, range=[shapes[i] for i in used])
    )
    dash = alt.StrokeDash(
        "form:N", title=None, scale=alt.Scale(domain=forms, range=[dashes[i] for i in used])
    )
    tips = [
        alt.Tooltip("form:N", title=of),
        alt.Tooltip("size:Q", title="elements"),
        alt.Tooltip("ns:Q", title="ns", format=".4g"),
        alt.Tooltip("y:Q", title=title, format=".3g"),
        alt.Tooltip("id:N", title="point"),
    ]
    line = alt.Chart().mark_line(strokeWidth=1.5).encode(x=x, y=y, color=colour, strokeDash=dash)
    dots = (
        alt.Chart()
        .mark_point(filled=True, size=28, opacity=1)
        .encode(x=x, y=y, color=colour, shape=shape, tooltip=tips)
    )
    return alt.layer(line, dots, data=alt.Data(values=rows)).properties(
        width=panel_width, height=panel_height
    )
