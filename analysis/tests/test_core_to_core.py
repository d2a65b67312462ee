"""Matrices of pairs of PUs: a grid in the order of the topology, classes, both ways round, drift."""

import re
from pathlib import Path

import pytest

from syncmeter_analysis.conclude.conclusion import Kind
from syncmeter_analysis.conclude.studies.core_to_core import conclude
from syncmeter_analysis.record.reader import read_results
from syncmeter_analysis.record.topology import blocks_of
from syncmeter_analysis.relate.campaign import campaign_of
from syncmeter_analysis.relate.relation import Verdict
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import core_to_core, sections
from syncmeter_analysis.studies import core_to_core as drawing
from tests.made import MACHINE, campaign, point, read, visits, write


def pair(first, second, cost, hop=0.0, n=3, op="handoff", home="first", jitter=0.0):
    """Visits that drift by 0.1 % a pass; `jitter` to either side in turn parts the two ways."""
    costs = [cost * (1 + 0.001 * k) * (1 + jitter * (-1) ** k) for k in range(1, n + 1)]
    made = visits(
        costs,
        point(op, lanes=2, pus=[first, second], home=home, affinity="none", order="unordered"),
        family="handoff",
        cost_per_lane=True,
    )
    for line in made:
        line["estimates"][0]["hop_ns"] = hop
    return made


def both(first, second, cost, back, **members):
    return [*pair(first, second, cost, **members), *pair(second, first, back, **members)]


# Two packages of two cores; Linux' numbers alternate between them.
UNITS = [
    {"pu": pu, "package": pu % 2, "numa": pu % 2, "l3": pu % 2, "l2": x, "core": x, "thread": 0}
    for pu in range(4)
    for x in [2 * (pu % 2) + pu // 2]
]
PAIRS = [
    *both(0, 2, 50, 50),
    *both(1, 3, 60, 60),
    *both(0, 1, 200, 202),
    *both(0, 3, 210, 300),
    *both(2, 1, 220, 220),
]


def file_of(path, *lines, units=UNITS, nodes=2):
    first = campaign(machine={**MACHINE, "numa_nodes": nodes})
    if units:
        first["units"] = units
    return read(write(path, *lines, first=first))


def one(tmp_path, *lines, **members):
    (matrix,) = core_to_core.rows(file_of(tmp_path / "f", *lines, **members))
    return matrix


def printed_text(tmp_path, *lines, coloured=False, **members):
    (section,) = sections(file_of(tmp_path / "f", *lines, **members), ["core-to-core"])
    return as_plain(section.title, section.blocks, coloured)


def flat(count):
    """So many cores under one L3, each of one PU."""
    return [
        {"pu": pu, "package": 0, "numa": 0, "l3": 0, "l2": pu, "core": pu, "thread": 0}
        for pu in range(count)
    ]


def _map_of(text):
    """The lines from the names of the columns on."""
    lines = text.splitlines()
    return lines[next(i for i, line in enumerate(lines) if line.startswith("CPU ")) :]


def test_rows_and_columns_are_in_topology_order(tmp_path):
    text = printed_text(tmp_path, PAIRS)
    assert "omp handoff: ns one way, half a round trip" in text
    assert [line.split() for line in _map_of(text)[:5]] == [
        ["CPU", "0", "2", "1", "3"],
        ["0", ".", "50.10", "200.4", "210.4"],
        ["2", "50.10", ".", "220.4", "."],
        ["1", "202.4", "220.4", ".", "60.12"],
        ["3", "300.6", ".", "60.12", "."],
    ]


def test_a_class_has_its_median_and_range(tmp_path):
    near, far = one(tmp_path, PAIRS).classes
    assert (near.name, near.pairs, near.measured) == ("same L3", 2, 2)
    assert sorted(near.costs) == pytest.approx([50.1, 50.1, 60.12, 60.12])
    # PUs 2 and 3 were not measured.
    assert (far.name, far.pairs, far.measured) == ("other package", 4, 3)
    text = printed_text(tmp_path, PAIRS)
    assert re.search(r"same L3 +2 +2 +55.11 +50.10 +60.12", text)
    assert re.search(r"other package +4 +3 +215.4 +200.4 +300.6", text)


def test_cores_of_several_kinds_make_classes_of_their_own(tmp_path):
    kinds = [{**unit, "kind": unit["pu"] // 2} for unit in flat(4)]
    lines = [*both(0, 1, 50, 50), *both(0, 2, 70, 70), *both(2, 3, 90, 90)]
    names = [c.name for c in one(tmp_path, lines, units=kinds).classes]
    assert names == ["same L3, kind 0", "same L3, kind 1", "same L3, kinds 0 and 1"]


def test_both_ways_are_compared_within_the_margin(tmp_path):
    lines = [*PAIRS, *pair(2, 3, 100, jitter=0.2), *pair(3, 2, 100, jitter=-0.2)]
    ways = one(tmp_path, lines).ways
    assert ways.count(Verdict.same) == 4
    assert ways.count(Verdict.faster) == 1
    assert re.search(r"omp handoff +1 +4 +0 +0 +42.9 %\n", printed_text(tmp_path, PAIRS))


def concluded(tmp_path, *lines, **members):
    return conclude(file_of(tmp_path / "f", *lines, **members))


def test_any_pair_will_do_if_the_slowest_is_less_than_half_as_slow_again(tmp_path):
    def says(slowest):
        lines = [*both(0, 1, 50, 51), *both(1, 2, 52, 52), *both(0, 2, slowest, slowest)]
        (c,) = concluded(tmp_path, lines, units=flat(3))
        return c

    near = says(60)
    assert near.kind is Kind.any
    pairs = near.condition("pairs")
    assert pairs.compared / pairs.value == pytest.approx(1.2, rel=0.01)
    assert not near.condition("within_scatter")
    assert says(90).kind is Kind.undecided


def test_pairs_that_differ_no_more_than_each_scatters_are_not_set_apart(tmp_path):
    def says(far):
        """Twelve cells that scatter by a tenth to either side, one pair of them elsewhere."""
        costs = [100, 102, 98, 101, 99, far]
        pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
        lines = [both(*pus, ns, ns, n=8, jitter=0.1) for pus, ns in zip(pairs, costs, strict=True)]
        (c,) = concluded(tmp_path, *lines, units=flat(4))
        return c

    assert says(103).kind is says(140).kind is Kind.any
    # Scatter hides a difference, and does not show that there is none.
    assert says(103).condition("within_scatter")
    assert not says(140).condition("within_scatter")


def test_threads_that_share_data_use_cpus_that_share_a_cache(tmp_path):
    (c,) = concluded(tmp_path, PAIRS)
    assert (c.kind, c.subjects[0].variant, c.reference.variant) == (
        Kind.use,
        "same L3",
        "other package",
    )
    assert c.effect.value == pytest.approx(215.4 / 55.11, rel=0.01)
    assert (c.effect.low, c.effect.high) == pytest.approx((3.49, 5.53), rel=0.01)
    text = printed_text(tmp_path, PAIRS)
    assert re.search(r"by loads +CPUs of one L3 +55 +CPUs of two packages +215 +3.5-5.5", text)
    (one_pair,) = concluded(tmp_path, both(0, 2, 50, 50))
    assert one_pair.kind is Kind.nothing_to_gain


def test_classes_that_hardly_differ_change_no_affinity(tmp_path):
    lines = [*both(0, 2, 50, 50), *both(0, 1, 60, 60)]
    (c,) = concluded(tmp_path, lines)
    assert (c.kind, c.reference) == (Kind.keep, c.subjects[0])


def test_pairs_that_the_host_moved_decide_nothing(tmp_path):
    lines = [*both(0, 2, 30, 110, hop=28), *both(0, 1, 200, 202, hop=190)]
    lines += [*pair(1, 3, 110, hop=105), *pair(3, 1, 110, hop=105)]
    (c,) = concluded(tmp_path, lines)
    assert (c.kind, c.condition("placements").name) == (Kind.undecided, "placements")


def test_ways_seen_in_different_placement_states_are_not_compared(tmp_path):
    lines = [
        *pair(0, 2, 30, hop=28),
        *pair(2, 0, 110, hop=105),
        *pair(1, 3, 30, hop=28),
        *pair(3, 1, 31, hop=30),
    ]
    matrix = one(tmp_path, lines)
    assert list(matrix.ways.ratios) == [(1, 3)]
    text = printed_text(tmp_path, lines)
    assert re.search(r"omp handoff +\d +\d +\d +1 ", text)
    # The range of the class is the hypervisor's doing.
    assert re.search(r"same L3 +2 +2 +30.56 +30.06 +110.2 +28 +105", text)


def test_the_drift_of_the_machine_is_told_pass_by_pass(tmp_path):
    drift = one(tmp_path, PAIRS).drift
    assert (drift.pairs, drift.passes) == (10, 3)
    assert drift.least_ns == pytest.approx(201 * 1.001)
    assert drift.most_ns == pytest.approx(201 * 1.003)
    assert re.search(r"omp handoff +3 +10 +201.2 +201.6$", printed_text(tmp_path, PAIRS))
    first = [line for line in PAIRS if line["visit"] == 1]
    assert "all passes" not in printed_text(tmp_path, first)


def test_a_pass_that_was_cut_short_is_no_drift(tmp_path):
    # The third pass saw the far pairs alone, and another one lacks a near pair.
    far = [ln for ln in PAIRS if ln["visit"] < 3 or ln["point"]["pus"] in ([0, 1], [1, 0])]
    assert one(tmp_path, far).drift.passes == 2
    lacking = [ln for ln in PAIRS if (ln["visit"], ln["point"]["pus"]) != (2, [0, 2])]
    drift = one(tmp_path, lacking).drift
    assert (drift.pairs, drift.passes) == (9, 3)
    assert drift.most_ns / drift.least_ns == pytest.approx(1.003 / 1.001)


def test_a_busy_way_is_not_compared_with_a_quiet_one(tmp_path):
    lines = both(0, 2, 30, 44)
    for line in lines[3:]:
        line["estimates"][0]["busy"] = True
    assert not one(tmp_path, lines).ways.ratios


def test_one_matrix_of_each_op_and_none_where_pus_are_not_named(tmp_path):
    lines = [*PAIRS, *both(0, 2, 70, 71, op="handoff_cas"), *pair(0, 2, 90, op="handoff_twice")]
    lines += visits([5.0] * 3, point(lanes=2))
    found = core_to_core.rows(file_of(tmp_path / "f", lines))
    # One pair is a row of the table of points.
    assert [m.what.op for m in found] == ["handoff", "handoff_cas"]
    # No topology, no order and no class.
    assert not core_to_core.rows(file_of(tmp_path / "f", lines, units=None))
    (figure,) = drawing.figures(found)
    assert len(figure.panels) == 2
    assert figure.title == "Time from CPU to CPU"


def test_many_cpus_stand_in_blocks_of_one_package():
    places = {pu: {"pu": pu, "package": pu // 20, "core": pu // 2} for pu in range(40)}
    blocks = blocks_of(places, 16)
    assert [len(block) for block in blocks] == [4] * 10
    assert blocks[0] == [0, 1, 2, 3]
    assert len(blocks_of(places, 1)) == 2


def test_a_block_has_the_median_of_its_pairs(tmp_path):
    many = printed_text(tmp_path, both(0, 1, 50, 51), both(0, 64, 90, 90), units=flat(65))
    assert re.search(r"\n0-7 +50\.6\d+( +\.)* +90\.18\n", many)


def test_a_pair_without_a_cost_shows_its_bound_or_its_status(tmp_path):
    failed = pair(2, 3, 100, n=1)
    failed[0].update(status="failed", estimates=[], reason="wrong value")
    open_ = pair(3, 2, 20)
    for line, cost in zip(open_, (20.0, -20.0, 20.0), strict=True):
        line["estimates"][0]["cost_ns"] = {"value": cost, "low": cost - 1, "high": cost + 1}
    text = printed_text(tmp_path, PAIRS, failed, open_)
    assert " failed\n" in text
    assert re.search(r" < [1-9][0-9.]+ ", text)


def test_passes_of_two_files_are_not_one(tmp_path):
    first = campaign(units=UNITS)
    later = [*both(1, 3, 90, 90), *both(0, 3, 210, 300)]
    paths = [
        write(tmp_path / "a", both(0, 2, 50, 50), both(0, 1, 200, 202), first=first),
        write(tmp_path / "b", later, first=first),
    ]
    (matrix,) = core_to_core.rows(campaign_of([read_results(p) for p in paths]))
    assert matrix.drift is None


MEASURED = Path(__file__).parent / "data" / "core-to-core.jsonl.xz"


def test_of_a_measured_file_every_matrix_is_drawn_and_medians_are_the_drivers():
    (section,) = sections(read(MEASURED), ["core-to-core"])
    (drawn,) = drawing.figures(section.rows)
    for matrix in section.rows:
        assert {s.id for s in matrix.cells.values()} <= set(drawn.points)
    text = as_plain(section.title, section.blocks)
    # The medians as `syncmeter show` told them when the file was measured.
    assert re.search(r"same L3 +1 +1 +261\.7 +259\.4 +263\.9 +244", text)
    assert re.search(r"same L3 +1 +1 +266\.2 +265\.8 +266\.6 +244", text)


def test_every_option_that_the_matrix_names_is_one(tmp_path):
    many = printed_text(tmp_path, both(0, 1, 50, 51), both(0, 64, 90, 90), units=flat(65))
    assert set(re.findall(r"--[a-z-]+", many)) == {"--csv", "--study"}, "of show and run"
