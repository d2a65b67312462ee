"""The GPU's levels: the fastest way of each, their tables and figures, from costs made by hand."""

import re

from syncmeter_analysis.relate.op_groups import level_of
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import levels, sections
from syncmeter_analysis.studies import levels as drawing
from syncmeter_analysis.studies.levels import axis_levels
from tests.claim_cases import cuda
from tests.made import around, read, visits, write


def measured(tmp_path, *points):
    """Points with what they cost, ns; a cycle takes half a nanosecond."""
    lines = []
    for what, cost in points:
        cycles = {"value": 2 * cost, "low": 1.98 * cost, "high": 2.02 * cost}
        host = {"value": 1.1 * cost, "low": cost, "high": 1.2 * cost}
        lines += visits(
            around(cost),
            what,
            device=0,
            family="barrier",
            estimate={"cost_cycles": cycles, "host_cost_ns": host},
            host_deviation_ns=0.25 * cost,
        )
    return read(write(tmp_path / "f.jsonl", lines))


def printed_text(tmp_path, *points):
    (section,) = sections(measured(tmp_path, *points), ["levels"])
    return as_plain(section.title, section.blocks)


def figures(tmp_path, *points):
    return {f.id: f for f in drawing.figures(levels.rows(measured(tmp_path, *points)))}


def drawn(figure):
    return figure.panels[0].drawing.rows


def test_ops_belong_to_their_level():
    ops = ["tile_sync", "barrier", "cluster_sync", "software_barrier_tree", "programmatic_launch"]
    assert [level_of(op) for op in ops] == ["warp", "block", "cluster", "grid", "launch"]
    over_devices = ["multi_gpu_barrier_flags", "multi_gpu_host_barrier", "multi_gpu_graph_barrier"]
    assert {level_of(op) for op in over_devices} == {"several GPUs"}
    assert level_of("fadd_chain") == level_of("atomic_add") == ""


def test_a_row_of_the_axis_has_ops_of_its_level_only():
    for name, ops in axis_levels:
        assert {level_of(op.rstrip("*")) for op in ops} == {re.split(", | of ", name)[0]}


def test_of_barriers_without_a_difference_the_one_of_the_api_stands_on_the_axis(tmp_path):
    both = (
        (cuda("grid_sync", blocks=10), 1010.0),
        (
            cuda("software_barrier_counter", blocks=10),
            1000.0,
        ),
    )
    text = printed_text(tmp_path, *both, (cuda("barrier"), 7.0))
    assert re.search(r"grid +grid_sync +10 x 32 +1010 .* software_barrier_counter +=", text)
    assert re.search(r"10 x 32 .* grid_sync +software_barrier_counter +1\b", text)
    assert "grid of 10 x 32 threads (grid_sync) 1010 ns" in " ".join(text.split())


def test_the_level_of_the_grid_is_of_one_launch_as_the_sentence_on_it(tmp_path):
    """Over all launches the one of the API is slower than a tie of another launch, and was left out."""
    costs = ((32, 886.0, 970.0), (256, 891.0, 988.0), (1024, 931.0, 1006.0))
    points = [(cuda("barrier", lanes=32), 7.0)]
    for lanes, counter, own in costs:
        points += [
            (cuda("software_barrier_counter", lanes=lanes, blocks=132), counter),
            (cuda("grid_sync", lanes=lanes, blocks=132), own),
        ]
    (found,) = levels.rows(measured(tmp_path, *points))
    first, of_grid, *_ = levels.answer([found])
    level = dict(found.axis)["grid"]
    assert {(s.point.blocks, s.point.lanes) for s in level.points} == {(132, 32)}
    assert level is found.barriers[0].contest
    name = level.taken.point.op
    assert f"grid of 132 x 32 threads ({name}) " in first and name in of_grid.partition("; ")[0]


def graph_of(each, blocks, lanes, n=64):
    what = cuda("additional_graph_launch", size=n, blocks=blocks, lanes=lanes)
    return (what, n * each)


def first_answers(tmp_path, *points):
    return [
        " ".join(each.split()) for each in levels.answer(levels.rows(measured(tmp_path, *points)))
    ]


def test_a_launch_is_no_wider_level_than_the_grid(tmp_path):
    """A kernel of a graph may end sooner than the grid's barrier, and is of another size."""
    points = [(cuda("barrier"), 7.0), (cuda("grid_sync", blocks=132), 970.0)]
    points += [(cuda("cluster_sync", size=2, blocks=2), 171.0)]
    (first,) = first_answers(tmp_path, *points, (cuda("launch"), 8000.0), graph_of(680.0, 1, 32))
    assert first == (
        "In a kernel use the narrowest level that will do, as wider ones take longer: block of "
        "32 threads 7.000 ns; cluster of 2 x 32 threads 171.0 ns; grid of 132 x 32 threads (grid_sync) "
        "970.0 ns (95 % sure: each within 0.2 %, 5 visits)"
    )


def test_the_end_of_a_kernel_in_a_graph_is_compared_with_a_barrier_of_as_many_threads(tmp_path):
    def says(each):
        points = [graph_of(each, 132, 1024), graph_of(2 * each, 132, 1024, n=2)]
        own = [
            (cuda("grid_sync", blocks=132, lanes=n), ns) for n, ns in ((32, 970.0), (1024, 1000.0))
        ]
        return first_answers(tmp_path, *points, *own, (cuda("barrier"), 7.0))[-1]

    where = "Between phases of 132 x 1024 threads: "
    assert re.fullmatch(
        where
        + r"end the kernel and begin the next in a graph \(800\.0 ns, of 64 kernels\), because "
        r"grid_sync takes 1\.25 times as long \(95 % sure: within 0\.\d %, 5 visits\), 1000 ns; "
        r"registers and shared memory do not last",
        says(800.0),
    )
    assert re.fullmatch(
        where
        + r"take grid_sync \(1000 ns\), because to end the kernel and begin the next in a graph "
        r"\(2000 ns, of 64 kernels\) takes 2\.00 times as long \(95 % sure: within 0\.\d %\)",
        says(2000.0),
    )
    assert says(1000.0).endswith(
        "the next kernel of a graph (1000 ns, of 64 kernels) are the same within 5 %"
    )
    assert "take grid_sync (1000 ns) or the next kernel of" in says(1050.0)
    assert says(1050.0).endswith("undecided which is faster")


def test_of_ways_of_a_warp_that_are_the_same_a_whole_one_stands_or_the_languages_own(tmp_path):
    same = [(cuda("coalesced_sync", size=2), 0.504), (cuda("warp_sync_partial"), 0.505)]
    text = " ".join(printed_text(tmp_path, *same, (cuda("barrier"), 7.0)).split())
    assert "longer: warp (__syncwarp of half) 0.5050 ns; block" in text
    assert re.search(r"warp, barrier warp_sync_partial 1 x 32 .* coalesced_sync =", text)
    whole = [*same, (cuda("coalesced_sync", size=32), 0.506)]
    text = " ".join(printed_text(tmp_path, *whole, (cuda("barrier"), 7.0)).split())
    assert "longer: warp (coalesced_sync of 32 threads) 0.5060 ns; block" in text
    slower = [same[0], (cuda("warp_sync_partial"), 5.0)]
    text = " ".join(printed_text(tmp_path, *slower, (cuda("barrier"), 7.0)).split())
    assert "longer: warp (coalesced_sync of 2 threads) 0.5040 ns; block" in text


def test_of_each_level_the_fastest_way_stands_on_the_axis(tmp_path):
    text = printed_text(
        tmp_path,
        (cuda("shuffle_idx"), 13.0),
        (cuda("shuffle_up"), 13.1),
        (cuda("barrier"), 7.0),
        (cuda("barrier", lanes=64), 5.0),
        (cuda("grid_sync", blocks=20), 1200.0),
        (cuda("software_barrier_tree", blocks=10), 1000.0),
    )
    assert re.search(r"grid +software_barrier_tree +10 x 32 +1000 ", text)
    # 64 threads are no latency of a warp: they hide each other's.
    assert re.search(
        r"block of 32 threads +barrier +1 x 32 +7.000 +6\.9\d+\.\.7\.0\d+ +14.00 +=======\n", text
    )
    assert re.search(r"warp, shuffle +shuffle_idx .* shuffle_up +=========\n", text)
    assert re.search(r"cluster +not measured\n", text)
    assert "several GPUs are measured by `syncmeter run --study multi-gpu`" in text
    assert "a shuffle waits for its value" in text
    assert "shuffle" not in printed_text(tmp_path, (cuda("barrier"), 7.0))


def test_a_group_of_one_thread_waits_for_nobody(tmp_path):
    text = printed_text(
        tmp_path, (cuda("tile_sync", size=1), 1.0), (cuda("tile_sync", size=2), 9.0)
    )
    assert re.search(r"warp, barrier +tile_sync +2 ", text)
    assert "not measured" not in text  # of one level alone nothing is missed


def test_without_a_latency_there_is_no_section(tmp_path):
    assert sections(measured(tmp_path, (cuda("atomic_add"), 5.0)), ["levels"]) == []
    assert sections(measured(tmp_path, (cuda("barrier", lanes=1024), 38.0)), ["levels"]) == []


def test_several_gpus_are_a_level_beside_others_only(tmp_path):
    over = (cuda("multi_gpu_barrier_flags", blocks=132, size=2), 2110.0)
    assert sections(measured(tmp_path, over), ["levels"]) == []
    text = printed_text(tmp_path, over, (cuda("grid_sync", blocks=132), 970.0))
    assert re.search(r"several GPUs +multi_gpu_barrier_flags +2 +132 x 32 +2110 ", text)
    assert "multi-gpu`" not in text


def test_what_a_block_meets_at_stands_against_its_barrier(tmp_path):
    both = [(cuda("barrier", lanes=1024), 38.0), (cuda("mbarrier_sync", lanes=1024), 95.0)]
    points = [(cuda("barrier"), 7.0), (cuda("block_barrier"), 21.0), *both]
    points += [(cuda("block_barrier_arrive_wait"), 60.0), (cuda("barrier", lanes=64), 10.0)]
    # Less than a barrier's: adds in between are another job, and take part in no choice.
    points += [(cuda("mbarrier_transaction", lanes=1024), 30.0)]
    (where,) = (s for s in first_answers(tmp_path, *points) if "of a block" in s)
    assert where == (
        "A barrier of a block of 1024 threads: take barrier (38.00 ns), because mbarrier_sync takes "
        "2.50 times as long (95 % sure: 2.49 to 2.51, 5 visits)"
    )
    found = printed_text(tmp_path, *points).partition("Barriers of a block")[2]
    assert re.search(r"\nbarrier +1 x 32 +7.000 +14.00 +1 *\n", found)
    assert re.search(r"\nblock_barrier +1 x 32 +21.00 +42.00 +3.00 +2\.9\d+\.\.3\.0\d+\n", found)
    assert re.search(r"\nblock_barrier_arrive_wait +1 x 32 +60.00 +120.0", found)
    assert re.search(r"\nmbarrier_transaction +1 x 1024 +30.00 +60.00", found)
    assert not re.search(r"1 x 64", found)  # one alone is no choice
    assert "Barriers of a block" not in printed_text(tmp_path, (cuda("barrier"), 7.0))


def test_the_rate_of_blocks_is_that_of_their_best_launch(tmp_path):
    text = printed_text(
        tmp_path,
        (cuda("barrier"), 7.0),
        (cuda("barrier", blocks=132, lanes=64), 10.0),
        (cuda("barrier", blocks=264, lanes=64), 10.2),
        (cuda("barrier", blocks=528, lanes=64), 20.3),
        (cuda("barrier", blocks=132, lanes=1024), 70.0),
        (cuda("barrier", lanes=1024), 38.0),
    )
    # 528 warps in 10.2 ns; 1056 in 20.3 are half a percent more.
    assert re.search(r"\n +64 +528 +20.30 +52.0 G +264\n\n", text)
    assert not re.search(r"\n +1024 +132", text)  # one launch is no choice


def test_the_grid_is_a_table_of_threads_and_blocks(tmp_path):
    text = printed_text(
        tmp_path,
        (cuda("grid_sync", blocks=10), 970.0),
        (cuda("grid_sync", blocks=20), 1220.0),
        (cuda("grid_sync", blocks=10, lanes=1024), 2200.0),
    )
    assert re.search(r"\n +32 +0.97 +1.22\n", text)
    assert re.search(r"\n +1024 +2.20\n", text)


def test_barriers_in_software_stand_against_the_grids_own(tmp_path):
    text = printed_text(
        tmp_path,
        (cuda("grid_sync", blocks=10), 1000.0),
        (cuda("software_barrier_counter", blocks=10), 2000.0),
        (cuda("software_barrier_lockfree", blocks=10), 800.0),
        (cuda("software_barrier_sense", blocks=10), 810.0),
        (cuda("software_barrier_sense", blocks=20), 900.0),
        (cuda("grid_sync", blocks=30), 900.0),
    )
    assert re.search(
        r"10 x 32 +1.00 +2.00 +0.81 +0.80 +software_barrier_lockfree +software_barrier_sense +"
        r"0.800 +0\.\d+\.\.0\.\d+ +faster\n",
        text,
    )
    assert re.search(
        r"20 x 32 +0.90 +software_barrier_sense +- +grid_sync was not measured\n", text
    )
    assert "30 x 32" not in text.partition("Barriers of the grid in software")[2]


def test_each_add_of_a_chain_has_its_cycles(tmp_path):
    chain = [(cuda("fadd_chain", size=2048), 4096.0), (cuda("fadd_chain", size=32), 64.0)]
    text = printed_text(tmp_path, (cuda("barrier"), 7.0), *chain)
    assert re.search(r"32 +128.0 +4.000\n +2048 +8192 +4.000\n", text)


def test_both_methods_come_with_their_deviations(tmp_path):
    text = printed_text(tmp_path, (cuda("barrier"), 8.0))
    assert re.search(r"barrier +1 x 32 +8.000 ± 0\.\d+ +8.800 ± 2.000 +1.100 +cycles of one", text)
    assert "No host's time" not in text


def test_several_launches_in_a_row_have_no_hosts_time(tmp_path):
    lines = visits(around(8.0), cuda("barrier"), device=0)
    known = visits(around(13.0), cuda("shuffle_idx"), device=0, host_deviation_ns=2.0)
    (section,) = sections(read(write(tmp_path / "f", lines, known)), ["levels"])
    text = as_plain(section.title, section.blocks)
    assert re.search(r"barrier +1 x 32 +8.000 ± 0\.\d+ +cycles of one", text)
    assert "No host's time: its samples are several launches in a row." in text
    (section,) = sections(read(write(tmp_path / "f", lines)), ["levels"])
    assert "Both methods" not in as_plain(section.title, section.blocks)


def test_backends_are_told_of_apart(tmp_path):
    points = [({**cuda("barrier"), "backend": b}, ns) for b, ns in (("cuda", 7.0), ("sycl", 9.0))]
    rows = levels.rows(measured(tmp_path, *points))
    assert [b.backend for b in rows] == ["cuda", "sycl"]
    assert "sycl: Levels of synchronization" in as_plain("", levels.text(rows))
    assert [f.id for f in drawing.figures(rows)] == ["levels", "levels-sycl"]


def test_of_groups_the_smallest_and_the_largest_are_drawn(tmp_path):
    points = [(cuda("coalesced_sync", size=n), 10.0 + n) for n in (1, 7, 20, 32)]
    found = drawn(figures(tmp_path, *points)["levels"])
    assert {r["row"] for r in found} == {
        "warp: coalesced_sync of 1",
        "warp: coalesced_sync of 32",
    }


def test_every_level_has_a_launch_among_many(tmp_path):
    points = [(cuda("barrier", blocks=n), 10.0) for n in range(1, 20)]
    points += [
        (cuda("cluster_sync", blocks=2, size=2), 200.0),
        (cuda("grid_sync", blocks=132), 970.0),
    ]
    found = drawn(figures(tmp_path, *points)["levels"])
    assert [r["row"].split(":")[0] for r in found][-2:] == ["cluster", "grid"]
    assert {"132 x 32", "2 x 32"} <= {r["group"] for r in found}


def test_the_grid_is_laid_out_by_threads_and_blocks(tmp_path):
    points = [
        (cuda("grid_sync", blocks=132), 970.0),
        (cuda("grid_sync", blocks=264), 1100.0),
        (cuda("grid_sync", blocks=132, lanes=1024), 2200.0),
    ]
    found = figures(tmp_path, *points)["grid-barrier"]
    assert {(r["x"], r["y"], r["label"]) for r in drawn(found)} == {
        ("132", "32", "0.97"),
        ("264", "32", "1.10"),
        ("132", "1024", "2.20"),
    }
    assert len(found.points) == 3


def test_one_launch_is_no_map(tmp_path):
    assert "grid-barrier" not in figures(tmp_path, (cuda("grid_sync", blocks=132), 970.0))
    assert "by launch" not in printed_text(tmp_path, (cuda("grid_sync", blocks=132), 970.0))


def test_arrays_are_no_level(tmp_path):
    lines = visits(around(7.0), cuda("barrier"), device=0)
    whole = cuda("reduce_max_cub", size=1 << 14, type="int32")
    lines += visits(around(1e4), whole, device=0, family="reduction")
    (figure,) = drawing.figures(levels.rows(read(write(tmp_path / "f", lines))))
    assert {r["row"] for r in drawn(figure)} == {"block: barrier"}
