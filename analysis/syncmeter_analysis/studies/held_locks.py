"""Locks held for a while: what all lanes get done, and how long each lane waits, by lock."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, contest
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Cell, Table, Text, table

_least_locks = 2


@dataclass
class Situation:
    """All locks with so many lanes, so much work under the lock and so much between two sections, of
    one file and affinity."""

    locks: list[Measured]
    contest: Contest
    source: str = ""

    @property
    def first(self) -> Measured:
        return self.locks[0]

    @property
    def oversubscribed(self) -> bool:
        """More lanes than PUs: two of them share one."""
        pus = [pu for s in self.locks for pu in s.pus[: s.point.lanes]]
        lanes = self.first.point.lanes
        return any(s.oversubscribed for s in self.locks) or (
            bool(pus) and len(set(self.first.pus)) < min(lanes, len(self.first.pus))
        )


def situations(campaign: Campaign) -> list[Situation]:
    """In the order of lanes, work inside and work outside; none where there is one lock only."""
    return [
        Situation(group, contest(group), source)
        for _, points, source in campaign.parts()
        for group in _groups(points)
    ]


def _groups(points: Iterable[Measured]) -> list[list[Measured]]:
    groups: dict[tuple[int, int, int, str, str], list[Measured]] = defaultdict(list)
    for s in points:
        p = s.point
        # A point that timed out has no family: its name tells.
        if p.op.endswith("_held") and not s.imported and s.status != "unsupported":
            groups[p.lanes, p.section_ns, p.think_ns, p.affinity, p.wait].append(s)
    ordered = (sorted(group, key=_name) for _, group in sorted(groups.items()))
    return [group for group in ordered if len(group) >= _least_locks]


def _name(s: Measured) -> tuple[str, str]:
    return s.point.backend, s.point.op


def lock_of(s: Measured) -> str:
    """`std mcs_lock`."""
    return f"{s.point.backend} {s.point.op.removesuffix('_held')}"


def held_answer(held: Sequence[Situation]) -> list[str]:
    """For each situation of several lanes which lock to take, and whose lanes wait longest."""
    found = [held_sentence(one) for one in held if one.first.point.lanes > 1]
    alone = "locks held for a while: cannot tell: only one thread was measured"
    return found or [alone] * bool(held)


def held_text(held: Sequence[Situation]) -> list[Block]:
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


def _table(held: Sequence[Situation]) -> Table:
    columns = "lanes>|inside>|outside>|backend|lock|ns/op>|sections/s>|over fastest>|95 % interval>"
    columns += "|fair>|median wait>|p99.9 wait>|longest wait>|"
    rows = [
        [
            *(str(s.point.lanes), str(s.point.section_ns), str(s.point.think_ns), s.point.backend),
            Cell(s.point.op.removesuffix("_held"), [s.id]),
            *(
                formats.cost(s),
                _rate(s),
                *one.contest.fields(s),
                _fair(s),
                *_waits(s),
                _notes(one, s),
            ),
        ]
        for one in held
        for s in one.locks
    ]
    return table("Locks held for a while", columns, rows, keys=5, spare=[8, 10])


def _rate(s: Measured) -> str:
    return "" if s.ops_per_s_total is None else formats.rate(s.ops_per_s_total)


def _fair(s: Measured) -> str:
    return formats.number(s.fairness, 3) if s.usable and s.point.lanes > 1 else ""


def _waits(s: Measured) -> list[str]:
    w = s.lane_waits
    return ["", "", ""] if w is None else [formats.duration(t) for t in w[1:]]


def _notes(one: Situation, s: Measured) -> str:
    notes = [s.status] if s.status != "ok" else []
    notes += ["more lanes than PUs"] if one.oversubscribed else []
    return "; ".join(notes + [one.source] * bool(one.source))


def situation(one: Situation) -> str:
    """`2 threads that hold it 50 ns and leave it 500 ns`, and that there are too few PUs."""
    p = one.first.point
    place = f"{formats.count(p.lanes, 'thread')}, {p.section_ns} ns under the lock"
    place += f", {p.think_ns} ns between" if p.think_ns else ""
    place += ", more threads than processing units" if one.oversubscribed else ""
    return place + (f" ({one.source})" if one.source else "")


def held_sentence(one: Situation) -> str:
    """The fastest lock, what may be as fast, what the slowest and the usual take, and the waits."""
    usual = [s for s in one.locks if s.point.op in ("mutex_held", "critical_held")]
    which = one.contest.sentence(lock_of, lambda s: f"{_rate(s)} sections a second", usual=usual)
    waits = _slowest_waits(one) if one.contest.best else ""
    return f"{situation(one)}: {which}{waits}{_stalled(one)}"


def _slowest_waits(one: Situation) -> str:
    waits = [(s.lane_waits.p999_ns, s) for s in one.locks if s.lane_waits is not None and s.usable]
    if len(waits) < 2:
        return ""
    least, most = min(waits, key=lambda w: w[0]), max(waits, key=lambda w: w[0])
    return (
        f"; one wait in 1000 is longer than {formats.duration(least[0])} ({lock_of(least[1])}), "
        f"{formats.duration(most[0])} ({lock_of(most[1])})"
    )


def _stalled(one: Situation) -> str:
    stuck = [s for s in one.locks if s.status in ("timeout", "too_slow")]
    if not stuck:
        return ""
    names = ", ".join(f"{lock_of(s)} ({s.status})" for s in stuck)
    return f"; ran out of time: {names}"
