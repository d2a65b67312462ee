"""The study `processes`: tables of operations by threads and by processes."""

from __future__ import annotations

from collections.abc import Sequence

from syncmeter_analysis.conclude.studies.process_points import (
    ProcessTable,
    Row,
    by_processes,
    stands_for,
)
from syncmeter_analysis.conclude.studies.process_points import rows as rows
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.studies.blocks import Block, table
from syncmeter_analysis.studies.cells import named, scope_of

title = "Threads against processes"
order = 3


def text(tables: Sequence[ProcessTable]) -> list[Block]:
    """Returns the cost of each operation by threads and by processes, by number of threads."""
    columns = "operation|for|backend|ns>|95 % CI>|over threads (95 % CI)>|"
    return [
        table(
            f"Threads and processes ({' and '.join(by_processes)}): {scope(found)}",
            columns,
            (_row(row) for row in found.rows),
            keys=3,
        )
        for found in tables
    ]


def _row(row: Row) -> list[object]:
    s = row.measured
    at = [named(row.op, s), stands_for.get(s.point.op, ""), s.point.backend, s]
    return [*at, formats.cost_scatter(s), 1 if row.thread is s else row.over, s.reason]


def scope(table: ProcessTable) -> str:
    """`2 threads, one variable, affinity close`."""
    cells = "a variable per thread" if table.own_cells else "one variable"
    return scope_of(
        table.rows[0].measured,
        formats.count(table.lanes, "thread"),
        cells if table.lanes > 1 else "",
        affinities=[table.rows[0].measured.point.affinity],
        source=table.source,
    )
