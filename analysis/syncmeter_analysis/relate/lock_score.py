"""How good rules for the choice of a lock are on published measurements of whole programs.

Two figures for each machine: programs that a rule makes more than 10 % slower, and the share that it
keeps of what the best lock of each program gains (logarithms of the ratios of throughput, added up over
the programs with more than 10 % to gain).

`syncmeter advise` (driver/advise/lock_rules.cpp) names no lock, which is the rule "always the default
mutex". A rule that names one may know what a run with the default mutex shows. Contention, hold and
threads are not in these data; two proxies are: `kept`, the throughput on all nodes over the highest on
fewer or as many, which falls where threads stand in each other's way, and `efficiency`, the throughput
on all nodes over nodes times that on one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from math import inf, log

default_lock = "pthread"


@dataclass(frozen=True)
class Program:
    """Throughput of a program, medians of its runs: with the default mutex by NUMA nodes, and with
    each lock on all nodes."""

    name: str
    by_nodes: dict[int, float]
    by_lock: dict[str, float]

    def ratio(self, lock: str) -> float | None:
        """Throughput with this lock over that with the default mutex; None: it was not measured."""
        found = self.by_lock.get(lock)
        return None if found is None else found / self.by_lock[default_lock]

    @property
    def best(self) -> float:
        return max(self.by_lock.values()) / self.by_lock[default_lock]


@dataclass(frozen=True)
class Machine:
    name: str
    programs: list[Program]


#: What counts as slower, and as something to gain.
harm, worth = 0.9, 1.1
#: Programs that a rule may make slower on each machine, and the share that it is to keep.
most_harmed, least_kept = 1, 0.5

Choice = Callable[[Program], str]


@dataclass(frozen=True)
class Score:
    programs: int
    to_gain: int
    harmed: tuple[str, ...]
    kept: float

    @property
    def is_good(self) -> bool:
        return len(self.harmed) <= most_harmed and self.kept >= least_kept


@dataclass(frozen=True)
class Rule:
    """A name, and its score on each machine; `detail` is what was chosen for each machine."""

    name: str
    scores: list[Score]
    detail: Sequence[str] = ()


def _ratio(program: Program, lock: str) -> float:
    # A program that did not end with a lock has a throughput of 0.
    found = program.ratio(lock)
    return 1.0 if found is None else max(found, 1e-3)


def score(machine: Machine, choose: Choice) -> Score:
    ratios = {p.name: _ratio(p, choose(p)) for p in machine.programs}
    gainers = [p for p in machine.programs if p.best > worth]
    possible = sum(log(p.best) for p in gainers)
    had = sum(log(ratios[p.name]) for p in gainers)
    harmed = tuple(name for name, ratio in ratios.items() if ratio < harm)
    return Score(len(ratios), len(gainers), harmed, had / possible if possible else 0.0)


def kept_of(program: Program) -> float:
    return program.by_lock[default_lock] / max(program.by_nodes.values())


def efficiency_of(program: Program) -> float:
    nodes = max(program.by_nodes)
    return program.by_lock[default_lock] / (nodes * program.by_nodes[1])


@dataclass(frozen=True)
class Box:
    """Names `lock` where both proxies are in their ranges, lower ends included; else the default."""

    lock: str
    kept: tuple[float, float]
    efficiency: tuple[float, float]

    def holds(self, program: Program) -> bool:
        return (
            self.kept[0] <= kept_of(program) < self.kept[1]
            and self.efficiency[0] <= efficiency_of(program) < self.efficiency[1]
        )

    def choose(self, program: Program) -> str:
        return self.lock if self.holds(program) else default_lock

    def __str__(self) -> str:
        if self.lock == default_lock:
            return "no lock"
        ranges = (("kept", self.kept), ("efficiency", self.efficiency))
        texts = [f"{name} {low:g} to {high:g}" for name, (low, high) in ranges]
        return f"{self.lock} where {', '.join(texts)}"


_nowhere = Box(default_lock, (0, inf), (0, inf))
_steps = [i / 10 for i in range(11)]


def _locks(machines: Sequence[Machine]) -> list[str]:
    return sorted({lock for m in machines for p in m.programs for lock in p.by_lock})


def _ranges() -> list[tuple[float, float]]:
    return list(combinations([*_steps, inf], 2))


def _distinct(programs: Sequence[Program]) -> Iterator[tuple[int, Box]]:
    """Boxes that hold different programs, and which, as bits; the widest first."""

    def bits(value: Callable[[Program], float]) -> list[tuple[int, tuple[float, float]]]:
        values = [value(p) for p in programs]
        found = [
            (sum(1 << i for i, v in enumerate(values) if low <= v < high), (low, high))
            for low, high in _ranges()
        ]
        return sorted(found, key=lambda each: (each[1][0] - each[1][1], each[1]))

    seen = {0}
    by_efficiency = bits(efficiency_of)
    for some, kept in bits(kept_of):
        for others, efficiency in by_efficiency:
            if some & others not in seen:
                seen.add(some & others)
                yield some & others, Box(default_lock, kept, efficiency)


def fit(machines: Sequence[Machine]) -> Box:
    """The box that keeps most on the machine where it keeps least, of those that harm no more programs
    of any machine than allowed; no lock where none keeps anything."""
    programs = [p for m in machines for p in m.programs]
    ends = [sum(len(m.programs) for m in machines[:i]) for i in range(len(machines) + 1)]
    spans = [range(a, b) for a, b in pairwise(ends)]
    possible = [log(p.best) if p.best > worth else 0.0 for p in programs]
    of_machine = [sum(1 << i for i in span) for span in spans]
    gains = {lock: [log(_ratio(p, lock)) for p in programs] for lock in _locks(machines)}
    harmed = {
        lock: sum(1 << i for i, gain in enumerate(each) if gain < log(harm))
        for lock, each in gains.items()
    }
    best, least = _nowhere, 0.0
    for held, box in _distinct(programs):
        inside = [[i for i in span if held >> i & 1 and possible[i]] for span in spans]
        for lock, bad in harmed.items():
            if any((held & bad & m).bit_count() > most_harmed for m in of_machine):
                continue
            found = min(
                sum(gains[lock][i] for i in some) / (sum(possible[i] for i in span) or 1.0)
                for some, span in zip(inside, spans, strict=True)
            )
            if found > least:
                best, least = replace(box, lock=lock), found
    return best


def _gained_most(programs: Sequence[Program], locks: Sequence[str]) -> str:
    """The lock that gained most in these programs, more than 10 % in their mean."""
    gains = {lock: sum(log(_ratio(p, lock)) for p in programs) for lock in locks}
    lock = max(gains, key=gains.__getitem__)
    return lock if gains[lock] > log(worth) * len(programs) else default_lock


def _nearest(machines: Sequence[Machine], most: int = 3) -> Choice:
    """The lock that gained most in the programs of these machines that are most alike."""
    others = [p for m in machines for p in m.programs]
    locks = _locks(machines)

    def away(a: Program, b: Program) -> float:
        return abs(log(kept_of(a) / kept_of(b))) + abs(log(efficiency_of(a) / efficiency_of(b)))

    return lambda program: _gained_most(
        sorted(others, key=lambda other: away(program, other))[:most], locks
    )


def _same_elsewhere(machines: Sequence[Machine]) -> Choice:
    """The lock that gained most in the same program on these machines; no lock where it ran on none."""
    locks = _locks(machines)
    by_name: dict[str, list[Program]] = {}
    for m in machines:
        for p in m.programs:
            by_name.setdefault(p.name, []).append(p)
    return lambda program: _gained_most(by_name.get(program.name, []), locks)


def _fitted_without_it(machine: Machine) -> Choice:
    """For each program the box that was fitted to all other programs of its machine."""
    boxes = {
        p.name: fit([replace(machine, programs=[q for q in machine.programs if q is not p])])
        for p in machine.programs
    }
    return lambda program: boxes[program.name].choose(program)


def rules(machines: Sequence[Machine]) -> list[Rule]:
    """Flat rules, the rule that was fitted to the other machines, and what no rule can exceed: the best
    of its kind fitted to the same data, what the program did elsewhere, and those that know what each
    lock does to each program."""

    def flat(lock: str) -> list[Score]:
        return [score(m, lambda _: lock) for m in machines]

    def of_others(m: Machine) -> list[Machine]:
        return [other for other in machines if other is not m]

    found = [Rule("no lock, as advise does: the default mutex", flat(default_lock))]
    locks = [lock for lock in _locks(machines) if lock != default_lock]
    found += [Rule("always backoff", flat("backoff")), Rule("always MCS", flat("mcs_spin"))]
    fewest = min(locks, key=lambda lock: (_worst(flat(lock)), -min(s.kept for s in flat(lock))))
    found.append(Rule(f"always {fewest}, which harms fewest here", flat(fewest)))
    fitted = [fit(of_others(m)) for m in machines]
    scores = [score(m, box.choose) for m, box in zip(machines, fitted, strict=True)]
    found.append(Rule("by two proxies, fitted to the other machines", scores, [*map(str, fitted)]))
    near = [score(m, _nearest(of_others(m))) for m in machines]
    found.append(Rule("as the three most alike programs of other machines", near))
    best = fit(machines)
    scores = [score(m, best.choose) for m in machines]
    found.append(Rule("the best by two proxies, fitted to all", scores, [str(best)]))
    own = [score(m, fit([m]).choose) for m in machines]
    found.append(Rule("the best by two proxies on each machine, fitted to itself", own))
    own = [score(m, _fitted_without_it(m)) for m in machines]
    found.append(Rule("the same, without the program that is judged", own))
    same = [score(m, _same_elsewhere(of_others(m))) for m in machines]
    found.append(Rule("as the same program on the other machines", same))
    silent = max(locks, key=lambda lock: min(s.kept for s in _silent(machines, lock)))
    found.append(Rule(f"{silent} where it is faster, known beforehand", _silent(machines, silent)))
    oracle = [score(m, lambda p: max(p.by_lock, key=p.by_lock.__getitem__)) for m in machines]
    found.append(Rule("the best lock of each program, known beforehand", oracle))
    return found


def _worst(scores: Sequence[Score]) -> int:
    return max(len(s.harmed) for s in scores)


def _silent(machines: Sequence[Machine], lock: str) -> list[Score]:
    return [score(m, lambda p: lock if _ratio(p, lock) > 1 else default_lock) for m in machines]
