"""Ways to add floats on a GPU, from costs made by hand: which is the fastest where, and errors."""

import re
from pathlib import Path

import pytest

from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import accumulate, sections
from tests.made import around, point, read, visits, write


def adds(way, ns, size, blocks=132, **members):
    what = point(
        f"accumulate_{way}", backend="cuda", affinity="none", blocks=blocks, lanes=1024, size=size
    )
    return visits(around(ns, 3, 0.001), what, family="atomic", device=0, **members)


@pytest.fixture
def measured(tmp_path):
    """One address: a warp adds together; more: a copy of the block; one each: atomicAdd."""
    return read(
        write(
            tmp_path / "f",
            adds("atomic", 64e5, 1, relative_error=2e-4),
            adds("warp_reduce", 2e5, 1, relative_error=3e-6),
            adds("block", 4e5, 1),
            adds("atomic", 5e5, 32),
            adds("warp_reduce", 6e5, 32),
            adds("block", 1e5, 32),
            adds("atomic", 3e5, 1024),
            adds("block", 1e5, 1024),
            adds("atomic", 6e3, 1 << 20),
            adds("cas", 3e4, 1 << 20),
            adds("atomic", 9e3, 1, blocks=1),
            adds("block", 9e3, 1, blocks=1),
        )
    )


def test_each_number_of_addresses_from_which_another_way_is_the_fastest_has_a_sentence(measured):
    one, few, own, *of_block = accumulate.answer(accumulate.rows(measured))
    assert one.startswith(
        "132 x 1024 threads, one address: take warp-aggregated by reduction (10.81 adds per ns, "
        "atomicAdd 0.3379), because privatized per block takes 2.00 times as long ("
    )
    assert few.startswith(
        "132 x 1024 threads, 32 addresses (the same up to 1024): take privatized per block (21.63 "
        "adds per ns, atomicAdd 4.325), because atomicAdd takes 5.00 times as long"
    )
    assert own.startswith(
        "132 x 1024 threads, 1048576 addresses: take atomicAdd (360.4 adds per ns)"
    )
    # What a program has is kept where nothing is shown to be faster.
    (of_one_block,) = of_block
    assert of_one_block.startswith(
        "1 x 1024 threads, one address: keep atomicAdd (1.820 adds per ns)"
    )


def test_doubles_are_compared_with_doubles(tmp_path):
    campaign = read(
        write(
            tmp_path / "f",
            adds("atomic", 2e5, 1),
            adds("block", 1e5, 1),
            adds("atomic_double", 3e5, 1),
            adds("block_double", 6e5, 1),
            adds("atomic_double", 9e3, 1, blocks=1),
            adds("block_double", 9e3, 1, blocks=1),
        )
    )
    floats, doubles, of_block = accumulate.answer(accumulate.rows(campaign))
    assert floats.startswith("132 x 1024 threads, one address: take privatized per block")
    assert doubles.startswith(
        "132 x 1024 threads, doubles, one address: take atomicAdd (7.209 adds per ns), because "
        "privatized per block takes 2.00 times as long"
    )
    assert of_block.startswith("1 x 1024 threads, doubles, one address: keep atomicAdd")
    (section,) = sections(campaign, ["accumulate"])
    _, table_of_doubles, _ = as_plain(section.title, section.blocks).split("Adds of doubles by ")
    assert re.search(r"^132 x 1024 threads .*\n.*\natomicAdd +7.209\n", table_of_doubles)


def test_rates_are_of_all_threads_and_of_each_of_their_adds(measured):
    launch = accumulate.rows(measured)[0]
    own = launch.sizes[-1]
    assert accumulate.adds_per_ns(own.by_op["accumulate_atomic"]) == pytest.approx(
        132 * 1024 * 16 / 6e3, rel=0.01
    )


def test_an_op_has_as_many_adds_as_the_worker_does():
    header = Path(__file__).parents[2] / "backends/cuda/accumulate/updates.hpp"
    found = re.search(r"adds_of_op = (\d+);", header.read_text(encoding="utf-8"))
    assert found is not None
    assert int(found[1]) == accumulate.adds_of_op


def test_the_tables_have_each_way_by_number_of_addresses_and_its_error(measured):
    (section,) = sections(measured, ["accumulate"])
    lines = as_plain(section.title, section.blocks).splitlines()
    header = next(line for line in lines if line.startswith("way"))
    assert header.split() == ["way", "1", "32", "1024", "1048576"]
    cas = next(line for line in lines if line.startswith("CAS loop"))
    assert cas.split()[-1] == "72.09", "of one each alone"
    errors = lines[lines.index("Largest error over the sum, 132 x 1024 threads") :]
    assert next(line for line in errors if line.startswith("atomicAdd")).split()[1] == "2.0e-04"


def test_the_chart_has_a_panel_for_each_launch_with_several_numbers(measured):
    (figure,) = accumulate.figures(accumulate.rows(measured))
    assert [panel.title for panel in figure.panels] == ["132 x 1024 threads"]
    assert figure.title == accumulate.answer(accumulate.rows(measured))[0]
    atomics = [row for row in figure.panels[0].drawing.rows if row["name"] == "atomicAdd"]
    assert [row["x"] for row in atomics] == [1, 32, 1024, 1 << 20]


def test_all_panels_have_the_same_ways_those_that_are_near_the_fastest_somewhere(tmp_path):
    order = ["atomic", "warp_match", "warp_reduce", "fixed", "block", "block_reduce", "cas"]
    order += ["block_by_bulk", "exchange"]
    # The order is the other way round in the second launch, but for the loops.
    lines = [
        adds(way, 1e5 * (50 if way in ("cas", "exchange") else 2**place), size, blocks)
        for blocks, sign in ((132, 1), (1, -1))
        for size in (1, 32)
        for place, way in enumerate(order[::sign])
    ]
    (figure,) = accumulate.figures(accumulate.rows(read(write(tmp_path / "f", *lines))))
    drawn = [{row["name"] for row in panel.drawing.rows} for panel in figure.panels]
    assert drawn[0] == drawn[1]
    assert len(drawn[0]) == 7
    assert "Left out, as never near the fastest: " in figure.note
    assert not {"CAS loop", "exchange loop"} & drawn[0]


def test_one_way_alone_is_no_section(tmp_path):
    campaign = read(write(tmp_path / "f", adds("atomic", 5e5, 1), adds("atomic", 5e5, 32)))
    assert sections(campaign, ["accumulate"]) == []
