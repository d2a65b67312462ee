"""The GPU's levels: the fastest way of each, their tables and figures, from costs made by hand."""

import re

import pytest

from syncmeter_analysis.conclude.conclusion import Kind
from syncmeter_analysis.conclude.studies import levels as conclusions
from syncmeter_analysis.relate.gpu_levels import axis_levels
from syncmeter_analysis.relate.op_groups import level_of
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import levels, sections
from syncmeter_analysis.studies import levels as drawing
from tests.claim_cases import cuda
from tests.made import MACHINE, around, campaign, read, visits, write


def measured(tmp_path, *points):
    """Points with their cost in ns. A cycle takes half a nanosecond."""
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


def concluded(tmp_path, *points):
    return conclusions.conclude(measured(tmp_path, *points))


def of_work(tmp_path, work, *points, question="level"):
    """Returns the only conclusion with this question and work."""
    found = concluded(tmp_path, *points)
    (one,) = (c for c in found if (c.question, c.situation.work) == (question, work))
    return one


def graph_of(each, blocks, lanes, n=64):
    return cuda("additional_graph_launch", size=n, blocks=blocks, lanes=lanes), n * each


def full(op, **axes):
    return cuda(op, **{"blocks": 132, "lanes": 1024, **axes})


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
    own = (cuda("grid_sync", blocks=10), 1010.0)
    counter = (cuda("software_barrier_counter", blocks=10), 1000.0)
    text = printed_text(tmp_path, own, counter, (cuda("barrier"), 7.0))
    assert re.search(r"grid +grid_sync +10 x 32 +1010 .* software_barrier_counter\n", text)
    assert re.search(r"10 x 32 .* grid_sync +software_barrier_counter +1\b", text)
    c = of_work(tmp_path, "grid", own, counter, (cuda("barrier"), 7.0))
    assert (c.kind, c.subjects[0].op) == (Kind.keep, "grid_sync")


def test_of_ways_of_a_warp_that_are_the_same_a_whole_one_stands_or_the_languages_own(tmp_path):
    def on_axis(*points):
        text = printed_text(tmp_path, *points, (cuda("barrier"), 7.0))
        return re.search(r"(?m)^warp, barrier +(\w+)( +\d+)? +1 x 32 ", text).group(1, 2)

    same = [(cuda("coalesced_sync", size=2), 0.504), (cuda("warp_sync_partial"), 0.505)]
    assert on_axis(*same) == ("warp_sync_partial", None)
    op, size = on_axis(*same, (cuda("coalesced_sync", size=32), 0.506))
    assert (op, size.strip()) == ("coalesced_sync", "32")
    op, size = on_axis(same[0], (cuda("warp_sync_partial"), 5.0))
    assert (op, size.strip()) == ("coalesced_sync", "2")


def test_a_warp_has_its_own_barrier_and_never_none(tmp_path):
    """The barrier of one warp alone gives no advice if full blocks were measured."""
    points = [(cuda("barrier"), 7.0), (cuda("warp_sync_partial"), 0.5)]
    points += [(full("barrier"), 38.0), (full("warp_sync_partial"), 4.0)]
    points += [(full("coalesced_sync", size=32), 4.0), (full("warp_sync_divergent"), 113.0)]
    c = of_work(tmp_path, "warp", *points)
    assert (c.kind, c.subjects[0].op, c.reference.op) == (Kind.use, "warp_sync_partial", "barrier")
    assert (c.situation.blocks, c.situation.threads) == (132, 1024)
    assert c.effect.value == pytest.approx(9.5)
    divergent = of_work(tmp_path, "divergent_warp", *points)
    assert divergent.costs[0].ns == pytest.approx(113.0)
    said = " ".join(printed_text(tmp_path, *points).split())
    assert "__syncwarp()" in said and "needed even if the exchange seems to work without" in said


def test_a_barrier_of_a_part_of_a_warp_is_no_barrier_of_the_warp(tmp_path):
    points = [(cuda("barrier"), 7.0), (cuda("coalesced_sync", size=2), 0.5)]
    assert concluded(tmp_path, *points) == []


def test_a_barrier_of_blocks_is_named_as_one_inside_each_block(tmp_path):
    points = [(cuda("barrier"), 7.0), (full("barrier"), 38.0), (full("named_barrier"), 44.0)]
    c = of_work(tmp_path, "each_block", *points)
    assert (c.kind, c.reference.op) == (Kind.keep, "barrier")
    said = printed_text(tmp_path, *points)
    assert "inside each of 132 blocks" in said
    assert "barrier of 132 blocks" not in said


@pytest.mark.parametrize("own, kind", [(900.0, Kind.keep), (700.0, Kind.use), (1100.0, Kind.keep)])
def test_an_own_barrier_of_the_grid_is_used_from_a_gain_of_25_percent_on(tmp_path, own, kind):
    """The screen names this danger with both kinds."""
    points = [(full("grid_sync"), 1000.0), (full("software_barrier_counter"), own)]
    c = of_work(tmp_path, "grid", *points, (cuda("barrier"), 7.0))
    assert (c.kind, c.reference.op) == (kind, "grid_sync")
    assert bool(c.condition("small_gain")) == (own == 900.0)
    assert bool(c.condition("resident")) == (kind is Kind.use)
    said = " ".join(printed_text(tmp_path, *points, (cuda("barrier"), 7.0)).split())
    assert ("hangs unless all blocks are resident" in said) == (own < 1000.0)


def test_an_own_barrier_without_the_barrier_of_the_api_is_no_advice(tmp_path):
    points = [(full("software_barrier_counter"), 900.0), (full("software_barrier_tree"), 1900.0)]
    assert concluded(tmp_path, *points, (cuda("barrier"), 7.0)) == []


def test_the_grid_is_that_of_full_blocks_and_of_the_next_kernel(tmp_path):
    """Launches with small blocks give no advice beside launches with full blocks."""
    points = [(cuda("barrier", lanes=32), 7.0)]
    for lanes, counter, own in ((32, 600.0, 970.0), (256, 891.0, 988.0), (1024, 931.0, 1006.0)):
        points += [
            (cuda("software_barrier_counter", lanes=lanes, blocks=132), counter),
            (cuda("grid_sync", lanes=lanes, blocks=132), own),
        ]
    points += [(full("grid_sync", blocks=264), 1040.0), graph_of(810.0, 132, 1024)]
    c = of_work(tmp_path, "grid", *points)
    assert (c.situation.blocks, c.situation.threads) == (132, 1024)


def test_the_most_blocks_have_their_own_advice_if_it_differs(tmp_path):
    def found(own):
        points = [(full("grid_sync"), 1000.0), (full("software_barrier_tree"), 1900.0)]
        many = {"blocks": 4224, "lanes": 32}
        points += [
            (full("grid_sync", **many), 9000.0),
            (full("software_barrier_tree", **many), own),
        ]
        made = concluded(tmp_path, *points, (cuda("barrier"), 7.0))
        return [c for c in made if c.question == "many_blocks"]

    (c,) = found(4000.0)
    assert (c.kind, c.subjects[0].op, c.situation.blocks) == (
        Kind.use,
        "software_barrier_tree",
        4224,
    )
    assert c.condition("resident")
    assert found(8000.0) == []


def test_a_cluster_is_compared_with_the_grid_around_it(tmp_path):
    points = [(full("grid_sync"), 1000.0), (full("cluster_sync", size=4), 380.0)]
    points += [(full("cluster_sync", size=2), 330.0), (cuda("barrier"), 7.0)]
    points += [(cuda("cluster_sync", size=2, blocks=2), 171.0)]
    c = of_work(tmp_path, "cluster", *points)
    assert (c.kind, c.subjects[0].op, c.reference.op) == (Kind.use, "cluster_sync", "grid_sync")
    assert (c.situation.size, c.situation.blocks, c.situation.threads) == (2, 132, 1024)
    assert c.effect.value == pytest.approx(1000 / 330)


def test_the_next_kernel_is_one_of_a_graph_at_the_largest_launch(tmp_path):
    points = [(cuda("barrier"), 7.0), (cuda("additional_launch"), 3400.0), graph_of(680.0, 1, 32)]
    points += [(full("additional_launch"), 3200.0), graph_of(800.0, 132, 1024)]
    points += [graph_of(1600.0, 132, 1024, n=2), (full("programmatic_launch"), 2600.0)]
    c = of_work(tmp_path, "kernel", *points)
    assert (c.kind, c.reference.op) == (Kind.use, "additional_launch")
    assert (c.subjects[0].op, c.condition("graph_size").value) == ("additional_graph_launch", 64)
    assert c.situation.blocks == 132
    assert c.cost_of(c.subjects[0]).ns == pytest.approx(800.0)
    assert c.effect.value == pytest.approx(4.0)


def test_the_end_of_a_kernel_in_a_graph_is_compared_with_a_barrier_of_as_many_threads(tmp_path):
    def found(each):
        points = [graph_of(each, 132, 1024), graph_of(2 * each, 132, 1024, n=2)]
        own = [(full("grid_sync", lanes=n), ns) for n, ns in ((32, 970.0), (1024, 1000.0))]
        return of_work(tmp_path, "phase", *points, *own, (cuda("barrier"), 7.0), question="phase")

    c = found(800.0)
    assert (c.kind, c.reference.op, c.effect.value) == (Kind.use, "grid_sync", pytest.approx(1.25))
    assert c.situation.threads == 1024
    assert c.condition("state_is_lost")
    assert found(2000.0).kind is Kind.keep
    assert found(1000.0).kind is Kind.keep
    assert found(1050.0).kind is Kind.keep


def test_a_kernel_of_a_graph_stands_against_grid_sync_in_a_table(tmp_path):
    points = [graph_of(800.0, 132, 1024), (full("grid_sync"), 1000.0), (cuda("barrier"), 7.0)]
    assert re.search(r"132 x 1024 +64 +800.0 +1000 +1.25 ", printed_text(tmp_path, *points))


def test_the_screen_has_a_row_for_each_level_and_ends_with_the_next_step(tmp_path):
    points = [(full("barrier"), 38.0), (full("warp_sync_partial"), 4.0)]
    points += [(full("named_barrier"), 44.0), (full("grid_sync"), 1000.0)]
    points += [(full("software_barrier_counter"), 900.0), (full("cluster_sync", size=2), 330.0)]
    points += [(full("additional_launch"), 3200.0), graph_of(800.0, 132, 1024)]
    (section,) = sections(measured(tmp_path, *points, (cuda("barrier"), 7.0)), ["levels"])
    (grid,) = section.screen.grids
    assert [[field.text for field in row] for row in grid.rows] == [
        ["warp", "__syncwarp() (a)", "4.00", "__syncthreads()", "38.0", "9.5"],
        ["inside each of 132 blocks", "keep __syncthreads() (b)", "38.0", "", "", "none"],
        ["cluster of 2 blocks", "cluster.sync()", "330", "grid.sync()", "1000", "3.0"],
        ["all 132 blocks", "keep grid.sync() (c)", "1000", "", "", "small"],
        ["next of 64 kernels", "graph launch (d,e)", "800", "separate launch", "3200", "4.0"],
    ]
    assert section.screen.next == "Next: syncmeter run --study handoff"
    assert section.first[-1].items[-2:] == [section.screen.details, section.screen.next]


def test_the_host_of_a_virtual_machine_moves_no_blocks(tmp_path):
    lines = [
        visits(around(ns), full(op), device=0, family="barrier")
        for op, ns in (("barrier", 38.0), ("warp_sync_partial", 4.0))
    ]
    lines.append(visits(around(7.0), cuda("barrier"), device=0, family="barrier"))
    machine = {**MACHINE, "hypervisor": True}
    path = write(tmp_path / "f", *lines, first=campaign(machine=machine))
    (section,) = sections(read(path), ["levels"])
    assert not section.reliability.is_guest
    assert "CPUs" not in section.screen.reliability


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
        r"block of 32 threads +barrier +1 x 32 +7.000 \(6\.9\d+\.\.7\.0\d+\) +14.00\n", text
    )
    assert re.search(r"warp, shuffle +shuffle_idx .* shuffle_up\n", text)
    assert "shuffle" not in printed_text(tmp_path, (cuda("barrier"), 7.0))


def test_a_group_of_one_thread_waits_for_nobody(tmp_path):
    text = printed_text(
        tmp_path, (cuda("tile_sync", size=1), 1.0), (cuda("tile_sync", size=2), 9.0)
    )
    assert re.search(r"warp, barrier +tile_sync +2 ", text)


def test_without_a_latency_there_is_no_section(tmp_path):
    assert sections(measured(tmp_path, (cuda("atomic_add"), 5.0)), ["levels"]) == []
    assert sections(measured(tmp_path, (cuda("barrier", lanes=1024), 38.0)), ["levels"]) == []


def test_several_gpus_are_a_level_beside_others_only(tmp_path):
    over = (cuda("multi_gpu_barrier_flags", blocks=132, size=2), 2110.0)
    assert sections(measured(tmp_path, over), ["levels"]) == []
    text = printed_text(tmp_path, over, (cuda("grid_sync", blocks=132), 970.0))
    assert re.search(r"several GPUs +multi_gpu_barrier_flags +2 +132 x 32 +2110 ", text)


def test_what_a_block_meets_at_stands_against_its_barrier(tmp_path):
    both = [(cuda("barrier", lanes=1024), 38.0), (cuda("mbarrier_sync", lanes=1024), 95.0)]
    points = [(cuda("barrier"), 7.0), (cuda("block_barrier"), 21.0), *both]
    points += [(cuda("block_barrier_arrive_wait"), 60.0), (cuda("barrier", lanes=64), 10.0)]
    # Less than a barrier's: adds in between are another job, and take part in no choice.
    points += [(cuda("mbarrier_transaction", lanes=1024), 30.0)]
    (c,) = (c for c in concluded(tmp_path, *points) if c.situation.work == "block")
    assert (c.kind, c.situation.threads, c.reference.op) == (Kind.keep, 1024, "barrier")
    nearest = c.condition("nearest")
    assert (nearest.subject.op, nearest.value) == ("mbarrier_sync", pytest.approx(2.5))
    found = printed_text(tmp_path, *points).partition("Barriers of a block")[2]
    assert re.search(r"\nbarrier +1 x 32 +7.000 +14.00 +1 *\n", found)
    assert re.search(
        r"\nblock_barrier +1 x 32 +21.00 +42.00 +3.00 \(2\.9\d+\.\.3\.0\d+\) >\n", found
    )
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
    assert re.search(r"\n +32 +970.0 +1220\n", text)
    assert re.search(r"\n +1024 +2200\n", text)


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
        r"10 x 32 +2000 +810.0 +800.0 +1000 +software_barrier_lockfree +software_barrier_sense +"
        r"0.800 \(0\.\d+\.\.0\.\d+\) <\n",
        text,
    )
    assert re.search(
        r"20 x 32 +900.0 +software_barrier_sense +- \(grid_sync was not measured\)\n", text
    )
    assert "30 x 32" not in text.partition("Barriers of the grid in software")[2]


def test_each_add_of_a_chain_has_its_cycles(tmp_path):
    chain = [(cuda("fadd_chain", size=2048), 4096.0), (cuda("fadd_chain", size=32), 64.0)]
    text = printed_text(tmp_path, (cuda("barrier"), 7.0), *chain)
    assert re.search(r"32 +128.0 +4.000\n +2048 +8192 +4.000\n", text)


def test_both_methods_come_with_their_deviations(tmp_path):
    text = printed_text(tmp_path, (cuda("barrier"), 8.0))
    assert re.search(r"barrier +1 x 32 +8.000 \(\S+\) +8.800 +2.000 +1.100 +cycles of one", text)


def test_several_launches_in_a_row_have_no_hosts_time(tmp_path):
    lines = visits(around(8.0), cuda("barrier"), device=0)
    known = visits(around(13.0), cuda("shuffle_idx"), device=0, host_deviation_ns=2.0)
    (section,) = sections(read(write(tmp_path / "f", lines, known)), ["levels"])
    text = as_plain(section.title, section.blocks)
    assert re.search(r"barrier +1 x 32 +8.000 \(\S+\) +cycles of one", text)
    (section,) = sections(read(write(tmp_path / "f", lines)), ["levels"])
    assert "host clock" not in as_plain(section.title, section.blocks)


def test_backends_are_told_of_apart(tmp_path):
    points = [({**cuda("barrier"), "backend": b}, ns) for b, ns in (("cuda", 7.0), ("sycl", 9.0))]
    rows = levels.rows(measured(tmp_path, *points))
    assert [b.backend for b in rows] == ["cuda", "sycl"]
    assert "sycl: The fastest of each level" in as_plain("", levels.text(rows))
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
