"""Loads of a warp by how its lanes lie on memory, from device memory and from L2, on one axis."""

from __future__ import annotations

from typing import Any

from syncmeter_analysis.figures.dots import cost_dots
from syncmeter_analysis.figures.figure import Figure, Panel
from syncmeter_analysis.statistics import text
from syncmeter_analysis.statistics.campaign import Campaign
from syncmeter_analysis.statistics.summary import Measured

_levels = ("device memory", "L2")
_patterns = (
    "coalesced",
    "permuted",
    "broadcast",
    "misaligned",
    "strided",
    "random",
    "row_walk",
    "column_walk",
)
_warp = 32


def _is_load(op: str) -> bool:
    return op.removeprefix("load_").removesuffix("_l2") in _patterns and op.startswith("load_")


def coalescing_figures(campaign: Campaign) -> list[Figure]:
    """One figure of the largest launch, where a GPU's loads were measured."""
    points = [
        s
        for s in campaign.measured
        if s.point.on_gpu and _is_load(s.point.op) and s.usable and s.cost and not s.doubt
    ]
    most = max((s.point.blocks * s.point.lanes for s in points), default=0)
    drawn = [s for s in points if s.point.blocks * s.point.lanes == most]
    if len(drawn) < 2:
        return []
    rows = sorted((_row(s, most) for s in drawn), key=lambda r: (r["rank"], r["size"]))
    note = (
        "Time of one load by a warp with the device full, and its 95 % interval, logarithmic. "
        "Numbers: bytes from the start of a line (misaligned), words from lane to lane (strided); "
        "random: two loads."
    )
    title = _finding(drawn)
    chart = cost_dots(rows, "ns per load of a warp", _levels, "pattern", "from")
    return [
        Figure("coalescing", title, note, [Panel("all patterns", chart)],
               [s.id for s in drawn], wide=True)
    ]  # fmt: skip


def _row(s: Measured, lanes: int) -> dict[str, Any]:
    name = s.point.op.removeprefix("load_").removesuffix("_l2")
    warps = lanes / _warp
    cost = s.cost
    assert cost is not None
    return {
        "row": f"{name} {s.point.size}" if s.point.size else name,
        "rank": _patterns.index(name),
        "size": s.point.size,
        "group": _levels[s.point.op.endswith("_l2")],
        "ns": cost.value / warps,
        "low": cost.low / warps if cost.bounded else None,
        "high": cost.high / warps if cost.bounded else None,
        "id": s.id,
    }


def _finding(points: list[Measured]) -> str:
    """The dearest stride over the coalesced load of its level."""
    costs = {(s.point.op, s.point.size): s.cost.value for s in points if s.cost}
    ratios = [
        (cost / base, size, level)
        for level, end in zip(_levels, ("", "_l2"), strict=True)
        if (base := costs.get((f"load_coalesced{end}", 0)))
        for (op, size), cost in costs.items()
        if op == f"load_strided{end}"
    ]
    if not ratios:
        return "What a load costs by how the lanes of a warp lie on memory"
    ratio, size, level = max(ratios)
    return f"Words {size} apart cost {text.ratio(ratio)} times coalesced ones from {level}"
