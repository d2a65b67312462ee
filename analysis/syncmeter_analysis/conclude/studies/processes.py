"""Concludes the study `processes`: which call processes should use, and whether threads would be
faster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncmeter_analysis.conclude import references
from syncmeter_analysis.conclude.choice import choose, situation_in, undecided
from syncmeter_analysis.conclude.conclusion import Conclusion, Condition
from syncmeter_analysis.conclude.studies.process_points import ProcessTable, rows, wanted
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import contest
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.summary import Measured

#: Jobs with several process ops, by thread op and backend.
_same_job = {
    "lock_add": {"mpi": "atomic_add"},
    "condition_handoff": {"posix-shared": "wake"},
    "semaphore_handoff": {"posix-shared": "wake"},
    "futex_handoff": {"posix-shared": "wake"},
}


def conclude(campaign: Campaign) -> list[Conclusion]:
    """Returns the calls of processes first, then threads instead, the most processes first."""
    tables = sorted(rows(campaign), key=lambda t: (-t.lanes, t.own_cells))
    calls = [c for table in tables for c in _calls(table)]
    return [*calls, *(c for table in tables for c in _threads(table))]


def _of_processes(table: ProcessTable) -> list[Measured]:
    """Returns the points of processes, each op once."""
    points = [row.measured for row in table.rows if row.is_process]
    return [alike[0] for alike in grouped(points, lambda s: (s.point.backend, s.point.op)).values()]


def _job(s: Measured) -> tuple[str, str]:
    op, backend = wanted(s) or "", s.point.backend
    return backend, _same_job.get(op, {}).get(backend, op)


def _calls(table: ProcessTable) -> Iterator[Conclusion]:
    """Decides between the calls of processes that do one job."""
    for (_, job), points in grouped(_of_processes(table), _job).items():
        mine = references.process_calls.among(points)
        if mine is None or len(points) < 2 or table.lanes < 2:
            continue
        one = contest(points, table.source)
        yield choose(
            one,
            "call_own" if table.own_cells else "call",
            situation_in(one, job),
            mine,
            conditions=_one_node,
            next=["advise_program"],
        )


def _one_node(s: Measured) -> Sequence[Condition]:
    """Returns that memory in common needs one computer. MPI's own calls work without it."""
    op = s.point.op
    shared = s.point.backend == "mpi" and (op.startswith("atomic_") or op in ("handoff", "fence"))
    return [Condition("one_node")] * shared


def _threads(table: ProcessTable) -> Iterator[Conclusion]:
    """Compares each process op with threads."""
    question = "alone" if table.lanes < 2 else "threads_own" if table.own_cells else "threads"
    beside = {row.measured.id: row.thread for row in table.rows}
    processes = _of_processes(table)
    compared = [(s, thread) for s in processes if (thread := beside[s.id])]
    for s, thread in compared:
        one = contest([thread, s], table.source)
        yield choose(
            one,
            question,
            situation_in(one, wanted(s) or ""),
            s,
            conditions=lambda best: [Condition("one_program")],
            next=["advise_program"],
        )
    if not compared and processes:
        s = processes[0]
        situation = situation_in(contest([s], table.source), wanted(s) or "")
        yield undecided(s, question, situation, "no_threads", next=["advise_program"])
