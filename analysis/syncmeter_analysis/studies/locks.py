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
from syncmeter_analysis.studies.blocks import Block, Line, Table, pivot, table
from syncmeter_analysis.studies.cells import (
    crowded,
    fairness,
    named,
    over_best,
    rate,
    rate_and_fairness,
    scope_of,
)
from syncmeter_analysis.studies.figures import Figure, dots

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
    """A table for each type, wait policy and layout in a file, if two or more CPU locks have them."""
    tables = [
        found for _, points, source in campaign.parts() for found in tables_of(points, source)
    ]
    return Locks(tables, situations(campaign))


def text(locks: Locks) -> list[Block]:
    """Returns for each table what the locks cost, and what they do by threads; then all situations."""
    found = [block for one in locks.tables for block in (_costs(one), _by_threads(one))]
    return [*found, _held(locks.held)]


def _costs(found: LockTable) -> Table:
    one, lanes = found.shared or found.alone, found.most_lanes if found.shared else 1
    rows = []
    for row in found.rows:
        s, shared = row.on_one.get(lanes), row.on_one.get(lanes) if found.shared else None
        over_add = over_atomic(row, found.rows, lanes) if row.is_lock else 1
        at = [row.first.point.backend, named(row.op, *row.on_one.values())]
        costs = [row.on_one.get(1), row.own, shared, rate(row.cost_at(lanes)), *fairness(shared)]
        over = over_best(one, s) if row.is_lock else None
        rows.append([*at, *costs, over, over_add, crowded(s)])
    threads = formats.count(found.most_lanes, "thread")
    affinities, source = found.affinities, found.source
    scope = scope_of(
        found.first, found.first.point.type, threads, affinities=affinities, source=source
    )
    columns = "backend|lock|uncontended ns>|private ns>|contended ns>|ops/s>|fair>|slow/fast>"
    columns += "|over fastest (95 % CI)>|over atomic_add (95 % CI)>|"
    return table(f"One add under each lock: {scope}", columns, rows, keys=2)


def figures(locks: Locks) -> list[Figure]:
    """Draws the first table: each lock by threads."""
    lines: list[Line] = [
        ([row.op], {formats.count(n, "thread"): s for n, s in sorted(row.on_one.items())}, ())
        for one in locks.tables[:1]
        for row in one.rows
    ]
    looks = {"title": "ns of one add", "what": "lock", "legend": ""}
    title, note = (
        "One add to a shared variable under each lock",
        "95 % CI, logarithmic. vCPU placements may differ.",
    )
    return dots("locks", title, note, lines, **looks)


def _by_threads(found: LockTable) -> Table:
    lines = [
        (
            [row.first.point.backend, row.op],
            {formats.count(n, "thread"): rate_and_fairness(row.cost_at(n)) or "-" for n in lanes},
            (),
        )
        for lanes in [sorted({n for row in found.rows for n in row.on_one})]
        for row in found.rows
        # The first table has two numbers of threads.
        if len(lanes) > 2
    ]
    return pivot("One lock for all threads: ops/s of all, and fairness", "backend|lock", lines)


def _held(held: Sequence[Contest]) -> Table:
    """Returns one table with all situations."""
    rows = []
    for one in held:
        for s in one.points:
            p, w = s.point, s.lane_waits
            waits = ["", "", ""] if w is None else [formats.duration(t) for t in w[1:]]
            at = [p.lanes, p.section_ns, p.think_ns, p.backend, named(lock_of(s), s)]
            many = "more threads than CPUs" if one.is_crowded else ""
            found = [s, rate(s), over_best(one, s), fairness(s)[0], *waits]
            rows.append([*at, *found, many, one.source])
    columns = "threads>|ns held>|ns between>|backend|lock|ns/section>|sections/s>"
    columns += "|over fastest (95 % CI)>|fair>|median wait>|p99.9 wait>|longest wait>||"
    return table("Locks held for a while", columns, rows, keys=5, spare=[8, 9])
