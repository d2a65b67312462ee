"""Published tables become points with the right unit, axes and doubts."""

import os
from pathlib import Path

import pytest

from syncmeter_analysis.formats.syncperformance import import_syncperformance
from syncmeter_analysis.record.errors import Unusable
from tests import published
from tests.made import read


@pytest.fixture
def imported(tmp_path):
    out = tmp_path / "out.jsonl"
    sentences = import_syncperformance(published.system(tmp_path / "system9"), out)
    return read(out), sentences


def of(campaign, **axes):
    return [
        s
        for s in campaign.points.values()
        if all(getattr(s.point, a) == v for a, v in axes.items())
    ]


def test_cuda_cells_are_milliseconds(imported):
    # 24 cycles at 2.625 GHz are 9.143 ns: a thousand times less than the paper's axis says.
    found = of(imported[0], op="shuffle_idx")
    assert len(found) == 4
    assert all(s.cost.value == pytest.approx(9.142857, abs=1e-6) for s in found)


def test_openmp_cells_are_seconds_and_max_is_read(imported):
    (found,) = of(imported[0], op="barrier", lanes=3, repeat=0)
    assert found.cost.value == pytest.approx(300)


def test_an_affinity_that_never_took_effect_is_a_repeat(imported):
    found = of(imported[0], op="barrier", lanes=2)
    assert sorted(s.point.repeat for s in found) == [0, 1]
    assert {s.point.affinity for s in found} == {"none"}


def test_lanes_beyond_the_machine_are_told(imported):
    c, _ = imported
    assert c.machine.pus == 4
    assert {s.point.lanes for s in of(c, op="barrier") if s.oversubscribed} == {5, 6, 7, 8}


def test_cells_that_are_not_positive_are_not_resolved(imported):
    c, sentences = imported
    found = of(c, op="atomic_add", type="double")
    assert len(found) == 8
    assert {s.status for s in found} == {"not_resolved"}
    assert "8 of them not resolved" in sentences[0]


def test_strides_and_types_are_kept(imported):
    found = of(imported[0], op="atomic_add", type="int32")
    assert {(s.point.stride, s.point.stride_bytes) for s in found} == {(16, 64)}


def test_tests_of_something_else_carry_the_doubt(imported):
    (found,) = of(imported[0], op="vote_all")
    assert "invariant" in found.doubt


def test_an_import_says_that_it_is_one(imported):
    c, _ = imported
    assert c.machine.imported == "SyncPerformance v1.0.0"
    assert c.machine.gpus == (("cuda", "GPU X"),)
    assert all(s.imported for s in c.points.values())


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda p: None, "x is not a folder; give the folder of one system"),
        (lambda p: p.mkdir(), r"x holds no tables .*with omp_\*/runtimes.csv and GPU NAME"),
        (lambda p: published.put(p, "omp_barrier"), "x holds no tables"),
        (lambda p: published.put(p / "omp_barrier", "hello"), "holds no figures"),
        (lambda p: published.put(p / "omp_barrier", ""), "does not begin with a test's name"),
        (lambda p: [published.system(p / "a"), published.system(p / "b")], "several machines"),
    ],
)
def test_what_is_no_system_is_one_sentence(tmp_path, make, says):
    make(tmp_path / "x")
    with pytest.raises(Unusable, match=says):
        import_syncperformance(tmp_path / "x", tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()


def test_the_folder_of_one_test_is_no_system(tmp_path):
    folder = published.system(tmp_path / "a") / "omp_barrier"
    with pytest.raises(Unusable, match=r"omp_barrier holds no tables .* give the folder of one"):
        import_syncperformance(folder, tmp_path / "out.jsonl")


@pytest.mark.parametrize("counts", ["²", "99999999999", "0", "-3"])
def test_what_is_no_count_of_lanes_or_blocks_is_one_sentence(tmp_path, counts):
    lanes = published.table("omp_barrier", [1], {"int": [1e-7]}).replace("gate,1", f"gate,{counts}")
    published.put(tmp_path / "x" / "omp_barrier", lanes)
    with pytest.raises(Unusable, match=r"csv, line \d: '.*' is not a number of lanes"):
        import_syncperformance(tmp_path / "x", tmp_path / "out.jsonl")
    blocks = published.table("cuda_shfl_sync", [32], {"int": [1e-6]}, blocks=[7])
    blocks = blocks.replace("blocks,7", f"blocks,{counts}")
    published.put(tmp_path / "y" / "X" / "cuda_shfl_sync", blocks)
    with pytest.raises(Unusable, match=r"csv, line \d: '.*' is not a number of blocks"):
        import_syncperformance(tmp_path / "y", tmp_path / "out.jsonl")


def test_a_log_names_the_machine_unless_the_user_does(tmp_path):
    folder = published.system(tmp_path / "system9")
    (folder / "omp_barrier" / "log.txt").write_text(
        "start\nModel name:   Test CPU 9000\r\nGPU: no\n"
    )
    out = tmp_path / "out.jsonl"
    import_syncperformance(folder, out)
    assert (read(out).machine.cpu, read(out).machine.gpus[0][1]) == ("Test CPU 9000", "GPU X")
    import_syncperformance(folder, out, cpu="mine")
    assert read(out).machine.cpu == "mine"


def test_cells_that_are_no_numbers_are_told(tmp_path):
    text = published.table("omp_barrier", [1, 2], {"int": [1e-7, 1e-7]}).replace(
        "1e-07\n", "oops\n"
    )
    published.put(tmp_path / "x" / "omp_barrier", text)
    sentences = import_syncperformance(tmp_path / "x", tmp_path / "out.jsonl")
    assert "'oops' is not a number" in sentences[1]


root = os.environ.get("SYNCMETER_PUBLISHED")


@pytest.mark.skipif(
    not root, reason="SYNCMETER_PUBLISHED is not set: the published tables are elsewhere"
)
@pytest.mark.parametrize(("name", "pus"), [("system1", 40), ("system3", 32)])
def test_the_published_tables_are_read_whole(tmp_path, name, pus):
    out = tmp_path / "out.jsonl"
    sentences = import_syncperformance(Path(root or "") / "syncperformance" / name, out)
    assert len(sentences) == 1
    c = read(out)
    assert (c.machine.pus, c.notes) == (pus, [])
    assert len(c.points) > 15000
