"""The tables of threads against processes, and what follows from them in sentences."""

from __future__ import annotations

from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.relation import (
    NotComparable,
    Verdict,
    default_margin,
    verdict,
)
from syncmeter_analysis.studies.blocks import Block, Bullets, Cell, Table, Text
from syncmeter_analysis.studies.processes_rows import (
    Processes,
    ProcessTable,
    Row,
    by_processes,
    rows,
    stands_for,
)

__all__ = ["rows", "text", "title"]

title = "Threads against processes"
measured_by = "`syncmeter run --study processes`, where the worker of MPI is built"


def text(found: Processes) -> list[Block]:
    """For each number of lanes what each op costs by threads and by processes, with the ratio."""
    blocks: list[Block] = []
    for table in found.tables:
        blocks += [_table(table), Bullets(sentences(table))]
    if blocks:
        blocks.insert(
            0,
            Text(
                f"Lanes of {' and '.join(by_processes)} are processes with a cell, a lock or a window "
                "in common; lanes of the others are threads. Ratios are to the first row of threads "
                "for the same op, for posix-shared to that of posix, inside one placement state; what "
                "an op stands for is named with it."
            ),
        )
    return blocks


def scope(table: ProcessTable) -> str:
    """`2 lanes, one cell, affinity close`."""
    parts = [formats.count(table.lanes, "lane")]
    if table.lanes > 1:
        parts.append("a cell for each lane" if table.own_cells else "one cell for all")
    parts.append(f"affinity {table.affinity}")
    parts += [f"{table.wait} waiting"] * (table.wait != "active")
    return ", ".join(parts + [table.source] * bool(table.source))


def _table(table: ProcessTable) -> Table:
    columns = ["op", "for", "backend", "ns/op", "95 % interval", "ratio", "95 % interval", ""]
    found = Table(columns, [], range(3, 7), f"Threads and processes: {scope(table)}", keys=3)
    for row in table.rows:
        s = row.measured
        texts = [row.op, stands_for.get(s.point.op, ""), s.point.backend]
        texts += [formats.cost(s), formats.interval_ns(s.cost) if s.usable and s.cost else ""]
        texts += _ratio_cells(row)
        cells = [Cell(text) for text in texts]
        cells[0].points = [s.id]
        found.rows.append(cells)
    return found


def _ratio_cells(row: Row) -> list[str]:
    note = "" if row.measured.usable else row.measured.status
    if row.over is None:
        return ["1" if row.thread is row.measured else "", "", note]
    if isinstance(row.over, NotComparable):
        return ["-", "", note or row.over.why]
    return [formats.ratio(row.over.value), formats.ratio_bounds(row.over), note]


def sentences(table: ProcessTable) -> list[str]:
    """The ops that cost processes the same as threads, then each other one with its ratio."""
    lanes = formats.count(table.lanes, "lane")
    where = (
        f"{lanes}, {'own cells' if table.own_cells else 'one cell'}" if table.lanes > 1 else lanes
    )
    same = [row for row, r in table.ratios if verdict(r) is Verdict.same]
    told = []
    if same:
        names = ", ".join(row.op for row in same)
        told.append(
            f"{where}: the same by processes as by threads within {default_margin:.0%}: {names}"
        )
    for row, r in table.ratios:
        if row in same:
            continue
        thread = row.thread.point if row.thread else None
        beside = f"{thread.backend} {thread.op}" if thread else ""
        cannot = ", not told from the same" if verdict(r) is Verdict.cannot_tell else ""
        told.append(
            f"{where}: {row.measured.point.backend} {row.op} takes {formats.ratio_interval(r)} "
            f"times as long as {beside}{cannot}"
        )
    return told or [f"{where}: cannot tell: no op has a cost by threads and by processes"]
