"""The tables of counterparts: native against portable, what each compiled to, why a pair is missing."""

from __future__ import annotations

from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.relation import Verdict, default_margin
from syncmeter_analysis.relate.seen_changes import seen_changes, verdict_text
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Bullets, Cell, Table, Text
from syncmeter_analysis.studies.portability_rows import Portability, Row, Side, rows

__all__ = ["rows", "text", "title"]

title = "Portable against native"
measured_by = "`syncmeter run --study portability`, where Kokkos is found"

# Of ops without a ratio for one reason no more are named than this.
_most_named = 6


def text(found: Portability) -> list[Block]:
    """For each portable backend every pair, the counts of verdicts, and what has no ratio."""
    return [block for side in found.sides for block in _of(side)]


def _of(side: Side) -> list[Block]:
    blocks: list[Block] = [_table(side)] if side.rows else []
    blocks.append(Text(_counts(side)))
    if side.missing:
        blocks.append(_missing(side))
    notes = [f"note: {note}" for note in side.comparison.notes]
    for n, name, other in zip(
        side.alone, (side.native, side.other), (side.other, side.native), strict=True
    ):
        if n:
            notes.append(f"{formats.count(n, 'point')} of {name} without a counterpart of {other}")
    return [*blocks, Bullets(notes)] if notes else blocks


def _counts(side: Side) -> str:
    same, slower, faster, open_ = map(
        side.count, (Verdict.same, Verdict.slower, Verdict.faster, Verdict.cannot_tell)
    )
    missing = sum(len(m.points) for m in side.missing)
    seen = seen_changes(side.comparison)
    return (
        f"{side.other} over {side.native}, the same op at the same point: "
        f"{formats.count(len(side.rows), 'pair')}: the same within {default_margin:.0%} in {same}, "
        f"slower in {slower}, faster in {faster}; cannot tell in {open_}"
        f"{f' ({seen})' if seen else ''}; {missing} more have no ratio"
    )


def _names(points: list[Measured], axis: str) -> str:
    return " ".join(dict.fromkeys(str(getattr(s.point, axis)) for s in points))


def _judgement(row: Row) -> str:
    """The verdict, and whether both compiled to the same."""
    told = verdict_text(row.difference)
    native, other = row.codes
    if not native or not other:
        return told
    return told + (", same code" if native == other else ", other code")


def _table(side: Side) -> Table:
    columns = ["op", "type", "order", "placed", "cells", "lanes", "with", "state"]
    columns += [side.native, side.other]
    columns += ["ratio", "95 % interval", "visits", f"{side.native} compiled to"]
    columns += [f"{side.other} compiled to", ""]
    table = Table(
        columns,
        [],
        right=[5, 8, 9, 10, 11],
        caption=f"{side.other} over {side.native}, ns per op, in one placement state",
        folded=15,
        repeat=50,
        spare=[12],
        keys=8,
    )
    for row in side.rows:
        p, r = row.other.point, row.difference.ratio
        texts = [_names(row.points, "op"), _names(row.points, "type")]
        texts += [p.order if p.order != "unordered" else "", _placed(row), formats.cells(p)]
        texts.append(f"{p.blocks} x {p.lanes}" if p.blocks != 1 else str(p.lanes))
        texts.append(_rare(row))
        texts.append(f"hop {r.state.hop_ns:.0f} ns" if r.state and r.state.hop_ns > 0 else "")
        texts += [formats.nanoseconds(r.under_ns), formats.nanoseconds(r.over_ns)]
        texts += [formats.ratio(r.value), formats.ratio_bounds(r)]
        texts += [str(r.visits), *row.codes, _judgement(row)]
        cells = [Cell(text) for text in texts]
        cells[8].points, cells[9].points = [row.native.id], [s.id for s in row.points]
        table.rows.append(cells)
    return table


def _placed(row: Row) -> str:
    names = _names(row.points, "affinity")
    wait = row.other.point.wait
    return " ".join([names] * (names != "none") + [wait] * (wait != "active"))


def _rare(row: Row) -> str:
    """Every axis that has no column of its own."""
    columns = ("backend", "op", "type", "order", "affinity", "wait", "placement", "lanes")
    return formats.short_name(row.other.point, without=columns)


def _missing(side: Side) -> Table:
    table = Table(["pairs", "reason", "ops"], [], right=[0], caption="Pairs without a ratio")
    for missing in side.missing:
        ops = list(dict.fromkeys(s.point.op for s in missing.points))
        more = f", and {len(ops) - _most_named} more" if len(ops) > _most_named else ""
        table.rows.append(
            [
                Cell(str(len(missing.points)), [s.id for s in missing.points]),
                Cell(missing.why),
                Cell(", ".join(ops[:_most_named]) + more),
            ]
        )
    return table
