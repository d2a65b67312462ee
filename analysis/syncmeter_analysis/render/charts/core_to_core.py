"""The matrix of costs between PUs, in the order of the topology."""

from __future__ import annotations

from typing import Any

from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.stats import median
from syncmeter_analysis.render.charts.figure import Figure, Panel
from syncmeter_analysis.render.charts.heat import heat_map
from syncmeter_analysis.studies.core_to_core import CoreToCore, Matrix


def figures(found: CoreToCore) -> list[Figure]:
    """One figure with a panel for each op and home."""
    drawn = [matrix for matrix in found.matrices if matrix.costs]
    if not drawn:
        return []
    costs = [cost for matrix in drawn for cost in matrix.costs]
    domain = (min(costs), max(max(costs), min(costs) * 1.5))
    return [
        Figure(
            "core-to-core",
            _finding(drawn[0]),
            "ns one way (half a round trip) of a handoff, per op of anything else; PUs in the order of "
            "the topology; the row is the first lane, whose PU is home of the mailboxes unless it says "
            "otherwise.",
            [_panel(matrix, domain) for matrix in drawn],
            [id for matrix in drawn for id in matrix.points],
        )
    ]


def _finding(matrix: Matrix) -> str:
    """The classes of the first matrix, as the text tells them."""
    told = [c for c in matrix.classes if c.costs]
    costs = ", ".join(f"{text.duration(median(c.costs))} ({c.name})" for c in told)
    measured = sum(c.measured for c in told)
    return (
        f"{text.short_name(matrix.what)}: {costs}; {text.duration(min(matrix.costs))} to "
        f"{text.duration(max(matrix.costs))} over {text.count(measured, 'pair')}"
    )


def _panel(matrix: Matrix, domain: tuple[float, float]) -> Panel:
    seen = {pu for pus in matrix.cells for pu in pus}
    pus = [str(pu) for pu in matrix.units if pu in seen]
    fields: list[dict[str, Any]] = [
        {
            "y": str(first),
            "x": str(second),
            "v": s.cost.value,
            "label": f"{s.cost.value:.0f}",
            "low": s.cost.low if s.cost.bounded else None,
            "high": s.cost.high if s.cost.bounded else None,
            "id": s.id,
        }
        for (first, second), s in matrix.cells.items()
        if s.usable and s.cost is not None
    ]
    side = 34 if len(pus) <= 16 else 12
    chart = heat_map(
        fields,
        ("to PU", pus),
        ("from PU", pus),
        "ns",
        logarithmic=False,
        domain=domain,
        size=(side, side),
    )
    return Panel(text.short_name(matrix.what), chart)
