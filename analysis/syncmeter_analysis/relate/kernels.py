"""The parts of a kernel boundary by kernel: launches, waits, and graphs by their number of kernels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations

from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import over
from syncmeter_analysis.relate.group import place_in
from syncmeter_analysis.relate.relation import Verdict, verdict
from syncmeter_analysis.relate.stats import median
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.text import ns_of

#: Ops for the boundary, and graphs.
parts = (
    "launch_call",
    "launch",
    "cooperative_launch",
    "event_record_wait",
    "blocking_copy",
    "additional_launch",
    "additional_cooperative_launch",
    "programmatic_launch",
    "stream_order",
    "stream_event_order",
    "kernel_split",
    "programmatic_split",
)
graphs = ("graph_launch", "additional_graph_launch")

#: The host sets the pace if a kernel costs as much as a launch call. Both may differ by 25 %.
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

    @property
    def host_paced(self) -> bool:
        """A further kernel costs about what its call takes."""
        r = over(self.parts.get("additional_launch"), self.parts.get("launch_call"))
        return r is not None and verdict(r, pace_margin) is Verdict.same


def smallest_of(kernels: list[Kernel]) -> list[Kernel]:
    """Returns the smallest kernel for each backend."""
    return list({k.backend: k for k in reversed(kernels)}.values())[::-1]


def rows(campaign: Campaign) -> list[Kernel]:
    """Returns all launched kernels, the smallest first. Returns nothing if fewer than two costs are
    known."""
    kernels: dict[tuple[str, int, int, int], Kernel] = {}
    for s in campaign.measured:
        p = s.point
        known = p.op in parts or p.op in graphs
        if not known or not s.on_gpu or s.doubt or p.repeat > 1:
            continue
        key = p.backend, p.blocks, p.lanes, place_in(_homes, p.home)
        kernel = kernels.setdefault(key, Kernel(p.backend, p.blocks, p.lanes, p.home))
        if p.op in parts:
            kernel.parts.setdefault(p.op, s)
        else:
            kernel.graphs[p.op].setdefault(p.size, s)
    found = [kernels[key] for key in sorted(kernels)]
    costs = sum(len(k.parts) + sum(map(len, k.graphs.values())) for k in found)
    return found if costs > 1 else []


def graph_costs(costs_ns: Mapping[int, float]) -> GraphCosts | None:
    """Returns a line through graph costs by size, or None for fewer than two sizes. The slope is a
    median over all pairs (Theil 1950) and ignores outliers."""
    if len(costs_ns) < 2:
        return None
    each = median([(costs_ns[b] - costs_ns[a]) / (b - a) for a, b in combinations(costs_ns, 2)])
    smallest = min(costs_ns)
    return GraphCosts(costs_ns[smallest] - each * (smallest - 1), each)
