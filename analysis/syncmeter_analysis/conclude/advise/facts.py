"""Typed facts from a file of `syncmeter advise`: the program, its locks and their models. Unknown is
None, never 0."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from statistics import median

from syncmeter_analysis.conclude.advise.limits import common, gates
from syncmeter_analysis.record.advice_file import AdviceFile
from syncmeter_analysis.record.members import Members
from syncmeter_analysis.relate.group import grouped


@dataclass(frozen=True, slots=True)
class Use:
    """Times of a lock at one call site, of all threads and calls. Every `every`th call was timed."""

    every: int
    contended_call_ns: float | None
    held_ns: float | None
    short_held_ns: float | None


@dataclass(frozen=True, slots=True)
class Model:
    """Wall times of a model. `number` is its place in the file. `changed` holds the times by remedy."""

    number: int
    program_s: tuple[float, ...]
    as_is_s: tuple[float, ...]
    changed: tuple[tuple[str, tuple[float, ...]], ...]


#: Counts and times that several locks add up.
_counts = ("timed", "contended", "hidden", "waits")
_times = ("call_ns", "held_ns", "exclusive_ns")


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock, or several locks of the same call sites. Times are those of all threads and calls."""

    ids: tuple[int, ...]
    call_sites: tuple[int, ...]
    acquisitions: int
    threads: int
    timed: int = 0
    contended: int = 0
    hidden: int = 0
    waits: int = 0
    call_ns: float | None = None
    held_ns: float | None = None
    exclusive_ns: float | None = None
    short_held_ns: float | None = None
    utilization: float | None = None
    uses: tuple[Use, ...] = ()
    has_readers_only: bool = False
    models: tuple[Model, ...] = ()

    @property
    def contended_share(self) -> float | None:
        return self.contended / self.timed if self.timed else None

    @property
    def time_ns(self) -> float:
        """Time in the calls and under the lock, or 0 if unknown."""
        return (self.call_ns or 0.0) + (self.held_ns or 0.0)

    @property
    def certain_call_ns(self) -> float | None:
        """Time in the calls, without contended calls if too few were timed to stand for all."""
        if self.call_ns is None:
            return None
        is_sampled = any(use.every > 1 for use in self.uses)
        if not is_sampled or self.contended >= common["min_contended"]:
            return self.call_ns
        return max(0.0, self.call_ns - sum(use.contended_call_ns or 0.0 for use in self.uses))

    @property
    def has_stable_rounds(self) -> bool:
        """Whether the lock has models, and the program's times beside the models agree."""
        spreads = (max(m.program_s) / min(m.program_s) for m in self.models if min(m.program_s) > 0)
        return max(spreads, default=math.inf) <= gates["max_spread"]

    def lost_ns(self, program: Program) -> float:
        """Returns the time in the calls of all threads beyond that of uncontended calls."""
        own = self.acquisitions * (program.uncontended_ns or 0.0)
        return max(0.0, (self.certain_call_ns or 0.0) - own)

    def lost_share(self, program: Program) -> float:
        """Returns the lost share of a thread's time, the mean over the threads, or 0 if unknown."""
        if not program.timed_s:
            return 0.0
        return min(1.0, self.lost_ns(program) * 1e-9 / max(1, self.threads) / program.timed_s)

    @property
    def is_mostly_hidden(self) -> bool:
        return self.hidden > common["max_hidden_share"] * self.acquisitions


@dataclass(frozen=True, slots=True)
class Program:
    """The program and its runs. 0 threads and 0 CPUs mean unknown. `threads` is an upper bound,
    `threads_at_work` counts threads with much CPU time."""

    plain_s: tuple[float, ...] = ()
    timed_s: float | None = None
    alone_cpu_s: float | None = None
    cpus: float = 0
    threads: int = 0
    threads_at_work: int = 0
    uncontended_ns: float | None = None
    is_perturbed: bool = False
    other_cpu_share: float | None = None
    stolen_cpu_share: float | None = None

    @property
    def wall_s(self) -> float | None:
        """Median wall time in the plain runs."""
        return median(self.plain_s) if self.plain_s else None

    @property
    def spread(self) -> float | None:
        """Longest plain run over the shortest."""
        shortest = min(self.plain_s, default=0.0)
        return max(self.plain_s) / shortest if shortest else None

    @property
    def disturbance(self) -> tuple[str, float] | None:
        """Name and amount for a disturbance that forbids figures, or None."""
        for name, share in (
            ("other_programs", self.other_cpu_share),
            ("stolen", self.stolen_cpu_share),
        ):
            if share is not None and share > gates["max_cpu_share"]:
                return name, share
        if self.spread is not None and self.spread > gates["max_spread"]:
            return "spread", self.spread
        return None

    def allows_models_of(self, lock: Lock) -> bool:
        """Returns whether models of the lock may predict. They may although plain runs differ, if the
        program took about the same time in the rounds of the models."""
        found = self.disturbance
        return found is None or (found[0] == "spread" and lock.has_stable_rounds)

    @property
    def parallel(self) -> float:
        """CPUs that the threads can use at the same time, or 0 if unknown."""
        known = [x for x in (self.threads, self.cpus) if x]
        return float(min(known)) if known else 0.0

    @property
    def long_hold_ns(self) -> float:
        """Held times from this on are work, not the lock's own cost."""
        return max(common["long_hold_ns"], common["long_hold"] * (self.uncontended_ns or 0.0))


def program_of(file: AdviceFile) -> Program:
    """Returns the facts in the first line."""
    header = file.header
    by_arm = grouped(header["runs"], itemgetter("arm"))
    alone = [
        (run["user_s"] + (run.get("system_s") or 0.0)) / min(1.0, run.get("lock_call_share") or 1.0)
        for run in by_arm.get("alone", ())
        if run.get("user_s") is not None
    ]
    used = [by_arm.get(arm, []) for arm in ("plain", "time")]
    return Program(
        tuple(run["wall_s"] for run in by_arm.get("plain", ())),
        file.wall_s,
        median(alone) if alone else None,
        header.get("cpus") or 0,
        header.get("threads") or 0,
        (header.get("sampling") or {}).get("threads_at_work") or 0,
        header.get("uncontended_lock_ns"),
        bool(header.get("perturbed")),
        _greatest_median(used, "other_cpu_share"),
        _greatest_median(used, "stolen_cpu_share"),
    )


def _greatest_median(arms: Iterable[Sequence[Members]], name: str) -> float | None:
    """Returns the arms' greatest median. One disturbed run among many does not count."""
    known = [[run[name] for run in runs if run.get(name) is not None] for runs in arms]
    return max((median(each) for each in known if each), default=None)


def locks_of(file: AdviceFile) -> list[Lock]:
    """Returns the locks in file order."""
    sites = {site["id"]: site for site in file.call_sites}
    models = _models(file)
    return [_lock(line, sites, models.get(line["id"], ())) for line in file.locks]


def _lock(line: Members, sites: dict[int, Members], models: Sequence[Model]) -> Lock:
    here = [sites[id] for id in line["call_sites"] if id in sites]
    counts: Members = {name: line.get(name) or 0 for name in _counts}
    times: Members = {name: line.get(name) for name in (*_times, "short_held_ns", "utilization")}
    return Lock(
        (line["id"],),
        tuple(line["call_sites"]),
        line["acquisitions"],
        line.get("threads") or sum(site.get("threads") or 0 for site in here),
        **counts,
        **times,
        uses=tuple(map(_use, line.get("uses") or ())),
        has_readers_only=bool(here) and all(site["kind"] == "rwlock_read" for site in here),
        models=tuple(models),
    )


def _use(line: Members) -> Use:
    times = (line.get(name) for name in ("contended_call_ns", "held_ns", "short_held_ns"))
    return Use(line.get("every") or 1, *times)


def _models(file: AdviceFile) -> dict[int, list[Model]]:
    found: dict[int, list[Model]] = {}
    for number, line in enumerate(file.models, 1):
        changed = tuple(
            (remedy, tuple(line[f"{remedy}_s"]))
            for remedy in ("private", "atomic", "shards")
            if line.get(f"{remedy}_s")
        )
        if line["program_s"] and line["as_is_s"]:
            model = Model(number, tuple(line["program_s"]), tuple(line["as_is_s"]), changed)
            found.setdefault(line["lock"], []).append(model)
    return found


def merged(locks: Sequence[Lock]) -> Lock:
    """Returns the locks as one subject, and adds their counts and times."""
    if len(locks) == 1:
        return locks[0]
    sites = sorted({id for lock in locks for id in lock.call_sites})
    counts: Members = {name: sum(getattr(lock, name) for lock in locks) for name in _counts}
    times: Members = {name: _sum(getattr(lock, name) for lock in locks) for name in _times}
    return Lock(
        tuple(id for lock in locks for id in lock.ids),
        tuple(sites),
        sum(lock.acquisitions for lock in locks),
        max(lock.threads for lock in locks),
        **counts,
        **times,
        uses=tuple(use for lock in locks for use in lock.uses),
        has_readers_only=all(lock.has_readers_only for lock in locks),
        models=tuple(model for lock in locks for model in lock.models),
    )


def _sum(values: Iterable[float | None]) -> float | None:
    """Adds the known values. Returns None without a known value."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None
