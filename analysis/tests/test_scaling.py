"""Costs against threads: alternatives side by side, compared inside one placement state."""

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
