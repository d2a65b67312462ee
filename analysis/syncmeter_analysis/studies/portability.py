"""What a portable API costs over the native one of the same hardware: every pair of counterparts,
judged as `syncmeter-report compare --by backend` judges them; and fork and join, which each API does by
an op of its own. Other ops of two native APIs (`std` and `omp`) are compared by that command only."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

from syncmeter_analysis.record.point import native_of
from syncmeter_analysis.relate import point_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.compare import Comparison, Difference, compare_points
from syncmeter_analysis.relate.compare_by import counterparts, pairs_of_backends
from syncmeter_analysis.relate.compare_text import undecided_text, verdict_text
from syncmeter_analysis.relate.contest import Contest
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.relation import Verdict, default_margin
from syncmeter_analysis.relate.summary import Measured, code_of
from syncmeter_analysis.relate.text import percent
from syncmeter_analysis.studies.blocks import Block, Bullets, Cell, Table, table
from syncmeter_analysis.studies.cells import of_each
from syncmeter_analysis.studies.figures import Dots, Figure, Panel
from syncmeter_analysis.studies.figures import row as figure_row
from syncmeter_analysis.studies.forks import fork_sentence, fork_table
from syncmeter_analysis.studies.regions import forks

title = "Portable against native"
order = 9


@dataclass
class Row:
    """One measurement of each side. `points` of the portable backend share it: they were placed alike
    or compiled to equal code."""

    difference: Difference
    points: list[Measured]

    @property
    def native(self) -> Measured:
        return self.difference.old

    @property
    def other(self) -> Measured:
        return self.difference.new

    @property
    def codes(self) -> tuple[str, str]:
        """What one op compiled to, native and other; '' where nobody knows."""
        return code_of(self.native.census), code_of(self.other.census)


@dataclass
class Side:
    """A portable backend over the native one of its hardware. `alone`: points with a cost whose
    counterpart the files do not even name, of the native side and of the other. `missing` are pairs
    without a ratio by reason, those of most pairs first."""

    native: str
    other: str
    comparison: Comparison
    rows: list[Row]
    missing: dict[str, list[Measured]]
    alone: tuple[int, int]

    def count(self, verdict: Verdict) -> int:
        return sum(row.difference.verdict is verdict for row in self.rows)


def rows(campaign: Campaign) -> list[Side | Contest]:
    """A side for each portable backend whose native one measured some of the same points; then, where a
    portable one is among them, the ways to fork and join."""
    by_backend = grouped(campaign.points.values(), lambda s: s.point.backend)
    measured = [name for name, points in by_backend.items() if any(s.usable for s in points)]
    found = [
        _side(native, other, by_backend[native], by_backend[other])
        for native, other in pairs_of_backends(measured)
        if other in native_of
    ]
    sides: list[Side | Contest] = [side for side in found if side.rows or _was_visited(side)]
    return sides + [one for one in forks(campaign) if _has_portable(one)]


def _has_portable(one: Contest) -> bool:
    return any(s.usable and s.point.backend in native_of for s in one.points)


def _was_visited(side: Side) -> bool:
    return any(s.visits for points in side.missing.values() for s in points)


def _side(native: str, other: str, natives: list[Measured], others: list[Measured]) -> Side:
    pairs = counterparts(natives, others)
    usable = [(a, b) for a, b in pairs if a.usable and b.usable]
    comparison = compare_points(usable, (native, other), default_margin)
    same = grouped(usable, _measured_at)
    found = [
        Row(d, [b for _, b in same[d.old.measured_at, d.new.measured_at]])
        for d in comparison.differences
    ]

    def order(row: Row) -> tuple[object, ...]:
        p = row.native.point
        return (
            *(row.native.family, p.op, p.type, p.order, p.placement, p.base_offset),
            *(p.stride_bytes, p.blocks, p.lanes, p.key),
        )

    paired = {s.id for pair in pairs for s in pair}
    alone = tuple(sum(s.usable and s.id not in paired for s in side) for side in (natives, others))
    return Side(
        native,
        other,
        comparison,
        sorted(found, key=order),
        _missing(pairs, comparison),
        (alone[0], alone[1]),
    )


def _measured_at(pair: tuple[Measured, Measured]) -> tuple[object, object]:
    return pair[0].measured_at, pair[1].measured_at


def _missing(
    pairs: list[tuple[Measured, Measured]], comparison: Comparison
) -> dict[str, list[Measured]]:
    compared = {(d.old.measured_at, d.new.measured_at) for d in comparison.differences}

    def why(pair: tuple[Measured, Measured]) -> str:
        without = "; ".join(_status(s) for s in pair if not s.usable)
        return without or "seen in different placement states"

    apart = (
        pair
        for pair in pairs
        if not all(s.usable for s in pair) or _measured_at(pair) not in compared
    )
    by_reason = sorted(grouped(apart, why).items(), key=lambda item: -len(item[1]))
    return {reason: [b for _, b in found] for reason, found in by_reason}


def _status(s: Measured) -> str:
    # What else a reason says (a bound, a time) differs from point to point.
    sentence = (
        f": {s.reason}" if s.status in ("unsupported", "failed", "elided") and s.reason else ""
    )
    return f"{s.status} in {s.point.backend}{sentence}"


# Of ops without a ratio for one reason no more are named than this.
_most_named = 6


@of_each
def answer(side: Side | Contest) -> list[str]:
    """For each portable backend at how many points it is slower, faster or the same; how to fork."""
    return [fork_sentence(side) if isinstance(side, Contest) else _counts(side)]


@of_each
def text(side: Side | Contest) -> list[Block]:
    """For each portable backend every pair, and what has no ratio; and all ways to fork."""
    if isinstance(side, Contest):
        return [fork_table(side)]
    blocks: list[Block] = [_table(side)] if side.rows else []
    if side.missing:
        blocks.append(_missing_table(side))
    notes = [f"note: {note}" for note in side.comparison.notes]
    sides = (side.native, side.other), (side.other, side.native)
    for n, (name, other) in zip(side.alone, sides, strict=True):
        if n:
            notes.append(f"{formats.count(n, 'point')} of {name} without a counterpart of {other}")
    return [*blocks, Bullets(notes)] if notes else blocks


def _counts(side: Side) -> str:
    same, slower, faster, open_ = map(
        side.count, (Verdict.same, Verdict.slower, Verdict.faster, Verdict.cannot_tell)
    )
    missing = sum(map(len, side.missing.values()))
    seen = undecided_text(side.comparison)
    counted = (("slower", slower), ("faster", faster), ("cannot tell", open_))
    others = "".join(f", {says} at {n}" for says, n in counted if n)
    return (
        f"{side.other} is as fast as {side.native} (within {percent(default_margin)}) at {same} of "
        f"{formats.count(len(side.rows), 'point')}{others}"
        f"{f' ({seen})' if seen else ''}" + f"; {missing} more have no ratio" * bool(missing)
    )


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
    return [Figure(name, _counts(side), note, [panel], points, wide=True)]
