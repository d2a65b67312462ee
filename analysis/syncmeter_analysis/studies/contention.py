"""The study `contention`: tables and figures of throughput and fairness by the number of variables."""

from __future__ import annotations

from syncmeter_analysis.conclude.studies.contention_points import Part
from syncmeter_analysis.conclude.studies.contention_points import rows as rows
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.studies.blocks import Block, Line, pivot, table
from syncmeter_analysis.studies.cells import (
    crowded,
    fairness,
    file_prefix,
    named,
    of_each,
    rate,
    rate_and_fairness,
)
from syncmeter_analysis.studies.figures import Axis, Figure, courses

title = "Contention"
order = 2


@of_each
def text(part: Part) -> list[Block]:
    """Returns all figures of the most threads, and throughput by variables and threads."""
    most = part.most_lanes
    rows = [
        [
            *(row.first.point.backend, named(row.first.point.op, c.measured), row.placed),
            *(variables, most // variables, c.joined_by, c.measured, rate(c.measured)),
            *fairness(c.measured),
            *(1 if variables == 1 else c.over_one, crowded(c.measured)),
        ]
        for row in part.rows
        if row.lanes == most
        for variables, c in row.by_cells.items()
    ]
    columns = "backend|operation|affinity|variables>|threads on each>|they share|ns>|ops/s>|fair>"
    columns += "|slow/fast>|throughput over one variable (95 % CI)>|"
    file = file_prefix(part.source)
    whole = table(
        f"{file}{most} threads by number of variables, neighbouring threads on one variable",
        *(columns, rows, 4),
        spare=[9],
    )
    lines = (
        (
            [row.first.point.backend, row.first.point.op, row.placed, row.lanes],
            {
                formats.count(n, "variable"): rate_and_fairness(c.measured)
                for n, c in sorted(row.by_cells.items())
            },
            (),
        )
        for row in part.rows
    )
    keys = "backend|operation|affinity|threads>"
    # The first table has everything for two threads.
    return [whole, *[pivot("ops/s of all threads, and fairness", keys, lines)] * (most > 2)]


def figures(parts: list[Part]) -> list[Figure]:
    """Returns a figure for each operation, backend and file: throughput of all threads by number of
    variables, a panel for each affinity, a line for each number of threads."""
    x, y = Axis("variables", "log2", "d"), Axis("ops/s of all threads", format="~s")
    note = "Operations per second of all threads by number of variables; both axes logarithmic."
    found = []
    for number, part in enumerate(parts, 1):
        by_op = grouped(part.rows, lambda row: (row.first.point.backend, row.first.point.op))
        for (backend, op), alike in by_op.items() if part.most_lanes > 1 else ():
            lines: list[Line] = [
                ([row.placed, variables], {str(row.lanes): c.measured.ops_per_s_total}, ())
                for row in alike
                for variables, c in row.by_cells.items()
            ]
            id = f"contention-{number}-{backend}-{op}".replace("_", "-")
            title = f"Throughput by number of variables: {backend} {op}"
            panels = courses(lines, x, y, title="affinity", legend="threads")
            ids = [c.measured.id for row in alike for c in row.by_cells.values()]
            found.append(Figure(id, title, note, panels, ids))
    return found
