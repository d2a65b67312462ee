"""Ways to wait for a late thread: the time beyond the lateness, the CPU time, and work beside a thread
that waits."""

from __future__ import annotations

from collections.abc import Mapping

from syncmeter_analysis.conclude.studies.waiting import Part, Way
from syncmeter_analysis.conclude.studies.waiting import rows as rows
from syncmeter_analysis.studies.blocks import Block, Line, pivot, table
from syncmeter_analysis.studies.cells import file_prefix, named, of_each
from syncmeter_analysis.studies.figures import Axis, Figure, courses

title = "Waiting"
order = 6


@of_each
def text(part: Part) -> list[Block]:
    """Returns cost and CPU time by lateness, and work together with a thread that waits."""
    file = file_prefix(part.source)
    neighbours = [
        [named(n.way, n.beside), "same" if n.affinity == "smt" else "another", n.over]
        for n in part.neighbours
    ]
    late = "late us>"
    return [
        pivot(f"{file}Wait: ns from the arrival of the late thread", late, _costs(part.ways)),
        pivot("CPU time of a waiting thread in ns, system calls included", late, _cpu(part.ways)),
        pivot("Barrier: ns beyond the lateness", late, _costs(part.barriers)),
        table(
            "Work of a thread together with a waiting thread",
            "waits by|core|over alone (95 % CI)>",
            *(neighbours, 2),
        ),
    ]


def _costs(ways: list[Way]) -> list[Line]:
    return _by_lateness({way.name: way.costs for way in ways})


def _cpu(ways: list[Way]) -> list[Line]:
    return _by_lateness({way.name: way.cpu_ns for way in ways})


def _by_lateness(by_way: Mapping[str, Mapping[int, object]]) -> list[Line]:
    lates = sorted({late for values in by_way.values() for late in values})
    return [
        ([late], {n: values[late] for n, values in by_way.items() if late in values}, ())
        for late in lates
    ]


def figures(parts: list[Part]) -> list[Figure]:
    """For each file with three latenesses or more what waiting costs and the CPU time of a wait: a line
    for each way."""
    found = []
    for number, part in enumerate(parts, 1):
        panels = []
        for y, lines in (("ns", _costs(part.ways)), ("ns of CPU time", _cpu(part.ways))):
            above_0 = [(at, {n: v for n, v in of.items() if v}, ()) for at, of, _ in lines]
            panels += courses(above_0, Axis("us late"), Axis(y), 3, title=y)
        title, note = "Time and CPU time of a wait by lateness", "Both axes are logarithmic."
        if panels:
            found.append(Figure(f"waiting-{number}", title, note, panels, part.points))
    return found
