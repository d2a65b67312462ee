"""The table of the kernel boundary's parts, and what follows from them in sentences."""

from __future__ import annotations

from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.relation import (
    NotComparable,
    Ratio,
    Verdict,
    default_margin,
    verdict,
)
from syncmeter_analysis.studies.blocks import Block, Bullets, Cell, Table
from syncmeter_analysis.studies.launch_rows import (
    Boundary,
    GraphCosts,
    Kernel,
    graphs,
    ns_of,
    parts,
    rows,
)

__all__ = ["rows", "text", "title"]

title = "Kernel boundary"
measured_by = "`syncmeter run --study levels` on a GPU"

_where = {"first": ", near", "other": ", far"}


def text(boundary: Boundary) -> list[Block]:
    """Each part of the boundary by kernel; what follows, of the smallest kernel: it is all launch."""
    several = len(boundary.smallest) > 1
    found: list[Block] = [_table(boundary.kernels, several)]
    lines = [
        (f"{kernel.backend}, " if several else "") + f"{kernel_name(kernel)}: {line}"
        for kernel in boundary.smallest
        for line in (_boundary_finding(kernel), _graph_finding(kernel))
        if line
    ]
    return [*found, Bullets(lines)] if lines else found


def kernel_name(kernel: Kernel) -> str:
    return f"{kernel.blocks} x {kernel.threads}{_where.get(kernel.home, '')}"


def _table(kernels: list[Kernel], several: bool) -> Table:
    names = [kernel_name(k) + (f" {k.backend}" if several else "") for k in kernels]
    table = Table(
        ["ns, by blocks x threads of the kernel", *names],
        [],
        right=range(1, len(kernels) + 1),
        caption="Kernels that do nothing, launched by one host thread",
    )

    lines = [(name, [_part(kernel, op) for kernel in kernels]) for op, name in parts.items()]
    for op, name in graphs.items():
        lines.append((f"{name}: first kernel", [_graph(k, op, "first_ns") for k in kernels]))
        lines.append((f"{name}: each further one", [_graph(k, op, "each_ns") for k in kernels]))
    table.rows = [[Cell(name), *cells] for name, cells in lines if any(c.text for c in cells)]
    return table


def _part(kernel: Kernel, op: str) -> Cell:
    s = kernel.parts.get(op)
    return Cell(formats.nanoseconds(ns_of(s)), [s.id]) if s else Cell("")


def _graph(kernel: Kernel, op: str, part: str) -> Cell:
    """Nothing where the line through the sizes has no such part above 0."""
    line = kernel.graph_costs(op)
    ns = getattr(line, part) if line else 0.0
    ids = [s.id for s in kernel.graphs.get(op, {}).values()]
    return Cell(formats.nanoseconds(ns), ids) if ns > 0 else Cell("")


def _share(r: Ratio) -> str:
    """`35 % (34..36)`."""
    bounds = f" ({100 * r.low:.0f}..{100 * r.high:.0f})" if r.bounded else ""
    return f"{100 * r.value:.0f} %{bounds}"


def _boundary_finding(kernel: Kernel) -> str:
    """Of a launch that is waited for, how much is the call, and how much of it a further kernel in the
    stream takes."""
    whole = kernel.parts.get("launch")
    if whole is None:
        return ""
    line = f"a launch and the wait for it take {formats.nanoseconds(ns_of(whole))} ns"
    call = kernel.over("launch_call", "launch")
    if isinstance(call, Ratio) and verdict(call) is Verdict.faster:
        cost = ns_of(kernel.parts["launch_call"])
        line += (
            f"; the call returns after {formats.nanoseconds(cost)}, {_share(call)}: the kernel and "
            f"the wait are the other {formats.nanoseconds(ns_of(whole) - cost)}"
        )
    another = kernel.over("additional_launch", "launch")
    if isinstance(another, Ratio):
        cost = ns_of(kernel.parts["additional_launch"])
        line += (
            f"; without the wait a further kernel takes {formats.nanoseconds(cost)}, "
            f"{_share(another)}"
        )
        if kernel.host_paced:
            line += ", about what its call takes: the host sets the pace"
    return line


def _graph_finding(kernel: Kernel) -> str:
    """Whether a graph is faster than its kernels launched one by one, by its largest size; from which
    size on, by the sizes measured and by the line through them."""
    measured = kernel.graph_over_launches()
    line = kernel.graph_costs("additional_graph_launch")
    if not measured or line is None:
        return ""
    n, r = max(measured.items(), key=lambda item: item[0])
    one = ns_of(kernel.parts["additional_launch"])
    told = (
        f"each further kernel of a graph takes {formats.nanoseconds(line.each_ns)} ns, one launched "
        f"by itself {formats.nanoseconds(one)}; a graph of {n} over {n} launches: "
    )
    if isinstance(r, NotComparable):
        return told + f"not comparable, {r.why}"
    told += formats.ratio_interval(r)
    if verdict(r) is not Verdict.faster:
        same = f"{verdict(r).value} within {default_margin:.0%}"
        return told + f", {same if verdict(r) is Verdict.same else verdict(r).value}"
    least = _faster_from(measured)
    told += f", faster; so is every size measured from {formats.count(least, 'kernel')} on"
    even = _even(line, one)
    if even not in (0, least):
        told += f" (by the line through the sizes from {formats.count(even, 'kernel')} on)"
    return told


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
