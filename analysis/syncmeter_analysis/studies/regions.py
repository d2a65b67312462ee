"""Parallel regions, loops, reductions and tasks: costs by team, runtime and wait policy, and how much
work pays for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

from syncmeter_analysis.conclude.studies.constructs import Runtime, families, iterations
from syncmeter_analysis.conclude.studies.decisions import Pair, compared, pairs
from syncmeter_analysis.conclude.studies.regions import Part
from syncmeter_analysis.conclude.studies.regions import rows as rows
from syncmeter_analysis.conclude.studies.work_that_pays import (
    break_even,
    busy_from,
    efficiency,
    fastest_at,
    grains_of,
)
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.contest import over
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.text import percent
from syncmeter_analysis.studies.blocks import Block, Cell, Table, Text, table
from syncmeter_analysis.studies.cells import cost, legend_of_marks, of_each
from syncmeter_analysis.studies.figures import Axis, Figure, Row, curve, rows_of
from syncmeter_analysis.studies.forks import fork_table

title = "Regions, loops and tasks"
order = 17

#: Work is given in iterations of this cost too, ns.
iteration_ns = 10.0

#: Serial work, ns, for which the gain of each team is shown.
_works = {formats.duration(work): work for work in (1e3, 1e4, 1e5, 1e6, 1e7)}

#: A pair in words: this, over that.
_in_words = {
    "merge_regions": ("a loop in its own region", "a loop in an existing region"),
    "nowait": ("a loop with its barrier", "a loop with nowait"),
    "static_schedule": (
        f"a loop of {iterations} iterations a thread, schedule(dynamic,1)",
        "schedule(static)",
    ),
    "reduce_once": ("a region with a reduction", "a region without"),
    "one_level": ("a region inside a region", "an outer region"),
    "keep_threads": ("a region that starts and ends threads", "a region of existing threads"),
    "all_create_tasks": (
        "a task if one thread creates all",
        "a task if each thread creates its own",
    ),
    "join_chain": ("a task that depends on the task before", "an independent task"),
    "taskwait": ("a task that depends on the task before", "a task after a taskwait"),
    "tbb_auto": ("oneTBB simple_partitioner, one index a task", "auto_partitioner"),
    "tbb_static": ("oneTBB auto_partitioner", "static_partitioner"),
}

_grains = {
    "for_dynamic": "a chunk of a dynamic loop",
    "task_by_all": "a task, each thread creates its own",
    "task_by_one": "a task, one thread creates all",
    "epcc_parallel_task": "a task, each thread creates its own (EPCC)",
    "epcc_master_task": "a task, one thread creates all (EPCC)",
}


def _ns_of_regions(runtime: Runtime) -> dict[int, float]:
    return {n: s.cost.value for n, s in runtime.regions().items() if s.cost}


def _iterations(work: Interval) -> str:
    return str(max(1, round(work.value / iteration_ns)))


@of_each
def text(part: Part) -> list[Block]:
    """What everything costs, how much work pays for it, and one construct against another."""
    tables = [_costs(part), _work(part), _after_gaps(part), _fine(part), _comparisons(part)]
    if len(part.forks.points) > 1:
        tables.insert(1, fork_table(part.forks))
    explained = (
        "Size: iterations of each thread in for_static, of a chunk in other loops, which have "
        f"{iterations} for each thread, or tasks of each thread. Pays from: the serial work that takes "
        f"as long in the region as in one thread. {percent(efficiency)} efficient from: the serial "
        "work with which the threads wait for a tenth of the time. All work divides evenly."
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
                figures = [formats.duration(least.value), _iterations(least)]
                figures.append(formats.duration(busy_from(s.cost, lanes).value))
                lines.append(
                    [runtime.name, str(lanes), cost(s), *figures, *_by_work(lanes, regions)]
                )
    columns = f"runtime|threads>|region ns>|pays from>|iterations of {iteration_ns:.0f} ns>"
    columns += f"|{percent(efficiency)} efficient from>"
    columns += "".join(f"|{work}>" for work in _works)
    what = "Serial work that pays for a region with a loop, and speedup by work (* fastest team)"
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
            Cell(_grains[g.op], [s.id for s in g.measured]),
            str(g.lanes),
            g.runtime,
            formats.duration(g.each.value),
            formats.duration(g.least.value),
            _iterations(g.least),
        ]
        for g in sorted(grains, key=lambda g: (_grains[g.op], g.lanes))
    ]
    columns = "piece of work|threads>|runtime|costs>|least work>"
    columns += f"|iterations of {iteration_ns:.0f} ns>"
    what = f"Work for a parallel efficiency of {percent(efficiency)}"
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
            _in_words[pair.name][0],
            _in_words[pair.name][1],
            str(lanes),
            *(cell for name in names for cell in by_name.get(name, [""])),
        ]
        for (pair, lanes), by_name in sorted(
            found.items(), key=lambda item: pairs.index(item[0][0])
        )
    ]
    columns = ["construct", "over", "threads>", *(f"{name}>" for name in names)]
    marked_table = table("", columns, lines, keys=3)
    what = f"One construct over another, ratio ({legend_of_marks(marked_table)})"
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
            found.append(Figure(f"regions-{number}", "Time of a region by threads", note, panels))
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
