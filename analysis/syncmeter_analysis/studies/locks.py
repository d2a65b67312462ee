"""What each lock costs around one add: alone, shared by all lanes, and one for each lane; beside the
fastest of them, and beside an atomic add, which needs none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from syncmeter_analysis.record.point import Point
from syncmeter_analysis.relate import contest_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, Over, contest, over
from syncmeter_analysis.relate.distance import distance, threads_apart
from syncmeter_analysis.relate.group import grouped, placed_alike
from syncmeter_analysis.relate.op_groups import is_default, is_own_code, mutex_of
from syncmeter_analysis.relate.relation import Ratio, Verdict, default_margin, verdict
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Cell, Table, Text, table
from syncmeter_analysis.studies.cells import (
    cost_of_sections,
    cost_text,
    fairness,
    notes,
    op_of,
    rate,
    rate_and_fairness,
    scope_of,
    slowest,
    unfair,
)
from syncmeter_analysis.studies.held_locks import held_answer, held_text, situations

title = "Locks"
measured_by = "`syncmeter run --study locks`"
order = 1

#: What needs no lock.
alternative = "atomic_add"

#: Fewer locks than this leave nothing to choose.
_least_locks = 2


@dataclass
class Row:
    """One lock, or the atomic add, of one backend. `on_one`: one lock for all lanes, by lanes;
    `own`: one for each lane, of the most lanes."""

    first: Measured
    on_one: dict[int, Measured] = field(default_factory=dict)
    own: Measured | None = None

    @property
    def is_lock(self) -> bool:
        return self.first.point.op != alternative

    @property
    def op(self) -> str:
        return op_of(self.first)

    @property
    def name(self) -> str:
        return f"{self.first.point.backend} {self.op}"

    def cost_at(self, lanes: int) -> Measured | None:
        found = self.on_one.get(lanes)
        return found if found is not None and found.usable else None


@dataclass
class LockTable:
    """Locks of one type, way of waiting, and of affinities that place the lanes alike, of one file.
    `source` names the file where there are several.
    `alone` is the contest of one lane, `shared` that of the most lanes, None where only one ran."""

    first: Measured
    affinities: list[str]
    rows: list[Row]
    alone: Contest
    shared: Contest | None
    points: list[str]
    source: str = ""

    @property
    def most_lanes(self) -> int:
        return max(lanes for row in self.rows for lanes in row.on_one)

    def row_of(self, s: Measured) -> Row:
        return next(row for row in self.rows if any(s is x for x in row.on_one.values()))

    def name_of(self, s: Measured) -> str:
        """`std mcs_lock`, `omp omp_lock hint contended`; `std/posix mutex` of the lock that both APIs
        have, whichever of its rows it is."""
        if mutex_of(s.point.backend, s.point.op):
            return f"{'/'.join(self.mutexes)} mutex"
        name = self.row_of(s).name.replace("_add", "")
        return name.replace("lock_hint_", "omp_lock hint ")

    @property
    def mutexes(self) -> dict[str, str]:
        """What the APIs that have it call the one mutex, by backend."""
        points = [row.first.point for row in self.rows]
        found = {p.backend: name for p in points if (name := mutex_of(p.backend, p.op))}
        return {backend: found[backend] for backend in ("std", "posix") if backend in found}


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
    tables = [found for _, points, source in campaign.parts() for found in _tables(points, source)]
    return Locks(tables, situations(campaign))


def _updates(s: Measured) -> bool:
    # shared_mutex_read and its like let lanes in together: no alternative to a lock around an add.
    lock = s.family == "critical" and s.point.op.endswith("_add")
    cpu = s.device is None and s.visits > 0
    return cpu and bool(s.point.type) and (lock or s.point.op == alternative)


def _belongs(s: Measured) -> bool:
    return _updates(s) and not s.imported


def updates(campaign: Campaign) -> list[Row]:
    """The ways to update one shared counter on CPUs, imports and a single lock included: of all types,
    ways of waiting and affinities those with most ways, int32 before others."""

    def belongs(s: Measured) -> bool:
        on_cpu = _updates(s) and not (s.point.on_gpu or s.oversubscribed or s.point.repeat)
        return on_cpu and cells_in_use(s.point) == 1

    def rank(rows: list[Row]) -> tuple[int, bool, bool, int]:
        p = rows[0].first.point
        most = max(n for row in rows for n in row.on_one)
        return len(rows), p.type == "int32", p.wait == "active", most

    alike = attrgetter("point.type", "point.wait", "point.affinity", "source")
    groups = grouped(filter(belongs, campaign.points.values()), alike)
    return max(filter(None, map(_rows_of, groups.values())), key=rank, default=[])


def cells_in_use(p: Point) -> int:
    """How many cells the lanes use: 1 when all share one, 0 for an op without any."""
    if p.placement == "none":
        return 0
    if p.placement == "shared" or p.stride == 0:
        return 1
    return p.cells or p.lanes


def _tables(points: Iterable[Measured], source: str) -> list[LockTable]:
    updates = (s for s in points if _belongs(s) and cells_in_use(s.point))
    alike = placed_alike(updates, attrgetter("point.type", "point.wait"))
    found = (_table(affinities, group, source) for affinities, group in alike)
    return [one for one in found if one is not None]


def _rows_of(group: Sequence[Measured]) -> list[Row]:
    by_op: dict[tuple[str, bool, str, str], Row] = {}
    # A lone lane costs the same wherever its cell is; of locks of their own, those far apart.
    for s in sorted(group, key=lambda s: (s.point.placement != "shared", -s.point.stride_bytes)):
        p = s.point
        row = by_op.setdefault((p.backend, p.op != alternative, p.op, p.order), Row(s))
        if cells_in_use(p) == 1 or p.lanes == 1:
            row.on_one.setdefault(p.lanes, s)
        elif cells_in_use(p) == p.lanes and (row.own is None or row.own.point.lanes < p.lanes):
            row.own = s
    return [row for _, row in sorted(by_op.items()) if row.on_one]


def _table(affinities: list[str], group: Sequence[Measured], source: str) -> LockTable | None:
    found = _rows_of(group)
    if sum(row.is_lock for row in found) < _least_locks:
        return None
    most = max(lanes for row in found for lanes in row.on_one)
    return LockTable(
        group[0],
        affinities,
        found,
        _contest_at(found, 1),
        _contest_at(found, most) if most > 1 else None,
        [s.id for s in group],
        source,
    )


def _contest_at(found: Sequence[Row], lanes: int) -> Contest:
    return contest(row.on_one[lanes] for row in found if row.is_lock and lanes in row.on_one)


def over_atomic(row: Row, among: Sequence[Row], lanes: int) -> Over:
    """The lock's cost over that of its own backend's atomic add; None without either."""
    mine, atomic = row.cost_at(lanes), _atomic_of(among, row.first.point.backend)
    return over(mine, atomic.cost_at(lanes) if atomic else None) if row.is_lock else None


def _atomic_of(found: Sequence[Row], backend: str) -> Row | None:
    """The backend's atomic add; of several orders the relaxed one."""
    adds = [row for row in found if not row.is_lock and row.first.point.backend == backend]
    return min(adds, key=lambda row: row.first.point.order != "relaxed", default=None)


def least_fairness(lanes: int) -> float:
    """Jain's index where lanes that all do the same number of ops do them one lane after the other:
    what `fairness` cannot fall below. 0.9 for two lanes."""
    rates = sum(1 / lane for lane in range(1, lanes + 1))
    squares = sum(1 / lane**2 for lane in range(1, lanes + 1))
    return rates * rates / (lanes * squares)


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
    return found + _own_code(locks) + held_answer(held)


def _own_code(locks: Locks) -> list[str]:
    """Which of the locks that answers name no API has."""
    contests = [
        one
        for table in locks.tables
        for one in (table.alone, table.shared, _fair_ones(table.shared))
        if one
    ]
    ops = {s.point.op for one in (*contests, *locks.held) for s in one.leaders}
    names = sorted({op.rpartition("_")[0] for op in ops if is_own_code(op)})
    if not names:
        return []
    return [f"{formats.listed(names, len(names))}: code of your own, in no API (core/ops/ has it)"]


def _sentences(table: LockTable) -> Iterator[str]:
    if table.shared is None:
        yield "threads that share a lock: cannot tell: only one thread was measured"
    else:
        yield _which(table, table.shared)
        yield from _atomic_sentence(table, table.shared)
    yield _which(table, table.alone)
    yield from _of_one_api(table)
    if table.shared is not None:
        yield from _fairness_sentence(table)


def _which(table: LockTable, one: Contest) -> str:
    # What a lock without another thread takes is its instructions.
    lanes = one.first.point.lanes if one.points else 1
    why = _why_by_code(one) if lanes == 1 else ""
    where = f"{one.threads_and_cpus}, one add under the lock"
    return contest_text.sentence(
        one, where, table.name_of, cost_of_sections, why=why, but=unfair(one.taken)
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
            f"{threads}, where one add is all: use an atomic add, because it "
            f"needs no lock: {table.name_of(s)} takes {formats.costs_as_long(r)}"
            f" for {lanes} of each"
            + (f" ({placed})" if (placed := _placed(r, s, row, table.rows)) else "")
        )


def _placed(r: Ratio, s: Measured, row: Row, among: Sequence[Row]) -> str:
    atomic = _atomic_of(among, row.first.point.backend)
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
    took = s.slowest_over_fastest
    if took is not None and took <= 1 + default_margin:
        longer = f"{default_margin:.0%} longer than another"
        return [f"{where}: every lock is fair: no thread takes more than {longer}"]
    if instead := _fair_lock(table):
        return [f"{where}: the least fair is {name}: {slowest(s)}; {instead}"]
    of_index = f"{name} ({fairness:.3f} by Jain's index; 1: fair)"
    return [f"{where}: the least fair is {': '.join(filter(None, [of_index, slowest(s)]))}"]


def _cost_alone(s: Measured) -> str:
    return cost_of_sections(s).partition(",")[0]


def _fair_lock(table: LockTable) -> str:
    """Where the fastest lock is unfair, that to take of those that are not."""
    fair = _fair_ones(table.shared)
    if fair is None:
        return ""
    each = len(fair.leaders) == 1
    taken = contest_text.advice(fair, table.name_of, _cost_alone, each=each)
    return f"where each must get its turn, {taken}"


def _fair_ones(shared: Contest | None) -> Contest | None:
    """The contest of the fair locks where one of the fastest is unfair."""
    if shared is None or not any(unfair(s) for s in shared.leaders):
        return None
    fair = contest(s for s in shared.points if s.slowest_over_fastest and not unfair(s))
    return fair if fair.best else None
