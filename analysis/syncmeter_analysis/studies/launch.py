"""What the boundary of a kernel costs, and of what it is made: kernels that do nothing, launched by one
host thread in every way.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import inf

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Over, over
from syncmeter_analysis.relate.relation import (
    NotComparable,
    Ratio,
    Verdict,
    default_margin,
    ratio,
    verdict,
)
from syncmeter_analysis.relate.stats import median
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.text import percent
from syncmeter_analysis.studies.blocks import Block, Cell, table
from syncmeter_analysis.studies.cells import cost, ns_of
from syncmeter_analysis.studies.figures import Dots, Figure, Panel, Row, most_colours, rows_of
from syncmeter_analysis.studies.figures import row as figure_row

title = "Kernel boundary"
order = 11

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

#: Parts that a sentence names.
_in_sentence = ("launch", "launch_call", "additional_launch")

#: A further kernel within this much of its call is paced by the host.
pace_margin = 0.25

#: Of an interval whose ends are so many times as far from each other a sentence says so.
_wide = 1.5

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

    def over(self, op: str, under: str) -> Over:
        """None where one of them was not measured."""
        return over(self.parts.get(op), self.parts.get(under))

    @property
    def host_paced(self) -> bool:
        """A further kernel costs about what its call takes."""
        r = self.over("additional_launch", "launch_call")
        return r is not None and verdict(r, pace_margin) is Verdict.same

    def graph_over_launches(self) -> dict[int, Ratio | NotComparable]:
        """By size: a further graph over as many kernels launched one by one."""
        one = self.parts.get("additional_launch")
        graphs = self.graphs.get("additional_graph_launch", {})
        return {n: ratio(s, one).times(1 / n) for n, s in sorted(graphs.items()) if one and n}


def smallest_of(kernels: list[Kernel]) -> list[Kernel]:
    """Of each backend the kernel that is all launch."""
    return list({k.backend: k for k in reversed(kernels)}.values())[::-1]


def rows(campaign: Campaign) -> list[Kernel]:
    """Each kernel that was launched, the smallest of each backend first; none where fewer than two
    costs are known: nothing to take apart."""
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
    found = [kernel for _, kernel in sorted(kernels.items(), key=lambda item: item[0])]
    costs = sum(len(k.parts) + sum(map(len, k.graphs.values())) for k in found)
    return found if costs > 1 else []


def graph_costs(costs_ns: Mapping[int, float]) -> GraphCosts | None:
    """From the costs of graphs by their sizes; the slope is the median over all pairs of sizes (Theil
    1950), of which an outlier is no part. None with fewer than two sizes."""
    if len(costs_ns) < 2:
        return None
    each = median([(costs_ns[b] - costs_ns[a]) / (b - a) for a, b in combinations(costs_ns, 2)])
    smallest = min(costs_ns)
    return GraphCosts(costs_ns[smallest] - each * (smallest - 1), each)


_where = {"first": ", near", "other": ", far"}


def answer(kernels: list[Kernel]) -> list[str]:
    """What the parts of the boundary cost, and when a graph pays; of the smallest kernel of each
    backend, which is all launch."""
    smallest = smallest_of(kernels)
    several = len(smallest) > 1
    return [
        f"{kernel.backend}: " * several + sentence
        for kernel in smallest
        for sentence in (_graph_finding(kernel), _costs_of(kernel))
        if sentence
    ]


def text(kernels: list[Kernel]) -> list[Block]:
    """Each part of the boundary by kernel."""
    several = len(smallest_of(kernels)) > 1
    names = [kernel_name(k) + (f" {k.backend}" if several else "") for k in kernels]
    lines = [(name, [cost(k.parts.get(op)) for k in kernels]) for op, name in parts.items()]
    for op, name in graphs.items():
        lines.append((f"{name}: first kernel", [_graph(k, op, "first_ns") for k in kernels]))
        lines.append((f"{name}: each further one", [_graph(k, op, "each_ns") for k in kernels]))
    return [
        table(
            "Kernels that do nothing, launched by one host thread",
            ["ns, by blocks x threads of the kernel", *(f"{name}>" for name in names)],
            [[name, *cells] for name, cells in lines if any(c.text for c in cells)],
        )
    ]


def kernel_name(kernel: Kernel) -> str:
    return f"{kernel.blocks} x {kernel.threads}{_where.get(kernel.home, '')}"


def _graph(kernel: Kernel, op: str, part: str) -> Cell:
    """Nothing where the line through the sizes has no such part above 0."""
    line = kernel.graph_costs(op)
    ns = getattr(line, part) if line else 0.0
    ids = [s.id for s in kernel.graphs.get(op, {}).values()]
    return Cell(formats.nanoseconds(ns), ids) if ns > 0 else Cell("")


def _graph_finding(kernel: Kernel) -> str:
    """Whether a graph is faster than its kernels launched one by one, by its largest size; from which
    size on, by the sizes measured and by the line through them."""
    measured = kernel.graph_over_launches()
    line = kernel.graph_costs("additional_graph_launch")
    if not measured or line is None:
        return ""
    n, r = max(measured.items(), key=lambda item: item[0])
    one = ns_of(kernel.parts["additional_launch"])
    each = f"one more takes {formats.duration(line.each_ns)} there, {formats.duration(one)} outside"
    i = kernel.parts["additional_launch"].cost
    if i and i.bounded and i.high > _wide * i.low:
        vary = formats.duration_range(i.low, i.high)
        each += f" (launches vary: {vary})"
    whole = f"a graph of {formats.count(n, 'kernel')}"
    if isinstance(r, NotComparable):
        return f"Kernels in a graph: {each}; {whole} cannot be compared, {r.why}"
    if verdict(r) is not Verdict.faster:
        within = f" within {percent(default_margin)}" * (verdict(r) is Verdict.same)
        whole += f" takes {formats.times_as_long(r)} as {n} launch{'es' * (n != 1)}"
        return f"Kernels in a graph: {each}; {whole}, {verdict(r).value}{within}"
    least = _faster_from(measured)
    longer = Interval(1 / r.value, 1 / r.high, 1 / r.low if r.low > 0 else inf)
    r = replace(r, interval=longer)
    sentence = (
        f"Put repeated kernels into a graph, because {each}; {n} launches take "
        f"{formats.times(r)} times as long as a built graph of {n}{formats.sure(r)}; graphs are "
        f"faster from {formats.count(least, 'kernel')} on{_with_launch(kernel, least)}"
    )
    even = _even(line, one)
    if even not in (0, least):
        sentence += f" (by the line through the sizes from {formats.count(even, 'kernel')} on)"
    return sentence


def _with_launch(kernel: Kernel, n: int) -> str:
    """` (1535 ns with the launch)`: what the smallest such graph takes, whose kernel alone is less."""
    s = kernel.graphs["additional_graph_launch"].get(n)
    return f" ({formats.duration(ns_of(s))} with the launch)" if s else ""


def _faster_from(measured: dict[int, Ratio | NotComparable]) -> int:
    """The smallest size from which on every graph measured is resolved to be faster."""
    least = 0
    for n, r in sorted(measured.items(), reverse=True):
        if verdict(r) is not Verdict.faster:
            break
        least = n
    return least


def _even(line: GraphCosts, one_ns: float) -> int:
    """The least n with first + each (n - 1) < one n; 0 without one."""
    if line.each_ns >= one_ns:
        return 0
    return int(max(1.0, (line.first_ns - line.each_ns) / (one_ns - line.each_ns) + 1))


def figures(kernels: list[Kernel]) -> list[Figure]:
    """For each backend each way to launch a kernel on one axis, kernels by colour."""
    return [
        _figure(smallest, [k for k in kernels if k.backend == smallest.backend], i)
        for i, smallest in enumerate(smallest_of(kernels))
    ]


def _figure(smallest: Kernel, kernels: list[Kernel], number: int) -> Figure:
    kernels = kernels[:most_colours]
    rows = [row for kernel in kernels for row in _figure_rows(kernel)]
    order = [*parts.values(), *(f"{name}, for each kernel" for name in graphs.values())]
    rows.sort(key=lambda r: order.index(r["row"].partition(" of ")[0]))
    names = [kernel_name(k) for k in kernels]
    note = (
        "ns with the 95 % interval, logarithmic, of kernels that do nothing, launched by one host "
        "thread; of graphs the largest, divided by its kernels."
    )
    name = f"launch-{smallest.backend}" if number else "launch"
    dots = Dots(rows, "ns", names, "part", "blocks x threads")
    panel = Panel(f"kernel boundary, {smallest.backend}", dots)
    title = _costs_of(smallest) or "What the boundary of a kernel is made of"
    return Figure(name, title, note, [panel], wide=True)


def _figure_rows(kernel: Kernel) -> list[Row]:
    name = kernel_name(kernel)
    of_parts = kernel.parts.items()
    found = [row for op, s in of_parts for row in rows_of(s, row=parts[op], group=name)]
    for op, by_size in kernel.graphs.items():
        size, s = max(by_size.items(), key=lambda item: item[0])
        if s.cost and size:
            each = f"{graphs[op]}, for each kernel of {size}"
            found.append(figure_row(s.cost.scaled(1 / size), s.id, row=each, group=name))
    return found


def _costs_of(kernel: Kernel) -> str:
    """Of each way to launch what a kernel takes, the host's part of it, and who sets the pace."""

    first = next((op for op in _in_sentence if op in kernel.parts and kernel.parts[op].cost), "")

    def ns(op: str) -> str:
        if op not in kernel.parts:
            return ""
        s = kernel.parts[op]
        return formats.cost_surely(s) if op == first else formats.cost_with_ends(s)

    found = [f"{ns('launch')} where the host waits for each"] * ("launch" in kernel.parts)
    call = f"the call alone {ns('launch_call')}" if "launch_call" in kernel.parts else ""
    if "additional_launch" in kernel.parts:
        if kernel.host_paced:
            call += ": the host sets the pace"
        behind = f" ({call})" if call else ""
        found.append(f"{ns('additional_launch')} each in a row without waits{behind}")
    elif call:
        found.append(call)
    line = kernel.graph_costs("additional_graph_launch")
    if line and line.each_ns > 0:
        found.append(
            f"{formats.duration(line.each_ns)} each inside a graph, whose launch is not in it"
        )
    nothing = f"A kernel that does nothing ({kernel_name(kernel)})"
    return f"{nothing}: {', '.join(found)}" if found else ""
