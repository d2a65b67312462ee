"""The barriers of a GPU's grid: by launch, and the end of a kernel as a barrier."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from syncmeter_analysis.relate.contest import Contest, contest
from syncmeter_analysis.relate.group import group
from syncmeter_analysis.relate.relation import NotComparable, Ratio, ratio
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.text import ns_of

#: Grid barriers from atomics.
software = (
    "software_barrier_counter",
    "software_barrier_sense",
    "software_barrier_lockfree",
    "software_barrier_tree",
)

#: A graph of kernels, launched once more.
graph_launch = "additional_graph_launch"


@dataclass
class GridBarriers:
    """The barriers of the grid at one launch, by op. `over_grid_sync`: the fastest over grid_sync."""

    by_op: dict[str, Measured]
    contest: Contest
    over_grid_sync: Ratio | NotComparable


@dataclass
class KernelEnd:
    """A kernel end as a grid barrier: a graph with several kernels, the cost for each kernel, grid_sync
    at the same launch, and the ratio (grid_sync over kernel)."""

    graph: Measured
    each_ns: float
    own: Measured
    own_over_kernel: Ratio


def largest_graphs(points: Iterable[Measured]) -> list[Measured]:
    """Returns for each launch the graph with the most kernels, where the graph launch counts least."""
    graphs = (
        s
        for s in points
        if s.point.op == graph_launch and s.point.size > 1 and s.point.home != "other"
    )
    by_launch = group(graphs, "blocks", "lanes").values()
    return [max(alike, key=attrgetter("point.size")) for alike in by_launch]


def kernel_ends(points: Sequence[Measured]) -> list[KernelEnd]:
    """Returns the launches with grid_sync and a graph, the largest last."""
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
    """Returns the launches with a barrier from atomics."""
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
