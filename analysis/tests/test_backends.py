"""What a backend is: what its visits say, and by its name only where they say nothing."""

import pytest

from syncmeter_analysis.record import point as data_point
from tests.made import around, point, read, visits, write


@pytest.fixture(autouse=True)
def tables(monkeypatch):
    monkeypatch.setattr(data_point, "gpu_backends", set(data_point.gpu_backends))
    monkeypatch.setattr(data_point, "native_of", dict(data_point.native_of))


def points_of(tmp_path, backend, **shown):
    lines = [{**line, **shown} for line in visits(around(5.0), point(backend=backend))]
    return read(write(tmp_path / "f.jsonl", lines))


def test_a_third_partys_backend_is_what_its_visits_say(tmp_path):
    points_of(tmp_path, "sycl", portable=True, native_of="cuda", device=0)
    assert data_point.native_of["sycl"] == "cuda"
    assert "sycl" in data_point.gpu_backends
    points_of(tmp_path, "sycl", portable=False)
    assert "sycl" not in data_point.native_of
    assert "sycl" not in data_point.gpu_backends


def test_an_older_file_is_read_by_name(tmp_path):
    points_of(tmp_path, "kokkos-openmp")
    points_of(tmp_path, "cuda")
    assert data_point.native_of["kokkos-openmp"] == "omp"
    assert "cuda" in data_point.gpu_backends
    assert "sycl" not in data_point.native_of
