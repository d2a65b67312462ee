"""Concludes the study `scaling`: how to update shared data with the most threads, which operations gain
nothing from more threads, and how much work barriers and parallel regions need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from syncmeter_analysis.conclude.choice import (
    choose,
    cost_of,
    effect_of,
    situation_of,
    subject_of,
    threshold,
)
from syncmeter_analysis.conclude.conclusion import (
    Conclusion,
    Condition,
    Cost,
    Grade,
    Kind,
    Situation,
    Subject,
    evidence_of,
)
from syncmeter_analysis.conclude.studies.line_moves import line_moves
from syncmeter_analysis.record.point import key_without
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Over, contest
from syncmeter_analysis.relate.group import grouped, placed_alike
from syncmeter_analysis.relate.lock_tables import lock_of
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

#: A program with 9 times more work than cost is 90 % efficient.
times_the_cost = 9

_but_threads = key_without("lanes", "blocks", "affinity")
_but_cells = key_without("placement", "stride", "stride_bytes", "base_offset", "cells", "affinity")
_but_op = key_without("op", "order", "affinity")


@dataclass
class Row:
    """One op by number of threads, the fewest first. The affinities give the threads the same CPUs.
    `source` names the file if there are several."""

    affinities: list[str]
    by_threads: list[Measured]
    source: str = ""

    @property
    def first(self) -> Measured:
        return self.by_threads[0]

    @property
    def placed(self) -> str:
        return ", ".join(filter(None, self.affinities))

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
                yield Row(affinities, by_threads, source)


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
            yield from _work(usual[op, "none"], work)


def _situation(row: Row, work: str) -> Situation:
    return situation_of(row.ends[1], work, affinity=row.placed, file=row.source)


def _primitive(s: Measured, variant: str = "") -> Subject:
    return Subject(s.point.backend, lock_of(s), variant, s.id)


def _variable(s: Measured) -> Subject:
    return _primitive(s, "one" if s.point.placement == "shared" else "own")


def _variables(found: Sequence[Row]) -> Iterator[Conclusion]:
    """Compares a variable per thread with one variable, of rows that differ in nothing else."""
    one, own = ([r for r in found if _is_add(r, place)] for place in ("shared", "strided"))
    pairs = [(a, b) for a, b in product(one, own) if _differ_in_variables(a, b)]
    slower = [(a, b) for a, b in pairs if _is_slower(a.ends[1], b.ends[1])]
    for shared, apart in (slower or pairs)[:1]:
        mine = shared.ends[1]
        situation = _situation(shared, "share")
        yield choose(
            contest([apart.ends[1], mine], shared.source),
            "update",
            replace(situation, stride_bytes=apart.ends[1].point.stride_bytes),
            mine,
            name=_variable,
            conditions=lambda s: [Condition("merge")] * (s.point.placement == "strided"),
            reason=line_moves(mine, _over_alone(shared)),
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
    return a.affinities == b.affinities and _but_cells(one) == _but_cells(own)


def _is_slower(a: Measured, b: Measured) -> bool:
    return verdict(ratio(a, b)) is Verdict.slower


def _atomic(locked: Row, found: Sequence[Row]) -> Iterator[Conclusion]:
    """Compares an atomic add with a lock around one add."""
    mine = locked.ends[1]
    for row in found:
        alike = _but_op(row.ends[1].point) == _but_op(mine.point)
        if alike and _is_add(row, "shared") and row.affinities == locked.affinities:
            yield choose(
                contest([row.ends[1], mine], row.source),
                "update",
                _situation(locked, "locked"),
                mine,
                name=_primitive,
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
    effect = effect_of(many, few, r, "slowdown")
    before, after = (cost_of(s, _with_threads) for s in (few, many))
    costs = tuple(c for c in (before, after) if isinstance(c, Cost))
    yield Conclusion(
        Kind.nothing_to_gain,
        "growth",
        _situation(row, "growth"),
        (_with_threads(many),),
        _with_threads(few),
        effect,
        Grade.measured if effect.high is not None else Grade.unknown,
        costs=costs,
        evidence=evidence_of(costs),
        next=("advise_program",),
    )


def _with_threads(s: Measured) -> Subject:
    return _primitive(s, str(s.point.lanes))


def _work(row: Row, work: str) -> Iterator[Conclusion]:
    """Computes the work that makes a program with this barrier or region 90 % efficient."""
    s = row.ends[1]
    if not (cost := cost_of(s)):
        return
    low, high = (end and times_the_cost * end for end in (cost.low, cost.high))
    yield threshold(
        f"work_{work}",
        _situation(row, f"work_{work}"),
        subject_of(s),
        times_the_cost * cost.ns,
        low,
        high,
        costs=[cost],
        next=["advise_program"],
    )
