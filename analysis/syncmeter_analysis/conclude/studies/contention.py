"""Concludes the study `contention`: whether threads should share a variable, and where to run threads
that share one."""

from __future__ import annotations

from collections.abc import Iterator

from syncmeter_analysis.conclude.choice import choose, situation_in, undecided
from syncmeter_analysis.conclude.conclusion import Conclusion, Condition, Situation, Subject
from syncmeter_analysis.conclude.studies.contention_points import NearFar, Part, Row, rows
from syncmeter_analysis.conclude.studies.line_moves import line_moves
from syncmeter_analysis.conclude.studies.lock_team import subject_of
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, contest
from syncmeter_analysis.relate.summary import Measured


def conclude(campaign: Campaign) -> list[Conclusion]:
    """Returns a variable per thread first, fewer variables next, near threads last."""
    return [c for part in rows(campaign) for c in _of_part(part)]


def _of_part(part: Part) -> Iterator[Conclusion]:
    most = [row for row in part.rows if row.lanes == part.most_lanes > 1 and 1 in row.by_cells]
    yield from (_fewer(part, row, row.lanes) for row in most if row.lanes in row.by_cells)
    for row in most:
        fewer = sorted(row.by_cells.keys() - {1, row.lanes}, reverse=True)
        yield from (_fewer(part, row, cells) for cells in fewer)
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
    return subject_of(s, variant)


def _situation(row: Row, one: Contest, work: str, cells: int = 0) -> Situation:
    stride_bytes = one.first.point.stride_bytes
    size = cells or None
    return situation_in(one, work, size=size, stride_bytes=stride_bytes, affinity=row.placed)


def _fewer(part: Part, row: Row, cells: int) -> Conclusion:
    """Compares this number of variables with one variable."""
    one = contest([row.by_cells[n].measured for n in (cells, 1)], part.source)
    mine, is_own = one.points[1], cells == row.lanes
    work, size = ("share", 0) if is_own else ("several", cells)
    return choose(
        one,
        "variables" if is_own else "fewer_variables",
        _situation(row, one, work, size),
        mine,
        name=variable_subject,
        conditions=lambda s: [Condition("merge")] * (s.point.cells > 1),
        reason=line_moves(mine, row.over_alone) if is_own else None,
        next=["advise_program"] * is_own,
    )


def _near(part: Part, pair: NearFar) -> Conclusion:
    """Decides between near CPUs and CPUs farther apart."""
    near, far = (row.by_cells[pair.cells] for row in (pair.near, pair.far))
    domains = {near.measured.id: near.joined_by, far.measured.id: far.joined_by}

    def conditions(s: Measured) -> list[Condition]:
        pinned = [Condition("pinned")] * (s is near.measured)
        return pinned + [Condition("hypervisor")] * part.virtual

    one = contest([near.measured, far.measured], part.source)
    return choose(
        one,
        "distance",
        _situation(pair.near, one, "distance", pair.cells),
        far.measured,
        name=lambda s: subject_of(s, domains[s.id]),
        conditions=conditions,
    )


def _unknown(part: Part, question: str, why: str) -> Conclusion:
    row = part.rows[-1]
    s = next(iter(row.by_cells.values())).measured
    situation = _situation(row, contest([s], part.source), question)
    return undecided(s, question, situation, why, name=variable_subject, next=["advise_program"])
