"""The study `contention`: tables and figures of throughput and fairness by the number of variables."""

from __future__ import annotations

from collections.abc import Sequence

from syncmeter_analysis.conclude.studies.contention_points import Part, Row, Shared
from syncmeter_analysis.conclude.studies.contention_points import rows as rows
from syncmeter_analysis.relate import point_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.studies.blocks import Block, Cell, Table, table
from syncmeter_analysis.studies.cells import notes, of_each, rate
from syncmeter_analysis.studies.figures import Axis, Figure, Panel, curve
from syncmeter_analysis.studies.figures import Row as Drawn

title = "Contention"
order = 2


@of_each
def text(part: Part) -> list[Block]:
    """Returns throughput by variables and by threads."""
    # The first table has everything for two threads.
    return [_cells_table(part), *([_lanes_table(part)] if part.most_lanes > 2 else [])]


def _cells_table(part: Part) -> Table:
    """Returns all figures of the most threads."""
    lanes = part.most_lanes
    what = (
        f"{formats.count(lanes, 'thread')} by number of variables, neighbouring threads on one "
        "variable; throughput over one variable, in the same repetitions and vCPU placement"
    )
    columns = "backend|operation|affinity|variables>|threads on each>|they share|ns>|ops/s>|fair>"
    columns += "|slow/fast>|over one>|95 % CI>|"
    rows = []
    for row in part.rows:
        for cells, c in row.by_cells.items() if row.lanes == lanes else ():
            p, s = row.first.point, c.measured
            fair = [s.fairness, s.slowest_over_fastest] if lanes > 1 else [None, None]
            found = [p.backend, Cell(p.op, [s.id]), row.placed, str(cells), str(lanes // cells)]
            found += [c.joined_by, formats.cost(s) if s.usable else "", rate(s)]
            found += [formats.number(x, digits) for x, digits in zip(fair, (3, 2), strict=True)]
            found += formats.ratio_fields(c.over_one, itself=cells == 1)
            crowded = "more threads than CPUs" if s.oversubscribed else ""
            rows.append([*found, notes(s, crowded, over={"one variable": c.over_one})])
    return table(f"{part.source}: " * bool(part.source) + what, columns, rows, 4, spare=[9])


def _lanes_table(part: Part) -> Table:
    numbers = sorted({n for row in part.rows for n in row.by_cells})

    def field(c: Shared | None) -> str:
        per_s = rate(c.measured) if c else ""
        return f"{per_s} {formats.number(c.measured.fairness, 3)}".rstrip() if c and per_s else ""

    columns = ["backend", "operation", "affinity", "threads>"]
    columns += [f"{formats.count(n, 'variable')}>" for n in numbers]
    rows = []
    for row in part.rows:
        at = [row.first.point.backend, row.first.point.op, row.placed, str(row.lanes)]
        rows.append(at + [field(row.by_cells.get(n)) for n in numbers])
    return table(
        "ops/s of all threads, and fairness, by threads and variables", columns, rows, keys=4
    )


_not_in_a_panel = ("backend", "op", "placement", "lanes", "affinity")


def figures(parts: list[Part]) -> list[Figure]:
    """Returns a figure for each operation, backend and file: throughput of all threads by number of
    variables, a panel for each affinity, a line for each number of threads."""
    return [
        _figure(f"{number}-{backend}-{op}", found)
        for number, part in enumerate(parts, 1)
        if part.most_lanes > 1
        for (backend, op), found in grouped(part.rows, _of_op).items()
    ]


def _of_op(row: Row) -> tuple[str, str]:
    return row.first.point.backend, row.first.point.op


def _figure(name: str, found: Sequence[Row]) -> Figure:
    def panel_of(row: Row) -> str:
        what = point_text.short_name(row.first.point, _not_in_a_panel)
        return f"{what}, affinity {row.placed}".lstrip(", ")

    return Figure(
        f"contention-{name}".replace("_", "-"),
        f"Throughput by number of variables: {' '.join(_of_op(found[0]))}",
        "Operations per second of all threads by number of variables; both axes logarithmic.",
        [panel for name, of in grouped(found, panel_of).items() for panel in _curves(name, of)],
        [c.measured.id for row in found for c in row.by_cells.values()],
    )


def _curves(name: str, found: Sequence[Row]) -> list[Panel]:
    rows: list[Drawn] = [
        {"x": cells, "value": per_s, "name": str(row.lanes), "id": c.measured.id}
        for row in found
        for cells, c in row.by_cells.items()
        if (per_s := c.measured.ops_per_s_total) is not None
    ]
    x = Axis("variables", "log2", "d", sorted({row["x"] for row in rows}))
    threads = sorted({row["name"] for row in rows}, key=int)
    y = Axis("ops/s of all threads", format="~s")
    return curve(name, rows, x, y, threads, legend="threads")
