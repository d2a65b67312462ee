"""Teams of threads that contend for a lock, and what a reader can choose among in each situation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median

from syncmeter_analysis.conclude import references
from syncmeter_analysis.conclude.conclusion import Cost, Situation, Subject
from syncmeter_analysis.conclude.references import Reference
from syncmeter_analysis.relate.contest import Contest, contest
from syncmeter_analysis.relate.distance import are_alike, hops_of, meet
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.lock_tables import LockTable, lock_of
from syncmeter_analysis.relate.op_groups import is_default, is_own_code, spins
from syncmeter_analysis.relate.summary import Measured


@dataclass(frozen=True)
class Place:
    """The machine, which all conclusions of a campaign share."""

    cpus: int
    hypervisor: bool


@dataclass
class Team:
    """Threads that contend for one lock in one file. `table` has the contest around one add, and `held`
    one contest for each situation with work under the lock."""

    place: Place
    table: LockTable | None = None
    held: list[Contest] = field(default_factory=list)

    @property
    def shared(self) -> Contest | None:
        return self.table.shared if self.table else None

    @cached_property
    def contests(self) -> list[Contest]:
        """Returns the contest around one add, then the situations. Holding a lock for 0 ns without
        a pause repeats the contest around one add, with two more clock readings."""
        around = [self.shared] if self.shared else []
        work = [one for one in self.held if _work_ns(one) > 0 or not around]
        return [*around, *work]

    @cached_property
    def led(self) -> Counter[str]:
        """Counts the situations in which each lock is among the leaders."""
        return Counter(lock for one in self.contests for lock in set(map(lock_of, one.leaders)))


def teams_of(place: Place, tables: Sequence[LockTable], held: Sequence[Contest]) -> list[Team]:
    """Returns the teams of several threads, first those with situations of work under the lock."""
    teams = [Team(place, table) for table in tables if table.shared]
    several = [one for one in held if one.first.point.lanes > 1]
    for (source, affinity, wait, lanes), alike in grouped(several, _key_of).items():
        fitting = (
            team
            for team in teams
            if team.table
            and not team.held
            and (team.table.source, team.table.most_lanes) == (source, lanes)
            and affinity in team.table.affinities
            and wait == team.table.first.point.wait
        )
        team = next(fitting, None)
        if team is None:
            teams.append(team := Team(place))
        team.held = alike
    return sorted(teams, key=lambda team: not team.held)


def _key_of(one: Contest) -> tuple[str, str, str, int]:
    p = one.first.point
    return one.source, p.affinity, p.wait, p.lanes


def _work_ns(one: Contest) -> float:
    return one.first.point.section_ns + one.first.point.think_ns


def situation_of(team: Team, one: Contest, work: str = "") -> Situation:
    p = one.first.point
    held = p.op.endswith("_held")
    hops = hops_between(one)
    return Situation(
        threads=p.lanes,
        work=work or ("held" if held else "one_add"),
        cpus=team.place.cpus,
        crowded=one.is_crowded,
        held_ns=p.section_ns if held and not work else None,
        pause_ns=p.think_ns if held and not work else None,
        hop_ns=median(hops) if hops and are_alike(hops) else None,
        type=p.type,
        affinity=p.affinity,
        wait=p.wait,
        file=one.source or (team.table.source if team.table else ""),
    )


def hops_between(one: Contest) -> list[float]:
    """Returns the core-to-core latencies of the compared states if a hypervisor may move the
    threads."""
    moved = [s for s in one.points if s.on_hypervisor and meet(s)]
    return hops_of(moved, one.over_best.values()) if moved else []


def name_of(s: Measured) -> tuple[str, str]:
    return s.point.backend, lock_of(s)


def subject_of(s: Measured) -> Subject:
    return Subject(s.point.backend, lock_of(s), s.id)


def cost_of(s: Measured) -> Cost | None:
    if not s.usable or s.cost is None:
        return None
    i = s.cost
    low, high = (i.low, i.high) if i.bounded else (None, None)
    return Cost(subject_of(s), i.value, low, high)


def references_of(found: Sequence[Contest]) -> list[Reference]:
    """Returns the defaults among these locks, or one reference without names if there is no default."""
    known = [r for r in references.locks if any(default_of(one, r) for one in found)]
    backends = {s.point.backend for one in found for s in one.points}
    return known or [Reference("", (), frozenset(backends))]


def default_of(one: Contest, reference: Reference) -> Measured | None:
    """Returns the default in this situation. If it has several names, a leader comes first."""
    by_name = {(s.point.backend, lock_of(s)): s for s in one.points if s.usable and s.cost}
    named = [by_name[name] for name in reference.names if name in by_name]
    if not reference.is_one_lock:
        named = named[:1]
    leading = [s for s in named if any(s is leader for leader in one.leaders)]
    return next(iter([*filter(one.is_near, leading), *leading, *named]), None)


def rank(s: Measured) -> tuple[bool, ...]:
    """Orders locks by what they ask of a program: defaults, API locks, libraries, own code,
    spinning."""
    op = s.point.op
    return not is_default(op), is_own_code(op), s.point.backend == references.libraries, spins(op)


def _usable(one: Contest, reference: Reference) -> Contest:
    """Returns the contest, without unusable locks if all of its leaders are unusable."""
    if any(reference.may_use(s.point.backend, is_own_code(s.point.op)) for s in one.leaders):
        return one
    return contest(
        s for s in one.points if reference.may_use(s.point.backend, is_own_code(s.point.op))
    )


def leaders_of(one: Contest, reference: Reference) -> list[Measured]:
    """Returns the leaders in reach of the API."""
    found = _usable(one, reference).leaders
    return [s for s in found if reference.may_use(s.point.backend, is_own_code(s.point.op))]


def choice_of(team: Team, one: Contest, reference: Reference) -> Measured | None:
    """Returns the default if no lock is shown to be faster. Otherwise returns the leader near the
    fastest with the least demands on a program and the most leads."""
    mine, leaders = default_of(one, reference), leaders_of(one, reference)
    if mine in leaders:
        return mine
    near = [s for s in leaders if _usable(one, reference).is_near(s)] or leaders
    ranked = sorted(near, key=lambda s: (rank(s), -team.led[lock_of(s)]))
    return _by_its_first_name(one, ranked[0]) if ranked else None


def _by_its_first_name(one: Contest, s: Measured) -> Measured:
    """Returns the same lock under the first name."""
    found = (r for r in references.locks if r.is_one_lock and name_of(s) in r.names)
    of = next(found, None)
    return (default_of(one, of) if of else None) or s


def is_same_lock(a: Measured, b: Measured) -> bool:
    """Returns whether both measure the same lock, under any name and with any work."""
    return lock_name(a) == lock_name(b)


def lock_name(s: Measured) -> tuple[str, str]:
    """Returns the backend and the first name of the lock."""
    alike = (r.names[0] for r in references.locks if r.is_same(name_of(s)))
    return next(alike, name_of(s))
