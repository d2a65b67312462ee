"""Concludes the study `contention`: whether threads should share a variable, and where to run threads
that share one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from syncmeter_analysis.conclude.choice import (
    Naming,
    choose,
    cost_of,
    hop_of,
    situation_of,
)
from syncmeter_analysis.conclude.conclusion import (
    Conclusion,
    Condition,
    Grade,
    Kind,
    Situation,
    Subject,
)
from syncmeter_analysis.conclude.studies.contention_points import NearFar, Part, Row
from syncmeter_analysis.conclude.studies.contention_points import rows as rows
from syncmeter_analysis.conclude.studies.line_moves import line_moves
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, contest
from syncmeter_analysis.relate.lock_tables import lock_of
from syncmeter_analysis.relate.summary import Measured


def conclude(campaign: Campaign) -> list[Conclusion]:
    """Returns a variable per thread first, fewer variables next, near threads last."""
    return [c for part in rows(campaign) for c in _of_part(part)]


def _of_part(part: Part) -> Iterator[Conclusion]:
    most = [row for row in part.rows if row.lanes == part.most_lanes > 1]
    for row in most:
        yield from _variable_per_thread(part, row)
    for row in most:
        yield from _fewer_variables(part, row)
    for pair in part.pairs:
        yield _near(part, pair)
    if part.most_lanes < 2:
        yield _unknown(part, "variables", "one_thread")
    elif not part.pairs:
        yield _unknown(part, "distance_unknown", part.why_no_pairs)


def variable_subject(s: Measured) -> Subject:
    """Returns the primitive with the number of variables as variant."""
    cells, lanes = s.point.cells, s.point.lanes
    variant = "one" if cells == 1 else "own" if cells == lanes else "several"
    return _subject(s, variant)


def _subject(s: Measured, variant: str) -> Subject:
    return Subject(s.point.backend, lock_of(s), variant, s.id)


def _situation(part: Part, row: Row, one: Contest, work: str, cells: int = 0) -> Situation:
    p = one.first.point
    found = situation_of(one.first, work, affinity=row.placed, hop_ns=hop_of(one), file=part.source)
    return replace(found, size=cells or None, stride_bytes=p.stride_bytes)


def _variable_per_thread(part: Part, row: Row) -> Iterator[Conclusion]:
    if {1, row.lanes} <= row.by_cells.keys():
        one = contest([row.by_cells[row.lanes].measured, row.by_cells[1].measured], part.source)
        yield choose(
            one,
            "variables",
            _situation(part, row, one, "share"),
            one.points[1],
            name=variable_subject,
            conditions=lambda s: [Condition("merge")] * (s.point.cells > 1),
            reason=line_moves(one.points[1], row.over_alone),
            next=["advise_program"],
        )


def _fewer_variables(part: Part, row: Row) -> Iterator[Conclusion]:
    for cells in sorted(row.by_cells.keys() - {1, row.lanes}, reverse=True):
        if 1 in row.by_cells:
            one = contest([row.by_cells[cells].measured, row.by_cells[1].measured], part.source)
            yield choose(
                one,
                "fewer_variables",
                _situation(part, row, one, "several", cells),
                one.points[1],
                name=variable_subject,
                conditions=lambda s: [Condition("merge")] * (s.point.cells > 1),
            )


def _near(part: Part, pair: NearFar) -> Conclusion:
    """Decides between near CPUs and CPUs farther apart."""
    near, far = (row.by_cells[pair.cells] for row in (pair.near, pair.far))
    domains = {near.measured.id: near.joined_by, far.measured.id: far.joined_by}

    def conditions(s: Measured) -> list[Condition]:
        pinned = Condition("pinned") if s is near.measured else None
        return [x for x in (pinned, Condition("hypervisor") if part.virtual else None) if x]

    name: Naming = lambda s: _subject(s, domains[s.id])  # noqa: E731
    one = contest([near.measured, far.measured], part.source)
    return choose(
        one,
        "distance",
        _situation(part, pair.near, one, "distance", pair.cells),
        far.measured,
        name=name,
        conditions=conditions,
    )


def _unknown(part: Part, question: str, why: str) -> Conclusion:
    row = part.rows[-1]
    s = next(iter(row.by_cells.values())).measured
    return Conclusion(
        Kind.undecided,
        question,
        _situation(part, row, contest([s], part.source), question),
        (variable_subject(s),),
        None,
        None,
        Grade.unknown,
        costs=tuple(filter(None, [cost_of(s, variable_subject)])),
        conditions=(Condition(why),),
        evidence=(s.id,),
        next=("advise_program",),
    )
