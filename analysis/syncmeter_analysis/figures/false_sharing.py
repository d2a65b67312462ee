"""Stride by lanes: what cells near each other cost over cells far apart, for each affinity."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from syncmeter_analysis.figures.figure import Figure, Panel
from syncmeter_analysis.figures.heat import heat_map
from syncmeter_analysis.statistics import text
from syncmeter_analysis.statistics.campaign import Campaign
from syncmeter_analysis.statistics.relation import Ratio, ratio
from syncmeter_analysis.statistics.summary import Measured

# Costs within this of those far apart count as the same; the driver's bound.
_same = 1.05
_least_strides = 3


def _key(s: Measured) -> tuple[str, str, str, int]:
    return s.point.op, s.point.type, s.point.affinity, s.point.base_offset


def interference_size(ratios: dict[int, list[Ratio]]) -> int | None:
    """The smallest stride (bytes) from which on no ratio is resolved above 5 %, where a smaller one
    is; None where that cannot be told."""
    dear = [
        stride
        for stride, pairs in ratios.items()
        if any(p.bounded and p.low > _same for p in pairs)
    ]
    beyond = [stride for stride in ratios if stride > max(dear, default=0)]
    return min(beyond) if dear and beyond else None


def false_sharing_figures(campaign: Campaign) -> list[Figure]:
    """A figure for each op; panels by affinity (and by where the array begins)."""
    groups: dict[tuple[str, str, str, int], list[Measured]] = defaultdict(list)
    for s in campaign.measured:
        p = s.point
        if (
            p.placement == "strided"
            and not p.on_gpu
            and p.lanes > 1
            and p.stride
            and not s.oversubscribed
            and p.order != "seq_cst"
            and not p.repeat
            and not p.cells
        ):
            groups[_key(s)].append(s)
    by_op: dict[str, list[tuple[tuple[str, str, str, int], list[Measured]]]] = defaultdict(list)
    for key, points in groups.items():
        if len({s.point.stride_bytes for s in points}) >= _least_strides and not (
            all(s.measured_as for s in points)
        ):
            by_op[key[0]].append((key, points))
    figures = []
    for op, found in by_op.items():
        chosen = next(
            (
                t
                for t in ("int32", "float", "uint64", "double")
                if any(key[1] == t for key, _ in found)
            ),
            "",
        )
        panels, sizes, ids, worst = [], [], [], 1.0
        for key, points in found:
            if key[1] != chosen:
                continue
            panel, size, top = _panel(key, points)
            if panel is not None:
                panels.append(panel)
                ids += [s.id for s in points]
                sizes += [size] if size else []
                worst = max(worst, top)
        if panels:
            told = f"sharing a line costs up to {text.ratio(worst)} times" + (
                f"; {max(sizes)} bytes apart are enough" if sizes else ""
            )
            if worst <= _same:
                told = "sharing a line costs nothing"
            figures.append(
                Figure(
                    f"false-sharing-{op.replace('_', '-')}",
                    f"{op} {chosen}: {told}",
                    "Cost over that of the cells farthest apart (same lanes, same state); the "
                    "line is the destructive interference size, the smallest stride from which on no "
                    f"cost is resolved above 5 %. Types but {chosen} are in the table of points.",
                    panels,
                    ids,
                )
            )
    return figures


def _panel(
    key: tuple[str, str, str, int], points: list[Measured]
) -> tuple[Panel | None, int | None, float]:
    farthest = max(s.point.stride_bytes for s in points)
    apart = {s.point.lanes: s for s in points if s.point.stride_bytes == farthest}
    ratios: dict[int, list[Ratio]] = defaultdict(list)
    rows: list[dict[str, Any]] = []
    for s in points:
        partner = apart.get(s.point.lanes)
        if partner is None or s.point.stride_bytes == farthest:
            continue
        found = ratio(s, partner)
        if not isinstance(found, Ratio):
            continue
        ratios[s.point.stride_bytes].append(found)
        r = found
        rows.append(
            {
                "x": str(s.point.stride_bytes),
                "y": str(s.point.lanes),
                "v": r.value,
                "label": text.ratio(r.value),
                "low": r.low if r.bounded else None,
                "high": r.high if r.bounded else None,
                "id": s.id,
            }
        )
    if not rows:
        return None, None, 1.0
    size = interference_size(ratios)
    strides = [str(x) for x in sorted(ratios)]
    lanes = [str(x) for x in sorted(apart)]
    top = max(r["v"] for r in rows)
    base = f", from {key[3]} B" if key[3] else ""
    title = f"affinity {key[2]}{base} (1 = {farthest} B apart)"
    chart = heat_map(
        rows,
        ("bytes between cells", strides),
        ("lanes", lanes),
        "times dearer",
        logarithmic=True,
        domain=(1.0, max(top, 2.0)),
        scheme="blues",
        size=(46, 26),
        after=str(size) if size else None,
    )
    return Panel(title, chart), size, top
