"""Ways to wait for a late thread: the time beyond the lateness, the CPU time, and work beside a thread
that waits."""

from __future__ import annotations

from collections.abc import Mapping

from syncmeter_analysis.conclude.studies.waiting import Neighbour, Part, Way
from syncmeter_analysis.conclude.studies.waiting import rows as rows
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.studies.blocks import Block, Cell, Table, Text, table
from syncmeter_analysis.studies.cells import cost, of_each
from syncmeter_analysis.studies.figures import Axis, Figure, Panel, Row, curve

title = "Waiting"
order = 6


@of_each
def text(part: Part) -> list[Block]:
    """Cost and CPU time by lateness, and work beside a thread that waits."""
    found: list[Block] = []
    if part.ways:
        what = "ns from the arrival of the late thread until a waiting thread sees it"
        found += [_costs(part.ways, what, part.source), *_cpu(part.ways)]
    if part.barriers:
        found.append(_costs(part.barriers, "ns of a barrier beyond the lateness", ""))
    if part.neighbours:
        found.append(_neighbour_table(part.neighbours))
    return found


def _lates(ways: list[Way]) -> list[int]:
    return sorted({late for way in ways for late in way.costs})


def _costs(ways: list[Way], what: str, source: str) -> Table:
    return table(
        f"{source}: " * bool(source) + f"{what}, by lateness",
        ["late us>", *(f"{way.name}>" for way in ways)],
        [[str(late), *(cost(way.costs.get(late)) for way in ways)] for late in _lates(ways)],
    )


def _cpu(ways: list[Way]) -> list[Block]:
    found = [way for way in ways if way.cpu_ns]
    if not found:
        return []
    rows: list[list[str]] = []
    for late in _lates(found):
        burnt = (way.cpu_ns.get(late) for way in found)
        rows.append(
            [str(late), *("" if ns is None else formats.nanoseconds(ns / 1e3) for ns in burnt)]
        )
    columns = ["late us>", *(f"{way.name}>" for way in found)]
    note = Text("The CPU time includes system calls and wake-ups.")
    return [table("CPU time of a waiting thread in us, by lateness", columns, rows), note]


def _neighbour_table(neighbours: list[Neighbour]) -> Table:
    rows = [
        [
            *(Cell(f"waits: {n.way}", [n.beside.id]), _where(n.affinity)),
            *(*formats.ratio_fields(n.over), formats.why_none(n.over)),
        ]
        for n in neighbours
    ]
    columns = "the other thread|where|over alone>|95 % interval>|"
    return table("Work beside a thread that waits", columns, rows, keys=2)


def _where(affinity: str) -> str:
    return "same core" if affinity == "smt" else "another core"


def figures(parts: list[Part]) -> list[Figure]:
    """For each file with three latenesses or more what waiting costs and the CPU time that it burns: a
    line for each way."""
    note = "Lateness of the other thread, both axes logarithmic. Solid: spinning, dashed: asleep."
    return [
        Figure(
            f"waiting-{number}",
            "Time and CPU time of a wait by lateness",
            note,
            panels,
            part.points,
        )
        for number, part in enumerate(parts, 1)
        if (panels := _panels(part.ways))
    ]


def _panels(ways: list[Way]) -> list[Panel]:
    drawn = {
        "ns until a waiting thread sees it": [row for way in ways for row in _rows(way, way.curve)],
        "ns of CPU time": [row for way in ways for row in _rows(way, way.cpu_ns)],
    }
    names = [way.name for way in ways]
    looks = {"dashes": ["awake", "asleep"]}
    return [
        panel
        for y, rows in drawn.items()
        for panel in curve(y, rows, Axis("us late"), Axis(y), names, least=3, **looks)
    ]


def _rows(way: Way, values: Mapping[int, float]) -> list[Row]:
    state = "asleep" if way.sleeps else "awake"
    return [
        {"x": late, "value": ns, "name": way.name, "dash": state, "id": way.costs[late].id}
        for late, ns in values.items()
        if ns > 0
    ]
