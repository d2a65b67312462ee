"""The page of the study: what each lock costs around one add, uncontended, shared by all threads
and one for each of them, compared with the fastest and with an atomic add; and held for a while.
The conclusions are conclude/studies/locks.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest
from syncmeter_analysis.relate.lock_tables import (
    LockTable,
    lock_of,
    over_atomic,
    situations,
    tables_of,
)
from syncmeter_analysis.relate.op_groups import mutex_of
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Cell, Table, Text, table
from syncmeter_analysis.studies.cells import (
    cost_text,
    fairness,
    notes,
    rate,
    rate_and_fairness,
    scope_of,
)

title = "Locks"
order = 1


@dataclass
class Locks:
    """The tables of all files."""

    tables: list[LockTable]
    held: list[Contest] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.tables or self.held)


def rows(campaign: Campaign) -> Locks:
    """A table for each type, way of waiting and placement of each file's locks on CPUs, where there
    are two locks or more."""
    tables = [
        found for _, points, source in campaign.parts() for found in tables_of(points, source)
    ]
    return Locks(tables, situations(campaign))


def text(locks: Locks) -> list[Block]:
    """For each table what the locks cost, and what they do by lanes."""
    found = [block for table in locks.tables for block in _of_table(table)]
    return [*found, *_held_text(locks.held)]


def _scope(table: LockTable) -> str:
    """`int32, 16 lanes, affinity close`, and the file's way of waiting where that is passive."""
    s, lanes = table.first, formats.count(table.most_lanes, "lane")
    return scope_of(s, s.point.type, lanes, affinities=table.affinities, source=table.source)


def _of_table(table: LockTable) -> list[Block]:
    explained = Text(
        "alone: 1 lane; own: each lane has a lock and a cell of its own; shared: all lanes on one "
        f"lock. Ratios are of the column {'shared' if table.shared else 'alone'}, inside one "
        "placement state, of paired visits where both have three; fastest: of the locks of all "
        f"backends.{_one_mutex(table)}"
    )
    return [_cost_table(table), explained, *_lanes_table(table)]


def _one_mutex(table: LockTable) -> str:
    """Which rows are one lock; '' where there is none or one of them."""
    ops: dict[str, list[str]] = {}
    for row in table.rows:
        p = row.first.point
        if mutex_of(p.backend, p.op):
            ops.setdefault(p.backend, []).append(p.op)
    if sum(map(len, ops.values())) < 2:
        return ""
    names = [f"{' and '.join(found)} of {backend}" for backend, found in ops.items()]
    return f" {formats.listed(names)} are one lock, the mutex of {' and '.join(table.mutexes)}."


def _cost_table(found: LockTable) -> Table:
    columns = "backend|lock|alone ns>|own ns>|shared ns>|ops/s>|fair>|slow/fast>|over fastest>"
    columns += "|95 % interval>|over atomic_add>|95 % interval>|"
    one, lanes = found.shared or found.alone, found.most_lanes if found.shared else 1
    rows = []
    for row in found.rows:
        s, shared = row.on_one.get(lanes), row.on_one.get(lanes) if found.shared else None
        beside = over_atomic(row, found.rows, lanes)
        at = [row.first.point.backend, Cell(row.op, [s.id for s in row.on_one.values()])]
        costs = [*map(cost_text, (row.on_one.get(1), row.own, shared)), rate(row.cost_at(lanes))]
        ratios = one.fields(s) if row.is_lock else ["", ""]
        ratios += formats.ratio_fields(beside, itself=not row.is_lock)
        why = {"the fastest": one.over(s), "atomic_add": beside}
        crowded = "oversubscribed" if s is not None and s.oversubscribed else ""
        rows.append([*at, *costs, *fairness(shared), *ratios, notes(s, crowded, over=why)])
    return table(f"One add under each lock: {_scope(found)}", columns, rows, keys=2)


def _lanes_table(found: LockTable) -> list[Block]:
    lanes = sorted({n for row in found.rows for n in row.on_one})
    if len(lanes) <= 2:  # the first table has them
        return []
    columns = ["backend", "lock", *(f"{formats.count(n, 'lane')}>" for n in lanes)]
    rows = [
        [
            row.first.point.backend,
            row.op,
            *(rate_and_fairness(row.cost_at(n)) or "-" for n in lanes),
        ]
        for row in found.rows
    ]
    what = "One lock for all lanes: ops/s of all of them, and fairness"
    return [table(what, columns, rows, keys=2)]


def _held_text(held: Sequence[Contest]) -> list[Block]:
    """One table of all situations, and what its columns are."""
    if not held:
        return []
    explained = Text(
        "inside and outside: ns of work under the lock and between two sections, of each lane. ns/op "
        "is of a section with all that, and two readings of the clock. Waits are from the call of lock "
        "until it is back, of each lane by its own clock: the median, the longest of 1000 (p99.9), and "
        "the longest of all; one lane's are the two readings."
    )
    return [_table(held), explained]


def _table(held: Sequence[Contest]) -> Table:
    columns = "lanes>|inside>|outside>|backend|lock|ns/op>|sections/s>|over fastest>|95 % interval>"
    columns += "|fair>|median wait>|p99.9 wait>|longest wait>|"
    rows = []
    for one in held:
        for s in one.points:
            p, crowded = s.point, "more lanes than PUs" if one.is_crowded else ""
            at = [p.lanes, p.section_ns, p.think_ns, p.backend]
            found = [*at, Cell(lock_of(s), [s.id]), formats.cost(s), rate(s)]
            found += [*one.fields(s), fairness(s)[0], *_waits(s)]
            rows.append([*found, notes(s, crowded, one.source)])
    return table("Locks held for a while", columns, rows, keys=5, spare=[8, 10])


def _waits(s: Measured) -> list[str]:
    w = s.lane_waits
    return ["", "", ""] if w is None else [formats.duration(t) for t in w[1:]]
