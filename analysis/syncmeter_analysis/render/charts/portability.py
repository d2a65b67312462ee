"""What a portable API costs over the native one, op by op."""

from __future__ import annotations

from math import log

from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.relation import Verdict, default_margin
from syncmeter_analysis.render.charts.dots import ratio_dots
from syncmeter_analysis.render.charts.figure import Figure, Panel
from syncmeter_analysis.studies.portability import Portability, Side

# The largest differences; all are in the table.
_most_rows = 45


def figures(found: Portability) -> list[Figure]:
    """A figure for each portable backend."""
    return [_figure(side) for side in found.sides if side.rows]


def _figure(side: Side) -> Figure:
    ordered = sorted(side.rows, key=lambda row: -abs(log(row.difference.ratio.value)))
    shown = sorted(ordered[:_most_rows], key=lambda row: -row.difference.ratio.value)
    fields = []
    for row in shown:
        r = row.difference.ratio
        fields.append(
            {
                "row": text.short_name(row.other.point, without=("backend",)),
                "ratio": r.value,
                "low": r.low if r.bounded else None,
                "high": r.high if r.bounded else None,
                "group": row.difference.verdict.value,
                "id": row.other.id,
            }
        )
    groups = [v.value for v in Verdict if any(f["group"] == v.value for f in fields)]
    slower, faster, same = map(side.count, (Verdict.slower, Verdict.faster, Verdict.same))
    title = (
        f"{side.other} over {side.native}: slower at {text.count(slower, 'point')}, faster at "
        f"{faster}, the same at {same} of {len(side.rows)}"
    )
    cut = f"; the {len(shown)} largest of {len(side.rows)}" if len(shown) < len(ordered) else ""
    return Figure(
        f"backend-{side.other}",
        title,
        f"Ratio of costs with its 95 % interval, logarithmic; within {default_margin:.0%} is the "
        f"same; differences after Holm's correction over all pairs{cut}.",
        [Panel(f"{side.other} over {side.native}", ratio_dots(fields, "ratio of costs", groups))],
        [s.id for row in side.rows for s in (row.native, *row.points)],
        wide=True,
    )
