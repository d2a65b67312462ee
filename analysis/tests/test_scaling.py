"""Costs against threads: alternatives side by side, compared inside one placement state."""

import re

import pytest

from syncmeter_analysis.render.charts.scaling import scaling_figures
from tests.made import around, campaign, point, read, visits, write


def at(lanes, cost, hop=0.0, op="atomic_add", kind="int32", **members):
    what = point(op, placement="shared", type=kind, lanes=lanes)
    return visits(around(cost), what, estimate={"hop_ns": hop}, **members)


def curve(op, costs, **members):
    return [at(lanes, cost, op=op, **members) for lanes, cost in costs.items()]


def figures(tmp_path, *lines):
    flat = [line for part in lines for line in part]
    return scaling_figures(read(write(tmp_path / "f.jsonl", *flat, first=campaign())))


@pytest.mark.parametrize(
    ("hop", "shown"),
    [
        (66.0, "up to 8.00 times slower (within 0.1 %) from 2 to 8 threads"),
        (235.0, "not comparable"),
    ],
)
def test_costs_are_compared_in_one_state_or_not_at_all(tmp_path, hop, shown):
    (figure,) = figures(tmp_path, [at(2, 10.0, 65.0), at(4, 40.0, 66.0), at(8, 80.0, hop)])
    assert shown in figure.title


def test_alternatives_stand_side_by_side_and_the_title_says_how_far_apart(tmp_path):
    lanes = (2, 4, 8)
    (figure,) = figures(
        tmp_path,
        curve("atomic_add", {n: 5.0 * n for n in lanes}),
        curve("lock_add", {n: 20.0 * n for n in lanes}, family="critical"),
        curve("critical_add", {n: 30.0 * n for n in lanes}, family="critical"),
    )
    (panel,) = figure.panels
    drawn = {row["name"] for row in panel.drawing.rows}
    assert drawn == {"omp atomic_add", "omp lock_add", "omp critical_add"}
    assert "on 8 threads, shared critical_add is 6.00 times slower" in figure.title
    assert "than atomic_add" in figure.title


def test_the_title_compares_with_all_that_no_difference_is_shown_between(tmp_path):
    costs = {n: 20.0 * n for n in (2, 4, 8)}
    alike = [
        x
        for n, ns in costs.items()
        for x in visits(
            [ns * x for x in (0.9, 0.95, 0.99, 1.05, 1.1)],
            point("critical_add", placement="shared", type="int32", lanes=n),
            family="critical",
        )
    ]
    (figure,) = figures(
        tmp_path,
        curve("lock_add", costs, family="critical"),
        [alike],
        curve("ticket_lock_add", {n: 60.0 * n for n in costs}, family="critical"),
    )
    slower = r"on 8 threads, shared ticket_lock_add is at least 2\.\d+ times slower than each of "
    assert re.search(slower + "lock_add and critical_add$", figure.title), figure.title


def test_two_numbers_of_threads_are_no_line(tmp_path):
    assert figures(tmp_path, curve("atomic_add", {1: 5.0, 2: 9.0})) == []


def test_types_of_an_op_have_a_line_each(tmp_path):
    parts = [
        curve("atomic_add", {n: factor * n for n in (2, 4, 8)}, kind=kind)
        for kind, factor in (("int32", 5.0), ("double", 15.0))
    ]
    job, types = figures(tmp_path, *parts)
    assert [r["name"] for r in job.panels[0].drawing.rows] == ["omp atomic_add"] * 3
    assert {r["name"] for r in types.panels[0].drawing.rows} == {"int32", "double"}
    assert "double is 3.00 times slower" in types.title


def test_what_is_not_drawn_is_named(tmp_path):
    lines = []
    for stride in range(1, 13):
        for lanes in (2, 4, 8):
            what = point(placement="strided", stride=stride, type="int32", lanes=lanes)
            lines.append(visits(around(5.0), what))
    (figure,) = figures(tmp_path, lines)
    assert len(figure.panels) == 9
    drawn = {panel.title for panel in figure.panels}
    missing = {f"{4 * stride} B apart" for stride in range(1, 13)} - drawn
    assert len(missing) == 3
    assert all(name in figure.note for name in missing)
