"""Loads of a warp from costs made by hand: what a useful byte takes, and bank conflicts."""

import pytest

from syncmeter_analysis.conclude.conclusion import Kind
from syncmeter_analysis.conclude.studies.coalescing import conclude
from syncmeter_analysis.relate.relation import NotComparable
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import coalescing, sections
from syncmeter_analysis.studies import coalescing as drawing
from tests.made import around, point, read, visits, write


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
    return as_plain("", coalescing.text(rows_of(path, *lines)))


def advice(path, *lines):
    """Returns level, kind, the program's pattern and gain."""
    return [
        (
            c.situation.work,
            str(c.kind),
            c.reference.op,
            c.reference.variant,
            round(c.effect.value, 2),
        )
        for c in conclude(read(write(path, *lines)))
    ]


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
    assert l2.name == "l2"
    assert l2.rows[0].over is None


def test_the_text_has_a_table_for_each_level_and_for_banks(tmp_path):
    text = printed_text(tmp_path / "f", *loads())
    assert "Loads of a warp from device memory" in text
    assert "Loads of a warp from L2" in text
    assert "Bank conflicts: loads of a warp from shared memory" in text


def test_each_pattern_is_compared_with_the_coalesced_load_the_largest_gain_first(tmp_path):
    assert advice(tmp_path / "f", *loads()) == [
        ("device_memory", "use", "load_strided", "32", 8.0),
        ("device_memory", "use", "load_random", "", 4.0),
    ]
    campaign = read(write(tmp_path / "f", *loads()))
    strided, random = conclude(campaign)
    assert strided.subjects[0].op == "load_coalesced"
    assert [cost.ns for cost in strided.costs] == pytest.approx([1, 8])
    assert [cost.ns for cost in random.costs] == pytest.approx([1, 4])
    assert [x.name for x in random.conditions] == ["without_indices"]
    (section,) = sections(campaign, ["coalescing"])
    assert [field.text for field in section.screen.grids[0].rows[0]] == [
        "device memory",
        "neighbouring words",
        "1.00",
        "a stride of 32 words",
        "8.00",
        "8.0",
    ]
    assert section.screen.reliability
    assert section.screen.next.startswith("Next: syncmeter advise -- ./app")


def test_the_slowest_size_stands_for_a_pattern(tmp_path):
    lines = [load("load_coalesced", 8192.0)]
    lines += [load("load_strided", n * 8192.0, 4 * n) for n in (2, 8, 6)]
    assert advice(tmp_path / "f", *lines) == [("device_memory", "use", "load_strided", "32", 8.0)]


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
    assert levels[0].rows[2].over.value == pytest.approx(8)
    assert levels[2].rows[1].over.value == pytest.approx(2)
    assert "device memory, kokkos-cuda device 0" in printed_text(tmp_path / "g", *loads(), *other)


def test_a_pattern_that_is_not_slower_is_kept(tmp_path):
    lines = [load("load_coalesced", 8192.0), load("load_strided", 8300.0, 1)]
    (c,) = conclude(read(write(tmp_path / "f", *lines)))
    assert c.kind is Kind.keep
    assert c.subjects == (c.reference,)
    assert 1 < c.effect.high < 1.1


def test_a_random_load_that_hides_behind_the_other_has_no_ratio(tmp_path):
    lines = [load("load_coalesced", 8192.0), load("load_random", 8000.0)]
    random = rows_of(tmp_path / "f", *lines).levels[0].rows[1]
    assert isinstance(random.over, NotComparable)


def test_the_figure_has_the_rows_of_the_text(tmp_path):
    (figure,) = drawing.figures(rows_of(tmp_path / "f", *loads()))
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
