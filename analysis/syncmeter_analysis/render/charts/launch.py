"""What the boundary of a kernel is made of: each way to launch one on one axis."""

from __future__ import annotations

from typing import Any

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate import text
from syncmeter_analysis.render.charts.dots import cost_dots
from syncmeter_analysis.render.charts.figure import Figure, Panel, palette
from syncmeter_analysis.studies.launch import Boundary, Kernel, graphs, kernel_name, ns_of, parts


def figures(boundary: Boundary) -> list[Figure]:
    """A figure for each backend; kernels by colour, as many as there are."""
    return [
        _figure(smallest, [k for k in boundary.kernels if k.backend == smallest.backend], i)
        for i, smallest in enumerate(boundary.smallest)
    ]


def _figure(smallest: Kernel, kernels: list[Kernel], number: int) -> Figure:
    kernels = kernels[: len(palette)]
    rows = [row for kernel in kernels for row in _rows(kernel)]
    order = [*parts.values(), *(f"{name}, for each kernel" for name in graphs.values())]
    rows.sort(key=lambda r: order.index(r["row"].partition(" of ")[0]))
    names = [kernel_name(k) for k in kernels]
    chart = cost_dots(rows, "ns", names, "part", "blocks x threads")
    note = (
        "ns with the 95 % interval, logarithmic, of kernels that do nothing, launched by one host "
        "thread; of graphs the largest, divided by its kernels."
    )
    id = f"launch-{smallest.backend}" if number else "launch"
    panel = Panel(f"kernel boundary, {smallest.backend}", chart)
    return Figure(id, _finding(smallest), note, [panel], [r["id"] for r in rows], wide=True)


def _rows(kernel: Kernel) -> list[dict[str, Any]]:
    found = [(parts[op], s.cost, s.id) for op, s in kernel.parts.items() if s.cost]
    for op, by_size in kernel.graphs.items():
        size = max(by_size)
        s = by_size[size]
        if s.cost and size:
            found.append(
                (f"{graphs[op]}, for each kernel of {size}", s.cost.scaled(1 / size), s.id)
            )
    return [_row(name, cost, id, kernel_name(kernel)) for name, cost, id in found]


def _row(name: str, cost: Interval, id: str, group: str) -> dict[str, Any]:
    low, high = (cost.low, cost.high) if cost.bounded else (None, None)
    return {"row": name, "ns": cost.value, "low": low, "high": high, "group": group, "id": id}


def _finding(kernel: Kernel) -> str:
    told = [
        f"{text.duration(ns_of(kernel.parts[op]))} {what}"
        for op, what in (
            ("launch", "with the wait for it"),
            ("launch_call", "until its call returns"),
            ("additional_launch", "behind another"),
        )
        if op in kernel.parts
    ]
    line = kernel.graph_costs("additional_graph_launch")
    if line and line.each_ns > 0:
        told.append(f"{text.duration(line.each_ns)} more in a graph")
    of = f"of {kernel_name(kernel)} threads"
    if not told:
        return f"What the boundary of a kernel {of} is made of"
    return f"A kernel that does nothing, {of}, takes {', '.join(told)}"
