"""Concludes the study `barrier`: which barrier to use in a program of each API, what passive waiting
costs, and how much work must stand between two barriers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncmeter_analysis.conclude import references
from syncmeter_analysis.conclude.choice import (
    choose,
    quotient,
    situation_in,
    situation_of,
    subject_of,
    undecided,
    work_to_pay,
)
from syncmeter_analysis.conclude.conclusion import Conclusion, Condition, Situation
from syncmeter_analysis.conclude.references import Reference
from syncmeter_analysis.conclude.studies.barrier_points import Part, Placement, Row, rows
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, contest
from syncmeter_analysis.relate.op_groups import is_own_code
from syncmeter_analysis.relate.summary import Measured

#: A barrier that is this much slower than the fastest needs a reason.
surprising_from = 3.0

_openmp = ("omp", "omp-llvm")


def conclude(campaign: Campaign) -> list[Conclusion]:
    """Returns the conclusions for the most threads, then for fewer threads."""
    found = [c for part in rows(campaign) for c in _of_part(part)]
    return sorted(found, key=lambda c: c.question == "fewer_threads")


def _of_part(part: Part) -> Iterator[Conclusion]:
    curves = [(placed, _several(placed)) for placed in part.placements]
    for placed, curve in curves:
        for i, row in enumerate(curve):
            yield from _of_row(part, placed, row, "fewer_threads" if i else "barrier")
    work = (_work_between(part, placed, row) for placed, curve in curves for row in curve)
    yield from list(filter(None, work))[:1]
    if not part.several_lanes:
        for s in list(_points(part))[:1]:
            situation = situation_of(s, "one_thread")
            yield undecided(s, "barrier", situation, "one_thread", next=["oversubscribe"])


def _several(placed: Placement) -> list[Row]:
    """Returns the rows of several threads, the most threads first."""
    return sorted((row for row in placed.curve if row.lanes > 1), key=lambda row: -row.lanes)


def _points(part: Part) -> Iterator[Measured]:
    return (s for placed in part.placements for row in placed.curve for s in row.costs.values())


def _of_row(part: Part, placed: Placement, row: Row, question: str) -> Iterator[Conclusion]:
    alike = _waiting_alike(row)
    for reference in references.barriers:
        points = list(filter(reference.may_use, alike))
        mine = reference.among(points)
        if mine and len(points) > 1:
            yield _which(part, placed, reference, points, mine, question)
    yield from _which_library(part, placed, alike, question)
    for backend in _openmp:
        yield from _waiting(part, placed, row, backend, question)


def _waiting_alike(row: Row) -> list[Measured]:
    """Returns the barriers with active waiting, or with passive waiting if only this was measured."""
    active = [s for s in row.costs.values() if s.point.wait != "passive"]
    return active or list(row.costs.values())


def _situation(placed: Placement, one: Contest, work: str) -> Situation:
    return situation_in(one, work, crowded=one.is_crowded, affinity=placed.placed)


def _which(
    part: Part,
    placed: Placement,
    reference: Reference,
    points: Sequence[Measured],
    mine: Measured,
    question: str,
) -> Conclusion:
    """Decides between the default and the barriers within reach of the API."""
    one = contest(points, part.source)

    def conditions(s: Measured) -> Iterator[Condition]:
        if is_own_code(s.point.op):
            yield Condition("own_code")
        if s.point.backend in _openmp and mine.point.backend not in _openmp:
            yield Condition("parallel_region")
        if s.point.backend in _openmp and _spins(s, one):
            yield Condition("cpu_per_thread")

    return choose(
        one,
        question,
        _situation(placed, one, reference.api),
        mine,
        conditions=conditions,
        reason=_reason(one, mine) if question == "barrier" else None,
        next=["advise_program"],
    )


def _reason(one: Contest, mine: Measured) -> Condition | None:
    """Returns how many moves of a cache line libgomp's barrier takes, or why another API's barrier is
    slower."""
    if mine.point.backend not in _openmp:
        best = one.best
        if best is None or best.point.backend not in _openmp or not _spins(best, one):
            return None
        slow = quotient(mine, best) >= surprising_from
        return Condition("sleeps", subject=subject_of(mine)) if slow else None
    if mine.point.backend != _openmp[0] or mine.cost is None or mine.team_hop_ns <= 0:
        return None
    moves = mine.cost.value / mine.team_hop_ns
    return Condition("line_moves", moves, mine.team_hop_ns, subject_of(mine))


def _which_library(
    part: Part, placed: Placement, points: Sequence[Measured], question: str
) -> Iterator[Conclusion]:
    """Compares the barriers of two OpenMP runtimes. The default comes with GCC."""
    both = [s for s in points if s.point.backend in _openmp and s.point.op == "barrier"]
    mine = references.barriers[0].among(both)
    if mine is None or len(both) < 2:
        return
    one = contest(both, part.source)
    yield choose(
        one,
        question,
        _situation(placed, one, "runtime"),
        mine,
        name=lambda s: subject_of(s, s.point.backend),
        conditions=lambda s: [Condition("whole_program")],
    )


def _waiting(
    part: Part, placed: Placement, row: Row, backend: str, question: str
) -> Iterator[Conclusion]:
    """Compares active with passive waiting. std::barrier and pthread_barrier know no wait policy."""
    both = [s for wait in ("active", "passive") if (s := row.costs.get((backend, wait)))]
    if len(both) < 2:
        return
    one = contest(both, part.source)
    yield choose(
        one,
        question,
        _situation(placed, one, f"{backend}_passive"),
        both[1],
        name=lambda s: subject_of(s, s.point.wait),
        conditions=lambda s: [Condition("cpu_per_thread")] * _spins(s, one),
    )


def _spins(s: Measured, one: Contest) -> bool:
    """Returns whether the threads wait actively and were measured with a CPU each."""
    return s.point.wait == "active" and not one.is_crowded


def _work_between(part: Part, placed: Placement, row: Row) -> Conclusion | None:
    """Computes the work between two barriers that makes a program 90 % efficient."""
    points = _waiting_alike(row)
    mine = next(filter(None, (r.among(points) for r in references.barriers)), None)
    if mine is None or mine.oversubscribed:
        return None
    situation = _situation(placed, contest([mine], part.source), "work_between")
    return work_to_pay(mine, "work_between", situation, "advise_program")
