"""Threads against processes, from costs made by hand."""

import pytest

from syncmeter_analysis.conclude.conclusion import Kind
from syncmeter_analysis.conclude.studies.processes import conclude
from syncmeter_analysis.relate.relation import Ratio
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import processes, sections
from tests.made import campaign, point, read, visits, write

STUDY = {"options": {"study": "processes"}}


def five(backend, op, ns, lanes=2, family="atomic", **axes):
    """Five visits. The machine drifts by 10 % a visit, which cancels."""
    members = (
        {"type": "int32", "placement": "shared", "order": "unordered"} if family == "atomic" else {}
    )
    what = point(op, backend=backend, lanes=lanes, **{"order": "unordered", **members, **axes})
    part = 0.002 if backend == "mpi" else -0.002
    costs = [ns * 1.1**n * (1 + part * (-1) ** n) for n in range(5)]
    return visits(costs, what, family=family, estimate={"hop_ns": 0.0})


def path_of(tmp_path, *lines):
    return write(tmp_path / "f", *lines, first=campaign(**STUDY))


def printed_text(tmp_path, *lines):
    (section,) = sections(read(path_of(tmp_path, *lines)), ["processes"])
    return as_plain(section.title, section.blocks)


def test_an_op_of_processes_stands_against_the_op_of_threads_that_it_stands_for(tmp_path):
    lines = [
        *five("std", "barrier", 200.0, family="barrier"),
        *five("omp", "barrier", 300.0, family="barrier"),
        *five("mpi", "barrier", 400.0, family="barrier"),
        *five("mpi", "ibarrier", 800.0, family="barrier"),
        *five("std", "atomic_add", 20.0, order="seq_cst"),
        *five("mpi", "atomic_add", 20.0, order="seq_cst"),
        *five("mpi", "rma_accumulate", 100.0),
    ]
    (table,) = processes.rows(read(path_of(tmp_path, *lines)))
    ratios = {
        (r.measured.point.backend, r.op): round(r.over.value, 1) for r in table.rows if r.over
    }
    assert ratios == {
        ("omp", "barrier"): 1.5,
        ("mpi", "barrier"): 2.0,
        ("mpi", "ibarrier"): 4.0,
        ("mpi", "atomic_add seq_cst"): 1.0,
        ("mpi", "rma_accumulate"): 5.0,
    }


def concluded(tmp_path, *lines):
    return conclude(read(path_of(tmp_path, *lines)))


def of_question(found, question):
    return {(c.situation.work, c.reference.op): c for c in found if c.question == question}


def mpi_and_threads():
    return [
        *five("std", "barrier", 200.0, family="barrier"),
        *five("mpi", "barrier", 400.0, family="barrier"),
        *five("mpi", "ibarrier", 800.0, family="barrier"),
        *five("std", "atomic_add", 20.0, order="seq_cst"),
        *five("mpi", "atomic_add", 20.0, order="seq_cst"),
        *five("mpi", "rma_accumulate", 100.0),
    ]


def test_a_call_of_mpi_is_compared_with_what_does_the_same_job(tmp_path):
    calls = of_question(concluded(tmp_path, *mpi_and_threads()), "call")
    add, barrier = calls["atomic_add", "rma_accumulate"], calls["barrier", "barrier"]
    assert (add.kind, add.subjects[0].op) == (Kind.use, "atomic_add")
    assert add.effect.value == pytest.approx(5, rel=0.05)
    assert add.condition("one_node")
    assert (barrier.kind, barrier.subjects[0].op) == (Kind.keep, "barrier")


def test_threads_are_an_alternative_to_processes(tmp_path):
    threads = of_question(concluded(tmp_path, *mpi_and_threads()), "threads")
    same, slower = threads["atomic_add", "atomic_add"], threads["barrier", "barrier"]
    assert (same.kind, same.subjects[0].backend) == (Kind.keep, "mpi")
    assert (slower.kind, slower.subjects[0].backend) == (Kind.use, "std")
    assert slower.effect.value == pytest.approx(2, rel=0.05)
    assert slower.condition("one_program")


def test_ways_to_wake_a_process_are_alternatives(tmp_path):
    lines = [
        *five("posix-shared", "condition_handoff", 9000.0, family="handoff"),
        *five("posix-shared", "semaphore_handoff", 4000.0, family="handoff"),
    ]
    (c,) = of_question(concluded(tmp_path, *lines), "call").values()
    assert (c.situation.work, c.kind) == ("wake", Kind.use)
    assert c.subjects[0].op == "semaphore_handoff"


def test_the_screen_has_calls_and_threads(tmp_path):
    flat = " ".join(printed_text(tmp_path, *mpi_and_threads()).split())
    assert "Calls of 2 processes: wall time in ns" in flat
    assert "add atomic in a shared window (a) 24 MPI_Accumulate 121 5.0" in flat
    assert "barrier std::barrier (b) 242 MPI_Barrier 485 2.0" in flat
    (section,) = sections(read(tmp_path / "f"), ["processes"])
    assert section.first[-1].items[-2:] == [section.screen.details, section.screen.next]


def ratios_of(table):
    """The rows of processes with a ratio to threads."""
    rows = [row for row in table.rows if row.is_process and isinstance(row.over, Ratio)]
    return [(row, round(row.over.value, 1)) for row in rows]


def test_processes_of_posix_stand_against_its_threads(tmp_path):
    lines = [
        *five("std", "lock_add", 50.0),
        *five("posix", "lock_add", 40.0),
        *five("posix-shared", "lock_add", 80.0),
        *five("posix", "mutex_robust_add", 60.0),
        *five("posix-shared", "mutex_robust_add", 60.0),
    ]
    (table,) = processes.rows(read(path_of(tmp_path, *lines)))
    found = {(r.op, r.thread.point.backend): over for r, over in ratios_of(table)}
    assert found == {("lock_add", "posix"): 2.0, ("mutex_robust_add", "posix"): 1.0}


def test_lanes_and_cells_are_not_mixed(tmp_path):
    own = {"placement": "strided", "stride": 1024, "order": "seq_cst"}
    lines = [
        *five("std", "atomic_add", 5.0, 1, order="seq_cst"),
        *five("mpi", "atomic_add", 5.0, 1, order="seq_cst"),
        *five("std", "atomic_add", 40.0, 4, order="seq_cst"),
        *five("mpi", "atomic_add", 80.0, 4, order="seq_cst"),
        *five("std", "atomic_add", 5.0, 4, **own),
        *five("mpi", "atomic_add", 15.0, 4, **own),
    ]
    tables = processes.rows(read(path_of(tmp_path, *lines)))
    found = {(t.lanes, t.own_cells): [over for _, over in ratios_of(t)] for t in tables}
    assert found == {(1, False): [1.0], (4, False): [2.0], (4, True): [3.0]}


def test_without_threads_there_is_no_ratio(tmp_path):
    lines = five("mpi", "barrier", 400.0, family="barrier")
    (c,) = concluded(tmp_path, *lines)
    assert (c.kind, c.conditions[0].name) == (Kind.undecided, "no_threads")
    assert "no operation was measured with threads" in printed_text(tmp_path, *lines)


def test_without_processes_there_is_nothing_to_tell(tmp_path):
    lines = five("std", "barrier", 200.0, family="barrier")
    assert not processes.rows(read(path_of(tmp_path, *lines)))
