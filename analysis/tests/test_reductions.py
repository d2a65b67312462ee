"""Reductions over sizes: shares of the reads of the same array, and who is drawn."""

import pytest

from syncmeter_analysis.figures.reductions import reduction_figures, reductions, shares
from syncmeter_analysis.figures.scaling import scaling_figures
from tests.made import around, point, read, visits, write

SIZES = (1 << 14, 1 << 22)


def on_gpu(op, size, lanes=256, type="int32"):
    return point(
        op, backend="cuda", affinity="none", order="unordered", lanes=lanes, type=type, size=size
    )


def on_cpu(lanes, size):
    return point("reduce_max", order="unordered", type="int32", lanes=lanes, size=size)


@pytest.fixture
def measured(tmp_path):
    lines = []
    for size in SIZES:
        ns = size / 10
        times = {"read_bandwidth": 1, "reduce_max_cub": 1.25, "reduce_max_block_atomic": 4}
        for op, more in times.items():
            lines += visits(around(ns * more), on_gpu(op, size), family="reduction", device=0)
        lines += visits(
            around(ns * 2),
            on_gpu("reduce_max_block_atomic", size, 1024),
            family="reduction",
            device=0,
        )
        for lanes in (1, 8):
            lines += visits(around(ns * 100 / lanes), on_cpu(lanes, size), family="reduction")
    return read(write(tmp_path / "reductions.jsonl", lines))


def test_a_share_is_of_the_reads_of_the_same_array(measured):
    found = {
        (s.point.op, s.point.lanes, s.point.size): share
        for s, share in shares(reductions(measured))
    }
    assert found["reduce_max_cub", 256, SIZES[0]] == pytest.approx(0.8, rel=0.01)
    assert found["reduce_max_block_atomic", 256, SIZES[1]] == pytest.approx(0.25, rel=0.01)
    assert found["reduce_max_block_atomic", 1024, SIZES[1]] == pytest.approx(0.5, rel=0.01)
    assert not any(op == "reduce_max" for op, _, _ in found)


def test_blocks_of_another_size_are_no_part_of_a_curve(measured):
    share, rate = reduction_figures(measured)
    rows = share.panels[0].spec()["data"]["values"]
    assert len(rows) == 4
    assert "reduce_max_cub" in share.title
    assert "80" in share.title
    drawn = {row["form"] for row in rate.panels[0].spec()["data"]["values"]}
    assert drawn == {"omp, 1 lane", "omp, 8 lanes", "cuda, the fastest form"}


def test_without_reads_there_is_no_share(tmp_path):
    lines = [visits(around(5.0), on_gpu("reduce_max_cub", size), device=0) for size in SIZES]
    found = reduction_figures(read(write(tmp_path / "no-reads.jsonl", *lines)))
    assert [f.id for f in found] == ["reductions-rate"]


def test_arrays_are_no_curve_over_lanes(measured):
    assert scaling_figures(measured) == []
