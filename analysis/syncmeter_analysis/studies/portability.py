"""A portable API over the native API of the same hardware: each pair of counterparts, and all ways to
fork and join."""

from __future__ import annotations

from math import log

from syncmeter_analysis.conclude.studies.portability import rows as rows
from syncmeter_analysis.relate import point_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.contest import Contest
from syncmeter_analysis.relate.portability import Row, Side
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Cell, Line, table
from syncmeter_analysis.studies.cells import fork_table, latency, named, of_each
from syncmeter_analysis.studies.figures import Figure, dots
from syncmeter_analysis.voice.compare import verdict_text

title = "Portable against native"
order = 9


@of_each
def text(side: Side | Contest) -> list[Block]:
    """Returns for each portable backend every pair, and what has no ratio; and all ways to fork."""
    if isinstance(side, Contest):
        return [fork_table(side)]
    rows = [
        [
            *(_names(row.points, "op"), _names(row.points, "type"), _placed(row), _rare(row)),
            *(latency(row.difference.ratio.state), *_costs(row), row.difference.ratio),
            *(row.difference.ratio.visits, *row.codes, verdict_text(row.difference)),
        ]
        for row in side.rows
    ]
    columns = f"operation|type|affinity|with|latency ns>|{side.native} ns>|{side.other} ns>"
    columns += f"|ratio (95 % CI)>|repetitions>|{side.native} compiled to|{side.other} compiled to|"
    missing = (
        [named(len(points), *points), why, ", ".join(dict.fromkeys(s.point.op for s in points))]
        for why, points in side.missing.items()
    )
    sides = (side.native, side.alone[0]), (side.other, side.alone[1])
    alone = [[name, n] for name, n in sides if n]
    return [
        table(f"{side.other} over {side.native}, ns", columns, rows, keys=5, folded=15, repeat=50),
        table("Pairs without a ratio", "pairs>|reason|operations", missing),
        table("Configurations without a counterpart", "backend|configurations>", alone),
    ]


def _costs(row: Row) -> list[Cell]:
    """Returns the costs in the common placement."""
    r, sides = row.difference.ratio, ([row.native], row.points)
    costs = zip((r.under_ns, r.over_ns), sides, strict=True)
    return [named(formats.nanoseconds(ns), *points) for ns, points in costs]


def _names(points: list[Measured], axis: str) -> str:
    return " ".join(dict.fromkeys(str(getattr(s.point, axis)) for s in points))


def _placed(row: Row) -> str:
    names = _names(row.points, "affinity")
    wait = row.other.point.wait
    return " ".join([names] * (names != "none") + [wait] * (wait != "active"))


def _rare(row: Row) -> str:
    """Returns every axis without a column."""
    return point_text.short_name(row.other.point, ("backend", "op", "type", "affinity", "wait"))


# Of the differences the largest are drawn; all are in the table.
_most_drawn = 45


@of_each
def figures(side: Side | Contest) -> list[Figure]:
    """Returns a figure for each portable backend."""
    if isinstance(side, Contest):
        return []
    ordered = sorted(side.rows, key=lambda row: -abs(log(row.difference.ratio.value)))
    shown = sorted(ordered[:_most_drawn], key=lambda row: -row.difference.ratio.value)
    lines: list[Line] = [
        (
            [point_text.short_name(row.other.point, without=("backend",))],
            {row.difference.verdict.value: row.difference.ratio.interval},
            (),
        )
        for row in shown
    ]
    over = f"{side.other} over {side.native}: ratio of costs"
    cut = f" The {len(shown)} largest of {len(side.rows)}." * (len(shown) < len(ordered))
    note = f"Ratio of costs with its 95 % interval, logarithmic.{cut}"
    looks = {"title": "ratio of costs", "ratios": True}
    found = dots(f"backend-{side.other}", over, note, lines, **looks)
    for figure in found:
        figure.points = [s.id for row in side.rows for s in (row.native, *row.points)]
    return found
