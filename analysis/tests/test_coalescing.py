"""Loads of a warp from costs made by hand: what a useful byte takes, and bank conflicts."""

import pytest

from syncmeter_analysis.relate.relation import NotComparable
from syncmeter_analysis.studies import coalescing, sections
from syncmeter_analysis.studies import coalescing as drawing
from tests.made import around, point, read, section_text, visits, write


def load(op, ns, size=0, backend="cuda", blocks=256, lanes=1024, device=0):
    what = point(op, backend=backend, affinity="none", blocks=blocks, lanes=lanes, size=size)
    return visits(around(ns, 3, 0.0), what, family="memory", device=device)


def loads():
    """256 blocks of 1024 are 8192 warps: 8192 ns are 1 ns for a warp's load."""
    return [
        load("load_coalesced", 8192.0),
        load("load_strided", 8 * 8192.0, 32),
        load("load_broadcast", 2048.0),
        load("load_random", 5 * 8192.0),
        load("load_latency_strided", 700.0, 32, blocks=1, lanes=32),
        load("load_strided_l2", 4096.0, 32),
        load("bank_conflict", 64.0, 32, blocks=1),
        load("bank_conflict", 4.0, 1, blocks=1),
        load("bank_conflict_latency", 50.0, 32, blocks=1, lanes=32),
    ]


def rows_of(path, *lines):
    return coalescing.rows(read(write(path, *lines)))


def printed_text(path, *lines):
    return section_text(coalescing, rows_of(path, *lines))


def test_the_time_of_a_useful_byte_is_over_the_coalesced_loads(tmp_path):
    device, l2 = rows_of(tmp_path / "f", *loads()).levels
    coalesced, broadcast, strided, random = device.rows
    assert (coalesced.pattern, coalesced.ns.value, coalesced.over.value) == ("coalesced", 1, 1)
    # A quarter of the time, for 4 bytes of 128.
    assert broadcast.over.value == pytest.approx(8)
    assert strided.over.value == pytest.approx(8)
    assert strided.latency.cost.value == 700
    # Without the load of the words' numbers.
    assert random.over.value == pytest.approx(4)
    assert l2.name == "L2"
    assert l2.rows[0].over is None


def test_the_text_has_a_table_for_each_level_and_for_banks(tmp_path):
    text = printed_text(tmp_path / "f", *loads())
    assert "Loads of a warp from device memory\n" in text
    assert "Loads of a warp from L2\n" in text
    assert "Bank conflicts: loads of a warp from shared memory, one multiprocessor\n" in text
    assert (
        "- device memory: read coalesced (128.0 useful bytes per ns), because strided by 32 takes "
        "8.00 times as long (95 % sure: within 0.1 %, 3 visits) for a useful byte" in text
    )


def test_a_bank_of_all_lanes_is_over_one_lane(tmp_path):
    (conflicts,) = rows_of(tmp_path / "f", *loads()).banks.values()
    one, all_lanes = conflicts
    assert (one.ways, all_lanes.ways) == (1, 32)
    assert all_lanes.full_over_one.value == pytest.approx(16)
    assert all_lanes.latency_over_one is None


def test_a_larger_launch_stands_for_the_device_and_is_compared_by_warp(tmp_path):
    found = rows_of(tmp_path / "f", *loads(), load("load_strided", 4 * 8192.0, 32, blocks=512))
    strided = found.levels[0].rows[2]
    assert strided.full.point.blocks == 512
    assert strided.ns.value == pytest.approx(2)
    assert strided.over.value == pytest.approx(2)


def test_backends_are_not_mixed(tmp_path):
    other = [
        load("load_coalesced", 80 * 8192.0, backend="kokkos-cuda"),
        load("load_strided", 160 * 8192.0, 32, backend="kokkos-cuda"),
    ]
    levels = rows_of(tmp_path / "f", *loads(), *other).levels
    assert [level.backend for level in levels] == ["cuda", "cuda", "kokkos-cuda"]
    assert levels[0].slowest[0].over.value == pytest.approx(8)
    assert levels[2].slowest[0].over.value == pytest.approx(2)
    assert "device memory, kokkos-cuda device 0" in printed_text(tmp_path / "g", *loads(), *other)


def test_a_pattern_that_is_not_slower_is_no_finding(tmp_path):
    lines = [load("load_coalesced", 8192.0), load("load_strided", 8300.0, 1)]
    assert "no pattern is resolved to take longer" in printed_text(tmp_path / "f", *lines)
    (figure,) = drawing.figures(rows_of(tmp_path / "g", *lines))
    assert figure.title.endswith("; no pattern is resolved to take longer")


def test_patterns_that_are_not_told_apart_are_the_slowest_together(tmp_path):
    lines = [
        load("load_coalesced", 8192.0),
        load("load_strided", 8.2 * 8192.0, 32),
        load("load_strided", 8 * 8192.0, 31),
        load("load_strided", 6 * 8192.0, 24),
    ]
    text = printed_text(tmp_path / "f", *lines)
    assert ", because strided by 32 and strided by 31 take 8.20 times as long (" in text


def test_a_random_load_that_hides_behind_the_other_has_no_ratio(tmp_path):
    lines = [load("load_coalesced", 8192.0), load("load_random", 8000.0)]
    random = rows_of(tmp_path / "f", *lines).levels[0].rows[1]
    assert isinstance(random.over, NotComparable)


def test_the_figure_has_the_rows_and_the_finding_of_the_text(tmp_path):
    (figure,) = drawing.figures(rows_of(tmp_path / "f", *loads()))
    assert figure.title == (
        "device memory: read coalesced (128.0 useful bytes per ns), because strided by 32 takes 8.00 "
        "times as long (95 % sure: within 0.1 %, 3 visits) for a useful byte"
    )
    drawn = figure.panels[0].drawing.rows
    assert [(row["row"], row["group"], row["value"]) for row in drawn] == [
        ("coalesced", "device memory", 1.0),
        ("broadcast", "device memory", 0.25),
        ("strided 32", "device memory", 8.0),
        ("strided 32", "L2", 0.5),
        ("random", "device memory", 5.0),
    ]


def test_one_pattern_has_no_section(tmp_path):
    campaign = read(write(tmp_path / "f", load("load_coalesced", 8192.0)))
    assert sections(campaign, ["coalescing"]) == []
