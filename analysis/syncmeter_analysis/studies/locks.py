"""What each lock costs around one add: alone, shared by all lanes, and one for each lane; beside the
fastest of them, and beside an atomic add, which needs none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from syncmeter_analysis.relate import contest_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, contest
from syncmeter_analysis.relate.distance import distance, threads_apart
from syncmeter_analysis.relate.op_groups import is_default, is_own_code, mutex_of
from syncmeter_analysis.relate.relation import Ratio, Verdict, default_margin, least_visits, verdict
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.text import percent
from syncmeter_analysis.studies.any_lock import any_lock
from syncmeter_analysis.studies.blocks import Block, Cell, Table, Text, table
from syncmeter_analysis.studies.cells import (
    cost_of_sections,
    cost_text,
    fairness,
    notes,
    ns_of,
    rate,
    rate_and_fairness,
    scope_of,
    slowest,
    unfair,
    unfair_of,
)
from syncmeter_analysis.studies.held_locks import held_answer, held_text, situations
from syncmeter_analysis.studies.lock_tables import (
    LockTable,
    Row,
    atomic_of,
    over_atomic,
    tables_of,
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


def answer(locks: Locks) -> list[str]:
    """The lock to take in each situation: alone, shared, and held for a while; and the least fair."""
    found = [
        f"{one.source}: " * bool(one.source) + sentence
        for one in locks.tables
        for sentence in _sentences(one)
    ]
    counts = {table.most_lanes for table in locks.tables if table.shared}
    # A lock around one add is a section without work: its two sentences differ by two clock readings.
    held = [
        one
        for one in locks.held
        if one.first.point.section_ns + one.first.point.think_ns > 0
        or one.first.point.lanes not in counts
    ]
    # A program with locks seldom holds them for one add.
    found[:0] = any_lock(locks.held, [table.shared for table in locks.tables if table.shared])
    return _with_own_code(found + held_answer(held), _own_code(locks))


def _with_own_code(sentences: list[str], locks: list[str]) -> list[str]:
    """The sentences, and behind the first that names one of these locks that they are in no API."""
    if not locks:
        return sentences
    named = (i for i, sentence in enumerate(sentences) if any(f" {x}" in sentence for x in locks))
    at = 1 + next(named, len(sentences) - 1)
    which = f"{formats.listed(locks, len(locks))}: your own code (see core/ops/)"
    return [*sentences[:at], which, *sentences[at:]]


def _own_code(locks: Locks) -> list[str]:
    """Which of the locks that answers name no API has."""
    contests = [
        one
        for table in locks.tables
        for one in (table.alone, table.shared, _fair_ones(table.shared))
        if one
    ]
    ops = {s.point.op for one in (*contests, *locks.held) for s in one.leaders}
    return sorted({op.rpartition("_")[0] for op in ops if is_own_code(op)})


def _sentences(table: LockTable) -> Iterator[str]:
    if table.shared is None:
        yield "threads that share a lock: cannot tell: only one thread was measured"
    else:
        yield _which(table, table.shared)
        yield from _atomic_sentence(table, table.shared)
        yield from _fairness_sentence(table)
    yield _which(table, table.alone)
    yield from _of_one_api(table)


def _which(table: LockTable, one: Contest) -> str:
    # What a lock without another thread takes is its instructions.
    lanes = one.first.point.lanes if one.points else 1
    why = _why_by_code(one) if lanes == 1 else ""
    where = f"{one.threads_and_cpus}, one add under the lock"
    return contest_text.sentence(
        one, where, table.name_of, cost_of_sections, why=why, but=unfair_of(one, table.name_of)
    )


def _of_one_api(table: LockTable) -> Iterator[str]:
    """That locks of other APIs were not measured, which may be faster: a C++ program has a mutex."""
    apis = {row.first.point.backend.partition("-")[0] for row in table.rows if row.is_lock}
    if len(apis) == 1:
        (api,) = apis
        others = formats.listed([other for other in ("std", "posix", "omp") if other != api])
        yield (
            f"only locks of {api} were measured: `syncmeter run --study locks` compares those of "
            f"{others} too"
        )


def _why_by_code(one: Contest) -> str:
    """That it is a few atomic instructions in line where the usual locks are calls, by the census."""
    (atomic, calls) = _atomics_and_calls(one.taken) if one.taken else (0, 0)
    others = [_atomics_and_calls(s)[1] for s, _ in one.slower if is_default(s.point.op)]
    if not atomic or calls or not all(others):
        return ""
    return f"because it is {formats.count(atomic, 'atomic instruction')} and no call"


def _atomics_and_calls(s: Measured) -> tuple[int, int]:
    """How many atomic instructions and how many calls an op is, by the census of its loop; 0 and 0
    without one."""
    per_op = (s.census or {}).get("per_op") or {}
    atomic = sum(n for name, n in per_op.items() if name.startswith(("lock_", "xchg_mem")))
    return round(atomic), round(sum(n for name, n in per_op.items() if name.startswith("call:")))


def _atomic_sentence(table: LockTable, one: Contest) -> Iterator[str]:
    """Where an atomic add does the same, how many times as long as it the lock to take takes; of
    several locks the one that is nearest to it."""
    lanes = one.first.point.lanes
    beside = [(over_atomic(table.row_of(s), table.rows, lanes), s) for s in one.leaders]
    ratios = [(r, s) for r, s in beside if isinstance(r, Ratio)]
    if ratios and all(verdict(r) is Verdict.slower for r, _ in ratios):
        r, s = min(ratios, key=lambda item: item[0].low)
        row = table.row_of(s)
        threads = threads_apart(lanes, distance(one.points, [r]))
        yield (
            f"{threads}, where one add is all: use an atomic add ({formats.duration(r.under_ns)} for "
            f"{lanes}), because it needs no lock: {table.name_of(s)} takes {formats.times(r)} times as "
            f"long{formats.in_pairs(r)}{formats.sure(r)}"
            + (f" ({placed})" if (placed := _placed(r, s, row, table.rows)) else "")
        )


def _placed(r: Ratio, s: Measured, row: Row, among: Sequence[Row]) -> str:
    atomic = atomic_of(among, row.first.point.backend)
    under = atomic.cost_at(s.point.lanes) if atomic else None
    return formats.in_placement(r, s, under) if under else ""


def text(locks: Locks) -> list[Block]:
    """For each table what the locks cost, and what they do by lanes."""
    found = [block for table in locks.tables for block in _of_table(table)]
    return [*found, *held_text(locks.held)]


def scope(table: LockTable) -> str:
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
    return table(f"One add under each lock: {scope(found)}", columns, rows, keys=2)


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


def _fairness_sentence(table: LockTable) -> list[str]:
    found = [
        (s.fairness, table.name_of(s), s)
        for row in table.rows
        if row.is_lock and (s := row.cost_at(table.most_lanes)) and s.fairness is not None
    ]
    if not found:
        return []
    fairness, name, s = min(found, key=lambda item: item[0])
    where = f"{formats.count(table.most_lanes, 'thread')}, one add under the lock"
    least = f"the least fair is {name}"
    took = s.slowest_over_fastest
    if took is not None and took <= 1 + default_margin:
        longer = f"{percent(default_margin)} longer than another"
        return [f"{where}: every lock is fair: no thread takes more than {longer}"]
    if instead := _fair_lock(table):
        return [f"{where}, where each must get its turn: {instead}"]
    of_index = f"{least} ({fairness:.3f} by Jain's index; 1: fair)"
    return [f"{where}: {': '.join(filter(None, [of_index, slowest(s)]))}"]


def _cost_of_sections(s: Measured) -> str:
    return cost_of_sections(s).partition(",")[0]


def _cost_and_how_sure(s: Measured) -> str:
    """`4707 ns for 16 sections, 95 % sure: 4538 to 4892, 8 visits`: of a lock that is compared with no
    other."""
    return ", ".join(filter(None, [_cost_of_sections(s), formats.how_sure(s)]))


def _fair_lock(table: LockTable) -> str:
    """Where the fastest lock is unfair, that to take of those that are not."""
    fair = _fair_ones(table.shared)
    if table.shared is None or fair is None or fair.best is None:
        return ""
    each = len(fair.leaders) == 1
    amount = _cost_and_how_sure if each else _cost_of_sections
    taken = contest_text.advice(fair, table.name_of, amount, each=each)
    faster = [s for s in table.shared.points if ns_of(s) < ns_of(fair.best)]
    why = ", as each faster one is unfair" if faster and all(map(unfair, faster)) else ""
    if not why and all(map(unfair, table.shared.leaders)):
        why = ", as the fastest are unfair"
    least_fair = max(fair.leaders, key=lambda s: s.slowest_over_fastest or 1.0)
    return f"{taken}{why}; one thread takes {_times(least_fair)} times as long as another"


def _times(s: Measured) -> str:
    return formats.ratio(s.slowest_over_fastest or 1.0)


def _fair_ones(shared: Contest | None) -> Contest | None:
    """The contest of the fair locks where one of the fastest is unfair; one visit shows neither."""
    if shared is None:
        return None
    repeated = [s for s in shared.points if s.slowest_over_fastest and s.visits >= least_visits]
    if not any(unfair(s) for s in repeated if s in shared.leaders):
        return None
    fair = contest(s for s in repeated if not unfair(s))
    return fair if fair.best else None
