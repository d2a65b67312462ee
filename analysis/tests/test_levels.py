"""The figures of the GPU's levels: which launches and sizes are drawn, and the heat map of the grid."""

from syncmeter_analysis.figures.levels import level_figures
from syncmeter_analysis.statistics.levels import level_of
from tests.claim_cases import cuda
from tests.made import around, read, visits, write


def figures(tmp_path, *points):
    lines = [visits(around(cost), what, device=0, family="barrier") for what, cost in points]
    return {f.id: f for f in level_figures(read(write(tmp_path / "f.jsonl", *lines)))}


def rows(figure):
    spec = figure.panels[0].spec()
    return spec["data"]["values"]


def test_ops_belong_to_their_level():
    ops = ["tile_sync", "barrier", "cluster_sync", "software_barrier_tree", "programmatic_launch"]
    assert [level_of(op) for op in ops] == ["warp", "block", "cluster", "grid", "launch"]
    over_devices = ["multi_gpu_barrier_flags", "multi_gpu_host_barrier", "multi_gpu_graph_barrier"]
    assert {level_of(op) for op in over_devices} == {"several GPUs"}
    assert level_of("fadd_chain") == level_of("atomic_add") == ""


def test_of_groups_the_smallest_and_the_largest_are_drawn(tmp_path):
    points = [(cuda("coalesced_sync", size=n), 10.0 + n) for n in (1, 7, 20, 32)]
    drawn = rows(figures(tmp_path, *points)["levels"])
    assert {r["row"] for r in drawn} == {
        "warp: coalesced_sync of 1",
        "warp: coalesced_sync of 32",
    }


def test_every_level_has_a_launch_among_many(tmp_path):
    points = [(cuda("barrier", blocks=n), 10.0) for n in range(1, 20)]
    points += [
        (cuda("cluster_sync", blocks=2, size=2), 200.0),
        (cuda("grid_sync", blocks=132), 970.0),
    ]
    drawn = rows(figures(tmp_path, *points)["levels"])
    assert {r["row"].split(":")[0] for r in drawn} == {"block", "cluster", "grid"}
    assert {"132 x 32", "2 x 32"} <= {r["group"] for r in drawn}


def test_the_grid_is_laid_out_by_threads_and_blocks(tmp_path):
    points = [
        (cuda("grid_sync", blocks=132), 970.0),
        (cuda("grid_sync", blocks=264), 1100.0),
        (cuda("grid_sync", blocks=132, lanes=1024), 2200.0),
    ]
    found = figures(tmp_path, *points)["grid-barrier"]
    assert {(r["x"], r["y"], r["label"]) for r in rows(found)} == {
        ("132", "32", "0.97"),
        ("264", "32", "1.10"),
        ("132", "1024", "2.20"),
    }
    assert len(found.points) == 3


def test_one_launch_is_no_map(tmp_path):
    assert "grid-barrier" not in figures(tmp_path, (cuda("grid_sync", blocks=132), 970.0))
