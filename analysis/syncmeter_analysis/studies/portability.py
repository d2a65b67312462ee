"""A portable API over the native API of the same hardware: each pair of counterparts, and all ways to
fork and join."""

from __future__ import annotations

from math import log

from syncmeter_analysis.conclude.studies.portability import rows as rows
from syncmeter_analysis.relate import point_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.contest import Contest
from syncmeter_analysis.relate.portability import Row, Side
from syncmeter_analysis.relate.relation import Verdict, default_margin
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.text import percent
from syncmeter_analysis.studies.blocks import Block, Bullets, Cell, Table, table
from syncmeter_analysis.studies.cells import of_each
from syncmeter_analysis.studies.figures import Dots, Figure, Panel
from syncmeter_analysis.studies.figures import row as figure_row
from syncmeter_analysis.studies.forks import fork_table
from syncmeter_analysis.voice.compare import undecided_text, verdict_text

title = "Portable against native"
order = 9


# Of ops without a ratio for one reason no more are named than this.
_most_named = 6


@of_each
def text(side: Side | Contest) -> list[Block]:
    """For each portable backend every pair, and what has no ratio; and all ways to fork."""
    if isinstance(side, Contest):
        return [fork_table(side)]
    blocks: list[Block] = [_table(side)] if side.rows else []
    if side.missing:
        blocks.append(_missing_table(side))
    notes = [f"note: {note}" for note in side.comparison.notes]
    notes += filter(None, [undecided_text(side.comparison)])
    sides = (side.native, side.other), (side.other, side.native)
    for n, (name, other) in zip(side.alone, sides, strict=True):
        if n:
            notes.append(f"{formats.count(n, 'point')} of {name} without a counterpart of {other}")
    return [*blocks, Bullets(notes)] if notes else blocks


def _names(points: list[Measured], axis: str) -> str:
    return " ".join(dict.fromkeys(str(getattr(s.point, axis)) for s in points))


def _judgement(row: Row) -> str:
    """The verdict, and whether both compiled to the same."""
    judgement = verdict_text(row.difference)
    native, other = row.codes
    if not native or not other:
        return judgement
    return judgement + (", same code" if native == other else ", other code")


def _table(side: Side) -> Table:
    columns = "op|type|order|placed|cells|lanes>|with|state|"
    columns += f"{side.native}>|{side.other}>|ratio>|95 % interval>|visits|"
    columns += f"{side.native} compiled to|{side.other} compiled to|"
    rows = []
    for row in side.rows:
        p, r = row.other.point, row.difference.ratio
        at = [_names(row.points, "op"), _names(row.points, "type")]
        at += [p.order if p.order != "unordered" else "", _placed(row), point_text.cells(p)]
        at += [f"{p.blocks} x {p.lanes}" if p.blocks != 1 else str(p.lanes), _rare(row)]
        at += [f"hop {r.state.hop_ns:.0f} ns" if r.state and r.state.hop_ns > 0 else ""]
        costs = [Cell(formats.nanoseconds(r.under_ns), [row.native.id])]
        costs += [Cell(formats.nanoseconds(r.over_ns), [s.id for s in row.points])]
        says = [str(r.visits), *row.codes, _judgement(row)]
        rows.append([*at, *costs, *formats.ratio_fields(r), *says])
    what = f"{side.other} over {side.native}, ns per op, in one placement state"
    return table(what, columns, rows, keys=8, folded=15, repeat=50, spare=[12])


def _placed(row: Row) -> str:
    names = _names(row.points, "affinity")
    wait = row.other.point.wait
    return " ".join([names] * (names != "none") + [wait] * (wait != "active"))


def _rare(row: Row) -> str:
    """Every axis that has no column of its own."""
    columns = ("backend", "op", "type", "order", "affinity", "wait", "placement", "lanes")
    return point_text.short_name(row.other.point, without=columns)


def _missing_table(side: Side) -> Table:
    rows = []
    for why, points in side.missing.items():
        ops = list(dict.fromkeys(s.point.op for s in points))
        more = f", and {len(ops) - _most_named} more" if len(ops) > _most_named else ""
        count = Cell(str(len(points)), [s.id for s in points])
        rows.append([count, why, ", ".join(ops[:_most_named]) + more])
    return table("Pairs without a ratio", "pairs>|reason|ops", rows)


# Of the differences the largest are drawn; all are in the table.
_most_drawn = 45


@of_each
def figures(side: Side | Contest) -> list[Figure]:
    """A figure for each portable backend."""
    if isinstance(side, Contest) or not side.rows:
        return []
    ordered = sorted(side.rows, key=lambda row: -abs(log(row.difference.ratio.value)))
    shown = sorted(ordered[:_most_drawn], key=lambda row: -row.difference.ratio.value)
    rows = [
        figure_row(
            row.difference.ratio.interval,
            row.other.id,
            row=point_text.short_name(row.other.point, without=("backend",)),
            group=row.difference.verdict.value,
        )
        for row in shown
    ]
    groups = [v.value for v in Verdict if any(r["group"] == v.value for r in rows)]
    over = f"{side.other} over {side.native}"
    cut = f"; the {len(shown)} largest of {len(side.rows)}" if len(shown) < len(ordered) else ""
    note = (
        f"Ratio of costs with its 95 % interval, logarithmic; within {percent(default_margin)} is the "
        f"same; differences after Holm's correction over all pairs{cut}."
    )
    panel = Panel(over, Dots(rows, "ratio of costs", groups, ratios=True))
    points = [s.id for row in side.rows for s in (row.native, *row.points)]
    name = f"backend-{side.other}"
    return [Figure(name, f"{over}: ratio of costs", note, [panel], points, wide=True)]
