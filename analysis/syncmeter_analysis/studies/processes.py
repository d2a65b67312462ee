"""The study `processes`: tables of operations by threads and by processes."""

from __future__ import annotations

from collections.abc import Sequence

from syncmeter_analysis.conclude.studies.process_points import (
    ProcessTable,
    by_processes,
    stands_for,
)
from syncmeter_analysis.conclude.studies.process_points import rows as rows
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.studies.blocks import Block, Cell, Table, Text, table
from syncmeter_analysis.studies.cells import scope_of

title = "Threads against processes"
order = 3


def text(tables: Sequence[ProcessTable]) -> list[Block]:
    """Returns the cost of each operation by threads and by processes, by number of threads."""
    explained = Text(
        f"{' and '.join(by_processes)}: processes with a variable, a lock or a window in common; "
        "the other backends: threads. Ratios are to the first row of threads of an operation, for "
        "posix-shared to posix. 'for' names the operation of threads that a call replaces."
    )
    return [explained, *map(_table, tables)]


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


def _table(found: ProcessTable) -> Table:
    rows = []
    for row in found.rows:
        s = row.measured
        at = [Cell(row.op, [s.id]), stands_for.get(s.point.op, ""), s.point.backend]
        cost = [formats.cost(s), formats.interval_ns(s.cost) if s.usable and s.cost else ""]
        over = formats.ratio_fields(row.over, itself=row.thread is s)
        note = formats.why_none(row.over) if s.usable else s.status
        rows.append([*at, *cost, *over, note])
    columns = "operation|for|backend|ns>|95 % CI>|ratio>|95 % CI>|"
    return table(f"Threads and processes: {scope(found)}", columns, rows, keys=3)
