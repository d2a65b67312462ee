"""The matrix of one-way latencies between PUs, in the order of the topology."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from syncmeter_analysis.data.topology import pair_class, pair_classes, units_of
from syncmeter_analysis.figures.figure import Figure, Panel
from syncmeter_analysis.figures.heat import heat_map
from syncmeter_analysis.statistics import text
from syncmeter_analysis.statistics.campaign import Campaign
from syncmeter_analysis.statistics.stats import median
from syncmeter_analysis.statistics.summary import Measured


def _pairs(campaign: Campaign) -> dict[tuple[str, str, str], list[Measured]]:
    found: dict[tuple[str, str, str], list[Measured]] = defaultdict(list)
    for s in campaign.measured:
        if len(s.point.pus) == 2 and s.family == "handoff":
            found[s.point.backend, s.point.op, s.point.home].append(s)
    return found


def latency_classes(campaign: Campaign) -> list[tuple[str, str, list[Measured]]]:
    """Op, class of pairs, and its points; nearest classes first."""
    units = units_of(file.campaign for file in campaign.files)
    rows = []
    for (backend, op, home), points in _pairs(campaign).items():
        classes: dict[str, list[Measured]] = defaultdict(list)
        for s in points:
            a, b = (units.get(pu, {}) for pu in s.point.pus)
            classes[pair_class(a, b)].append(s)
        name = f"{op} ({backend}{', home ' + home if home else ''})"
        rows += [(name, c, classes[c]) for c in pair_classes if c in classes]
    return rows


def core_to_core_figures(campaign: Campaign) -> list[Figure]:
    """One figure with a panel for each op and home."""
    units = units_of(file.campaign for file in campaign.files)
    found = _pairs(campaign)
    if not found:
        return []

    def place(pu: int) -> tuple[int, ...]:
        unit = units.get(pu, {})
        return (*(unit.get(x, -1) for x in ("package", "numa", "l3", "l2", "core", "thread")), pu)

    panels, ids = [], []
    costs = [s.cost.value for points in found.values() for s in points if s.cost]
    domain = (min(costs), max(max(costs), min(costs) * 1.5))
    for (backend, op, home), points in sorted(found.items()):
        pus = [str(pu) for pu in sorted({pu for s in points for pu in s.point.pus}, key=place)]
        rows: list[dict[str, Any]] = []
        for s in points:
            if s.cost is None:
                continue
            rows.append(
                {
                    "y": str(s.point.pus[0]),
                    "x": str(s.point.pus[1]),
                    "v": s.cost.value,
                    "label": f"{s.cost.value:.0f}",
                    "low": s.cost.low if s.cost.bounded else None,
                    "high": s.cost.high if s.cost.bounded else None,
                    "id": s.id,
                }
            )
        side = 34 if len(pus) <= 16 else 12
        panels.append(
            Panel(
                f"{op} ({backend})" + (f", home {home}" if home else ""),
                heat_map(
                    rows,
                    ("to PU", pus),
                    ("from PU", pus),
                    "ns one way",
                    logarithmic=False,
                    domain=domain,
                    scheme="viridis" if len(pus) > 16 else "blues",
                    size=(side, side),
                ),
            )
        )
        ids += [s.id for s in points]
    low, high = min(costs), max(costs)
    title = (
        f"A token takes {text.duration(median(costs))} from PU to PU, {text.duration(low)} to "
        f"{text.duration(high)}"
    )
    return [
        Figure(
            "core-to-core",
            title,
            "One way, half a round trip, in the order of the topology; "
            "the row is the first lane, whose PU is home of the mailboxes unless it says "
            "otherwise.",
            panels,
            ids,
        )
    ]
