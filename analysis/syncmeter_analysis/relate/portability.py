"""Portable APIs over the native API of the same hardware: each pair of counterparts with its ratio,
judged as by `compare --by backend`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from syncmeter_analysis.record.point import native_of
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.pairings import counterparts, pairs_of_backends, pairs_of_points
from syncmeter_analysis.relate.pairs import Pair
from syncmeter_analysis.relate.relation import Verdict, default_margin
from syncmeter_analysis.relate.summary import Measured, code_of


@dataclass
class Row:
    """One measurement of each side. `points` of the portable backend share it, because they had the
    same placement or code."""

    difference: Pair
    points: list[Measured]

    @property
    def native(self) -> Measured:
        return self.difference.old

    @property
    def other(self) -> Measured:
        return self.difference.new

    @property
    def codes(self) -> tuple[str, str]:
        """Returns the machine code for one operation, native and other, '' if unknown."""
        return code_of(self.native.census), code_of(self.other.census)


@dataclass
class Side:
    """A portable backend over the native backend. `alone` counts the native points and the portable
    points without a counterpart. `missing` has pairs without a ratio by reason, the most frequent
    first."""

    native: str
    other: str
    rows: list[Row]
    missing: dict[str, list[Measured]]
    alone: tuple[int, int]

    def count(self, verdict: Verdict) -> int:
        return sum(row.difference.verdict is verdict for row in self.rows)


def sides_of(campaign: Campaign) -> list[Side]:
    """Returns a side for each portable backend with counterparts in its native backend."""
    by_backend = grouped(campaign.points.values(), lambda s: s.point.backend)
    measured = [name for name, points in by_backend.items() if any(s.usable for s in points)]
    found = [
        _side(native, other, by_backend[native], by_backend[other])
        for native, other in pairs_of_backends(measured)
        if other in native_of
    ]
    return [side for side in found if side.rows or _was_visited(side)]


def _was_visited(side: Side) -> bool:
    return any(s.visits for points in side.missing.values() for s in points)


def _side(native: str, other: str, natives: list[Measured], others: list[Measured]) -> Side:
    pairs = counterparts(natives, others)
    usable = [(a, b) for a, b in pairs if a.usable and b.usable]
    table = pairs_of_points(usable, (native, other), default_margin)
    compared = {_measured_at((d.old, d.new)): d for d in table.compared}
    same = grouped(usable, _measured_at)
    found = [Row(d, [b for _, b in same[at]]) for at, d in compared.items()]

    def order(row: Row) -> tuple[object, ...]:
        p = row.native.point
        return (
            *(row.native.family, p.op, p.type, p.order, p.placement, p.base_offset),
            *(p.stride_bytes, p.blocks, p.lanes, p.key),
        )

    paired = {s.id for pair in pairs for s in pair}
    alone = [sum(s.usable and s.id not in paired for s in side) for side in (natives, others)]
    missing = _missing(pair for pair in pairs if _measured_at(pair) not in compared)
    return Side(native, other, sorted(found, key=order), missing, (alone[0], alone[1]))


def _measured_at(pair: tuple[Measured, Measured]) -> tuple[object, object]:
    return pair[0].measured_at, pair[1].measured_at


def _missing(apart: Iterable[tuple[Measured, Measured]]) -> dict[str, list[Measured]]:
    def why(pair: tuple[Measured, Measured]) -> str:
        without = "; ".join(_status(s) for s in pair if not s.usable)
        return without or "seen in different placement states"

    by_reason = sorted(grouped(apart, why).items(), key=lambda item: -len(item[1]))
    return {reason: [b for _, b in found] for reason, found in by_reason}


def _status(s: Measured) -> str:
    # Other reasons have a bound or a time, which differs from point to point.
    sentence = (
        f": {s.reason}" if s.status in ("unsupported", "failed", "elided") and s.reason else ""
    )
    return f"{s.status} in {s.point.backend}{sentence}"
