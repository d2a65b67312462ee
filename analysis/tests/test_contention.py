"""Throughput by cells and by distance, from costs made by hand."""

import pytest

from syncmeter_analysis.conclude.conclusion import Kind
from syncmeter_analysis.conclude.studies.contention import conclude
from syncmeter_analysis.relate.relation import NotComparable
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import contention, sections
from syncmeter_analysis.studies import contention as drawing
from tests.made import MACHINE, campaign, point, read, visits, write


def unit(pu, package, core):
    return {"pu": pu, "package": package, "core": core, "l3": package, "l2": core, "numa": package}


#: Two packages of two cores: PUs 0 and 1, 2 and 3.
TWO_PACKAGES = [unit(pu, pu // 2, pu) for pu in range(4)]
ONE_L3 = [unit(pu, 0, pu) for pu in range(2)]


def cells_of(lanes, cells, affinity="close"):
    return point(
        type="int32",
        placement="strided",
        stride=1024,
        cells=cells,
        lanes=lanes,
        affinity=affinity,
    )


def placed(what, ns, pus, hop=0.0):
    """Five visits that drift by 10 % each, which cancels."""
    costs = [ns * 1.1**n * (1 + 0.002 * (-1) ** (n + what["cells"])) for n in range(1, 6)]
    return visits(costs, what, pus=pus, estimate={"hop_ns": hop})


def two_packages(near=0.0, far=0.0):
    lines = placed(cells_of(1, 1), 5.0, [0])
    lines += placed(cells_of(2, 1), 20.0, [0, 1], near)
    lines += placed(cells_of(2, 2), 5.0, [0, 1], near)
    lines += placed(cells_of(2, 1, "spread"), 60.0, [0, 2], far)
    lines += placed(cells_of(2, 2, "spread"), 5.0, [0, 2], far)
    for cells, ns in ((1, 100.0), (2, 25.0), (4, 5.0)):
        lines += placed(cells_of(4, cells), ns, [0, 1, 2, 3], far)
    return lines


def first(units=TWO_PACKAGES, **members):
    return campaign(options={"study": "contention"}, units=units, **members)


def part_of(tmp_path, *lines, **members):
    file = write(tmp_path / "f", *lines, first=first(**members))
    (part,) = contention.rows(read(file))
    return part


def printed_text(tmp_path, *lines, **members):
    path = write(tmp_path / "f", *lines, first=first(**members))
    (section,) = sections(read(path), ["contention"])
    return as_plain(section.title, section.blocks)


def concluded(tmp_path, *lines, **members):
    return conclude(read(write(tmp_path / "f", *lines, first=first(**members))))


def of_question(found, question):
    return [c for c in found if c.question == question]


def test_throughput_goes_up_with_the_cells(tmp_path):
    part = part_of(tmp_path, two_packages())
    assert [(row.lanes, row.placed) for row in part.rows] == [
        (1, "close"),
        (2, "close"),
        (4, "close"),
        (2, "spread"),
    ]
    four = part.rows[2]
    assert four.by_cells[2].over_one.value == pytest.approx(4, rel=0.01)
    assert four.by_cells[4].over_one.value == pytest.approx(20, rel=0.01)
    assert four.by_cells[4].over_one.visits == 5
    # Four lanes, each a twentieth as fast.
    assert four.over_alone.value == pytest.approx(0.2, rel=0.01)


def test_a_lone_lane_has_no_state_and_is_compared_with_every_one(tmp_path):
    four = part_of(tmp_path, two_packages(65.0, 235.0)).rows[2]
    assert four.over_alone.value == pytest.approx(0.2, rel=0.01)


def test_throughput_is_compared_inside_one_placement_state(tmp_path):
    lines = placed(cells_of(2, 1), 20.0, [0, 1], 65.0)
    lines += placed(cells_of(2, 2), 500.0, [0, 1], 235.0)
    (row,) = part_of(tmp_path, lines).rows
    assert isinstance(row.by_cells[2].over_one, NotComparable)
    (c,) = of_question(concluded(tmp_path, lines), "variables")
    assert (c.kind, c.conditions[0].name) == (Kind.undecided, "other_placement")
    text = printed_text(tmp_path, lines)
    (line,) = [x for x in text.splitlines() if x.startswith("omp") and "same L3" not in x]
    assert "- (seen in different placement states)" in line


def test_the_farthest_lanes_of_a_cell_say_what_joins_it(tmp_path):
    four = part_of(tmp_path, two_packages()).rows[2]
    assert four.by_cells[1].joined_by == "other package"
    assert four.by_cells[2].joined_by == "same L3"  # neighbours share one
    assert four.by_cells[4].joined_by == ""


def test_near_lanes_are_beside_far_ones(tmp_path):
    part = part_of(tmp_path, two_packages())
    (pair,) = part.pairs
    assert (pair.near.placed, pair.far.placed, pair.cells) == ("close", "spread", 1)
    (c,) = of_question(concluded(tmp_path, two_packages()), "distance")
    assert (c.kind, c.subjects[0].variant) == (Kind.use, "same L3")
    assert (c.reference.variant, c.effect.value) == ("other package", pytest.approx(3))
    assert c.condition("pinned")
    assert c.situation.affinity == "close"


def test_near_and_far_threads_in_two_vcpu_placements_are_undecided(tmp_path):
    assert len(part_of(tmp_path, two_packages(65.0, 235.0)).pairs) == 1
    (c,) = of_question(concluded(tmp_path, two_packages(65.0, 235.0)), "distance")
    assert (c.kind, c.conditions[0].name) == (Kind.undecided, "other_placement")


def test_a_variable_per_thread_is_advised_for_the_most_threads(tmp_path):
    found = concluded(tmp_path, two_packages())
    (c,) = of_question(found, "variables")
    assert (c.kind, c.situation.threads) == (Kind.use, 4)
    assert (c.subjects[0].variant, c.reference.variant) == ("own", "one")
    assert c.effect.value == pytest.approx(20, rel=0.02)
    assert c.condition("merge")
    # One thread alone does 5x the operations, and no latency is known.
    assert (c.reason.name, c.reason.value) == ("alone", pytest.approx(5, rel=0.02))
    (fewer,) = of_question(found, "fewer_variables")
    assert (fewer.kind, fewer.situation.size) == (Kind.use, 2)
    assert fewer.effect.value == pytest.approx(4, rel=0.02)


@pytest.mark.parametrize("hop, reason", [(10.0, "line_moves"), (235.0, "few_line_moves")])
def test_a_cost_below_the_latency_has_its_reason(tmp_path, hop, reason):
    (c,) = of_question(concluded(tmp_path, two_packages(hop, hop)), "variables")
    assert (c.reason.name, c.reason.compared) == (reason, hop)


def test_threads_that_gain_nothing_from_own_variables_keep_one(tmp_path):
    lines = placed(cells_of(2, 1), 5.0, [0, 1]) + placed(cells_of(2, 2), 5.0, [0, 1])
    (c,) = of_question(concluded(tmp_path, lines), "variables")
    assert (c.kind, c.subjects[0].variant) == (Kind.keep, "one")
    assert c.condition("merge") is None


def test_the_screen_has_the_choice_and_the_tables_have_the_throughput(tmp_path):
    text = printed_text(tmp_path, two_packages())
    flat = " ".join(text.split())
    assert "atomic add a variable per thread (a) 6.6 one variable 133 20" in flat
    assert "atomic add, 2 variables several variables (a) 33 one variable 133 4.0" in flat
    assert "2 threads, atomic add, variables: 1 CPUs of one L3 (b)" in flat
    assert "do 5.0x fewer operations in total than one thread alone" in flat
    assert "(b) pin the threads (affinity close)." in flat
    assert "ops/s of all threads, and fairness" in text
    # 2 threads, 26.67 ns on one variable.
    assert "75.0 M 0.990" in text
    assert "hypervisor" not in text
    (section,) = sections(read(tmp_path / "f"), ["contention"])
    assert section.first[-1].items[-2:] == [section.screen.details, section.screen.next]


def test_one_domain_knows_nothing_of_far_threads(tmp_path):
    lines = placed(cells_of(1, 1), 5.0, [0])
    lines += placed(cells_of(2, 1), 20.0, [0, 1]) + placed(cells_of(2, 2), 5.0, [0, 1])
    found = concluded(tmp_path, lines, units=ONE_L3)
    (c,) = of_question(found, "distance_unknown")
    assert (c.kind, c.conditions[0].name) == (Kind.undecided, "one_domain")
    text = printed_text(tmp_path, lines, units=ONE_L3)
    assert "all CPUs of this machine are equally near" in " ".join(text.split())
    assert "and fairness" not in text  # one and two threads are in the first table
    (c,) = of_question(concluded(tmp_path, lines, units=[]), "distance_unknown")
    assert c.conditions[0].name == "unknown_cpus"


def test_a_hypervisor_may_report_other_distances(tmp_path):
    guest = {**MACHINE, "hypervisor": True}
    (c,) = of_question(concluded(tmp_path, two_packages(65.0, 65.0), machine=guest), "distance")
    assert (c.kind, bool(c.condition("hypervisor"))) == (Kind.use, True)


def test_units_that_the_file_does_not_place_are_neither_near_nor_far(tmp_path):
    nowhere = [{"pu": pu, "core": -1, "package": -1} for pu in range(4)]
    part = part_of(tmp_path, two_packages(), units=nowhere)
    assert part.pairs == []
    assert part.why_no_pairs == "unknown_domains"
    some = [*TWO_PACKAGES[:2], *nowhere[2:]]
    lines = placed(cells_of(2, 1), 20.0, [0, 1])
    lines += placed(cells_of(2, 1, "spread"), 60.0, [2, 3])
    assert part_of(tmp_path, lines, units=some).pairs == []


def test_equally_far_apart_everywhere_is_said(tmp_path):
    lines = [
        *placed(cells_of(2, 1), 20.0, [0, 1]),
        *placed(cells_of(2, 1, "spread"), 20.0, [2, 3]),
    ]
    assert part_of(tmp_path, lines).why_no_pairs == "equally_far"


def test_one_thread_knows_nothing_of_contention(tmp_path):
    (c,) = concluded(tmp_path, placed(cells_of(1, 1), 5.0, [0]), units=ONE_L3)
    assert (c.question, c.kind, c.conditions[0].name) == (
        "variables",
        Kind.undecided,
        "one_thread",
    )
    assert "only 1 thread was measured" in printed_text(tmp_path, placed(cells_of(1, 1), 5.0, [0]))


def test_placements_that_share_their_measurements_share_a_row(tmp_path):
    lines = placed(cells_of(2, 1), 20.0, [0, 1]) + placed(cells_of(2, 2), 5.0, [0, 1])
    same = [
        {
            "kind": "same",
            "point": cells_of(2, cells, "smt"),
            "measured_as": cells_of(2, cells),
            "why": "equal placement",
        }
        for cells in (1, 2)
    ]
    (row,) = part_of(tmp_path, lines, same).rows
    assert row.placed == "close, smt"


def test_an_operation_has_a_figure_with_a_panel_for_each_affinity(tmp_path):
    path = write(tmp_path / "f", two_packages(), first=first())
    (figure,) = drawing.figures(contention.rows(read(path)))
    assert figure.title == "Throughput by number of variables: omp atomic_add"
    assert [panel.title for panel in figure.panels] == [
        "affinity close",
        "affinity spread",
    ]


def test_points_without_a_number_of_cells_are_of_other_studies(tmp_path):
    other = visits([5.0] * 5, point(type="int32", placement="strided", stride=1024, lanes=2))
    assert not contention.rows(read(write(tmp_path / "f", other)))
