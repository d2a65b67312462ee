"""The tables and figures of the study `launch`: the parts of a kernel boundary, from kernels that do
nothing, launched by one host thread."""

from __future__ import annotations

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.kernels import Kernel, smallest_of
from syncmeter_analysis.relate.kernels import rows as rows
from syncmeter_analysis.studies.blocks import Block, Line, pivot
from syncmeter_analysis.studies.figures import Figure, dots

title = "Kernel boundary"
order = 11

#: Ops and their words, from the simplest part to the whole boundary.
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

_where = {"first": ", near", "other": ", far"}


def text(kernels: list[Kernel]) -> list[Block]:
    """Returns each part of the boundary by kernel."""
    what = "Kernels that do nothing, launched by one host thread: ns by blocks x threads"
    return [pivot(what, "part", _lines(kernels))]


def _lines(kernels: list[Kernel]) -> list[Line]:
    several = len(smallest_of(kernels)) > 1
    names = [(kernel_name(k) + (f" {k.backend}" if several else ""), k) for k in kernels]
    lines: list[Line] = [
        ([words], {name: k.parts[op] for name, k in names if op in k.parts}, ())
        for op, words in parts.items()
    ]
    for op, words in graphs.items():
        for part, which in (("first_ns", "first kernel"), ("each_ns", "each further one")):
            costs = {name: Interval(_graph(k, op, part)) for name, k in names}
            # The line through the sizes may have no such part above 0.
            values = {name: i for name, i in costs.items() if i.value > 0}
            lines.append(([f"{words}: {which}"], values, ()))
    return [line for line in lines if line[1]]


def kernel_name(kernel: Kernel) -> str:
    return f"{kernel.blocks} x {kernel.threads}{_where.get(kernel.home, '')}"


def _graph(kernel: Kernel, op: str, part: str) -> float:
    line = kernel.graph_costs(op)
    return float(getattr(line, part)) if line else 0.0


def figures(kernels: list[Kernel]) -> list[Figure]:
    """For each backend each way to launch a kernel on one axis, kernels by colour."""
    note = "ns with the 95 % interval, logarithmic, of kernels that do nothing."
    found = []
    for i, smallest in enumerate(smallest_of(kernels)):
        lines = _lines([k for k in kernels if k.backend == smallest.backend])
        name = f"launch-{smallest.backend}" if i else "launch"
        title = f"Parts of a kernel boundary, {smallest.backend}"
        found += dots(name, title, note, lines, what="part", legend="blocks x threads")
    return found
