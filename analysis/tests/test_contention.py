"""Throughput by cells and by distance, from costs made by hand."""

import pytest

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
    text = printed_text(tmp_path, lines)
    assert (
        "2 cells cannot be compared with the throughput of one cell (seen in different pla" in text
    )
    (line,) = [x for x in text.splitlines() if x.startswith("omp") and "same L3" not in x]
    assert "not comparable with one cell: seen in different" in line


def test_the_farthest_lanes_of_a_cell_say_what_joins_it(tmp_path):
    four = part_of(tmp_path, two_packages()).rows[2]
    assert four.by_cells[1].joined_by == "other package"
    assert four.by_cells[2].joined_by == "same L3"  # neighbours share one
    assert four.by_cells[4].joined_by == ""


def test_near_lanes_are_beside_far_ones(tmp_path):
    part = part_of(tmp_path, two_packages())
    (pair,) = part.pairs
    assert (pair.near.placed, pair.far.placed, pair.cells) == ("close", "spread", 1)
    assert pair.far_over_near.value == pytest.approx(3)
    assert ": 3.00 (3.00..3.00) times" in printed_text(tmp_path, two_packages())


def test_no_ratio_crosses_placement_states_but_both_costs_are_told(tmp_path):
    (pair,) = part_of(tmp_path, two_packages(65.0, 235.0)).pairs
    assert isinstance(pair.far_over_near, NotComparable)
    text = printed_text(tmp_path, two_packages(65.0, 235.0))
    assert "- omp atomic_add, 2 lanes on 1 cell: same L3 (close) 26.67 (" in text
    assert " ns, hop 65 ns; other package (spread) 80.02 (" in text
    assert " ns, hop 235 ns: no ratio (seen in different placement states)" in text


def test_the_text_has_a_line_for_each_conclusion(tmp_path):
    text = printed_text(tmp_path, two_packages())
    assert (
        "- omp atomic_add, 4 threads, close: give each thread a cell of its own, because 4 cells give "
        "20.1 times the throughput of one cell (" in text
    )
    assert "; one cell gives 0.200 times that of one thread alone (" in text
    assert "cannot tell" not in text
    assert "ops/s of all lanes, and fairness, by lanes and cells" in text
    # 2 lanes of 26.67 ns on one cell.
    assert "75.0 M 0.990" in text
    assert "hypervisor" not in text


def test_one_domain_knows_nothing_of_far_lanes(tmp_path):
    lines = placed(cells_of(1, 1), 5.0, [0])
    lines += placed(cells_of(2, 1), 20.0, [0, 1]) + placed(cells_of(2, 2), 5.0, [0, 1])
    text = printed_text(tmp_path, lines, units=ONE_L3, machine={**MACHINE, "hypervisor": True})
    assert "cannot tell: all processing units here are in one domain (same L3), so that" in text
    assert "- the domains are as the hypervisor reports them" in text
    assert "by lanes and cells" not in text  # one and two lanes are in the first table
    assert "cannot tell: the file does not say where its processing" in printed_text(
        tmp_path, lines, units=[]
    )


def test_units_that_the_file_does_not_place_are_neither_near_nor_far(tmp_path):
    nowhere = [{"pu": pu, "core": -1, "package": -1} for pu in range(4)]
    part = part_of(tmp_path, two_packages(), units=nowhere)
    assert part.pairs == []
    assert part.why_no_pairs == "what the lanes share is not known here"
    some = [*TWO_PACKAGES[:2], *nowhere[2:]]
    lines = placed(cells_of(2, 1), 20.0, [0, 1])
    lines += placed(cells_of(2, 1, "spread"), 60.0, [2, 3])
    assert part_of(tmp_path, lines, units=some).pairs == []


def test_equally_far_apart_everywhere_is_said(tmp_path):
    lines = [
        *placed(cells_of(2, 1), 20.0, [0, 1]),
        *placed(cells_of(2, 1, "spread"), 20.0, [2, 3]),
    ]
    assert part_of(tmp_path, lines).why_no_pairs.startswith("every policy puts the lanes")


def test_one_lane_knows_nothing_of_contention(tmp_path):
    text = printed_text(tmp_path, placed(cells_of(1, 1), 5.0, [0]), units=ONE_L3)
    assert "- cannot tell: points with two lanes or more were not measured" in text
    assert "cannot tell: no two lanes shared a cell" in text


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


def test_the_figure_tells_what_contention_costs(tmp_path):
    path = write(tmp_path / "f", two_packages(), first=first())
    (figure,) = drawing.figures(contention.rows(read(path)))
    assert figure.title.startswith("omp atomic_add, 4 threads, close: give each thread a cell")
    assert [panel.title for panel in figure.panels] == [
        "int32, affinity close",
        "int32, affinity spread",
    ]


def test_of_several_placements_of_the_most_lanes_the_figure_tells_the_worst(tmp_path):
    lines = placed(cells_of(1, 1), 5.0, [0]) + placed(cells_of(2, 1), 20.0, [0, 1])
    lines += placed(cells_of(2, 1, "spread"), 40.0, [0, 2])
    (figure,) = drawing.figures(contention.rows(read(write(tmp_path / "f", lines, first=first()))))
    assert figure.title.startswith("omp atomic_add, 2 threads, spread: one cell gives 0.250 times ")


def test_points_without_a_number_of_cells_are_of_other_studies(tmp_path):
    other = visits([5.0] * 5, point(type="int32", placement="strided", stride=1024, lanes=2))
    assert not contention.rows(read(write(tmp_path / "f", other)))
