"""The points of the study `processes`: operations by threads and by processes, at equal numbers of
threads and variables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Over
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.lock_tables import cells_in_use
from syncmeter_analysis.relate.point_text import op_of
from syncmeter_analysis.relate.relation import ratio
from syncmeter_analysis.relate.summary import Measured

#: Backends with processes, and the thread backend with the same calls.
by_processes = {"posix-shared": "posix", "mpi": None}

#: Backends with threads. The first with an op is compared with processes.
by_threads = ("std", "omp", "omp-llvm", "posix")

#: More ops that threads and processes have under one name.
_by_both = ("condition_handoff", "semaphore_handoff", "futex_handoff", "mutex_robust_add")

#: The thread op that a process op replaces.
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
    """One op at one number of threads and variables. `thread` has the cost by threads, if any, and
    `over` the ratio to it."""

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
    """The rows of one file, wait policy, affinity, and number of threads and variables. `own_cells`
    means a variable per thread. `source` names the file if there are several."""

    rows: list[Row]
    lanes: int
    own_cells: bool
    source: str = ""


def rows(campaign: Campaign) -> list[ProcessTable]:
    """Returns a table for each file with processes and each thread count."""
    return [found for _, points, source in campaign.parts() for found in _tables(points, source)]


def _tables(points: Iterable[Measured], source: str) -> list[ProcessTable]:
    def belongs(s: Measured) -> bool:
        on_cpu = s.device is None and not s.imported and s.visits > 0
        return on_cpu and wanted(s) is not None

    def table_of(s: Measured) -> tuple[str, str, int, bool]:
        p = s.point
        return p.wait, p.affinity, p.lanes, p.lanes > 1 and cells_in_use(p) == p.lanes

    groups = grouped(filter(belongs, points), table_of)
    return [
        ProcessTable(_rows_of(group), lanes, own, source)
        for (*_, lanes, own), group in sorted(groups.items())
        if any(s.point.backend in by_processes for s in group)
    ]


def wanted(s: Measured) -> str | None:
    """Returns the thread op that a point is or replaces, or None for other studies."""
    p = s.point
    if p.backend not in (*by_processes, *by_threads) or p.type not in ("", "int32"):
        return None
    op = stands_for.get(p.op, p.op)
    return op if op in (*stands_for.values(), *_by_both) else None


def _rows_of(group: list[Measured]) -> list[Row]:
    by_op = grouped(group, lambda s: (wanted(s) or "", s.point.stride_bytes))
    return [row for _, same in sorted(by_op.items()) for row in _beside(same)]


def _beside(same: list[Measured]) -> list[Row]:
    backends = [*by_threads, *by_processes]
    same = sorted(same, key=lambda s: (backends.index(s.point.backend), s.point.op, s.point.key))
    threads = [s for s in same if s.point.backend not in by_processes and s.usable]
    found = []
    for s in same:
        if s.point.backend in by_processes:
            # An atomic is compared at its own order.
            at_order = [t for t in threads if t.point.order == s.point.order]
            same_calls = [t for t in threads if t.point.backend == by_processes[s.point.backend]]
            thread = next(iter(same_calls or at_order or threads), None)
        else:
            thread = next(iter(threads), None)
        over = None if thread is None or thread is s else ratio(s, thread)
        found.append(Row(s, thread, over))
    return found
