"""What it costs to hand a flag from one warp of a GPU to another: by form, and by distance."""

from __future__ import annotations

from typing import Any

import altair as alt

from syncmeter_analysis.figures.dots import cost_dots
from syncmeter_analysis.figures.figure import (
    Figure,
    Panel,
    palette,
    panel_height,
    panel_width,
)
from syncmeter_analysis.statistics import text
from syncmeter_analysis.statistics.campaign import Campaign
from syncmeter_analysis.statistics.summary import Measured

_forms = {
    ("ptx", "acq_rel"): "ld.acquire, st.release",
    ("ptx", "relaxed"): "ld.relaxed, st.relaxed",
    ("atomic_ref", "acq_rel"): "atomic_ref acquire, release",
    ("atomic_ref", "relaxed"): "atomic_ref relaxed",
    ("volatile", "acq_rel"): "volatile and fence",
    ("volatile", "relaxed"): "volatile",
}
_scopes = ("block", "cluster", "device", "system")


def _of(campaign: Campaign, op: str) -> list[Measured]:
    return [
        s
        for s in campaign.measured
        if s.point.on_gpu and s.point.op == op and s.cost is not None and not s.doubt
    ]


def _ns(s: Measured) -> float:
    return s.cost.value if s.cost else 0.0


def _launch(s: Measured) -> str:
    if s.point.op == "handoff_chain":
        return "one-shot chain"
    return "ring in one block" if s.point.blocks == 1 else f"ring through {s.point.blocks} blocks"


def handoff_figures(campaign: Campaign) -> list[Figure]:
    """One figure for forms and one for distances, where they were measured."""
    figures = []
    forms = _of(campaign, "warp_handoff") + _of(campaign, "handoff_chain")
    forms = [s for s in forms if (s.point.flavour, s.point.order) in _forms]
    if forms:
        figures.append(_by_form(forms))
    pairs = [s for s in _of(campaign, "sm_handoff") if s.point.order == "acq_rel"]
    if len(pairs) > 1:
        figures.append(_by_distance(pairs))
    return figures


def _by_form(points: list[Measured]) -> Figure:
    rows: list[dict[str, Any]] = [
        {
            "row": f"{_forms[s.point.flavour, s.point.order]}, {s.point.scope}",
            "rank": (list(_forms).index((s.point.flavour, s.point.order)), s.point.scope),
            "ns": _ns(s),
            "low": s.cost.low if s.cost and s.cost.bounded else None,
            "high": s.cost.high if s.cost and s.cost.bounded else None,
            "group": _launch(s),
            "id": s.id,
        }
        for s in points
    ]
    rows.sort(key=lambda r: (r["rank"][0], _scopes.index(r["rank"][1])))
    for r in rows:
        del r["rank"]
    groups = list(dict.fromkeys(r["group"] for r in rows))
    chart = cost_dots(rows, "ns per handoff", groups, "form")
    cheapest, dearest = min(points, key=_ns), max(points, key=_ns)
    title = (
        f"A flag from warp to warp takes {text.duration(_ns(cheapest))} to "
        f"{text.duration(_ns(dearest))}, by how it is written and how far it goes"
    )
    note = (
        "ns per handoff with the 95 % interval, logarithmic; form and scope. The chain is an "
        "article's: every warp of a grid waits once for one flag."
    )
    return Figure(
        "handoffs", title, note, [Panel("by form", chart)], [s.id for s in points], wide=True
    )


def _by_distance(points: list[Measured]) -> Figure:
    rows = [{"partner": s.point.size, "ns": _ns(s), "id": s.id} for s in points]
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_point(filled=True, size=50, opacity=1, color=palette[0])
        .encode(
            x=alt.X("partner:Q", title="multiprocessor of the other warp"),
            y=alt.Y("ns:Q", title="ns per handoff", scale=alt.Scale(zero=False)),
            tooltip=[
                alt.Tooltip("partner:Q", title="multiprocessor"),
                alt.Tooltip("ns:Q", title="ns", format=".4g"),
                alt.Tooltip("id:N", title="point"),
            ],
        )
        .properties(width=panel_width, height=panel_height)
    )
    nearest, farthest = min(points, key=_ns), max(points, key=_ns)
    title = (
        f"From the first multiprocessor to another a handoff takes {text.duration(_ns(nearest))} to "
        f"{text.duration(_ns(farthest))}"
    )
    note = (
        "ns per handoff by acquire and release at scope device; 1 is another block of the first "
        "multiprocessor itself."
    )
    return Figure(
        "handoff-distance", title, note, [Panel("by distance", chart)], [s.id for s in points]
    )
