"""Concludes the study `regions`: how much work and how many threads pay off. It also compares
constructs, runtimes and wait policies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from syncmeter_analysis.conclude import references
from syncmeter_analysis.conclude.choice import (
    Naming,
    choose,
    cost_from,
    cost_of,
    effect_of,
    situation_of,
    threshold,
    undecided,
)
from syncmeter_analysis.conclude.conclusion import (
    Conclusion,
    Condition,
    Cost,
    Effect,
    Grade,
    Kind,
    Subject,
    evidence_of,
)
from syncmeter_analysis.conclude.studies.constructs import (
    Runtime,
    by_preference,
    runtime_name,
    runtimes_of,
)
from syncmeter_analysis.conclude.studies.decisions import Pair, compared, resized
from syncmeter_analysis.conclude.studies.work_that_pays import (
    Grain,
    Range,
    break_even,
    busy_from,
    efficiency,
    grains_of,
    ranges_of,
)
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.record.point import native_of
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, contest, over
from syncmeter_analysis.relate.op_groups import is_own_code
from syncmeter_analysis.relate.relation import (
    Ratio,
    Verdict,
    default_margin,
    verdict,
    verdict_of,
)
from syncmeter_analysis.relate.spin_then_sleep import two_digits_up
from syncmeter_analysis.relate.summary import Measured


@dataclass
class Part:
    """The constructs of one file. `lanes` are the threads of the largest team. `forks` has each way to
    start and join as many threads, of all APIs, and `reductions` each way that also adds their
    numbers."""

    runtimes: list[Runtime]
    lanes: int
    forks: Contest
    reductions: Contest
    source: str = ""

    @cached_property
    def best(self) -> Runtime:
        """Returns the runtime with the lowest cost for a region of the largest team, or the first."""
        able = [r for r in self.runtimes if self.lanes in r.regions()]
        if not able:
            return self.runtimes[0]
        regions = {r.regions()[self.lanes].id: r for r in able}
        won = contest(r.regions()[self.lanes] for r in able).best
        return regions[won.id] if won else able[0]

    @property
    def points(self) -> list[str]:
        return [s.id for runtime in self.runtimes for s in runtime.costs.values()]


def rows(campaign: Campaign) -> list[Part]:
    """Returns the constructs of each file."""
    found = (_part(points, source) for _, points, source in campaign.parts())
    return [part for part in found if part is not None]


def _part(points: list[Measured], source: str) -> Part | None:
    able = [s for s in points if not (s.on_gpu or s.oversubscribed or s.status == "unsupported")]
    able = by_preference(able)
    if not (runtimes := runtimes_of(able)):
        return None
    lanes = max(at[1] for runtime in runtimes for at in runtime.costs)
    forked, reduced = (_ways(able, ops, lanes, source) for ops in (fork_ops, reduction_ops))
    return Part(runtimes, lanes, forked, reduced, source)


def forks(campaign: Campaign) -> list[Contest]:
    """Returns the ways to fork and join the largest team, then the ways that also reduce. A file needs
    several APIs."""
    found = (one for part in rows(campaign) for one in (part.forks, part.reductions))
    return [one for one in found if len({s.point.backend for s in one.points}) > 1]


#: oneTBB is excluded, because the calling thread may do all its empty tasks.
fork_ops = (
    *("parallel_region", "thread_create_join", "jthread_create_join", "async_get"),
    *("pool_submit_wait", "launch_team"),
)
reduction_ops = ("reduction_sum", "launch_team_reduce")


def fork_name(s: Measured) -> str:
    """`omp active`, `std thread_create_join`."""
    openmp = s.point.op in (fork_ops[0], reduction_ops[0])
    return runtime_name(s) if openmp else f"{runtime_name(s)} {s.point.op}"


def _ways(points: Iterable[Measured], ops: tuple[str, ...], lanes: int, source: str) -> Contest:
    found: dict[str, Measured] = {}
    for s in points:
        if s.point.op in ops and s.point.lanes == lanes:
            found.setdefault(fork_name(s), s)
    return contest([found[name] for name in sorted(found)], source)


# Conclusions


def conclude(campaign: Campaign) -> list[Conclusion]:
    """Returns for each file the least work, then wait policies, numbers of threads, constructs and
    APIs."""
    found = (c for part in rows(campaign) for c in _of_part(part))
    return [replace(c, next=("advise_program",)) for c in found]


def _of_part(part: Part) -> Iterator[Conclusion]:
    best, lanes = part.best, part.lanes
    yield from _serial(part)
    yield from _pieces(part)
    yield from _wait_policies(part)
    yield from _teams(part)
    yield from _constructs(part, best)
    for runtime in part.runtimes:
        if not runtime.name.startswith("omp"):
            yield from _constructs(part, runtime)
    for both, alone, one in resized(best, lanes):
        yield from _one_team(part, both, alone, one)
    yield from _apis(part)


def _serial(part: Part) -> Iterator[Conclusion]:
    """Yields below which work a loop is to run serially."""
    region = part.best.regions().get(part.lanes)
    if part.lanes == 1:
        return
    if region is None or region.cost is None:
        s = part.best.at("parallel_region", part.lanes)
        if s is not None:
            yield undecided(s, "serial", situation_of(s, "loop", file=part.source), "no_cost")
        return
    # A smaller team may pay off earlier than all threads.
    found = _teams_of(part)
    first = found[1][0] if len(found) > 1 else part.lanes
    small = part.best.regions()[first]
    assert small.cost
    enough = busy_from(region.cost, part.lanes).value
    team, by_team = _team(small, first), {first: small, part.lanes: region}
    yield threshold(
        "serial",
        situation_of(region, "loop", file=part.source),
        replace(team, variant="1"),
        *_ends(break_even(small.cost, first)),
        costs=[x for n, s in by_team.items() if (x := _region_cost(s, n))],
        reference=team,
        conditions=[Condition("efficient_from", enough, efficiency, _team(region, part.lanes))],
    )


def _ends(i: Interval) -> tuple[float, float | None, float | None]:
    return (i.value, i.low, i.high) if i.bounded else (i.value, None, None)


def _region_cost(s: Measured, lanes: int) -> Cost | None:
    return cost_of(s, lambda s: _team(s, lanes))


def _team(s: Measured, lanes: int) -> Subject:
    """Returns a number of threads as a choice."""
    return Subject(s.point.backend, "team", str(lanes), s.id)


#: Pieces for a thread, the most important first. The first measured piece in a group counts: if all
#: threads can create tasks, one thread need not create all.
_pieces_of = (
    ("task_by_all", "task_by_one", "epcc_parallel_task", "epcc_master_task"),
    ("for_dynamic",),
)


def _pieces(part: Part) -> Iterator[Conclusion]:
    """Yields the least work of a task and of a chunk."""
    found = {grain.op: grain for grain in grains_of(part.best, part.lanes)}
    for group in _pieces_of:
        yield from [_piece(part, found[op]) for op in group if op in found][:1]


def _piece(part: Part, grain: Grain) -> Conclusion:
    s = grain.measured[0]
    piece = Subject(s.point.backend, grain.op, "piece", s.id)
    situation = situation_of(s, grain.op, file=part.source)
    evidence = tuple(x.id for x in grain.measured)
    costs = [cost_from(piece, grain.each)]
    unknown = () if grain.least.bounded else (Condition("no_scatter"),)
    found = threshold(
        "piece",
        situation,
        piece,
        *_ends(grain.least),
        costs=costs,
        reference=piece,
        conditions=unknown,
    )
    return replace(found, evidence=evidence)


# Wait policies


def _wait_policies(part: Part) -> Iterator[Conclusion]:
    """Yields for each runtime how its threads should wait between regions, from the longest serial work
    for which both policies can be compared."""
    by_name = {runtime.name: runtime for runtime in part.runtimes}
    for name, active in by_name.items():
        passive = by_name.get(f"{name.removesuffix(_active)} passive".strip())
        if passive is None or not name.endswith(_active):
            continue
        asleep, awake = passive.after_gap(part.lanes), active.after_gap(part.lanes)
        gaps = sorted(filter(None, asleep.keys() & awake.keys()), reverse=True)
        ratios = {gap: over(asleep[gap], awake[gap]) for gap in gaps}
        decided = [gap for gap, r in ratios.items() if r and verdict(r) is not Verdict.cannot_tell]
        for gap in (decided or gaps)[:1]:
            yield _wait_policy(part, asleep[gap], awake[gap], ratios[gap])


_active = " active"


def _wait_policy(part: Part, asleep: Measured, awake: Measured, r: object) -> Conclusion:
    backend = awake.point.backend
    gap_ns = 1e3 * (awake.point.gap_us or 0)
    spins_ns = references.typical_spin_ns(backend)
    default = Subject(backend, "default_wait", point=(awake if gap_ns < spins_ns else asleep).id)
    policies = [Subject(backend, "OMP_WAIT_POLICY", s.point.wait, s.id) for s in (asleep, awake)]
    passive = policies[0]
    names = {policy.point: policy for policy in policies} | {default.point: default}
    says = verdict(r) if isinstance(r, Ratio) else Verdict.cannot_tell
    slow, fast = (asleep, awake) if says is not Verdict.faster else (awake, asleep)
    is_awake = gap_ns < spins_ns
    kind, subject, effect = Kind.undecided, default, None
    if says is Verdict.slower and is_awake:
        kind, subject = Kind.avoid, passive
        effect = effect_of(asleep, awake, r, "slowdown")
    elif says is Verdict.same:
        kind, subject = Kind.any, passive
    elif says is not Verdict.cannot_tell:
        kept = names[fast.id] is default
        kind, subject = (Kind.keep, default) if kept else (Kind.use, names[fast.id])
        effect = effect_of(slow, fast) if not kept else None
    costs = tuple(x for s in (asleep, awake) if (x := cost_of(s, lambda s: names[s.id])))
    conditions = [Condition("default_spins" if is_awake else "default_sleeps", spins_ns)]
    if kind is Kind.use and fast is awake:
        conditions.append(Condition("idle_cpus"))
    return Conclusion(
        kind=kind,
        question="wait_policy",
        situation=situation_of(awake, "after_gap", pause_ns=gap_ns, wait="", file=part.source),
        subjects=(subject,),
        reference=default,
        effect=effect,
        grade=Grade.measured if effect else Grade.unknown,
        costs=costs,
        conditions=tuple(conditions),
        evidence=evidence_of(costs),
    )


# Threads


def _teams(part: Part) -> list[Conclusion]:
    """Returns the fastest number of threads for each range of serial work, if there are several
    teams."""
    return [c for _, c in _teams_of(part)]


def _teams_of(part: Part) -> list[tuple[int, Conclusion]]:
    regions = {n: s for n, s in part.best.regions().items() if s.cost}
    if len(regions.keys() - {1}) < 2:
        return []
    while True:
        found = [_team_in(part, regions, each) for each in ranges_of(_values(regions))]
        *changes, _ = found
        # A team that is not shown to be faster than all threads does not count.
        equal = {n for n, c in changes if c.kind is Kind.keep and n > 1}
        if not equal:
            return found
        regions = {n: s for n, s in regions.items() if n not in equal}


def _values(regions: Mapping[int, Measured]) -> dict[int, float]:
    return {n: s.cost.value for n, s in regions.items() if s.cost}


def _team_in(part: Part, regions: Mapping[int, Measured], found: Range) -> tuple[int, Conclusion]:
    """Compares the fastest team of this range with all threads at one work inside. A time is
    work / threads + region cost."""
    largest = max(regions)
    work = float(two_digits_up(found.inside_ns))
    mine = _time(regions[largest], largest, work)
    chosen = _time(regions.get(found.team, regions[largest]), found.team, work)
    low = mine.low / chosen.high if mine.low and chosen.high else 0.0
    high = mine.high / chosen.low if mine.high and chosen.low else None
    kind = Kind.use if low > 1 + default_margin else Kind.keep
    effect = Effect("speedup", mine.ns / chosen.ns, low or None, high)
    if kind is Kind.keep:
        worst = max(high or 1.0, 1.0) if found.team != largest else 1.0
        chosen, effect = mine, Effect("speedup", 1.0, 1.0, worst)
    label = "team" if found.first_ns and found.last_ns else "team_from"
    label = label if found.first_ns else "team_below"
    both = tuple({c.subject.identity: c for c in (mine, chosen)}.values())
    return found.team, Conclusion(
        kind=kind,
        question="team",
        situation=situation_of(regions[largest], label, work_ns=work, file=part.source),
        subjects=(chosen.subject,),
        reference=mine.subject,
        effect=effect,
        grade=Grade.predicted,
        costs=both,
        conditions=(Condition("work_range", found.first_ns, found.last_ns),),
        evidence=evidence_of(both),
    )


_none = Effect("speedup", 1.0, 1.0, 1.0)


def _time(region: Measured, lanes: int, work: float) -> Cost:
    i = region.cost if lanes > 1 and region.cost else Interval(0.0, 0.0, 0.0)
    low, high = (work / lanes + end if i.bounded else None for end in (i.low, i.high))
    return Cost(_team(region, lanes), work / lanes + i.value, low, high)


# Constructs


def _constructs(part: Part, runtime: Runtime) -> Iterator[Conclusion]:
    """Yields the faster construct, if a program can choose."""
    for pair, more, less, r in compared(runtime, part.lanes):
        if isinstance(r, Ratio) and verdict(r) is Verdict.slower:
            yield _construct(part, pair, more, less, r)


def _construct(part: Part, pair: Pair, more: Measured, less: Measured, r: Ratio) -> Conclusion:
    subjects = [Subject(s.point.backend, s.point.op, pair.name, s.id) for s in (less, more)]
    names = {s.id: subject for s, subject in zip((less, more), subjects, strict=True)}
    costs = [x for s in (more, less) if (x := cost_of(s, lambda s: names[s.id]))]
    costs = costs[1:] if pair.is_default else costs
    return Conclusion(
        kind=Kind.keep if pair.is_default else Kind.use,
        question="first_region" if pair.name == "keep_threads" else "construct",
        situation=situation_of(more, pair.name, **_tasks(more), wait="", file=part.source),
        subjects=(subjects[0],),
        reference=subjects[0] if pair.is_default else subjects[1],
        effect=_none if pair.is_default else effect_of(more, less, r),
        grade=Grade.measured,
        costs=tuple(costs),
        conditions=tuple(map(Condition, filter(None, [pair.condition]))),
        evidence=(more.id, less.id),
    )


def _tasks(s: Measured) -> dict[str, float]:
    """Returns how many tasks the threads create in the time shown."""
    is_task = s.point.op.startswith("task")
    return {"size": float(s.point.size * s.point.lanes)} if is_task else {}


def _one_team(part: Part, both: Interval, alone: Interval, times: Interval) -> Iterator[Conclusion]:
    """Yields a conclusion if changing the team costs time."""
    if verdict_of(times) is not Verdict.slower:
        return
    s = part.best.at("region_after_resize", part.lanes)
    assert s is not None
    changing = Subject(s.point.backend, s.point.op, "one_team", s.id)
    kept = Subject(s.point.backend, "parallel_region", "one_team")
    yield Conclusion(
        kind=Kind.use,
        question="construct",
        situation=situation_of(s, "one_team", wait="", file=part.source),
        subjects=(kept,),
        reference=changing,
        effect=Effect("speedup", *_ends(times)),
        grade=Grade.measured,
        costs=(cost_from(changing, both), cost_from(kept, alone)),
        evidence=(s.id,),
    )


# APIs and runtimes


def _apis(part: Part) -> Iterator[Conclusion]:
    for one, work in ((part.forks, "fork"), (part.reductions, "reduction")):
        if len(one.points) > 1:
            yield choose_way(one, work, references.forks, part.source)
    for work, one in runtime_contests(part):
        default = references.openmp(one.first.point.op)
        yield _choice(one, "runtime", work, default, part.source, _runtime)


def choose_way(one: Contest, work: str, default: references.Default, source: str) -> Conclusion:
    """Returns which API to use to start and join threads. Native APIs are the alternatives."""
    return _choice(one, "api", work, default, source, _way)


def _choice(
    one: Contest,
    question: str,
    work: str,
    default: references.Default,
    source: str,
    name: Naming,
) -> Conclusion:
    mine = default.among(s for s in one.points if s.point.wait != "passive")
    return choose(
        one,
        question,
        situation_of(one.first, work, wait="", file=source),
        mine,
        name=name,
        allowed=lambda s: s is mine or s.point.backend not in native_of,
        conditions=lambda s: [Condition("own_code")] if is_own_code(s.point.op) else [],
    )


def _passive(s: Measured) -> str:
    return "passive" if s.point.wait == "passive" and s.point.backend.startswith("omp") else ""


def _way(s: Measured) -> Subject:
    return Subject(s.point.backend, s.point.op, _passive(s), s.id)


def _runtime(s: Measured) -> Subject:
    return Subject(s.point.backend, "runtime", _passive(s), s.id)


#: Loads to compare runtimes by: loops with the smallest chunks, and the most tasks.
_loads = ("for_dynamic", "task_by_all")


def runtime_contests(part: Part) -> Iterator[tuple[str, Contest]]:
    """Yields the comparison for each load."""
    for op in _loads:
        sizes = [runtime.by_size(op, part.lanes) for runtime in part.runtimes]
        able = [costs for costs in sizes if costs]
        common = set.intersection(*map(set, able)) if len(able) > 1 else set()
        if common:
            size = min(common) if op == "for_dynamic" else max(common)
            yield op, contest((costs[size] for costs in able), part.source)


__all__: Sequence[str] = ("Part", "conclude", "forks", "rows")
