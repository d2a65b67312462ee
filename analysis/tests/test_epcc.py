"""What EPCC's benchmarks print becomes points with the right op, threads, chunk and unit."""

import pytest

from syncmeter_analysis.command import main
from syncmeter_analysis.formats.epcc import import_epcc
from syncmeter_analysis.record.errors import Unusable
from tests.made import read
from tests.published import epcc_run as run

reference = "reference time 1 time     = 0.251285 microseconds +/- 0.972555\n"


def imported(tmp_path, *runs, **options):
    path = tmp_path / "syncbench.txt"
    path.write_text(reference.join(("", *runs)))
    notes = import_epcc(path, tmp_path / "o.jsonl", **options)
    return read(tmp_path / "o.jsonl"), notes


# Name in the output with its overhead: op, chunk, ns, family.
known = [
    ("PARALLEL", 2.13633, "parallel_region", 0, 2136.33, "region"),
    ("PARALLEL FOR", 6.8, "parallel_for", 0, 6800, "region"),
    ("FOR", 3.7, "for_static", 1, 3700, "worksharing"),
    ("STATIC", 75.0, "for_static", 128, 75000, "worksharing"),
    ("STATIC 16", 67.0, "for_static_chunk", 16, 67000, "worksharing"),
    ("DYNAMIC 128", 37.0, "for_dynamic", 128, 37000, "worksharing"),
    ("GUIDED 1", 36.0, "for_guided", 1, 36000, "worksharing"),
    ("SINGLE", 3.2, "single", 0, 3200, "worksharing"),
    ("BARRIER", 3.3, "barrier", 0, 3300, "barrier"),
    ("REDUCTION", 0.9, "reduction_sum", 0, 900, "region"),
    ("TASK WAIT", 3.6, "taskwait", 0, 3600, "tasking"),
    # What no op measures keeps its name.
    ("ORDERED", 1.5, "epcc_ordered", 0, 1500, "worksharing"),
    ("PARALLEL TASK", 1.0, "epcc_parallel_task", 0, 1000, "tasking"),
    ("MASTER TASK", 18.0, "epcc_master_task", 0, 18000, "tasking"),
    ("CRITICAL", 0.9, "epcc_critical", 0, 900, "critical"),
    ("LOCK/UNLOCK", 0.5, "epcc_lock", 0, 500, "critical"),
    ("ATOMIC", 0.3, "epcc_atomic", 0, 300, "atomic"),
    ("MASTER TASK BUSY SLAVES", 559.0, "epcc_master_task_busy_slaves", 0, 559000, "tasking"),
    ("COPYPRIVATE 59049", 12.5, "epcc_copyprivate", 59049, 12500, "worksharing"),
]


@pytest.mark.parametrize(("name", "us", "op", "size", "ns", "family"), known)
def test_each_test_becomes_its_op(tmp_path, name, us, op, size, ns, family):
    campaign, _ = imported(tmp_path, run(4, (name, us)))
    (s,) = campaign.points.values()
    assert (s.point.op, s.point.size, s.family) == (op, size, family)
    assert (s.point.lanes, s.point.backend, s.point.order) == (4, "omp", "unordered")
    assert s.cost.value == pytest.approx(ns)
    assert not s.cost.bounded, "the scatter of repetitions is no interval"
    assert s.imported


def test_a_file_of_several_runs_has_the_threads_of_each(tmp_path):
    runs = [run(n, ("PARALLEL", 1.0 * n), ("FOR", 2.0)) for n in (1, 2, 16)]
    campaign, notes = imported(tmp_path, *runs, backend="omp-llvm", cpu="Xeon", cores=8, pus=16)
    regions = [s for s in campaign.points.values() if s.point.op == "parallel_region"]
    assert [(s.point.lanes, s.cost.value) for s in regions] == [(1, 1e3), (2, 2e3), (16, 16e3)]
    assert {s.point.backend for s in campaign.points.values()} == {"omp-llvm"}
    assert (campaign.machine.cpu, campaign.machine.pus) == ("Xeon", 16)
    assert notes[0].startswith("6 points, 0 of them not resolved")


def test_a_run_that_is_repeated_is_a_repeat(tmp_path):
    campaign, _ = imported(tmp_path, *(run(2, ("PARALLEL", us)) for us in (1.0, 2.0)))
    assert [s.point.repeat for s in campaign.points.values()] == [0, 1]


def test_of_version_4_the_median_counts(tmp_path):
    tests = [("PARALLEL", 9.0, 2.0), ("FOR", 8.0, 3.0), ("SINGLE", 7.0, "nan"), ("ORDERED", 6.0)]
    campaign, notes = imported(tmp_path, run(2, *tests, version="4.0"))
    assert [s.cost.value for s in campaign.points.values()] == [2e3, 3e3, 7e3, 6e3]
    assert [note for note in notes if "'nan' is not a number" in note]


def test_an_overhead_below_nothing_is_not_resolved(tmp_path):
    campaign, notes = imported(tmp_path, run(2, ("STATIC 2", -21.9)))
    assert [s.status for s in campaign.points.values()] == ["not_resolved"]
    assert "1 of them not resolved" in notes[0]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it holds no line `NAME overhead = X microseconds`"),
        (reference, "it holds no line"),
        (run(2, ("PARALLEL", "x")), "it holds no line"),
        (run(0, ("PARALLEL", 1.0)), "line 3: a run of no threads"),
        ("PARALLEL overhead = 1.0 microseconds +/- 1\n", r"line 2: no line `N thread\(s\)` stands"),
    ],
)
def test_another_file_is_refused_in_a_sentence(tmp_path, text, why):
    with pytest.raises(Unusable, match=why):
        imported(tmp_path, text)
    assert not (tmp_path / "o.jsonl").exists()


def test_the_command_names_the_file_after_its_source(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "syncbench.txt").write_text(run(2, ("PARALLEL", 1.5)))
    assert main(["import", "epcc", "syncbench.txt", "--backend", "omp-llvm"]) == 0
    assert "written: syncbench.jsonl" in capsys.readouterr().out
    (s,) = read(tmp_path / "syncbench.jsonl").points.values()
    assert s.point.backend == "omp-llvm"
