"""Decides how to begin the next kernel, for the studies `levels` and `launch`."""

from __future__ import annotations

from collections.abc import Sequence

from syncmeter_analysis.conclude import references
from syncmeter_analysis.conclude.choice import choose, situation_of
from syncmeter_analysis.conclude.conclusion import Conclusion, Condition
from syncmeter_analysis.relate.grid_barriers import graph_launch, largest_graphs
from syncmeter_analysis.relate.relation import Verdict, ratio, verdict
from syncmeter_analysis.relate.summary import Measured

#: Blocks, and threads in each block.
Launch = tuple[int, int]


def launch_of(s: Measured) -> Launch:
    return s.point.blocks, s.point.lanes


def largest(points: Sequence[Measured]) -> Launch:
    """Returns the launch with the most threads."""
    return max(map(launch_of, points), key=lambda at: (at[0] * at[1], at))


def next_kernel(
    points: Sequence[Measured],
    question: str,
    launch: Launch | None = None,
    reason: Condition | None = None,
    next: Sequence[str] = (),
) -> Conclusion | None:
    """Compares a separate launch with a graph and a programmatic launch. Uses `launch` if it was
    measured, otherwise the largest launch."""
    known = [s for s in points if s.usable and s.point.home != "other"]
    ops = {op for _, op in references.next_kernel.names}
    separate = {launch_of(s): s for s in reversed(known) if s.point.op in ops}
    graphs = {launch_of(s): s.per_part(s.point.size) for s in largest_graphs(known)}
    both = [s for at, s in separate.items() if at in graphs]
    if not both:
        return None
    at = launch if launch in separate and launch in graphs else largest(both)
    mine, graph = separate[at], graphs[at]
    least = _least(known, mine)
    found = [s for s in known if s.point.op == "programmatic_launch" and launch_of(s) == at]
    return choose(
        [graph, *found[:1], mine],
        question,
        situation_of(mine, "kernel", size=graph.point.size),
        mine,
        conditions=lambda s: [
            *([Condition("graph_size", s.point.size), *least] if s is graph else []),
            *([Condition("hidden_launch", mine.cost.value)] if mine.cost else []),
        ],
        reason=reason,
        next=next,
    )


def _least(points: Sequence[Measured], mine: Measured) -> list[Condition]:
    """Returns the number of kernels from which on all measured graphs are faster, and the time of each
    kernel in this graph."""
    graphs = [s for s in points if s.point.op == graph_launch and launch_of(s) == launch_of(mine)]
    found = []
    for s in sorted((s for s in graphs if s.point.size), key=lambda s: -s.point.size):
        each = s.per_part(s.point.size)
        if verdict(ratio(each, mine)) is not Verdict.faster or each.cost is None:
            break
        name = "least_graph" if s.point.size > 1 else "least_graph_one"
        found = [Condition(name, each.cost.value, s.point.size)]
    return found
