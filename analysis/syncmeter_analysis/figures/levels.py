"""The GPU's levels of synchronization: all on one axis, and the grid's barrier by its launch."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from syncmeter_analysis.figures.dots import cost_dots
from syncmeter_analysis.figures.figure import Figure, Panel, palette
from syncmeter_analysis.figures.heat import heat_map
from syncmeter_analysis.statistics import text
from syncmeter_analysis.statistics.campaign import Campaign
from syncmeter_analysis.statistics.levels import level_of, levels
from syncmeter_analysis.statistics.summary import Measured


def level_points(campaign: Campaign) -> list[Measured]:
    """One block of one warp and of 1024 threads, and each larger grid, of every op of a level.

    Of an op that works on groups of a size: its smallest and its largest at each launch.
    """
    points = [
        s
        for s in campaign.measured
        if s.point.on_gpu
        and level_of(s.point.op)
        and s.family != "reduction"  # of an array: much else beside
        and s.point.lanes in (32, 1024)
        and not s.point.repeat
        and s.point.type in ("", "int32")
        and not s.doubt
        and s.cost is not None
    ]
    sizes: dict[tuple[str, int, int], set[int]] = defaultdict(set)
    for s in points:
        sizes[s.point.op, s.point.blocks, s.point.lanes].add(s.point.size)
    return [
        s
        for s in points
        if s.point.size
        in (
            min(sizes[s.point.op, s.point.blocks, s.point.lanes]),
            max(sizes[s.point.op, s.point.blocks, s.point.lanes]),
        )
    ]


def _launches(points: list[Measured]) -> list[tuple[int, int]]:
    """Blocks and threads of as many launches as there are colours: of each level the launch that
    most of its ops have, then those with most ops of all."""
    ops: dict[tuple[int, int], set[str]] = defaultdict(set)
    for s in points:
        ops[s.point.blocks, s.point.lanes].add(s.point.op)
    chosen: list[tuple[int, int]] = []
    for level, _ in levels:
        of_level = {
            launch: n
            for launch, names in ops.items()
            if (n := sum(level_of(op) == level for op in names))
        }
        if of_level:
            chosen.append(min(of_level, key=lambda launch: (-of_level[launch], launch)))
    chosen += sorted(ops, key=lambda launch: (-len(ops[launch]), launch))
    return sorted(list(dict.fromkeys(chosen))[: len(palette)])


def level_figures(campaign: Campaign) -> list[Figure]:
    """All levels on one axis, and the heat map of the grid's barrier, where they were measured."""
    return _axis(campaign) + _grid(campaign)


def _axis(campaign: Campaign) -> list[Figure]:
    points = level_points(campaign)
    if not points:
        return []
    launches = _launches(points)
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
                "row": f"{level_of(s.point.op)}: {s.point.op}"
                + (f" of {s.point.size}" if s.point.size else ""),
                "ns": s.cost.value,
                "low": s.cost.low if s.cost.bounded else None,
                "high": s.cost.high if s.cost.bounded else None,
                "cycles": s.cycles.value if s.cycles else None,
                "group": names[launch],
                "id": s.id,
            }
        )
    order = {name: i for i, (name, _) in enumerate(levels)}
    rows.sort(key=lambda r: (order[r["row"].split(":")[0]], r["ns"]))
    chart = cost_dots(rows, "ns per op", list(names.values()), "op", "blocks x threads")
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


def _grid(campaign: Campaign) -> list[Figure]:
    """Figure 8 of the paper: microseconds by blocks and threads of each."""
    points = [
        s
        for s in campaign.measured
        if s.point.op == "grid_sync" and s.cost is not None and not s.doubt and not s.point.repeat
    ]
    blocks = sorted({s.point.blocks for s in points})
    threads = sorted({s.point.lanes for s in points})
    if len(blocks) < 2 or len(threads) < 2:
        return []
    rows: list[dict[str, Any]] = [
        {
            "x": str(s.point.blocks),
            "y": str(s.point.lanes),
            "v": _ns(s) / 1e3,
            "label": f"{_ns(s) / 1e3:.2f}",
            "low": s.cost.low / 1e3 if s.cost and s.cost.bounded else None,
            "high": s.cost.high / 1e3 if s.cost and s.cost.bounded else None,
            "id": s.id,
        }
        for s in points
    ]
    cheapest, dearest = min(points, key=_ns), max(points, key=_ns)
    chart = heat_map(
        rows,
        ("blocks", [str(n) for n in blocks]),
        ("threads per block", [str(n) for n in threads]),
        "us per barrier",
        logarithmic=True,
        domain=(_ns(cheapest) / 1e3, max(_ns(dearest), 1.01 * _ns(cheapest)) / 1e3),
        scheme="blues",
        size=(70, 34),
    )
    title = (
        f"A barrier of the grid costs {text.duration(_ns(cheapest))} with {cheapest.point.blocks} "
        f"blocks and {text.duration(_ns(dearest))} with {dearest.point.blocks}"
    )
    note = "grid_sync, microseconds; an empty field does not run at once or was not measured."
    panel = Panel("grid_sync", chart)
    return [Figure("grid-barrier", title, note, [panel], [s.id for s in points], wide=True)]


def _ns(s: Measured) -> float:
    return s.cost.value if s.cost else 0.0
