"""The study `scaling`: the cost of each operation by number of threads, and the most threads over the
fewest."""

from __future__ import annotations

from syncmeter_analysis.conclude.studies.scaling import Row, usual_ops
from syncmeter_analysis.conclude.studies.scaling import rows as rows
from syncmeter_analysis.relate.group import grouped, place_in
from syncmeter_analysis.relate.point_text import blocks_by_threads, op_of
from syncmeter_analysis.relate.relation import ratio
from syncmeter_analysis.relate.text import ns_of
from syncmeter_analysis.studies.blocks import Block, Line, pivot

title = "Scaling"
order = 0


def text(found: list[Row]) -> list[Block]:
    """Returns each operation by number of threads."""
    by_kind = grouped(sorted(found, key=_place), lambda row: row.first.on_gpu)
    what = "ns of an operation by each thread, while all threads do the same, by number of threads"
    return [
        pivot(
            what,
            "backend|operation|variables|affinity",
            (_line(row, on_gpu) for row in alike),
            "most over fewest threads (95 % CI)>|",
        )
        for on_gpu, alike in by_kind.items()
    ]


def _line(row: Row, on_gpu: bool) -> Line:
    p, (few, many) = row.first.point, row.ends
    points = sorted(row.by_threads, key=lambda s: (s.point.blocks, s.point.lanes))
    names = blocks_by_threads if on_gpu else lambda p: str(p.lanes)
    values = {names(s.point): s for s in points}
    return [p.backend, op_of(p), cells(row), row.placed], values, [ratio(many, few), row.source]


def cells(row: Row) -> str:
    p = row.ends[1].point
    return (
        f"{p.stride_bytes} B apart"
        if p.placement == "strided"
        else "one" * (p.placement == "shared")
    )


def _place(row: Row) -> tuple[object, ...]:
    p = row.first.point
    return place_in(usual_ops, (p.op, p.placement)), -ns_of(row.ends[1])
