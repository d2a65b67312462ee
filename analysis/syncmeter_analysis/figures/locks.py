"""What each lock costs: alone, one for each lane, and one for all lanes."""

from __future__ import annotations

from typing import Any

from syncmeter_analysis.figures.dots import cost_dots
from syncmeter_analysis.figures.figure import Figure, Panel
from syncmeter_analysis.statistics import text
from syncmeter_analysis.statistics.relation import Verdict, verdict
from syncmeter_analysis.statistics.summary import Measured
from syncmeter_analysis.studies.locks import scope, slowest
from syncmeter_analysis.studies.locks_rows import Contest, Locks, LockTable, Row


def figures(locks: Locks) -> list[Figure]:
    """A figure for each table."""
    return [
        _figure(table, number)
        for number, table in enumerate(locks.tables)
        if (table.shared or table.alone).winners is not None
    ]


def _figure(table: LockTable, number: int) -> Figure:
    contest = table.shared or table.alone
    groups = ["1 lane", "a lock for each lane", f"{table.most_lanes} lanes on one lock"]
    dots = []
    for row in sorted(table.rows, key=lambda row: _cost(row.on_one.get(contest.lanes))):
        seen = (
            row.cost_at(1),
            row.own,
            row.on_one.get(table.shared.lanes) if table.shared else None,
        )
        for group, s in zip(groups, seen, strict=True):
            if s is not None and s.usable:
                dots.append(_dot(row, s, group))
    kept = [g for g in groups if any(d["group"] == g for d in dots)]
    chart = cost_dots(dots, "ns of one add under the lock, each lane", kept, "lock", "")
    return Figure(
        f"locks-{number + 1}",
        f"{_finding(table, contest)} ({scope(table)})",
        "ns of one add under each lock with the 95 % interval, logarithmic; atomic_add needs no lock. "
        "Costs may be from different placement states; the title compares within one state.",
        [Panel("cost of each lock", chart)],
        table.points,
        wide=True,
    )


def _cost(s: Measured | None) -> float:
    return s.cost.value if s is not None and s.usable and s.cost else float("inf")


def _dot(row: Row, s: Measured, group: str) -> dict[str, Any]:
    bounds = s.cost if s.cost and s.cost.bounded else None
    return {
        "row": row.name,
        "ns": _cost(s),
        "low": bounds and bounds.low,
        "high": bounds and bounds.high,
        "group": group,
        "id": s.id,
    }


def _finding(table: LockTable, contest: Contest) -> str:
    """The fastest lock, or those among which it is, and how far off the slowest is."""
    winners = contest.winners
    if winners is None:
        return "No lock has a cost"
    best = table.row_of(winners.best).name
    lanes = "one lane" if contest.lanes == 1 else f"{contest.lanes} lanes on one lock"
    others = [table.row_of(s).name for s in (*winners.ties, *(s for s, _ in winners.apart))]
    if others:
        told = (
            f"The fastest lock of {lanes} is {best} or, not resolved to be slower, "
            f"{', '.join(others)}"
        )
    else:
        told = f"{best} is the fastest lock of {lanes}"
    worst = slowest(table, contest)
    if worst is not None and verdict(worst[1]) is Verdict.slower:
        row, r = worst
        told += f"; {row.name} takes {text.ratio(r.value)} times as long"
    return told
