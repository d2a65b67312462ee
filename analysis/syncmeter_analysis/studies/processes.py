"""Processes beside threads, at the same lanes and cells: an op by both, and what MPI has for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Over
from syncmeter_analysis.relate.distance import distance, threads_apart
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.lock_tables import cells_in_use
from syncmeter_analysis.relate.point_text import op_of
from syncmeter_analysis.relate.relation import Ratio, Verdict, default_margin, ratio, verdict
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.text import percent
from syncmeter_analysis.studies.blocks import Block, Cell, Table, Text, table
from syncmeter_analysis.studies.cells import of_each, scope_of

title = "Threads against processes"
order = 3

#: Whose lanes are processes, each with the threads that do the same with the same calls, None without.
by_processes = {"posix-shared": "posix", "mpi": None}

#: Whose lanes are threads, the first that measured an op first: it is what the others stand against.
by_threads = ("std", "omp", "omp-llvm", "posix")

#: What processes do by the same name as threads, beside what others stand for.
_by_both = ("condition_handoff", "semaphore_handoff", "futex_handoff", "mutex_robust_add")

#: What an op of processes alone does in place of an op of threads.
stands_for = {
    "ibarrier": "barrier",
    "allreduce_8": "barrier",
    "message_handoff": "handoff",
    "rma_accumulate": "atomic_add",
    "rma_fence_add": "atomic_add",
    "rma_fetch_add": "atomic_fetch_add",
    "rma_cas_pass": "atomic_cas_pass",
    "rma_put": "atomic_write",
    "rma_lock_add": "lock_add",
    "window_sync": "fence",
}


@dataclass
class Row:
    """One op at one number of lanes and cells. `thread`: what it stands against, None where no threads
    have a cost for it. `over`: the ratio to that; None without one, and of that row itself."""

    measured: Measured
    thread: Measured | None
    over: Over

    @property
    def is_process(self) -> bool:
        return self.measured.point.backend in by_processes

    @property
    def op(self) -> str:
        return op_of(self.measured.point)


@dataclass
class ProcessTable:
    """The rows of one file, way of waiting, affinity, number of lanes and of cells. `own_cells`: each
    lane has a cell to itself. `source` names the file where there are several."""

    rows: list[Row]
    lanes: int
    own_cells: bool
    source: str = ""

    @property
    def ratios(self) -> list[tuple[Row, Ratio]]:
        """The rows of processes that have a ratio to threads."""
        return [(r, r.over) for r in self.rows if r.is_process and isinstance(r.over, Ratio)]


def rows(campaign: Campaign) -> list[ProcessTable]:
    """A table for each number of lanes of each file in which processes measured something."""
    return [found for _, points, source in campaign.parts() for found in _tables(points, source)]


def _tables(points: Iterable[Measured], source: str) -> list[ProcessTable]:
    def belongs(s: Measured) -> bool:
        on_cpu = s.device is None and not s.imported and s.visits > 0
        return on_cpu and _wanted(s) is not None

    def table_of(s: Measured) -> tuple[str, str, int, bool]:
        p = s.point
        return p.wait, p.affinity, p.lanes, p.lanes > 1 and cells_in_use(p) == p.lanes

    groups = grouped(filter(belongs, points), table_of)
    return [
        ProcessTable(_rows_of(group), lanes, own, source)
        for (*_, lanes, own), group in sorted(groups.items())
        if any(s.point.backend in by_processes for s in group)
    ]


def _wanted(s: Measured) -> str | None:
    """The op of threads that a point is, or stands for; None for backends and ops of other studies."""
    p = s.point
    if p.backend not in (*by_processes, *by_threads) or p.type not in ("", "int32"):
        return None
    op = stands_for.get(p.op, p.op)
    return op if op in (*stands_for.values(), *_by_both) else None


def _same(s: Measured) -> tuple[str, int]:
    return _wanted(s) or "", s.point.stride_bytes


def _rows_of(group: list[Measured]) -> list[Row]:
    return [row for _, same in sorted(grouped(group, _same).items()) for row in _beside(same)]


def _beside(same: list[Measured]) -> list[Row]:
    backends = [*by_threads, *by_processes]
    same = sorted(same, key=lambda s: (backends.index(s.point.backend), s.point.op, s.point.key))
    threads = [s for s in same if s.point.backend not in by_processes and s.usable]
    found = []
    for s in same:
        if s.point.backend in by_processes:
            # With several orders of an atomic, its own; std's first is what a program gets.
            at_order = [t for t in threads if t.point.order == s.point.order]
            same_calls = [t for t in threads if t.point.backend == by_processes[s.point.backend]]
            thread = next(iter(same_calls or at_order or threads), None)
        else:
            thread = next(iter(threads), None)
        over = None if thread is None or thread is s else ratio(s, thread)
        found.append(Row(s, thread, over))
    return found


def text(tables: list[ProcessTable]) -> list[Block]:
    """For each number of lanes what each op costs by threads and by processes, with the ratio."""
    explained = Text(
        f"Lanes of {' and '.join(by_processes)} are processes with a cell, a lock or a window in "
        "common; lanes of the others are threads. Ratios are to the first row of threads for the same "
        "op, for posix-shared to that of posix, inside one placement state; what an op stands for is "
        "named with it."
    )
    return [explained, *map(_table, tables)]


def scope(table: ProcessTable) -> str:
    """`2 lanes, one cell, affinity close`."""
    cells = "a cell for each lane" if table.own_cells else "one cell for all"
    return scope_of(
        table.rows[0].measured,
        formats.count(table.lanes, "lane"),
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
    columns = "op|for|backend|ns/op>|95 % interval>|ratio>|95 % interval>|"
    return table(f"Threads and processes: {scope(found)}", columns, rows, keys=3)


@of_each
def answer(table: ProcessTable) -> list[str]:
    """The ops that cost processes the same as threads, then each other one with its ratio."""
    same = [(row, r) for row, r in table.ratios if verdict(r) is Verdict.same]
    sentences = []
    if same:
        names = ", ".join(row.op for row, _ in same)
        sentences.append(
            f"{_where(table, same)}: the same by processes as by threads within "
            f"{percent(default_margin)}: {names}"
        )
    for row, r in table.ratios:
        if (row, r) in same:
            continue
        where = _where(table, [(row, r)])
        thread = row.thread.point if row.thread else None
        beside = f"{thread.backend} {thread.op}" if thread else ""
        op = f"{row.measured.point.backend} {row.op}"
        sentence = f"takes {formats.times(r)} times as long as {beside}{formats.bounds(r)}"
        if verdict(r) is Verdict.cannot_tell:
            sentence = f"against {beside}: cannot tell, {formats.ratio_interval(r)} times"
        sentences.append(f"{where}: {op} {sentence}")
    without = f"{_where(table, [])}: cannot tell: no op has a cost by threads and by processes"
    return sentences or [without]


def _where(table: ProcessTable, compared: Sequence[tuple[Row, Ratio]]) -> str:
    """`16 lanes 151 ns apart, one cell`: where a hypervisor had placed the lanes that are compared, if
    these meet."""
    points = [s for row, _ in compared for s in (row.measured, row.thread) if s]
    apart = "" if table.own_cells else distance(points, [r for _, r in compared])
    lanes = threads_apart(table.lanes, apart, "lane")
    return (
        f"{lanes}, {'own cells' if table.own_cells else 'one cell'}" if table.lanes > 1 else lanes
    )
