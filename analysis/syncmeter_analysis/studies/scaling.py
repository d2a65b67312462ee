"""The study `scaling`: the cost of each operation by number of threads, and the most threads over the
fewest."""

from __future__ import annotations

from collections.abc import Sequence

from syncmeter_analysis.conclude.studies.scaling import Row, usual_ops
from syncmeter_analysis.conclude.studies.scaling import rows as rows
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.point_text import op_of
from syncmeter_analysis.relate.relation import ratio
from syncmeter_analysis.studies.blocks import Block, Cell, Table, Text, table
from syncmeter_analysis.studies.cells import cost, ns_of

title = "Scaling"
order = 0


def text(found: list[Row]) -> list[Block]:
    """Returns each operation by number of threads."""
    return [
        *(
            _table(on_gpu, of)
            for on_gpu, of in grouped(found, lambda row: row.first.on_gpu).items()
        ),
        Text(
            "ns of an operation by each thread, while all threads do the same. over the fewest: ratio "
            "of the most to the fewest threads in one vCPU placement."
        ),
    ]


def _table(on_gpu: bool, found: Sequence[Row]) -> Table:
    launches = sorted({(s.point.blocks, s.point.lanes) for row in found for s in row.by_threads})
    names = [f"{b} x {n}" if on_gpu else str(n) for b, n in launches]
    lines: list[list[object]] = []
    for row in sorted(found, key=_place):
        by_launch = {(s.point.blocks, s.point.lanes): s for s in row.by_threads}
        few, many = row.ends
        times = formats.ratio_fields(ratio(many, few))
        p = row.first.point
        at = [p.backend, Cell(op_of(row.first.point)), cells(row), row.placed]
        lines.append(
            [*at, *(cost(by_launch.get(launch)) for launch in launches), *times, row.source]
        )
    columns = ["backend", "operation", "variables", "affinity", *(f"{name}>" for name in names)]
    columns += ["over the fewest>", "95 % CI>", ""]
    return table("By number of threads", columns, lines, keys=4)


def cells(row: Row) -> str:
    p = row.ends[1].point
    return (
        f"{p.stride_bytes} B apart"
        if p.placement == "strided"
        else "one" * (p.placement == "shared")
    )


def _place(row: Row) -> tuple[object, ...]:
    key = (row.first.point.op, row.first.point.placement)
    place = usual_ops.index(key) if key in usual_ops else len(usual_ops)
    return place, -ns_of(row.ends[1])
