"""Matrices of pairs of PUs: a grid in the order of the topology, classes, both ways round, drift."""

import fcntl
import os
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from syncmeter_analysis.conclude.conclusion import Kind
from syncmeter_analysis.conclude.studies.core_to_core import conclude
from syncmeter_analysis.record.reader import read_results
from syncmeter_analysis.record.topology import foldings
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
    return lines[next(i for i, line in enumerate(lines) if line.startswith("PU ")) :]


def test_rows_and_columns_are_in_topology_order_with_intervals(tmp_path):
    text = printed_text(tmp_path, PAIRS)
    assert ("omp handoff: ns one way, half a round trip; the row is the first lane") in text
    grid = [re.sub(r"\+-[0-9.]+", "", line).split() for line in _map_of(text)[:6]]
    assert grid == [
        ["PU", "0", "2", "|", "1", "3"],
        ["0", ".", "50.1", "|", "200", "210"],
        ["2", "50.1", ".", "|", "220", "."],
        [],
        ["1", "202", "220", "|", ".", "60.1"],
        ["3", "301", ".", "|", "60.1", "."],
    ]
    assert "50.1+-0.1" in text


def test_where_no_cache_is_known_packages_are_told_apart(tmp_path):
    units = [{**unit, "l2": -1, "l3": -1} for unit in UNITS]
    text = printed_text(tmp_path, PAIRS, units=units)
    assert _map_of(text)[0].split() == ["PU", "0", "2", "|", "1", "3"]
    chiplets = [{**unit, "package": 0, "numa": 0} for unit in UNITS]
    text = printed_text(tmp_path, PAIRS, units=chiplets)
    assert _map_of(text)[0].split() == ["PU", "0", "2", "|", "1", "3"]


def test_a_class_has_its_median_and_range(tmp_path):
    near, far = one(tmp_path, PAIRS).classes
    assert (near.name, near.pairs, near.measured) == ("same L3", 2, 2)
    assert sorted(near.costs) == pytest.approx([50.1, 50.1, 60.12, 60.12])
    # PUs 2 and 3 were not measured.
    assert (far.name, far.pairs, far.measured) == ("other package", 4, 3)
    text = printed_text(tmp_path, PAIRS)
    assert re.search(r"same L3 +2 +55.11 +50.10..60.12", text)
    assert re.search(r"other package +3 of 4 +215.4 +200.4..300.6", text)


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
    assert (
        "Which thread of a pair begins (omp handoff): of 5 comparisons of both directions 1 is "
        "different (PUs 0 and 3, by 42.9 %), 4 are shown not to (each 95 % CI)"
    ) in " ".join(printed_text(tmp_path, PAIRS).split())


def test_the_directions_of_all_ops_are_one_sentence_on_what_is_shown(tmp_path):
    unsteady = [*pair(0, 2, 100, jitter=0.2), *pair(2, 0, 100, jitter=-0.2)]
    other = both(0, 2, 70, 91, op="handoff_cas") + both(1, 3, 70, 80, op="handoff_cas")
    text = " ".join(printed_text(tmp_path, unsteady, both(1, 3, 60, 60), other).split())
    assert text.count("Which thread of a pair begins") == 1
    # Each pair is measured with each op: no pairs of PUs are counted here.
    assert (
        "(omp handoff and omp handoff_cas): of 4 comparisons of both directions 2 are different (most: "
        "omp handoff_cas, PUs 0 and 2, by 30.0 %), 1 is shown not to, 1 is undecided (each 95 % CI)"
    ) in text
    text = printed_text(tmp_path, unsteady, both(1, 3, 60, 60))
    assert (
        "of 2 comparisons of both directions none is shown to differ by over 5 %, 1 is shown not to, 1 "
        "is undecided" in " ".join(text.split())
    )


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
    assert "1 pair not comparable: seen in different placement states" in text
    # The range of the class is the hypervisor's doing.
    assert re.search(r"same L3 +2 +30.56 +30.06..110.2 +28..105", text)
    assert (
        "pairs of the class same L3 were 28 to 105 ns apart, by the probe of each round: part of "
        in text
    )
    assert "the hypervisor" not in printed_text(tmp_path, PAIRS)


def test_the_drift_of_the_machine_is_told_pass_by_pass(tmp_path):
    drift = one(tmp_path, PAIRS).drift
    assert (drift.pairs, drift.passes) == (10, 3)
    assert drift.least_ns == pytest.approx(201 * 1.001)
    assert drift.most_ns == pytest.approx(201 * 1.003)
    assert "from pass to pass (0.2 % apart)" in printed_text(tmp_path, PAIRS)
    first = [line for line in PAIRS if line["visit"] == 1]
    assert "pass to pass" not in printed_text(tmp_path, first)


def test_a_pass_that_was_cut_short_is_no_drift(tmp_path):
    # The third pass saw the far pairs alone, and another one lacks a near pair.
    far = [ln for ln in PAIRS if ln["visit"] < 3 or ln["point"]["pus"] in ([0, 1], [1, 0])]
    assert one(tmp_path, far).drift.passes == 2
    lacking = [ln for ln in PAIRS if (ln["visit"], ln["point"]["pus"]) != (2, [0, 2])]
    drift = one(tmp_path, lacking).drift
    assert (drift.pairs, drift.passes) == (9, 3)
    assert drift.most_ns / drift.least_ns == pytest.approx(1.003 / 1.001)


def test_a_cell_seen_in_several_states_or_busy_is_marked(tmp_path):
    lines = both(0, 2, 30, 44, hop=28)
    for line in lines:
        if line["point"]["pus"] == [0, 2]:
            (e,) = line["estimates"]
            cost = {"value": 90.0, "low": 89.0, "high": 91.0}
            line["estimates"].append(
                {**e, "state": 1, "rounds": 6, "cost_ns": cost, "hop_ns": 85.0}
            )
        else:
            line["estimates"][0]["busy"] = True
    text = printed_text(tmp_path, lines)
    assert re.search(r"30\.1\+-[0-9.]+\*", text)
    assert re.search(r"44\.1\+-[0-9.]+!", text)
    assert "- * seen in several placement states" in text
    assert "- ! a PU of the pair was shared" in text
    assert "* seen in several" not in printed_text(tmp_path, PAIRS)


def test_a_busy_way_is_not_compared_with_a_quiet_one(tmp_path):
    lines = both(0, 2, 30, 44)
    for line in lines[3:]:
        line["estimates"][0]["busy"] = True
    assert not one(tmp_path, lines).ways.ratios


def test_colours_only_where_they_are_wanted_and_of_equal_width(tmp_path):
    plain, coloured = printed_text(tmp_path, PAIRS), printed_text(tmp_path, PAIRS, coloured=True)
    assert "\x1b[48;5;22m\x1b[38;5;231m50.1+-0.1" in coloured
    assert re.search(r"\x1b\[48;5;88m\x1b\[38;5;231m *301\+-", coloured)
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_noise_is_not_painted_as_a_difference(tmp_path):
    coloured = printed_text(tmp_path, both(0, 2, 50, 51), coloured=True)
    assert "48;5;22m" in coloured
    assert "48;5;88m" not in coloured


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


def test_one_numa_node_has_no_other_home(tmp_path):
    assert "one NUMA node" not in printed_text(tmp_path, PAIRS)
    assert "home: there is one NUMA node" in printed_text(tmp_path, PAIRS, nodes=1)
    elsewhere = both(0, 2, 50, 50, home=None)
    assert "one NUMA node" not in printed_text(tmp_path, elsewhere, nodes=1)


def test_many_pus_leave_the_intervals_out_and_then_are_folded(tmp_path):
    twenty = printed_text(tmp_path, both(0, 1, 50, 51), units=flat(20))
    assert " 50.1 " in twenty
    assert "50.1+-" not in twenty
    assert "95 % intervals: the widest is +-0." in twenty
    assert "|" not in twenty
    many = printed_text(tmp_path, both(0, 1, 50, 51), both(0, 64, 90, 90), units=flat(65))
    assert "1 of 2080" not in many
    assert "2 of 2080" in many
    assert (
        "blocks of PUs, each up to 3 PUs, the median over the pairs; the row has the first" in many
    )
    assert re.search(r"\n 0 0-1 +50\.6( +\.)* 90\.2\n", many)


def threaded(pus, packages, l3s):
    """Cores of two threads; the second ones have the numbers behind all first ones."""
    cores = pus // 2

    def unit(pu):
        core = pu % cores
        package = core * packages // cores
        places = {"package": package, "numa": package, "l3": core * l3s // cores}
        return {"pu": pu, **places, "l2": core, "core": core, "thread": pu // cores}

    return [unit(pu) for pu in range(pus)]


def all_pairs(units):
    """One visit to each pair: 20 ns on a core, 60 under an L3, 240 beyond."""

    def cost(a, b):
        return 20 if a["core"] == b["core"] else 60 if a["l3"] == b["l3"] else 240

    return [pair(a["pu"], b["pu"], cost(a, b), n=1) for a in units for b in units if a is not b]


@pytest.mark.parametrize("width", [100, 80])
def test_64_pus_fit_a_terminal_in_blocks_of_two_cores(tmp_path, width):
    units = threaded(64, packages=2, l3s=2)
    (section,) = sections(file_of(tmp_path / "f", *all_pairs(units), units=units))
    text = as_plain(section.title, section.blocks, width=width)
    lines = text.split("\n\nclasses of pairs")[0].splitlines()
    assert max(map(len, lines)) <= width
    rows = [line.split() for line in lines if re.match(r" ?[0-9]+ [0-9]+-", line)]
    assert len(rows) == 16
    assert rows[0][:2] == ["0", "0-1,32-33"]
    # Within a block two thirds of the pairs are of two cores.
    assert rows[0][2:] == [*["60"] * 8, "|", *["240"] * 8]
    assert rows[8][1:] == ["16-17,48-49", *["240"] * 8, "|", *["60"] * 8]
    assert re.search(r"same core +32 +20\.02", text)


def test_a_map_of_16_pus_loses_intervals_before_pairs(tmp_path):
    units = threaded(16, packages=1, l3s=2)
    (section,) = sections(file_of(tmp_path / "f", *all_pairs(units), units=units))

    def row_of(width):
        return as_plain(section.title, section.blocks, width=width).split("\n0 ")[1].split()

    assert row_of(300)[1] == "20.0+-?"
    assert row_of(130)[1] == "20.0"
    assert row_of(80)[1] == "20"
    assert [len(row_of(width)[: row_of(width).index("8")]) for width in (300, 130, 80)] == [17] * 3
    text = as_plain(section.title, section.blocks, width=60)
    assert "blocks of PUs, each 1 core," in " ".join(text.split())


def test_the_map_is_as_wide_as_the_terminal(tmp_path):
    units = threaded(16, packages=1, l3s=2)
    file = write(tmp_path / "f", *all_pairs(units), first=campaign(units=units))
    ours, terminal = os.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 70, 0, 0))
    command = [sys.executable, "-m", "syncmeter_analysis.command", "text", str(file)]
    command.append("--tables")
    folder = Path(__file__).parents[1]
    quiet = {**os.environ, "NO_COLOR": "1"}
    with subprocess.Popen(command, stdout=terminal, cwd=folder, env=quiet):
        os.close(terminal)
        with os.fdopen(ours, "rb", buffering=0) as shown:
            text = b"".join(iter(lambda: _read(shown), b"")).decode()
    lines = text.split("classes of pairs")[0].splitlines()
    (begin,) = [i for i, line in enumerate(lines) if line.startswith("PU ")]
    assert max(map(len, lines[begin:])) <= 70


def _read(terminal):
    """What a terminal shows, b'' where nobody writes to it any more."""
    try:
        return terminal.read(4096)
    except OSError:
        return b""


def test_blocks_keep_within_what_the_next_larger_ones_share():
    sizes = [
        (folding.each, [len(block) for block in folding.blocks])
        for folding in foldings({unit["pu"]: unit for unit in threaded(20, packages=2, l3s=2)})
    ]
    assert sizes == [
        ("1 PU", [1] * 20),
        ("1 core", [2] * 10),
        ("up to 2 cores", [2, 4, 4, 2, 4, 4]),
        ("up to 3 cores", [4, 6, 4, 6]),
        ("1 L3", [10, 10]),
    ]


def test_indices_of_caches_repeat_from_package_to_package():
    units = {pu: {"pu": pu, "package": pu // 4, "l3": pu // 2 % 2} for pu in range(8)}
    assert [f.blocks for f in foldings(units)][1] == [[0, 1], [2, 3], [4, 5], [6, 7]]


def test_a_pair_without_a_cost_shows_its_bound_or_its_status(tmp_path):
    failed = pair(2, 3, 100, n=1)
    failed[0].update(status="failed", estimates=[], reason="wrong value")
    open_ = pair(3, 2, 20)
    for line, cost in zip(open_, (20.0, -20.0, 20.0), strict=True):
        line["estimates"][0]["cost_ns"] = {"value": cost, "low": cost - 1, "high": cost + 1}
    text = printed_text(tmp_path, PAIRS, failed, open_)
    assert " failed\n" in text
    assert re.search(r" <[1-9][0-9]+ ", text)


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
    assert re.search(r"same L3 +1 +261\.7 +259\.4\.\.263\.9 +244", text)
    assert re.search(r"same L3 +1 +266\.2 +265\.8\.\.266\.6 +244", text)


def test_every_option_that_the_matrix_names_is_one(tmp_path):
    many = printed_text(tmp_path, both(0, 1, 50, 51), both(0, 64, 90, 90), units=flat(65))
    assert set(re.findall(r"--[a-z-]+", many)) == {"--csv", "--study"}, "of show and run"
