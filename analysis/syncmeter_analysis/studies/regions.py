"""Parallel regions, loops, reductions and tasks: costs by team, runtime and wait policy, and how much
work pays for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from syncmeter_analysis.conclude.studies.constructs import Runtime, families
from syncmeter_analysis.conclude.studies.decisions import compared, pairs
from syncmeter_analysis.conclude.studies.regions import Part
from syncmeter_analysis.conclude.studies.regions import rows as rows
from syncmeter_analysis.conclude.studies.work_that_pays import (
    break_even,
    busy_from,
    efficiency,
    grains_of,
)
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.contest import over
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.text import percent
from syncmeter_analysis.studies.blocks import Block, Line, Table, pivot, table
from syncmeter_analysis.studies.cells import file_prefix, fork_table, named, of_each
from syncmeter_analysis.studies.figures import Axis, Figure, courses

title = "Regions, loops and tasks"
order = 17


@of_each
def text(part: Part) -> list[Block]:
    """Returns what everything costs, how much work pays for it, and one construct over another."""
    file = file_prefix(part.source)
    teams = [(runtime, lanes) for runtime in part.runtimes for lanes in _teams_of(runtime)]
    return [
        _costs(part, file),
        *(fork_table(one) for one in [part.forks] if len(one.points) > 1),
        _work(part),
        _after_gaps(part),
        _fine(teams),
        _comparisons(teams),
    ]


def _teams_of(runtime: Runtime) -> list[int]:
    """Returns numbers of threads, two or more."""
    return sorted({at[1] for at in runtime.costs if at[1] > 1})


def _costs(part: Part, file: str) -> Table:
    by_key: dict[tuple[str, int, int, int], dict[str, Measured]] = defaultdict(dict)
    for runtime in part.runtimes:
        for key, s in runtime.costs.items():
            if not key[3]:
                by_key[key][runtime.name] = s
    family_of = {key: next(iter(costs.values())).family for key, costs in by_key.items()}
    keys = sorted(by_key, key=lambda key: (families.index(family_of[key]), *key))
    lines = (
        ([key[0], next(iter(by_key[key].values())).point.size or "", key[1]], by_key[key], ())
        for key in keys
    )
    what = "Constructs, ns each (size: iterations or tasks of each thread, or of a chunk)"
    return pivot(file + what, "construct|size>|threads>", lines)


def _work(part: Part) -> Table:
    rows = [
        [runtime.name, lanes, s, *(formats.duration(f(s.cost, lanes).value) for f in _limits)]
        for runtime in part.runtimes
        for lanes, s in runtime.regions().items()
        if lanes > 1 and s.cost
    ]
    columns = f"runtime|threads>|region ns>|pays from>|{percent(efficiency)} efficient from>"
    return table("Serial work that pays for a region with a loop", columns, rows, keys=2)


#: As long in the region as in one thread, and a tenth of the time spent in waiting.
_limits = (break_even, busy_from)


def _after_gaps(part: Part) -> Table:
    by_gap: dict[int, dict[str, object]] = defaultdict(dict)
    for runtime in part.runtimes:
        costs = runtime.after_gap(part.lanes)
        for gap, s in costs.items():
            by_gap[gap][runtime.name] = s
            if gap:
                by_gap[gap][f"{runtime.name} over 0 us"] = over(s, costs.get(0))
    what = f"A region of {formats.count(part.lanes, 'thread')} after serial work, ns"
    return pivot(what, "after us>", (([gap], by_gap[gap], ()) for gap in sorted(by_gap)))


def _fine(teams: Sequence[tuple[Runtime, int]]) -> Table:
    grains = [grain for runtime, lanes in teams for grain in grains_of(runtime, lanes)]
    rows = [
        [
            named(g.op, *g.measured),
            g.lanes,
            g.runtime,
            g.each.value,
            formats.duration(g.least.value),
        ]
        for g in sorted(grains, key=lambda g: (g.op, g.lanes))
    ]
    what = f"Work in each chunk or task for a parallel efficiency of {percent(efficiency)}"
    return table(what, "construct|threads>|runtime|ns of each>|least work>", rows, keys=3)


def _comparisons(teams: Sequence[tuple[Runtime, int]]) -> Table:
    found: dict[tuple[int, str, str, int], dict[str, object]] = defaultdict(dict)
    for runtime, lanes in teams:
        for pair, more, less, r in compared(runtime, lanes):
            at = pairs.index(pair), more.point.op, less.point.op, lanes
            found[at][runtime.name] = r
    lines = ((at[1:], found[at], ()) for at in sorted(found))
    return pivot("One construct over another (95 % CI)", "construct|over|threads>", lines)


def figures(parts: list[Part]) -> list[Figure]:
    """What a region costs by threads and by the serial work before it: a line for each runtime."""
    found = []
    for number, part in enumerate(parts, 1):
        threads: list[Line] = [
            ([lanes], {runtime.name: s}, ())
            for runtime in part.runtimes
            for lanes, s in runtime.by_lanes("parallel_region").items()
        ]
        gaps: list[Line] = [
            ([gap], {runtime.name: s}, ())
            for runtime in part.runtimes
            for gap, s in runtime.after_gap(part.lanes).items()
            if gap
        ]
        ns, before = Axis("ns"), Axis("us of serial work before it")
        panels = courses(threads, Axis("threads", "powers"), ns, 2, "ns of a region")
        panels += courses(gaps, before, ns, 2, f"ns of a region of {part.lanes} threads")
        if panels:
            note = "ns with the 95 % interval; axes logarithmic."
            found.append(Figure(f"regions-{number}", "Time of a region by threads", note, panels))
    return found
