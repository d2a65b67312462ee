"""The study `false-sharing`: the cost of variables at each distance over that of variables on separate
pages."""

from __future__ import annotations

from collections.abc import Sequence

from syncmeter_analysis.relate import strides
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.relation import Ratio
from syncmeter_analysis.relate.strides import Row, Sharing, apart_bytes, size_of_all, sizing
from syncmeter_analysis.studies.blocks import Block, pivot, table
from syncmeter_analysis.studies.cells import latency, named
from syncmeter_analysis.studies.figures import Figure, Heat, Panel
from syncmeter_analysis.studies.figures import row as figure_row

title = "False sharing"
order = 7
rows = strides.sharing_of


def text(sharing: Sharing) -> list[Block]:
    """Returns the cost at each distance, and one element apart."""
    lines = (
        (
            [*_at(row, " ".join(row.types)), row.first.point.base_offset],
            {f"{stride} B": row.over_apart[stride] for stride in sorted(row.strides)},
            [_enough(row), formats.marked(row.next_line)],
        )
        for row in sharing.rows
    )
    # Only from the start of a line one element apart means one line.
    one_element = [
        [*_at(row, kind), r, r.visits if isinstance(r, Ratio) else 0]
        for row in sharing.rows
        if not row.first.point.base_offset
        for kind, r in row.one_element.items()
    ]
    over = f"over the cost {apart_bytes} bytes apart"
    keys = "backend|operation|type|threads>|affinity|latency ns>"
    return [
        pivot(
            f"Distance of variables in bytes: cost {over} (line sizes: {sharing.line_sizes})",
            f"{keys}|first at B>",
            lines,
            "enough B>|64 B over 128 B>",
            show=formats.marked,
        ),
        table(
            f"Neighbours in an array: cost {over}",
            f"{keys}|ratio (95 % CI)>|repetitions>",
            *(one_element, 6),
            spare=[7],
        ),
    ]


def _at(row: Row, types: str) -> list[object]:
    p = row.first.point
    name = named(p.op, *row.cells)
    return [p.backend, name, types, p.lanes, row.placed, latency(row.state)]


def _enough(row: Row) -> str:
    """Returns the smallest distance that costs no more."""
    if row.size.enough is None:
        return "undecided"
    return "any" if row.costs_nothing else str(row.size.enough)


def figures(sharing: Sharing) -> list[Figure]:
    """A figure for each op: stride by lanes, panels by affinity and by where the array begins."""
    controlled = (row for row in sizing(sharing.rows) if row.has_control)
    by_op = grouped(controlled, lambda row: row.first.point.op)
    note = f"Cost over that of variables {apart_bytes} B apart. The line marks what is enough."
    return [
        Figure(
            f"false-sharing-{op.replace('_', '-')}",
            f"{op}: time by distance of the variables",
            note,
            [
                _panel(*at, members)
                for at, members in grouped(
                    found, lambda row: (row.placed, row.first.point.base_offset)
                ).items()
            ],
            [id for row in found for id in row.points],
        )
        for op, found in by_op.items()
    ]


def _panel(affinity: str, base: int, found: Sequence[Row]) -> Panel:
    rows = [
        figure_row(
            r.interval, row.first.id, x=str(stride), y=str(lanes), label=formats.ratio(r.value)
        )
        for row in found
        for lanes in [row.first.point.lanes]
        for stride, r in row.over_apart.items()
        if isinstance(r, Ratio)
    ]
    strides = sorted({stride for row in found for stride in row.strides})
    lanes = sorted({row.first.point.lanes for row in found})
    enough = size_of_all(found).enough
    start = f", from {base} B" if base else ""
    heat = Heat(
        rows,
        ("bytes between variables", [str(x) for x in strides]),
        ("threads", [str(n) for n in lanes]),
        "times slower",
        (1.0, max([2.0, *(r["value"] for r in rows)])),
        (46, 26),
        after=str(enough) if enough else "",
    )
    return Panel(f"affinity {affinity}{start} (1 = {apart_bytes} B apart)", heat)
