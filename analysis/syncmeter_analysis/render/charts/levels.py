"""The GPU's levels of synchronization: all on one axis, and the grid's barrier by its launch."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.levels import level_of, levels
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.render.charts.dots import cost_dots
from syncmeter_analysis.render.charts.figure import Figure, Panel, palette
from syncmeter_analysis.render.charts.heat import heat_map
from syncmeter_analysis.studies.levels import GpuLevels, Levels, ns_of


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


def figures(found: Levels) -> list[Figure]:
    """All levels on one axis, and the heat map of the grid's barrier, where they were measured; of
    each backend."""
    drawn = []
    for i, of_backend in enumerate(found.backends):
        for figure in _axis(of_backend) + _grid(of_backend.grid):
            if i:
                figure.id += f"-{of_backend.backend}"
            if len(found.backends) > 1:
                figure.title = f"{of_backend.backend}: {figure.title}"
            drawn.append(figure)
    return drawn


def _finding(found: GpuLevels) -> str:
    """The fastest way of each level that was measured, in the order of the levels."""
    told = [
        f"{name} {text.duration(ns_of(winners.best))}"
        for name, winners in found.axis
        if winners is not None
    ]
    return f"The fastest synchronization of each level: {'; '.join(told)}"


def _axis(found: GpuLevels) -> list[Figure]:
    points = found.drawn
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
    chart = cost_dots(rows, "ns per op", list(names.values()), "op", "blocks x threads")
    missing = [name for name, _ in levels if not any(r["row"].startswith(name) for r in rows)]
    note = (
        "Cost per op with its 95 % interval, logarithmic; blocks x threads of each"
        + (f"; not measured: {', '.join(missing)}" if missing else "")
        + "."
    )
    return [
        Figure(
            "levels",
            _finding(found),
            note,
            [Panel("all levels", chart)],
            [s.id for s in used],
            wide=True,
        )
    ]


def _grid(points: list[Measured]) -> list[Figure]:
    """Figure 8 of the paper: microseconds by blocks and threads of each."""
    blocks = sorted({s.point.blocks for s in points})
    threads = sorted({s.point.lanes for s in points})
    if len(blocks) < 2 or len(threads) < 2:
        return []
    rows: list[dict[str, Any]] = [
        {
            "x": str(s.point.blocks),
            "y": str(s.point.lanes),
            "v": ns_of(s) / 1e3,
            "label": f"{ns_of(s) / 1e3:.2f}",
            "low": s.cost.low / 1e3 if s.cost and s.cost.bounded else None,
            "high": s.cost.high / 1e3 if s.cost and s.cost.bounded else None,
            "id": s.id,
        }
        for s in points
    ]
    fastest, slowest = min(points, key=ns_of), max(points, key=ns_of)
    chart = heat_map(
        rows,
        ("blocks", [str(n) for n in blocks]),
        ("threads per block", [str(n) for n in threads]),
        "us per barrier",
        logarithmic=True,
        domain=(ns_of(fastest) / 1e3, max(ns_of(slowest), 1.01 * ns_of(fastest)) / 1e3),
        size=(70, 34),
    )
    title = (
        f"A barrier of the grid costs {text.duration(ns_of(fastest))} with {fastest.point.blocks} "
        f"blocks and {text.duration(ns_of(slowest))} with {slowest.point.blocks}"
    )
    note = "grid_sync, microseconds; empty: not resident at once, or not measured."
    panel = Panel("grid_sync", chart)
    return [Figure("grid-barrier", title, note, [panel], [s.id for s in points], wide=True)]
