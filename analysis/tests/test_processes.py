"""Threads against processes, from costs made by hand."""

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
    flat = " ".join(printed_text(tmp_path, *lines).split())
    assert (
        "2 lanes, one cell: the same by processes as by threads within 5 %: atomic_add seq_cst"
        in flat
    )
    assert "mpi rma_accumulate takes 5.0" in flat and "times as long as std atomic_add" in flat


def test_processes_of_posix_stand_against_its_threads(tmp_path):
    lines = [
        *five("std", "lock_add", 50.0),
        *five("posix", "lock_add", 40.0),
        *five("posix-shared", "lock_add", 80.0),
        *five("posix", "mutex_robust_add", 60.0),
        *five("posix-shared", "mutex_robust_add", 60.0),
    ]
    (table,) = processes.rows(read(path_of(tmp_path, *lines)))
    found = {(r.op, r.thread.point.backend): round(ratio.value, 1) for r, ratio in table.ratios}
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
    found = {(t.lanes, t.own_cells): [round(r.value, 1) for _, r in t.ratios] for t in tables}
    assert found == {(1, False): [1.0], (4, False): [2.0], (4, True): [3.0]}


def test_without_threads_there_is_no_ratio_and_it_says_so(tmp_path):
    text = printed_text(tmp_path, *five("mpi", "barrier", 400.0, family="barrier"))
    assert "cannot tell: no op has a cost by threads and by processes" in " ".join(text.split())


def test_without_processes_there_is_nothing_to_tell(tmp_path):
    lines = five("std", "barrier", 200.0, family="barrier")
    assert not processes.rows(read(path_of(tmp_path, *lines)))
