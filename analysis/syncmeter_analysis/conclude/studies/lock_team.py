"""Teams of threads that contend for a lock, and what a reader can choose among in each situation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from syncmeter_analysis.conclude import choice, references
from syncmeter_analysis.conclude.conclusion import Situation, Subject
from syncmeter_analysis.conclude.references import Reference
from syncmeter_analysis.record.machine import Machine
from syncmeter_analysis.relate.contest import Contest, contest
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.lock_tables import LockTable, lock_of
from syncmeter_analysis.relate.op_groups import is_default, is_own_code, spins
from syncmeter_analysis.relate.relation import (
    NotComparable,
    Ratio,
    Verdict,
    default_margin,
    least_visits,
    ratio,
    verdict,
)
from syncmeter_analysis.relate.summary import Measured

#: An unfair lock makes the slowest thread this much slower than the fastest thread.
unfair_from = 2.0


@dataclass
class Team:
    """Threads that contend for one lock in one file. `table` has the contest around one add, and `held`
    one contest for each situation with work under the lock."""

    machine: Machine
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


def teams_of(machine: Machine, tables: Sequence[LockTable], held: Sequence[Contest]) -> list[Team]:
    """Returns the teams of several threads, first those with situations of work under the lock."""
    teams = [Team(machine, table) for table in tables if table.shared]
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
            teams.append(team := Team(machine))
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
    return choice.situation_of(
        one.first,
        work or ("held" if held else "one_add"),
        cpus=team.machine.pus or 0,
        crowded=one.is_crowded,
        held_ns=p.section_ns if held and not work else None,
        pause_ns=p.think_ns if held and not work else None,
        hop_ns=choice.hop_of(one),
        file=one.source or (team.table.source if team.table else ""),
    )


def name_of(s: Measured) -> tuple[str, str]:
    return s.point.backend, lock_of(s)


def subject_of(s: Measured, variant: str = "") -> Subject:
    return Subject(s.point.backend, lock_of(s), variant, s.id)


def references_of(found: Sequence[Contest]) -> list[Reference]:
    """Returns the defaults among these locks, or one reference without names if there is no default."""
    known = [r for r in references.locks if any(default_of(one, r) for one in found)]
    backends = {s.point.backend for one in found for s in one.points}
    return known or [Reference((), frozenset(backends))]


def default_of(one: Contest, reference: Reference) -> Measured | None:
    """Returns the default in this situation. If it has several names, a leader comes first."""
    by_name = {name_of(s): s for s in one.points if s.usable and s.cost}
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
    if any(map(reference.may_use, one.leaders)):
        return one
    return contest(filter(reference.may_use, one.points))


def leaders_of(one: Contest, reference: Reference) -> list[Measured]:
    """Returns the leaders in reach of the API."""
    return list(filter(reference.may_use, _usable(one, reference).leaders))


@dataclass(frozen=True)
class Choice:
    """The recommended lock and the locks that it was compared with. `reserved` is a faster lock that
    spins, if the host may take CPUs away and the recommended lock therefore sleeps."""

    one: Contest
    lock: Measured
    reserved: Measured | None = None


def choice_of(team: Team, one: Contest, reference: Reference) -> Choice | None:
    """Returns the recommended lock. In a virtual machine a spinning lock is recommended only if no
    sleeping lock was compared. It is undecided if the default is not comparable with it."""
    fastest = _choice_among(team, one, reference)
    if fastest is None:
        return None
    if team.machine.hypervisor and spins(fastest.point.op):
        asleep = safe_of(team, one)
        lock = _choice_among(team, asleep, reference)
        reserved = _reserved(team, one, lock, fastest, reference) if lock else None
        if lock and (reserved or lock is not default_of(asleep, reference)):
            return Choice(asleep, lock, reserved)
    return Choice(one, fastest)


def safe_of(team: Team, one: Contest) -> Contest:
    """Returns the contest of sleeping locks in a virtual machine, otherwise of all locks."""
    if not team.machine.hypervisor:
        return one
    return contest([s for s in one.points if not spins(s.point.op)], one.source)


def _reserved(
    team: Team, one: Contest, lock: Measured, fastest: Measured, reference: Reference
) -> Measured | None:
    """Returns the spinning lock near the fastest that is shown to be faster than this lock. A fair
    lock comes before an unfair lock, then the least demands on a program count."""
    usable = _usable(one, reference)
    spinning = [s for s in usable.points if spins(s.point.op) and reference.may_use(s)]
    near = [s for s in spinning if usable.is_near(s) and s.usable] or [fastest]
    faster = [s for s in near if verdict(ratio(lock, s)) is Verdict.slower]
    return _easiest(team, list(filter(_is_fair, faster)) or faster)


def _choice_among(team: Team, one: Contest, reference: Reference) -> Measured | None:
    """Returns the default if no lock is shown to be faster. Otherwise returns the leader near the
    fastest with the least demands on a program and the most leads. A fair lock replaces an unfair
    lock that is not shown to be faster."""
    mine, leaders = default_of(one, reference), leaders_of(one, reference)
    if mine in leaders:
        return mine
    near = [s for s in leaders if _usable(one, reference).is_near(s)] or leaders
    chosen = _easiest(team, near)
    if chosen and unfairness(chosen) >= unfair_from:
        known = _usable(one, reference)
        fair = [s for s in known.points if _is_fair(s) and known.is_near(s)]
        fair = [s for s in fair if reference.may_use(s) and _is_as_fast(ratio(s, chosen))]
        chosen = _easiest(team, fair) or chosen
    return _by_its_first_name(one, chosen) if chosen else None


def _easiest(team: Team, found: Sequence[Measured]) -> Measured | None:
    return min(found, key=lambda s: (rank(s), -team.led[lock_of(s)]), default=None)


def _is_as_fast(r: Ratio | NotComparable) -> bool:
    """Returns whether no difference is shown, or a difference within the margin."""
    if not isinstance(r, Ratio) or not r.bounded:
        return False
    return verdict(r) is not Verdict.slower or r.high <= 1 + default_margin


def unfairness(s: Measured) -> float:
    """Returns the time of the slowest thread over the time of the fastest thread, or 1."""
    known = s.usable and s.point.lanes > 1 and s.visits >= least_visits
    return (s.slowest_over_fastest or 1.0) if known else 1.0


def _is_fair(s: Measured) -> bool:
    known = s.usable and s.cost and s.slowest_over_fastest and s.visits >= least_visits
    return bool(known) and unfairness(s) < unfair_from


def fair_of(team: Team, one: Contest, reference: Reference) -> Measured | None:
    """Returns the fair lock near the fastest fair lock with the least demands on a program."""
    safe = filter(reference.may_use, safe_of(team, one).points)
    fair = contest(filter(_is_fair, safe))
    return _easiest(team, [s for s in fair.leaders if fair.is_near(s)])


def _by_its_first_name(one: Contest, s: Measured) -> Measured:
    """Returns the same lock under the first name."""
    found = (default_of(one, r) for r in references.locks if r.is_same(name_of(s)))
    return next(found, None) or s


def lock_name(s: Measured) -> tuple[str, str]:
    """Returns the backend and the first name of the lock, which is the same with any work."""
    alike = (r.names[0] for r in references.locks if r.is_same(name_of(s)))
    return next(alike, name_of(s))
