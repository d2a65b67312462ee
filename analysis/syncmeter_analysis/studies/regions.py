"""Parallel regions, loops, reductions and tasks: what each costs by team, runtime and way of waiting,
and how much work pays for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate import contest_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, contest, over
from syncmeter_analysis.relate.distance import distance, threads_apart
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.relation import Ratio, Verdict, verdict, verdict_of
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.text import percent
from syncmeter_analysis.studies.blocks import Block, Cell, Table, Text, table
from syncmeter_analysis.studies.cells import cost, cost_alone, cost_ns, legend_of_marks, of_each
from syncmeter_analysis.studies.constructs import (
    Runtime,
    by_preference,
    families,
    iterations,
    runtime_name,
    runtimes_of,
)
from syncmeter_analysis.studies.decisions import Pair, compared, pairs, resized
from syncmeter_analysis.studies.figures import Axis, Figure, Row, curve, rows_of
from syncmeter_analysis.studies.forks import fork_sentence, fork_table, forks_of, reductions_of
from syncmeter_analysis.studies.work_that_pays import (
    Grain,
    break_even,
    busy_from,
    efficiency,
    fastest_at,
    fastest_teams,
    grains_of,
)

title = "Regions, loops and tasks"
order = 17

#: Work is given in iterations of this cost too, ns.
iteration_ns = 10.0

#: Serial work, ns, for which the gain of each team is shown.
_works = {"1 us": 1e3, "10 us": 1e4, "100 us": 1e5, "1 ms": 1e6, "10 ms": 1e7}


@dataclass
class Part:
    """The constructs of one file. `lanes` are the threads of the largest team; `forks`: every way to
    fork and join so many, of all APIs; `reductions`: those that also reduce a number of each."""

    runtimes: list[Runtime]
    lanes: int
    forks: Contest
    reductions: Contest
    source: str = ""

    @cached_property
    def best(self) -> Runtime:
        """The runtime of OpenMP whose region of the largest team costs least; else the first."""
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
    """The constructs of each file that has any."""
    found = (_part(points, source) for _, points, source in campaign.parts())
    return [part for part in found if part is not None]


def _part(points: list[Measured], source: str) -> Part | None:
    able = [s for s in points if not (s.on_gpu or s.oversubscribed or s.status == "unsupported")]
    able = by_preference(able)
    if not (runtimes := runtimes_of(able)):
        return None
    lanes = max(at[1] for runtime in runtimes for at in runtime.costs)
    forked, reduced = (of(able, lanes, source) for of in (forks_of, reductions_of))
    return Part(runtimes, lanes, forked, reduced, source)


def forks(campaign: Campaign) -> list[Contest]:
    """Every way to fork and join the largest team, then those that also reduce, of each file in which
    several APIs have one."""
    found = (one for part in rows(campaign) for one in (part.forks, part.reductions))
    return [one for one in found if len({s.point.backend for s in one.points}) > 1]


@of_each
def answer(part: Part) -> list[str]:
    """From how much work on a region pays, which runtime to take, and what each construct asks for."""
    here, best = f" ({part.source})" * bool(part.source), part.best
    threads = formats.count(part.lanes, "thread")
    found = _pays(part)
    if len(part.forks.points) > 1:
        found.append(fork_sentence(part.forks))
    found += [*_fastest(part, threads), *_teams(best), *_sleepers(part)]
    found += [_grain_sentence(grain) for grain in grains_of(best, part.lanes)]
    found += [*_decisions(best, part.lanes)]
    for runtime in part.runtimes:
        if not runtime.name.startswith("omp"):
            found += _decisions(runtime, part.lanes)
    for both, alone, times in resized(best, part.lanes):
        if verdict_of(times) is Verdict.slower:
            costs = f"{formats.duration(both.value)} against {formats.duration(alone.value)}"
            found.append(
                f"{best.name}, {threads}: keep num_threads, because regions of half of the threads and "
                f"of all in turn take {formats.times_as_long(times)} as each among its like, {costs}"
            )
    return [sentence + here for sentence in found]


def _decisions(runtime: Runtime, lanes: int) -> Iterator[str]:
    """What the costlier of two ways is over the other one, and what to do."""
    for pair, more, less, r in compared(runtime, lanes):
        if isinstance(r, Ratio) and verdict(r) is Verdict.slower:
            threads = threads_apart(lanes, distance((more, less), [r]))
            yield (
                f"{runtime.name}, {threads}: {pair.advice}, because {pair.more} takes, over "
                f"{pair.less}, {formats.costs_as_long(r)}"
            )


def _pays(part: Part) -> list[str]:
    region = part.best.regions().get(part.lanes)
    threads = threads_apart(part.lanes, distance([region] if region else [], []))
    if region is None or region.cost is None:
        cannot = f"cannot tell how much work pays for a region: none of {threads} has a cost"
        return [cannot] if part.best.at("parallel_region", part.lanes) else []
    what = "a region with a loop" if region.point.op == "parallel_for" else "a region"
    if part.lanes == 1:
        return [f"{what} of 1 thread costs {cost_ns(region)} with {part.best.name}"]
    least, busy = (f(region.cost, part.lanes) for f in (break_even, busy_from))
    costs, enough = (formats.duration(ns) for ns in (region.cost.value, busy.value))
    return [
        f"{threads}: leave less than {_between(least)} of serial work to one thread, "
        f"{_iterations(least)}, because {what} costs {costs} with {part.best.name}; from {enough} on "
        f"its threads are {percent(efficiency)} busy"
    ]


def _between(i: Interval) -> str:
    """`3251 ns (3102 to 3402)`."""
    value, _, bounds = formats.duration_interval(i).partition(", ")
    return f"{value} ({bounds})" if bounds else value


def _iterations(work: Interval) -> str:
    return f"{max(1, round(work.value / iteration_ns))} iterations of {iteration_ns:.0f} ns"


_loads = {
    "for_dynamic": "a loop in dynamic chunks of one",
    "task_by_all": "tasks that each thread makes",
}


def _fastest(part: Part, threads: str) -> Iterator[str]:
    """Which runtime to take for small pieces of work: chunks of one, and as many tasks as all have."""
    for op, what in _loads.items():
        sizes = [runtime.by_size(op, part.lanes) for runtime in part.runtimes]
        able = [costs for costs in sizes if costs]
        common = set.intersection(*map(set, able)) if len(able) > 1 else set()
        if common:
            size = min(common) if op == "for_dynamic" else max(common)
            one = contest(costs[size] for costs in able)
            yield contest_text.sentence(
                one, f"{one.threads}, {what}", runtime_name, cost_ns, "runtime"
            )


def _teams(runtime: Runtime) -> list[str]:
    """Where there are several teams to choose from."""
    regions = _ns_of_regions(runtime)
    if len([n for n in regions if n > 1]) < 2:
        return []
    teams = fastest_teams(regions)
    steps = [f"{n} from {formats.duration(work)}" for n, work in teams[1:]]
    return [
        f"{runtime.name}: take as many threads as a region's serial work pays for, {', '.join(steps)} "
        f"on, because a region of {formats.spans(list(regions))} costs {_span_of(regions.values())}"
    ]


def _span_of(costs: Iterable[float]) -> str:
    least, *_, most = sorted(costs)
    return f"{formats.duration(least)} to {formats.duration(most)}"


def _ns_of_regions(runtime: Runtime) -> dict[int, float]:
    return {n: s.cost.value for n, s in runtime.regions().items() if s.cost}


_waiting = {
    Verdict.slower: "set OMP_WAIT_POLICY=active, because passive takes",
    Verdict.faster: "set OMP_WAIT_POLICY=passive, because it takes",
    Verdict.same: "let threads sleep (OMP_WAIT_POLICY=passive), because it takes",
}


def _sleepers(part: Part) -> Iterator[str]:
    """How threads of each runtime are to wait where serial work stands before a region: by the longest
    with which both policies can be compared."""
    by_name = {runtime.name: runtime for runtime in part.runtimes}
    for name, active in by_name.items():
        if passive := by_name.get(f"{name.removesuffix(' active')} passive"):
            asleep, awake = passive.after_gap(part.lanes), active.after_gap(part.lanes)
            gaps = sorted(filter(None, asleep.keys() & awake.keys()), reverse=True)
            compared = {gap: over(asleep[gap], awake[gap]) for gap in gaps}
            decided = [gap for gap, r in compared.items() if r and verdict(r) in _waiting]
            for gap in (decided or gaps)[:1]:
                where = f"{name.split()[0]}, a region after {gap} us of serial work"
                r = compared[gap]
                if decided and isinstance(r, Ratio):
                    yield f"{where}: {_waiting[verdict(r)]} {formats.costs_as_long(r)}"
                else:
                    costs = f"{cost_alone(asleep[gap])} against {cost_alone(awake[gap])}"
                    yield f"{where}: cannot tell whether its threads should sleep: {costs}"


def _grain_sentence(grain: Grain) -> str:
    threads = threads_apart(grain.lanes, distance(grain.measured, []))
    return (
        f"{grain.runtime}, {threads}: give {grain.what} "
        f"{_between(grain.least)} of work or more, {_iterations(grain.least)}, because it costs "
        f"{formats.duration(grain.each.value)}: with less, threads are less than "
        f"{percent(efficiency)} busy"
    )


@of_each
def text(part: Part) -> list[Block]:
    """What everything costs, how much work pays for it, and one construct against another."""
    tables = [_costs(part), _work(part), _after_gaps(part), _fine(part), _comparisons(part)]
    if len(part.forks.points) > 1:
        tables.insert(1, fork_table(part.forks))
    explained = (
        "Size: iterations of each thread in for_static, of a chunk in other loops, which have "
        f"{iterations} for each thread; tasks of each thread. Pays from: the serial work that takes "
        f"as long in the region as by one thread; {percent(efficiency)} busy from: that with which its "
        "threads wait for a tenth of the time. Work is taken to divide evenly and to gain from every "
        "thread."
    )
    return [*(table for table in tables if table.rows), Text(explained)]


def _heading(part: Part, what: str) -> str:
    return f"{part.source}: " * bool(part.source) + what


def _costs(part: Part) -> Table:
    names = [runtime.name for runtime in part.runtimes]
    by_key = {runtime.name: runtime.costs for runtime in part.runtimes}
    keys = list(dict.fromkeys(key for costs in by_key.values() for key in costs if not key[3]))
    family_of = {key: costs[key].family for costs in by_key.values() for key in costs}
    sizes = {key: str(s.point.size or "") for costs in by_key.values() for key, s in costs.items()}
    keys.sort(key=lambda key: (families.index(family_of[key]), key[0] == "region_after_gap"))
    grouped_keys = grouped(keys, lambda key: (family_of[key], key[0]))
    lines = [
        [key[0], sizes[key], str(key[1]), *(cost(by_key[name].get(key)) for name in names)]
        for of_op in grouped_keys.values()
        for key in sorted(of_op)
    ]
    columns = ["construct", "size>", "threads>", *(f"{name}>" for name in names)]
    return table(_heading(part, "Constructs, ns each"), columns, lines, keys=3)


def _work(part: Part) -> Table:
    lines = []
    for runtime in part.runtimes:
        regions = _ns_of_regions(runtime)
        for lanes, s in runtime.regions().items():
            if lanes > 1 and s.cost:
                least = break_even(s.cost, lanes)
                figures = [formats.duration(least.value), _iterations(least).split()[0]]
                figures.append(formats.duration(busy_from(s.cost, lanes).value))
                lines.append(
                    [runtime.name, str(lanes), cost(s), *figures, *_by_work(lanes, regions)]
                )
    columns = f"runtime|threads>|region ns>|pays from>|iterations of {iteration_ns:.0f} ns>"
    columns += f"|{percent(efficiency)} busy from>"
    columns += "".join(f"|{work}>" for work in _works)
    what = (
        "Serial work that pays for a region with a loop; threads' gain for so much work, * of the "
        "fastest team"
    )
    return table(_heading(part, what), columns, lines, keys=2)


def _by_work(lanes: int, regions: Mapping[int, float]) -> Iterator[str]:
    for work in _works.values():
        speed = work / (work / lanes + regions[lanes])
        yield formats.ratio(speed) + " *" * (fastest_at(regions, work)[0] == lanes)


def _after_gaps(part: Part) -> Table:
    lines = []
    by_runtime = {r.name: r.after_gap(part.lanes) for r in part.runtimes}
    gaps = sorted({gap for costs in by_runtime.values() for gap in costs})
    for gap in gaps:
        at: list[str | Cell] = [str(gap)]
        for costs in by_runtime.values():
            s = costs.get(gap)
            r = over(s, costs.get(0)) if gap else None
            at += [cost(s), formats.marked(r)]
        lines.append(at)
    columns = ["after us>", *(c for name in by_runtime for c in (f"{name}>", "over none>"))]
    what = f"A region of {formats.count(part.lanes, 'thread')} after serial work, ns"
    return table(_heading(part, what), columns, lines)


def _fine(part: Part) -> Table:
    grains = [g for r in part.runtimes for lanes in _teams_of(r) for g in grains_of(r, lanes)]
    lines = [
        [
            Cell(g.what, [s.id for s in g.measured]),
            str(g.lanes),
            g.runtime,
            formats.duration(g.each.value),
            formats.duration(g.least.value),
            _iterations(g.least).split()[0],
        ]
        for g in sorted(grains, key=lambda g: (g.what, g.lanes))
    ]
    columns = "piece of work|threads>|runtime|costs>|work of it, at least>"
    columns += f"|iterations of {iteration_ns:.0f} ns>"
    what = f"Work that keeps threads {percent(efficiency)} busy"
    return table(_heading(part, what), columns, lines, keys=3)


def _teams_of(runtime: Runtime) -> list[int]:
    """Numbers of threads, two or more."""
    return sorted({at[1] for at in runtime.costs if at[1] > 1})


def _comparisons(part: Part) -> Table:
    found: dict[tuple[Pair, int], dict[str, list[str | Cell]]] = defaultdict(dict)
    for runtime in part.runtimes:
        for lanes in _teams_of(runtime):
            for pair, more, less, r in compared(runtime, lanes):
                ids = [more.id, less.id]
                found[pair, lanes][runtime.name] = [Cell(formats.marked_interval(r), ids)]
    names = [runtime.name for runtime in part.runtimes]
    lines = [
        [
            pair.more,
            pair.less,
            str(lanes),
            *(cell for name in names for cell in by_name.get(name, [""])),
        ]
        for (pair, lanes), by_name in sorted(
            found.items(), key=lambda item: pairs.index(item[0][0])
        )
    ]
    columns = ["this", "over that", "threads>", *(f"{name}>" for name in names)]
    marked_table = table("", columns, lines, keys=3)
    what = f"One over another, times as long ({legend_of_marks(marked_table)})"
    return replace(marked_table, caption=_heading(part, what))


def figures(parts: list[Part]) -> list[Figure]:
    """What a region costs by threads and by the serial work before it: a line for each runtime."""
    found = []
    for number, part in enumerate(parts, 1):
        by_lanes, by_gap = _drawn(part)
        panels = curve("ns of a region", by_lanes, Axis("threads", "powers"), Axis("ns"), least=2)
        ns, us = Axis("ns"), Axis("us of serial work before it")
        panels += curve(f"ns of a region of {part.lanes} threads", by_gap, us, ns, least=2)
        if panels:
            note = "ns with the 95 % interval; axes logarithmic."
            found.append(Figure(f"regions-{number}", answer([part])[0], note, panels))
    return found


def _drawn(part: Part) -> tuple[list[Row], list[Row]]:
    by_lanes = [
        row
        for runtime in part.runtimes
        for lanes, s in runtime.by_lanes("parallel_region").items()
        for row in rows_of(s, x=lanes, name=runtime.name)
    ]
    by_gap = [
        row
        for runtime in part.runtimes
        for gap, s in runtime.after_gap(part.lanes).items()
        if gap
        for row in rows_of(s, x=gap, name=runtime.name)
    ]
    return by_lanes, by_gap
