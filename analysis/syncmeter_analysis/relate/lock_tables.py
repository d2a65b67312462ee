"""The locks of a campaign. Around one add each lock has a row, and one lane and all lanes have a
contest. Each situation with work under the lock has a contest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter

from syncmeter_analysis.record.point import Point
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, Over, contest, contests, over
from syncmeter_analysis.relate.group import placed_alike
from syncmeter_analysis.relate.point_text import op_of
from syncmeter_analysis.relate.summary import Measured

#: The op without a lock.
alternative = "atomic_add"

#: Fewer locks leave no choice.
_least_locks = 2


@dataclass
class Row:
    """One lock, or the atomic add, of one backend. `on_one` has a lock for all lanes, by lanes.
    `own` has a lock for each lane, with the most lanes."""

    first: Measured
    on_one: dict[int, Measured] = field(default_factory=dict)
    own: Measured | None = None

    @property
    def is_lock(self) -> bool:
        return self.first.point.op != alternative

    @property
    def op(self) -> str:
        return op_of(self.first.point)

    def cost_at(self, lanes: int) -> Measured | None:
        found = self.on_one.get(lanes)
        return found if found is not None and found.usable else None


@dataclass
class LockTable:
    """Locks with one type, wait policy and placement, from one file.
    `source` names the file where there are several.
    `alone` is the contest of one lane, `shared` that of the most lanes, None where only one ran."""

    first: Measured
    affinities: list[str]
    rows: list[Row]
    alone: Contest
    shared: Contest | None
    source: str = ""

    @property
    def most_lanes(self) -> int:
        return max(lanes for row in self.rows for lanes in row.on_one)


def _belongs(s: Measured) -> bool:
    # shared_mutex_read and its like let lanes in together: no alternative to a lock around an add.
    lock = s.family == "critical" and s.point.op.endswith("_add")
    cpu = s.device is None and s.visits > 0 and not s.imported
    return cpu and bool(s.point.type) and (lock or s.point.op == alternative)


def cells_in_use(p: Point) -> int:
    """How many cells the lanes use: 1 when all share one, 0 for an op without any."""
    if p.placement == "none":
        return 0
    if p.placement == "shared" or p.stride == 0:
        return 1
    return p.cells or p.lanes


def tables_of(points: Iterable[Measured], source: str) -> list[LockTable]:
    updates = (s for s in points if _belongs(s) and cells_in_use(s.point))
    alike = placed_alike(updates, attrgetter("point.type", "point.wait"))
    found = (_table(affinities, group, source) for affinities, group in alike)
    return [one for one in found if one is not None]


def _rows_of(group: Sequence[Measured]) -> list[Row]:
    by_op: dict[tuple[str, bool, str, str], Row] = {}
    # The first point in a row counts: shared cells, then cells far apart.
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
        source,
    )


def _contest_at(found: Sequence[Row], lanes: int) -> Contest:
    return contest(row.on_one[lanes] for row in found if row.is_lock and lanes in row.on_one)


def over_atomic(row: Row, among: Sequence[Row], lanes: int) -> Over:
    """Returns the lock's ratio to the backend's atomic add, or None."""
    mine, atomic = row.cost_at(lanes), atomic_of(among, row.first.point.backend)
    return over(mine, atomic.cost_at(lanes) if atomic else None)


def atomic_of(found: Sequence[Row], backend: str) -> Row | None:
    """Returns the backend's atomic add, with relaxed order if possible."""
    adds = [row for row in found if not row.is_lock and row.first.point.backend == backend]
    return min(adds, key=lambda row: row.first.point.order != "relaxed", default=None)


_held = "_held"

#: The clock may be faster than at calibration.
_least_of_work = 0.5


def lock_of(s: Measured) -> str:
    """Returns `mcs_lock` for `mcs_lock_add` and `mcs_lock_held`."""
    return s.point.op.removesuffix("_add").removesuffix(_held)


def situations(campaign: Campaign) -> list[Contest]:
    """Returns a contest for each lane count, held work and pause with two locks or more."""
    axes = "lanes", "section_ns", "think_ns", "affinity", "wait"
    return contests(campaign, _is_held, *axes, known=_possible)


def _is_held(s: Measured) -> bool:
    # A point with a timeout has no family.
    return s.point.op.endswith(_held) and not s.imported and s.status != "unsupported"


def _possible(s: Measured) -> Measured:
    """Removes a cost far below the lanes' serial work. Sleeping locks scatter this much under load."""
    least = _least_of_work * s.point.lanes * s.point.section_ns
    return replace(s, status="interferes") if s.cost and s.cost.value < least else s
