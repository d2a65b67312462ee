"""Concludes the study `scaling`: how to update shared data with the most threads, which operations gain
nothing from more threads, and how much work barriers and parallel regions need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from syncmeter_analysis.conclude.choice import (
    choose,
    concluded,
    effect_of,
    situation_of,
    work_to_pay,
)
from syncmeter_analysis.conclude.conclusion import Conclusion, Condition, Kind, Situation
from syncmeter_analysis.conclude.studies.line_moves import line_moves
from syncmeter_analysis.conclude.studies.lock_team import subject_of
from syncmeter_analysis.record.point import key_without
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Over, contest
from syncmeter_analysis.relate.group import grouped, placed_alike
from syncmeter_analysis.relate.relation import Ratio, Verdict, ratio, verdict
from syncmeter_analysis.relate.summary import Measured

#: The most usual ops and their layouts.
usual_ops = (
    ("atomic_add", "shared"),
    ("atomic_add", "strided"),
    ("barrier", "none"),
    ("critical_add", "shared"),
    ("lock_add", "shared"),
    ("parallel_region", "none"),
)

_locked = ("critical_add", "lock_add")

_but_threads = key_without("lanes", "blocks", "affinity")
_but_cells = key_without("placement", "stride", "stride_bytes", "base_offset", "cells", "affinity")
_but_op = key_without("op", "order", "affinity")


@dataclass
class Row:
    """One op by number of threads, the fewest first. The affinities `placed` give the threads the same
    CPUs. `source` names the file if there are several."""

    placed: str
    by_threads: list[Measured]
    source: str = ""

    @property
    def first(self) -> Measured:
        return self.by_threads[0]

    @property
    def on_gpu(self) -> bool:
        return self.first.on_gpu

    @property
    def ends(self) -> tuple[Measured, Measured]:
        return self.by_threads[0], self.by_threads[-1]


def rows(campaign: Campaign) -> list[Row]:
    """Returns points that differ in the number of threads only, from a campaign of this study or from
    imports."""
    asked = bool(campaign.asked("scaling"))
    if not asked and not campaign.machine.imported:
        return []
    return [
        row
        for _, points, source in campaign.parts()
        for row in _rows_of(points, source)
        if asked or not row.on_gpu
    ]


def _rows_of(points: Iterable[Measured], source: str) -> Iterator[Row]:
    found = [
        s for s in points if s.usable and not (s.oversubscribed or s.inserted or s.point.repeat)
    ]
    for alike in grouped(found, lambda s: _but_threads(s.point)).values():
        alone = [s for s in alike if _threads(s) == 1]
        for affinities, placed in placed_alike(s for s in alike if _threads(s) > 1):
            of_one = [s for s in alone if s.point.affinity in affinities] or alone
            by_threads = sorted([*of_one[:1], *placed], key=_threads)
            if len({_threads(s) for s in by_threads}) > 1:
                yield Row(", ".join(filter(None, affinities)), by_threads, source)


def _threads(s: Measured) -> int:
    return s.point.lanes * s.point.blocks


def conclude(campaign: Campaign) -> list[Conclusion]:
    """Returns the updates of shared data first, then growing costs, then the work that pays off, for
    the CPUs of each file."""
    by_source = grouped((r for r in rows(campaign) if not r.on_gpu), lambda row: row.source)
    return [c for found in by_source.values() for c in _of_file(sorted(found, key=_rank)[::-1])]


def _rank(row: Row) -> tuple[object, ...]:
    """Orders rows: most threads, the usual type, active waiting, variables far apart."""
    p = row.first.point
    apart = row.ends[1].point.stride_bytes
    return _threads(row.ends[1]), p.type in ("", "int32"), p.wait == "active", -abs(apart - 64)


def _of_file(found: Sequence[Row]) -> Iterator[Conclusion]:
    usual: dict[tuple[str, str], Row] = {}
    for row in found:
        p = row.ends[1].point
        usual.setdefault((p.op, p.placement), row)
    variables = list(_variables(found))
    yield from variables
    locked = [usual[op, "shared"] for op in _locked if (op, "shared") in usual]
    atomic = [usual[key] for key in usual_ops[:1] if key in usual]
    for row in locked:
        yield from _atomic(row, found)
    # The reason for `variables` shows how the atomic grows.
    for row in locked if variables else (*locked, *atomic):
        yield from _growth(row)
    for op, work in (("barrier", "between"), ("parallel_region", "region")):
        if (op, "none") in usual:
            row, question = usual[op, "none"], f"work_{work}"
            situation = _situation(row, question)
            yield work_to_pay(row.ends[1], question, situation, "advise_program")


def _situation(row: Row, work: str, **members: object) -> Situation:
    return situation_of(row.ends[1], work, affinity=row.placed, file=row.source, **members)


def _variables(found: Sequence[Row]) -> Iterator[Conclusion]:
    """Compares a variable per thread with one variable, of rows that differ in nothing else."""
    one, own = ([r for r in found if _is_add(r, place)] for place in ("shared", "strided"))
    pairs = [(a, b) for a, b in product(one, own) if _differ_in_variables(a, b)]
    ends = [(shared, shared.ends[1], apart.ends[1]) for shared, apart in pairs]
    slower = [x for x in ends if verdict(ratio(x[1], x[2])) is Verdict.slower]
    for row, mine, other in (slower or ends)[:1]:
        yield choose(
            contest([other, mine], row.source),
            "update",
            _situation(row, "share", stride_bytes=other.point.stride_bytes),
            mine,
            name=lambda s: subject_of(s, "one" if s.point.placement == "shared" else "own"),
            conditions=lambda s: [Condition("merge")] * (s.point.placement == "strided"),
            reason=line_moves(mine, _over_alone(row)),
            next=["advise_program"],
        )


def _over_alone(row: Row) -> Over:
    """Returns the total throughput over a thread alone."""
    few, many = row.ends
    return ratio(few, many).times(many.point.lanes) if few.point.lanes == 1 else None


def _is_add(row: Row, placement: str) -> bool:
    p = row.first.point
    return (p.op, p.placement) == ("atomic_add", placement)


def _differ_in_variables(a: Row, b: Row) -> bool:
    one, own = a.ends[1].point, b.ends[1].point
    return a.placed == b.placed and _but_cells(one) == _but_cells(own)


def _atomic(locked: Row, found: Sequence[Row]) -> Iterator[Conclusion]:
    """Compares an atomic add with a lock around one add."""
    mine = locked.ends[1]
    for row in found:
        alike = _but_op(row.ends[1].point) == _but_op(mine.point)
        if alike and _is_add(row, "shared") and row.placed == locked.placed:
            yield choose(
                contest([row.ends[1], mine], row.source),
                "update",
                _situation(locked, "locked"),
                mine,
                name=subject_of,
                conditions=lambda s: [Condition("one_update")] * (s.point.op == "atomic_add"),
                next=["advise_program"],
            )
            return


def _growth(row: Row) -> Iterator[Conclusion]:
    """Concludes that more threads gain nothing if they are shown to do fewer operations in total."""
    few, many = row.ends
    r = ratio(many, few)
    more = many.point.lanes / few.point.lanes
    if not isinstance(r, Ratio) or verdict(r.times(1 / more)) is not Verdict.slower:
        return
    yield concluded(
        Kind.nothing_to_gain,
        "growth",
        _situation(row, "growth"),
        [many],
        few,
        effect_of(many, few, r, "slowdown"),
        name=lambda s: subject_of(s, str(s.point.lanes)),
        next=["advise_program"],
    )
