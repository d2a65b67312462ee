"""Concludes the study `waiting`: how long a waiting thread spins before it sleeps, and what waiting
costs other threads."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter

from syncmeter_analysis.conclude.choice import cost_of, effect_from, situation_of, undecided
from syncmeter_analysis.conclude.conclusion import (
    Conclusion,
    Condition,
    Effect,
    Grade,
    Kind,
    Situation,
    Subject,
)
from syncmeter_analysis.conclude.studies.spin_settings import Runtime, llvm_of, whole_ns_of
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import over
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.relation import NotComparable, Ratio, Verdict, ratio, verdict
from syncmeter_analysis.relate.spin_then_sleep import Advice, Curve, advice
from syncmeter_analysis.relate.stats import median
from syncmeter_analysis.relate.summary import Measured

#: Ways by operation name, in table order. The last is the most portable.
awake = ("spin", "pause", "backoff", "yield")
asleep = ("futex", "condition", "atomic")


@dataclass
class Way:
    """One way of waiting, by lateness in us. `cpu_ns` is the CPU time of a wait, if the worker counts
    it."""

    name: str
    costs: dict[int, Measured] = field(default_factory=dict)
    cpu_ns: dict[int, float] = field(default_factory=dict)

    @property
    def curve(self) -> Curve:
        """Returns the known costs. A cost that is not resolved from 0 is 0."""
        return self.curve_of("value")

    def curve_of(self, end: str) -> Curve:
        """Returns this end of the intervals, `low` or `high`."""
        return {
            late: max(getattr(s.cost, end), 0.0)
            for late, s in sorted(self.costs.items())
            if s.cost is not None and s.status in ("ok", "busy", "noisy", "not_resolved")
        }


@dataclass(frozen=True)
class Neighbour:
    """Work of one thread while another thread waits in this way, and its ratio to the work alone.
    `affinity` is `smt` for one core."""

    way: str
    affinity: str
    beside: Measured
    over: Ratio | NotComparable


@dataclass(frozen=True)
class Own:
    """The two ways for own code: a spinning way and the fastest sleeping way. `use` is the most
    portable of all sleeping ways that are not shown to cost more."""

    spin: Way
    sleep: Way
    use: Way
    advice: Advice


@dataclass
class Part:
    """The ways of one file. `barriers` are named after their API, and its wait policy for OpenMP."""

    ways: list[Way]
    barriers: list[Way]
    runtimes: list[Runtime]
    own: Own | None
    neighbours: list[Neighbour]
    cpus: int = 0
    source: str = ""

    @property
    def points(self) -> list[str]:
        of_ways = [s.id for way in self.ways + self.barriers for s in way.costs.values()]
        return of_ways + [n.beside.id for n in self.neighbours]


def rows(campaign: Campaign) -> list[Part]:
    """Returns the ways of waiting for two threads, by file."""
    found = (_part(campaign, points, source) for _, points, source in campaign.parts())
    return [part for part in found if part is not None]


def _part(campaign: Campaign, points: Sequence[Measured], source: str) -> Part | None:
    found: dict[str, Way] = {}
    barriers: dict[tuple[str, str], Way] = {}
    pauses = [s for s in points if s.point.op == "spin_pause" and s.usable and s.point.lanes == 1]
    for s in points:
        p = s.point
        if p.lanes != 2 or not p.late_us or s.imported or s.device is not None:
            continue
        name = p.op.removeprefix("wait_")
        if name in awake + asleep and p.op != name:
            way = found.setdefault(name, Way(name))
        elif p.op == "barrier_late" and (p.wait == "active" or p.backend.startswith("omp")):
            way = barriers.setdefault((p.backend, p.wait), Way(p.wait))
        else:
            continue
        way.costs.setdefault(p.late_us, s)
        if burnt := campaign.remarks(s, "waiting_cpu_ns"):
            way.cpu_ns[p.late_us] = max(median(burnt), 0.0)
    has_smt = campaign.machine.smt is not False
    neighbours = [n for n in _neighbours(points) if has_smt or n.affinity != "smt"]
    if not (found or neighbours):
        return None
    ways = [found[name] for name in awake + asleep if name in found]
    compilers = {build: name for f in campaign.files for build, name in f.compilers.items()}
    return Part(
        ways,
        [
            replace(way, name=f"{backend} {wait}" if backend.startswith("omp") else backend)
            for (backend, wait), way in sorted(barriers.items())
        ],
        list(_runtimes(barriers, pauses[-1].cost if pauses else None, compilers)),
        _own(found),
        neighbours,
        campaign.machine.pus or 0,
        source,
    )


def _neighbours(points: Sequence[Measured]) -> list[Neighbour]:
    """Returns them by affinity, then in the order of the ways."""
    ways = {f"work_beside_{way}": way for way in awake + asleep}
    alone = {s.point.op: s for s in reversed(points) if s.point.lanes == 1}
    found = [
        Neighbour(ways[s.point.op], s.point.affinity, s, ratio(s, alone[s.point.op]))
        for s in points
        if s.point.lanes == 2 and s.point.op in ways and s.point.op in alone
    ]
    return sorted(found, key=lambda n: (n.affinity, list(ways.values()).index(n.way)))


def _own(found: Mapping[str, Way]) -> Own | None:
    """Compares the sleeping ways at the largest lateness."""
    spinning = [found[name] for name in ("pause", "spin") if name in found and found[name].curve]
    sleeping = [found[name] for name in asleep if name in found and found[name].curve]
    if not spinning or not sleeping:
        return None
    best = min(sleeping, key=lambda way: way.curve[max(way.curve)])
    late, alike = max(best.curve), (Verdict.same, Verdict.faster, Verdict.cannot_tell)
    others = {w.name: over(w.costs.get(late), best.costs[late]) for w in sleeping if w is not best}
    as_good = [best.name, *(name for name, r in others.items() if r and verdict(r) in alike)]
    found_advice = _advice(spinning[0], best)
    if found_advice is None:
        return None
    use = found[max(as_good, key=asleep.index)]
    return Own(spinning[0], best, use, found_advice)


def _runtimes(
    barriers: Mapping[tuple[str, str], Way], pause: Interval | None, compilers: Mapping[str, str]
) -> Iterator[Runtime]:
    for backend in sorted({b for b, _ in barriers if b.startswith("omp")}):
        active, passive = barriers.get((backend, "active")), barriers.get((backend, "passive"))
        if active and passive:
            # libgomp counts looks, libomp reads a clock.
            look, llvm = (None, _llvm(passive, compilers)) if "llvm" in backend else (pause, None)
            settings = _advice(active, passive, look, whole_ns_of(llvm))
            yield Runtime(backend, settings, look, llvm)


def _advice(
    spin: Way, sleep: Way, look: Interval | None = None, whole_ns: float = 0.0
) -> Advice | None:
    return advice(spin.curve_of, sleep.curve_of, look, whole_ns)


def _llvm(way: Way, compilers: Mapping[str, str]) -> int | None:
    return min(
        filter(None, (llvm_of(compilers.get(s.build, "")) for s in way.costs.values())),
        default=None,
    )


# Conclusions

#: Spinning for as long as a wake-up takes at most doubles a wait (Karlin et al.).
_twice = 2.0

#: A smaller slowdown is no reason to avoid a way of waiting.
_harmless = 1.2


def conclude(campaign: Campaign) -> list[Conclusion]:
    """Returns for each file what to do without other programs, then the settings of the runtimes, own
    code and the costs for other threads."""
    return [c for part in rows(campaign) for c in _of_part(part)]


def _of_part(part: Part) -> Iterator[Conclusion]:
    settings = [_runtime(part, each) for each in part.runtimes]
    settings += _own_code(part)
    if any(c.kind in (Kind.use, Kind.keep) for c in settings):
        yield _idle(part, settings)
    yield from settings
    if not settings and part.ways:
        yield _no_curve(part)
    yield from _neighbours_slowed(part)


def _situation(part: Part, s: Measured, work: str) -> Situation:
    return situation_of(s, work, cpus=part.cpus, wait="", file=part.source)


def _point_of(way: Way, at: int = 0) -> Measured:
    return way.costs.get(at) or next(iter(way.costs.values()))


def _idle(part: Part, settings: Sequence[Conclusion]) -> Conclusion:
    """Returns that no wait gets shorter if threads sleep."""
    situation = replace(settings[0].situation, work="idle")
    now = settings[0].reference
    evidence = tuple(dict.fromkeys(id for c in settings for id in c.evidence))
    subjects = (now,) if now else ()
    none = Effect("speedup", 1.0, 1.0, 1.0)
    grade = Grade.measured
    return Conclusion(Kind.keep, "idle", situation, subjects, now, none, grade, evidence=evidence)


def _no_curve(part: Part) -> Conclusion:
    s = _point_of(part.ways[0])
    situation, next = _situation(part, s, "own_code"), ["more_repetitions"]
    made = undecided(s, "own_code", situation, "two_latenesses", next=next)
    return replace(made, subjects=(), costs=())


def _barrier(part: Part, backend: str, wait: str) -> Way:
    return next(way for way in part.barriers if way.name == f"{backend} {wait}")


def _runtime(part: Part, runtime: Runtime) -> Conclusion:
    """Returns which setting of the runtime to use if other programs need the CPUs."""
    spin, sleep = (_barrier(part, runtime.backend, wait) for wait in ("active", "passive"))
    a = runtime.advice
    now = Subject(runtime.backend, "default_wait")
    if a is None:
        s = _point_of(spin)
        situation = _situation(part, s, "runtime")
        made = undecided(s, "runtime", situation, "two_latenesses", name=lambda _: now)
        return replace(made, reference=now, costs=())
    default = runtime.default_ns
    last_ns = 1e3 * a.latenesses[1]
    setting, more = runtime.setting, [Condition("default_spin", default)] if default else []
    if a.spin_ns >= last_ns and default is not None and default >= last_ns:
        # The default spins as long in all measured waits.
        if not a.is_longest:
            more.append(Condition("least_setting", a.spin_ns, subject=setting))
        setting = now
    if setting.op == "GOMP_SPINCOUNT" and not setting.variant:
        more.append(Condition("no_look"))
    if setting.op == "KMP_BLOCKTIME" and runtime.llvm is None:
        old = Subject(runtime.backend, "KMP_BLOCKTIME", str(runtime.whole_ms))
        more.append(Condition("whole_ms", runtime.whole_ms, subject=old))
    burns = a.other_burns_ns(math.inf if default is None else default) - a.burns_ns
    return _concluded(part, "runtime", a, spin, sleep, setting, now, runtime.lasting, burns, more)


def _own_code(part: Part) -> list[Conclusion]:
    """Returns a short spin that never doubles a wait, and a long spin that hardly delays a wait."""
    if part.own is None:
        return []
    own, a = part.own, part.own.advice
    spin = _point_of(own.spin)
    now = Subject(spin.point.backend, spin.point.op)
    asleep_at = _point_of(own.use).point
    cpu = [Condition("cpu_per_thread")]

    def then_sleep(spun_ns: float) -> Subject:
        variant = f"{spun_ns:.0f}" if spun_ns else ""
        return Subject(asleep_at.backend, asleep_at.op, variant)

    def of(question: str, spun: Interval, spared: float, more: Sequence[Condition]) -> Conclusion:
        subject = then_sleep(spun.value)
        return _concluded(part, question, a, own.spin, own.sleep, subject, now, spun, spared, more)

    if a.extra_ns == 0:
        return [of("own_code", Interval(0.0, 0.0, 0.0), a.spares_ns, [])]
    spared = a.other_burns_ns(math.inf) - a.other_burns_ns(a.extra_ns)
    short = of("own_code", a.extra, spared, [Condition("at_most_twice", _twice), *cpu])
    if a.spin_ns == 0:
        return [short]
    spun = Interval(a.spin_ns, a.spin_ns, a.spin_ns)
    return [short, of("own_code_long", spun, a.spares_ns, cpu)]


def _concluded(
    part: Part,
    question: str,
    a: Advice,
    spin: Way,
    sleep: Way,
    setting: Subject,
    now: Subject,
    spun: Interval,
    spared_ns: float,
    more: Sequence[Condition],
) -> Conclusion:
    """Returns a setting with the time to spin, how much longer a wait gets, and the CPU time saved in
    the longest measured wait."""
    last_ns = 1e3 * a.latenesses[1]
    keeps = setting == now
    worst = a.worst_at_ends if math.isfinite(a.worst_at_ends) else None
    found = [Condition("longer_wait", a.worst, worst)]
    found.append(Condition("cpu_time_freed", max(spared_ns, 0.0), last_ns))
    ways = ((s, way) for way in (spin, sleep) if (s := way.costs.get(a.extra_at_us)))
    at = {way.name: s for s, way in ways}
    costs = tuple(x for s in at.values() if (x := cost_of(s)))
    resumes = Condition("resumes", sleep.curve[a.latenesses[1]], spin.curve[a.extra_at_us])
    points = [s.id for way in (spin, sleep) for s in way.costs.values()]
    low, high = (spun.low, spun.high) if spun.bounded else (None, None)
    return Conclusion(
        kind=Kind.keep if keeps else Kind.use,
        question=question,
        situation=_situation(part, _point_of(spin), "runtime" if question == "runtime" else "own"),
        subjects=(setting,),
        reference=now,
        effect=Effect("threshold", spun.value, low, high),
        grade=Grade.predicted,
        costs=costs,
        conditions=(*found, *more),
        reason=resumes if a.extra_ns else None,
        evidence=tuple(dict.fromkeys(points)),
        next=() if worst is not None else ("more_repetitions",),
    )


def _neighbours_slowed(part: Part) -> Iterator[Conclusion]:
    """Yields for each place the slowing ways, or the largest possible slowdown."""
    by_place = grouped(part.neighbours, attrgetter("affinity"))
    for _, found in sorted(by_place.items(), reverse=True):
        slowing = [
            n
            for n in found
            if isinstance(n.over, Ratio)
            and verdict(n.over) is Verdict.slower
            and n.over.low >= _harmless
        ]
        yield from (_slowed(part, n, Kind.avoid) for n in slowing)
        rest = [n for n in found if isinstance(n.over, Ratio) and n.over.bounded]
        rest = [n for n in rest if n not in slowing]
        if rest and not slowing:
            worst = max(rest, key=lambda n: n.over.high if isinstance(n.over, Ratio) else 0.0)
            is_known = isinstance(worst.over, Ratio) and worst.over.high <= _harmless
            yield _slowed(part, worst, Kind.any if is_known else Kind.undecided)


def _slowed(part: Part, n: Neighbour, kind: Kind) -> Conclusion:
    assert isinstance(n.over, Ratio)
    work = "same_core" if n.affinity == "smt" else "another_core"
    effect = effect_from(n.over.value, n.over, "slowdown")
    return Conclusion(
        kind=kind,
        question="neighbour",
        situation=_situation(part, n.beside, work),
        subjects=(Subject(n.beside.point.backend, n.way, point=n.beside.id),),
        reference=Subject(n.beside.point.backend, "work_alone"),
        effect=effect,
        grade=Grade.measured,
        evidence=(n.beside.id,),
        next=("more_repetitions",) if kind is Kind.undecided else (),
    )
