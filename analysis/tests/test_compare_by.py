"""What differs by one axis within results files, or by what two files were made with."""

import pytest

from syncmeter_analysis.record.errors import Unusable
from syncmeter_analysis.record.reader import read_results
from syncmeter_analysis.relate.pairings import pairs_by_axis
from syncmeter_analysis.relate.relation import Verdict
from tests.made import around, campaign, point, visits, write


def test_by_backend_pairs_visits_so_that_drift_cancels(tmp_path):
    drift = [1.0, 2.0, 3.0, 4.0, 5.0]
    native = visits(drift, point())
    portable = visits([1.5 * x for x in drift], point(backend="kokkos-openmp"))
    path = write(tmp_path / "f.jsonl", native, portable)
    (c,) = pairs_by_axis("backend", [read_results(path)])
    assert c.names == ("omp", "kokkos-openmp")
    assert [d.verdict for d in c.compared] == [Verdict.slower]
    assert c.compared[0].ratio.value == pytest.approx(1.5)


def test_by_compiler_goes_by_the_builds_of_two_files(tmp_path):
    def made(name, build, compiler, cost):
        worker = {"kind": "worker", "build": {"id": build, "compiler": compiler}}
        return write(tmp_path / name, worker, visits(around(cost), point(), build=build))

    a, b = made("a", "1", "GNU 12", 10.0), made("b", "2", "Clang 14", 20.0)
    (c,) = pairs_by_axis("compiler", [read_results(a), read_results(b)])
    assert c.names == ("GNU 12", "Clang 14")
    assert c.status == 1


def test_by_something_all_points_share_is_one_sentence(tmp_path):
    path = write(tmp_path / "f.jsonl", visits([5.0], point()))
    with pytest.raises(Unusable, match=r"every point has one affinity \(close\)"):
        pairs_by_axis("affinity", [read_results(path)])


def test_by_device_compares_the_same_points_of_two_machines(tmp_path):
    other = campaign()
    other["machine"] = {**other["machine"], "cpu_model": "Faster CPU"}
    a = write(tmp_path / "a", visits(around(10.0), point()))
    b = write(tmp_path / "b", visits(around(5.0), point()), first=other)
    (c,) = pairs_by_axis("device", [read_results(a), read_results(b)])
    assert c.names == ("Test CPU", "Faster CPU")
    assert [d.verdict for d in c.compared] == [Verdict.faster]


def test_by_affinity_goes_against_close(tmp_path):
    lines = [*visits(around(9.0), point(affinity="spread")), *visits(around(5.0), point())]
    (c,) = pairs_by_axis("affinity", [read_results(write(tmp_path / "f", lines))])
    assert (c.names, c.status) == (("close", "spread"), 1)
