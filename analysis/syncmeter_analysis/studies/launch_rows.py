"""What the boundary of a kernel costs, and of what it is made: kernels that do nothing, launched by one
host thread in every way.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations

from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.relation import (
    NotComparable,
    Ratio,
    Verdict,
    ratio,
    verdict,
)
from syncmeter_analysis.relate.stats import median
from syncmeter_analysis.relate.summary import Measured

#: Ops and what they are, in the order in which a reader builds the boundary up.
parts = {
    "launch_call": "a launch call returns after",
    "launch": "launch and wait",
    "cooperative_launch": "cooperative launch and wait",
    "event_record_wait": "event recorded and waited for, no kernel",
    "blocking_copy": "4 bytes to the host, which waits",
    "additional_launch": "one more kernel in the stream",
    "additional_cooperative_launch": "one more cooperative kernel",
    "programmatic_launch": "one more, programmatic dependent launch",
    "stream_order": "one more that needs the one before",
    "stream_event_order": "the same in another stream, by an event",
    "kernel_split": "marginal: a kernel's work cut in two",
    "programmatic_split": "marginal: the same, programmatic",
}
graphs = {
    "graph_launch": "graph launched and waited for",
    "additional_graph_launch": "one more graph in the stream",
}

#: A further kernel within this much of its call is paced by the host.
pace_margin = 0.25

_homes = ("", "first", "second", "other")


@dataclass(frozen=True)
class GraphCosts:
    """How the cost of a graph of n kernels grows with n: ns = first + each * (n - 1)."""

    first_ns: float
    each_ns: float


@dataclass
class Kernel:
    """One kernel, launched from one place (`home`: near or far from its GPU, or ''): its parts by op,
    and graphs of it by op and size."""

    backend: str
    blocks: int
    threads: int
    home: str
    parts: dict[str, Measured] = field(default_factory=dict)
    graphs: dict[str, dict[int, Measured]] = field(default_factory=lambda: defaultdict(dict))

    def graph_costs(self, op: str) -> GraphCosts | None:
        return graph_costs({n: ns_of(s) for n, s in self.graphs.get(op, {}).items()})

    def over(self, op: str, under: str) -> Ratio | NotComparable | None:
        """None where one of them was not measured."""
        if op not in self.parts or under not in self.parts:
            return None
        return ratio(self.parts[op], self.parts[under])

    @property
    def host_paced(self) -> bool:
        """A further kernel costs about what its call takes."""
        r = self.over("additional_launch", "launch_call")
        return r is not None and verdict(r, pace_margin) is Verdict.same

    def graph_over_launches(self) -> dict[int, Ratio | NotComparable]:
        """By size: a further graph over as many kernels launched one by one."""
        one = self.parts.get("additional_launch")
        found: dict[int, Ratio | NotComparable] = {}
        for n, s in sorted(self.graphs.get("additional_graph_launch", {}).items()):
            if one is not None and n:
                r = ratio(s, one)
                found[n] = r.times(1 / n) if isinstance(r, Ratio) else r
        return found


@dataclass
class Boundary:
    """A column for each kernel that was launched, the smallest of each backend first; falsy where
    fewer than two costs are known: nothing to take apart."""

    kernels: list[Kernel] = field(default_factory=list)

    def __bool__(self) -> bool:
        costs = sum(len(k.parts) + sum(map(len, k.graphs.values())) for k in self.kernels)
        return costs > 1

    @property
    def smallest(self) -> list[Kernel]:
        """Of each backend the kernel that is all launch."""
        return list({k.backend: k for k in reversed(self.kernels)}.values())[::-1]


def rows(campaign: Campaign) -> Boundary:
    kernels: dict[tuple[str, int, int, int], Kernel] = {}
    for s in campaign.measured:
        p = s.point
        known = p.op in parts or p.op in graphs
        if not known or not s.on_gpu or s.doubt or p.repeat > 1:
            continue
        place = _homes.index(p.home) if p.home in _homes else len(_homes)
        key = p.backend, p.blocks, p.lanes, place
        kernel = kernels.setdefault(key, Kernel(p.backend, p.blocks, p.lanes, p.home))
        if p.op in parts:
            kernel.parts.setdefault(p.op, s)
        else:
            kernel.graphs[p.op].setdefault(p.size, s)
    return Boundary([kernel for _, kernel in sorted(kernels.items(), key=lambda item: item[0])])


def ns_of(s: Measured) -> float:
    return s.cost.value if s.cost else 0.0


def graph_costs(costs_ns: Mapping[int, float]) -> GraphCosts | None:
    """From the costs of graphs by their sizes; the slope is the median over all pairs of sizes (Theil
    1950), of which an outlier is no part. None with fewer than two sizes."""
    if len(costs_ns) < 2:
        return None
    each = median([(costs_ns[b] - costs_ns[a]) / (b - a) for a, b in combinations(costs_ns, 2)])
    smallest = min(costs_ns)
    return GraphCosts(costs_ns[smallest] - each * (smallest - 1), each)
