"""What a portable API costs over the native one of the same hardware: every pair of counterparts,
judged as `syncmeter-report compare --by backend` judges them. Two native APIs (`std` and `omp`) are
compared by that command only."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from syncmeter_analysis.record.point import native_of
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.compare import Comparison, Difference, compare_points
from syncmeter_analysis.relate.counterparts import counterparts, pairs_of_backends
from syncmeter_analysis.relate.machine_code import code_of
from syncmeter_analysis.relate.relation import Verdict, default_margin
from syncmeter_analysis.relate.summary import Measured


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
class Missing:
    """Pairs without a ratio, for one reason."""

    why: str
    points: list[Measured] = field(default_factory=list)


@dataclass
class Side:
    """A portable backend over the native one of its hardware. `alone`: points with a cost whose
    counterpart the files do not even name, of the native side and of the other."""

    native: str
    other: str
    comparison: Comparison
    rows: list[Row]
    missing: list[Missing]
    alone: tuple[int, int]

    def count(self, verdict: Verdict) -> int:
        return sum(row.difference.verdict is verdict for row in self.rows)


@dataclass
class Portability:
    """All sides that have a pair; falsy without one."""

    sides: list[Side]

    def __bool__(self) -> bool:
        return bool(self.sides)


def rows(campaign: Campaign) -> Portability:
    """A side for each portable backend whose native one measured some of the same points."""
    by_backend: dict[str, list[Measured]] = defaultdict(list)
    for s in campaign.points.values():
        by_backend[s.point.backend].append(s)
    measured = [name for name, points in by_backend.items() if any(s.usable for s in points)]
    found = [
        _side(native, other, by_backend[native], by_backend[other])
        for native, other in pairs_of_backends(measured)
        if other in native_of
    ]
    return Portability([side for side in found if side.rows or any(_both(side))])


def _both(side: Side) -> list[Measured]:
    return [s for m in side.missing for s in m.points if s.visits]


def _side(native: str, other: str, natives: list[Measured], others: list[Measured]) -> Side:
    pairs = counterparts(natives, others)
    usable = [(a, b) for a, b in pairs if a.usable and b.usable]
    comparison = compare_points(usable, (native, other), default_margin)
    same: dict[tuple[object, object], list[Measured]] = defaultdict(list)
    for a, b in usable:
        same[a.measured_at, b.measured_at].append(b)
    found = [Row(d, same[d.old.measured_at, d.new.measured_at]) for d in comparison.differences]

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


def _missing(pairs: list[tuple[Measured, Measured]], comparison: Comparison) -> list[Missing]:
    """By reason, those of most pairs first."""
    compared = {(d.old.measured_at, d.new.measured_at) for d in comparison.differences}
    by_reason: dict[str, Missing] = {}
    for pair in pairs:
        without = [s for s in pair if not s.usable]
        if without:
            why = "; ".join(_status(s) for s in without)
        elif (pair[0].measured_at, pair[1].measured_at) in compared:
            continue
        else:
            why = "seen in different placement states"
        by_reason.setdefault(why, Missing(why)).points.append(pair[1])
    return sorted(by_reason.values(), key=lambda m: -len(m.points))


def _status(s: Measured) -> str:
    # What else a reason says (a bound, a time) differs from point to point.
    told = f": {s.reason}" if s.status in ("unsupported", "failed", "elided") and s.reason else ""
    return f"{s.status} in {s.point.backend}{told}"
