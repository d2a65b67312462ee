"""Concludes the study `false-sharing`: how many bytes apart to keep variables of different threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from syncmeter_analysis.conclude.choice import choose, cost_of, hop_of, situation_of, threshold
from syncmeter_analysis.conclude.conclusion import (
    Conclusion,
    Condition,
    Grade,
    Kind,
    Situation,
    Subject,
)
from syncmeter_analysis.record.point import type_bytes
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest
from syncmeter_analysis.relate.relation import Verdict, ratio, verdict
from syncmeter_analysis.relate.strides import Row, sharing_of, size_of_all, sizing
from syncmeter_analysis.relate.summary import Measured

#: Operations that only store: a core buffers the value and does not wait for the cache line.
_stores = ("atomic_write",)

#: A reader's threads run close to each other, unless the file has another affinity only.
_usual = "close"


def apart(s: Measured) -> Subject:
    """Returns the distance between the variables."""
    return Subject("", "apart", str(s.point.stride_bytes), s.id)


def conclude(campaign: Campaign) -> list[Conclusion]:
    """Returns the bytes to pad to, then a conclusion for each operation, the most threads first."""
    sharing = sharing_of(campaign)
    if not sharing:
        return []
    found = sizing(sharing.rows)
    pad_to = padding(found)
    rest = [c for row in _usual_rows(found) if (c := _operation(row, pad_to))]
    return [*_enough(found, pad_to, rest), *rest]


def padding(found: Sequence[Row]) -> int | None:
    """Returns the distance to use: the distance that is enough, otherwise the smallest measured
    distance above all distances that are shown to be slower."""
    size = size_of_all(found)
    costs_nothing = all(row.size.enough is None or row.costs_nothing for row in found)
    if size.enough is not None and not costs_nothing:
        return size.enough
    larger = [stride for row in found for stride in row.strides if stride > size.slower_at]
    return min(larger, default=None) if size.slower_at else None


def _usual_rows(found: Sequence[Row]) -> list[Row]:
    """Returns the rows of arrays that begin with a cache line, one for each operation and number of
    threads."""
    best: dict[tuple[str, int, str], Row] = {}
    for row in sorted(found, key=lambda row: _usual not in row.affinities):
        p = row.first.point
        if not p.base_offset and row.has_control:
            best.setdefault((p.op, p.lanes, row.first.source), row)
    return sorted(best.values(), key=lambda row: -row.first.point.lanes)


def _cells(row: Row) -> dict[int, Measured]:
    """Returns the points of one type by distance: the first type of which the neighbours have a
    cost."""
    for kind in row.types:
        cells = {s.point.stride_bytes: s for s in row.cells if s.point.type == kind}
        neighbour = cells.get(type_bytes.get(kind, 0))
        if neighbour and neighbour.usable:
            return cells
    return {}


def _operation(row: Row, pad_to: int | None) -> Conclusion | None:
    cells = _cells(row)
    near = cells.get(min(cells, default=0))
    far = cells.get(pad_to or 0) or cells.get(max(row.strides, default=0))
    if near is None or far is None or near is far:
        return None
    p = near.point
    one = _pair(near, far)
    situation = situation_of(near, p.op, hop_ns=hop_of(one))
    found = choose(one, "distance", situation, near, name=apart, next=["advise_program"])
    if found.kind is Kind.keep and p.op in _stores:
        return replace(found, reason=Condition("stores_are_buffered"))
    return found


def _pair(near: Measured, far: Measured) -> Contest:
    """Returns the comparison of two distances. Operations with a baseline are compared, too."""
    r = ratio(near, far)
    ties = () if verdict(r) is Verdict.slower else (near,)
    return Contest([near, far], far, ties, over_best={near.id: r})


def _enough(
    found: Sequence[Row], pad_to: int | None, rest: Sequence[Conclusion]
) -> Iterator[Conclusion]:
    """Yields from which distance on nothing gets faster, or that more may be needed."""
    size = size_of_all(found)
    first = max((row.first for row in found), key=lambda s: s.point.lanes)
    situation = Situation(first.point.lanes, "distance", cpus=len(first.pus))
    costs = [x for c in rest[:1] if c.kind is Kind.use for x in c.costs]
    costs = costs or [x for s in (first,) if (x := cost_of(s, apart))]
    known = size.enough is not None
    slower = [Condition("slower_at", float(size.slower_at))] if size.slower_at else []
    if pad_to is None and not known:
        return
    near = min((s for row in found for s in row.cells), key=lambda s: s.point.stride_bytes)
    subject = apart(near) if pad_to is None else Subject("", "apart", str(pad_to))
    yield threshold(
        "padding",
        situation,
        subject,
        float(subject.variant),
        kind=Kind.undecided if not known else Kind.keep if pad_to is None else Kind.use,
        costs=costs,
        reference=apart(near),
        conditions=slower,
        grade=Grade.measured,
        next=[] if known else ["more_repetitions"],
    )
