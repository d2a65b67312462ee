"""The GPU's levels of synchronization on one axis: warp, block, cluster, grid, several GPUs, launch."""

from __future__ import annotations

from typing import Any

import altair as alt

from syncmeter_analysis import text
from syncmeter_analysis.campaign import Campaign
from syncmeter_analysis.figures.dots import row_height
from syncmeter_analysis.figures.figure import Figure, Panel, palette, shapes
from syncmeter_analysis.summary import Measured

#: Level, and what the names of its ops begin with.
levels = (
    (
        "warp",
        (
            "warp_sync",
            "shuffle_",
            "vote_",
            "match_",
            "tile_",
            "coalesced_",
            "active_mask",
            "reduce_",
        ),
    ),
    ("block", ("barrier", "block_barrier", "named_barrier", "syncthreads_")),
    ("cluster", ("cluster_",)),
    ("grid", ("grid_", "software_barrier_")),
    ("several GPUs", ("multi_gpu_",)),
    ("launch", ("launch", "additional_launch", "cooperative_launch", "graph_", "kernel_")),
)


def level_of(op: str) -> str:
    """The level that an op belongs to, '' for none."""
    return next((name for name, starts in levels if op.startswith(starts)), "")


def level_points(campaign: Campaign) -> list[Measured]:
    """One block of one warp and of 1024 threads, and each larger grid, of every op of a level."""
    return [
        s
        for s in campaign.measured
        if s.point.on_gpu
        and level_of(s.point.op)
        and s.point.lanes in (32, 1024)
        and not s.point.repeat
        and s.point.type in ("", "int32")
        and not s.doubt
        and not (s.family == "reduction" and s.point.size)  # of an array: much else beside
    ]


def level_figures(campaign: Campaign) -> list[Figure]:
    """One figure, where a GPU was measured."""
    points = level_points(campaign)
    if not points:
        return []
    launches = sorted({(s.point.blocks, s.point.lanes) for s in points})
    # One block, then the largest grids: those between say little more.
    launches = launches[:2] + launches[2:][2 - len(palette) :]
    names = {launch: f"{launch[0]} x {launch[1]}" for launch in launches}
    rows: list[dict[str, Any]] = []
    used: list[Measured] = []
    for s in points:
        launch = (s.point.blocks, s.point.lanes)
        if launch not in names or s.cost is None:
            continue
        used.append(s)
        rows.append(
            {
                "row": f"{level_of(s.point.op)}: {s.point.op}",
                "ns": s.cost.value,
                "low": s.cost.low if s.cost.bounded else None,
                "high": s.cost.high if s.cost.bounded else None,
                "cycles": s.cycles.value if s.cycles else None,
                "launch": names[launch],
                "id": s.id,
            }
        )
    order = {name: i for i, (name, _) in enumerate(levels)}
    rows.sort(key=lambda r: (order[r["row"].split(":")[0]], r["ns"]))
    chart = _chart(rows, list(names.values()))
    cheapest, dearest = min(used, key=_ns), max(used, key=_ns)
    title = (
        f"From {cheapest.point.op} to {dearest.point.op} a synchronization costs "
        f"{text.duration(_ns(cheapest))} to {text.duration(_ns(dearest))}"
    )
    missing = [name for name, _ in levels if not any(r["row"].startswith(name) for r in rows)]
    note = (
        "Cost per op with its 95 % interval, logarithmic; blocks x threads of each"
        + (f"; not measured: {', '.join(missing)}" if missing else "")
        + "."
    )
    return [
        Figure("levels", title, note, [Panel("all levels", chart)], [s.id for s in used], wide=True)
    ]


def _ns(s: Measured) -> float:
    return s.cost.value if s.cost else 0.0


def _chart(rows: list[dict[str, Any]], launches: list[str]) -> Any:
    order = list(dict.fromkeys(r["row"] for r in rows))
    y = alt.Y("row:N", sort=order, title=None, axis=alt.Axis(labelLimit=260))
    scale = alt.Scale(type="log", nice=False)
    title = "ns per op"
    colour = alt.Color(
        "launch:N",
        title="blocks x threads",
        sort=launches,
        scale=alt.Scale(domain=launches, range=palette[: len(launches)]),
    )
    shape = alt.Shape(
        "launch:N",
        title="blocks x threads",
        sort=launches,
        scale=alt.Scale(domain=launches, range=shapes[: len(launches)]),
    )
    tips = [
        alt.Tooltip("row:N", title="op"),
        alt.Tooltip("launch:N", title="blocks x threads"),
        alt.Tooltip("ns:Q", title="ns", format=".4g"),
        alt.Tooltip("cycles:Q", title="cycles", format=".4g"),
        alt.Tooltip("id:N", title="point"),
    ]
    bars = (
        alt.Chart()
        .mark_rule(opacity=0.5)
        .encode(x=alt.X("low:Q", scale=scale, title=title), x2="high:Q", y=y, color=colour)
    )
    dots = (
        alt.Chart()
        .mark_point(filled=True, size=50, opacity=1)
        .encode(
            x=alt.X("ns:Q", scale=scale, title=title), y=y, color=colour, shape=shape, tooltip=tips
        )
    )
    known = any(r["low"] is not None for r in rows)
    chart = alt.layer(*([bars, dots] if known else [dots]), data=alt.Data(values=rows))
    return chart.properties(height=row_height * max(len(order), 2), width=420)
