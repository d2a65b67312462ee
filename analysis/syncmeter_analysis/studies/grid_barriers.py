"""Barriers of a GPU's grid: the grid's own by launch, and those that are made of atomics against it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate import contest_text, point_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.contest import Contest, contest
from syncmeter_analysis.relate.group import group
from syncmeter_analysis.relate.op_groups import is_own_code
from syncmeter_analysis.relate.relation import (
    NotComparable,
    Ratio,
    Verdict,
    default_margin,
    ratio,
    verdict,
)
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.text import percent
from syncmeter_analysis.studies.blocks import Block, Cell, table
from syncmeter_analysis.studies.cells import ns_of
from syncmeter_analysis.studies.figures import Heat, Panel
from syncmeter_analysis.studies.figures import row as figure_row

#: Barriers of the grid that are made of atomics.
software = (
    "software_barrier_counter",
    "software_barrier_sense",
    "software_barrier_lockfree",
    "software_barrier_tree",
)


@dataclass
class GridBarriers:
    """The barriers of the grid at one launch, by op; `over_grid_sync` is the one of them to take over
    the grid's own."""

    by_op: dict[str, Measured]
    contest: Contest
    over_grid_sync: Ratio | NotComparable


@dataclass
class KernelEnd:
    """The end of a kernel as a barrier of its grid: a graph of several kernels, of which `each` costs
    ns, the grid's own barrier of the same launch, and this over a kernel."""

    graph: Measured
    each_ns: float
    own: Measured
    own_over_kernel: Ratio


def largest_graphs(points: Iterable[Measured]) -> list[Measured]:
    """Of each launch the graph of most kernels, in which its own launch counts least."""
    graphs = (
        s
        for s in points
        if s.point.op == "additional_graph_launch" and s.point.size > 1 and s.point.home != "other"
    )
    by_launch = group(graphs, "blocks", "lanes").values()
    return [max(alike, key=attrgetter("point.size")) for alike in by_launch]


def kernel_ends(points: Sequence[Measured]) -> list[KernelEnd]:
    """By launch, the largest last; of the graph that has most kernels."""
    found = []
    by_launch = group((s for s in points if s.point.op == "grid_sync"), "blocks", "lanes")
    for graph in largest_graphs(points):
        own = by_launch.get((graph.point.blocks, graph.point.lanes), [None])[0]
        if own is None:
            continue
        r, n = ratio(own, graph), graph.point.size
        if isinstance(r, Ratio):
            found.append(KernelEnd(graph, ns_of(graph) / n, own, r.times(n)))
    return sorted(found, key=lambda k: k.own.point.blocks * k.own.point.lanes)


def barriers_of(points: Iterable[Measured]) -> list[GridBarriers]:
    """The launches that have a barrier in software."""
    found = []
    grid = (s for s in points if s.point.op in (*software, "grid_sync"))
    for launch in group(grid, "lanes", "blocks").values():
        by_op = {s.point.op: s for s in reversed(launch)}
        barriers = {op: by_op[op] for op in (*software, "grid_sync") if op in by_op}
        one, own = contest(barriers.values()), barriers.get("grid_sync")
        if one.taken is None or not barriers.keys() & set(software):
            continue
        over = ratio(one.taken, own) if own else NotComparable("grid_sync was not measured")
        found.append(GridBarriers(barriers, one, over))
    return found


def sentence(row: GridBarriers) -> str:
    where = (
        f"A barrier of a grid of {point_text.blocks_by_threads(row.contest.first.point)} threads"
    )
    amount = lambda s: formats.duration(ns_of(s))  # noqa: E731
    own_code = any(is_own_code(s.point.op) for s in row.contest.leaders)
    but = "a software barrier is your own code" * own_code
    name = attrgetter("point.op")
    return contest_text.sentence(row.contest, where, name, amount, "barrier", but=but)


def kernel_sentence(k: KernelEnd) -> str:
    """Whether to end a kernel of a graph where all threads are to meet, or to take grid_sync."""
    where = f"Between phases of {point_text.blocks_by_threads(k.own.point)} threads"
    own, n = formats.duration(ns_of(k.own)), k.graph.point.size
    kernel = f"({formats.duration(k.each_ns)}, of {formats.count(n, 'kernel')})"
    r, found = k.own_over_kernel, verdict(k.own_over_kernel)
    if found is Verdict.slower:
        return (
            f"{where}: end the kernel and begin the next in a graph {kernel}, because grid_sync takes "
            f"{formats.times_as_long(r)}, {own}; registers and shared memory do not last"
        )
    if found is Verdict.faster:
        longer = Interval(1 / r.value, 1 / r.high, 1 / r.low)
        return (
            f"{where}: take grid_sync ({own}), because to end the kernel and begin the next in a graph "
            f"{kernel} takes {formats.times_as_long(longer)}"
        )
    both = [f"grid_sync ({own})", f"the next kernel of a graph {kernel}"]
    if found is Verdict.same:
        return f"{where}: {formats.listed(both)} are the same within {percent(default_margin)}"
    return f"{where}: {contest_text.undecided(both, are_near=True)}"


def also(one: Contest, taken: Measured | None = None) -> str:
    """The ops that show no difference to the one to take, and how many points of each."""
    ops = Counter(s.point.op for s in one.leaders if s is not (taken or one.taken))
    return ", ".join(op if n == 1 else f"{op} ({n})" for op, n in sorted(ops.items()))


def microseconds(s: Measured | None) -> str:
    return f"{ns_of(s) / 1e3:.2f}" if s else ""


def by_launch(points: Sequence[Measured]) -> list[Block]:
    if len(points) < 2:
        return []
    blocks = sorted({s.point.blocks for s in points})
    at = {(s.point.lanes, s.point.blocks): s for s in points}

    def cell(s: Measured | None) -> Cell:
        return Cell(microseconds(s), [s.id] if s else [])

    what = "grid_sync: us by launch; empty: not resident at once, or not measured"
    threads = sorted({s.point.lanes for s in points})
    rows = [[str(n), *(cell(at.get((n, of))) for of in blocks)] for n in threads]
    return [table(what, ["threads per block>", *(f"{n} blocks>" for n in blocks)], rows)]


def against_own(found: Sequence[GridBarriers]) -> list[Block]:
    columns = ["blocks x threads>", "grid_sync us>"]
    columns += [op.removeprefix("software_barrier_") + ">" for op in software]
    columns += ["take", f"no difference shown within {percent(default_margin)}"]
    columns += ["over grid_sync>", "95 % interval>", ""]
    rows = []
    for row in found:
        taken, r = row.contest.taken or row.contest.first, row.over_grid_sync
        itself = isinstance(r, Ratio) and r.identical
        says = formats.why_none(r) or ("" if itself else verdict(r).value)
        rows.append(
            [
                point_text.blocks_by_threads(taken.point),
                *(microseconds(row.by_op.get(op)) for op in ("grid_sync", *software)),
                Cell(taken.point.op, [s.id for s in row.by_op.values()]),
                *(also(row.contest), *formats.ratio_fields(r, itself), says),
            ]
        )
    what = "Barriers of the grid in software against grid_sync"
    return [table(what, columns, rows)] if rows else []


def against_kernels(found: Sequence[KernelEnd]) -> list[Block]:
    columns = "blocks x threads>|kernels>|ns each>|grid_sync ns>|grid_sync over a kernel>"
    columns += "|95 % interval>|"
    rows = [
        [
            *(point_text.blocks_by_threads(k.own.point), str(k.graph.point.size)),
            Cell(formats.nanoseconds(k.each_ns), [k.graph.id]),
            Cell(formats.nanoseconds(ns_of(k.own)), [k.own.id]),
            *(*formats.ratio_fields(k.own_over_kernel), verdict(k.own_over_kernel).value),
        ]
        for k in found
    ]
    what = "The end of a kernel in a graph (additional_graph_launch) against grid_sync"
    return [table(what, columns, rows)] if rows else []


def panels(points: Sequence[Measured]) -> list[Panel]:
    """Figure 8 of the paper: microseconds by blocks and threads of each; none of one launch alone."""
    blocks = sorted({s.point.blocks for s in points})
    threads = sorted({s.point.lanes for s in points})
    if len(blocks) < 2 or len(threads) < 2:
        return []
    rows = [
        figure_row(
            s.cost.scaled(1e-3),
            s.id,
            x=str(s.point.blocks),
            y=str(s.point.lanes),
            label=microseconds(s),
        )
        for s in points
        if s.cost
    ]
    fastest, slowest = _ends(points)
    heat = Heat(
        rows,
        ("blocks", [str(n) for n in blocks]),
        ("threads per block", [str(n) for n in threads]),
        "us per barrier",
        (fastest / 1e3, max(slowest, 1.01 * fastest) / 1e3),
        (70, 34),
    )
    return [Panel("grid_sync", heat)]


def _ends(points: Sequence[Measured]) -> tuple[float, float]:
    costs = [ns_of(s) for s in points]
    return min(costs), max(costs)


def heading(points: Sequence[Measured], barriers: Sequence[GridBarriers]) -> str:
    """What the map shows: which barrier of the largest grid to take, where there are several."""
    fastest, slowest = _ends(points)
    if barriers:
        return sentence(barriers[-1])
    return f"grid_sync takes {formats.duration(fastest)} to {formats.duration(slowest)}"
