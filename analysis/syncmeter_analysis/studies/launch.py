"""The tables and figures of the study `launch`: the parts of a kernel boundary, from kernels that do
nothing, launched by one host thread."""

from __future__ import annotations

from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.kernels import Kernel, smallest_of
from syncmeter_analysis.relate.kernels import rows as rows
from syncmeter_analysis.studies.blocks import Block, Cell, table
from syncmeter_analysis.studies.cells import cost
from syncmeter_analysis.studies.figures import Dots, Figure, Panel, Row, most_colours, rows_of
from syncmeter_analysis.studies.figures import row as figure_row

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
    return Figure(name, "Parts of a kernel boundary", note, [panel], wide=True)


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
