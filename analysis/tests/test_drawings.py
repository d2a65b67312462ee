"""What is drawn is measured, inside its frame, explained where it is there, and labels stand apart:
no line through two points shows a course that nobody measured."""

import pytest
import vl_convert

from syncmeter_analysis.relate.fleet import fleet_of
from syncmeter_analysis.render.charts.draw import palette, spec_of
from syncmeter_analysis.render.fleet import fleet_figure
from syncmeter_analysis.studies.figures import Axis, Curves, Dots, Heat, Panel
from tests.test_fleet import node


def lines_of(**courses):
    """How many lines are drawn of these courses, each a list of x."""
    rows = [
        {"x": x, "value": 1.0, "name": name, "id": ""} for name, xs in courses.items() for x in xs
    ]
    spec = spec_of(Panel("", Curves(rows, Axis("x"), Axis("y"), list(courses))))
    # Vega warns of a layer without data.
    lines = [layer for layer in spec["layer"] if layer["mark"]["type"] == "line"]
    assert bool(lines) == any(len(set(xs)) > 2 for xs in courses.values())
    return vl_convert.vegalite_to_svg(spec).count('"line mark"')


@pytest.mark.parametrize(
    ("courses", "drawn"),
    [
        ({"a": [1, 2]}, 0),
        ({"a": [1, 2], "b": [1, 2]}, 0),
        ({"a": [1, 1, 2]}, 0),
        ({"a": [1, 2, 3], "b": [1, 2]}, 1),
        ({"a": [1, 2, 3], "b": [1, 2, 3]}, 2),
    ],
)
def test_a_line_takes_three_values(courses, drawn):
    assert lines_of(**courses) == drawn


def dots(*values, ratios=False):
    """The Vega-Lite of these (row, group, value)."""
    rows = [
        {"row": row, "group": group, "value": value, "low": None, "high": None, "id": ""}
        | ({} if ratios else {"label": f"{value}"})
        for row, group, value in values
    ]
    return spec_of(Panel("", Dots(rows, "", ["a", "b"], ratios=ratios)))


def encodings(spec, channel):
    return [layer["encoding"][channel] for layer in spec["layer"] if channel in layer["encoding"]]


def test_a_legend_explains_only_what_is_drawn_in_the_colour_that_it_has_elsewhere():
    rows = [{"x": x, "value": 1.0, "name": "c", "id": ""} for x in (1, 2, 3)]
    spec = spec_of(Panel("", Curves(rows, Axis("x"), Axis("y"), ["a", "b", "c"], "op")))
    scales = [colour["scale"] for colour in encodings(spec, "color")]
    assert scales and all(s == {"domain": ["c"], "range": [palette[2]]} for s in scales)


@pytest.mark.parametrize("labelled", [True, False])
def test_a_dot_at_the_end_of_an_axis_is_inside_its_frame_with_its_label(labelled):
    spec = dots(("least", "a", 5.0), ("most", "a", 5e4))
    if not labelled:
        rows = [{**r, "label": None} for r in spec["data"]["values"]]
        bare = [{k: v for k, v in r.items() if k not in ("label", "dy")} for r in rows]
        spec = spec_of(Panel("", Dots(bare, "", ["a", "b"])))
    scale = next(x["scale"] for x in encodings(spec, "x") if "scale" in x)
    # The axis ends where its dots do, and pixels beyond: of a phone's figure a factor is too much.
    assert scale["domain"] == [5.0, 5e4]
    assert scale["padding"] >= (25 if labelled else 5)


def test_one_cost_alone_has_an_axis():
    scale = next(x["scale"] for x in encodings(dots(("one", "a", 5.0)), "x") if "scale" in x)
    assert scale["domain"][0] < 5.0 < scale["domain"][1]


@pytest.mark.parametrize("ratio", [0.3, 3.0])
def test_the_line_of_1_is_inside_the_frame(ratio):
    spec = dots(("op", "a", ratio), ("other", "a", ratio * 1.1), ratios=True)
    low, high = next(x["scale"]["domain"] for x in encodings(spec, "x") if "scale" in x)
    assert low < min(1.0, ratio) and high > max(1.0, ratio * 1.1)


def test_labels_of_dots_side_by_side_stand_above_and_below():
    near = dots(("lock", "a", 100.0), ("lock", "b", 105.0), ("wide", "a", 10.0), ("wide", "b", 1e4))
    sides = {(r["value"], r["dy"] > 0) for r in near["data"]["values"]}
    assert sides == {(100.0, False), (105.0, True), (10.0, False), (1e4, True)}
    far = dots(("lock", "a", 10.0), ("lock", "b", 1e4))
    assert all(r["dy"] < 0 for r in far["data"]["values"])


def test_a_map_with_its_numbers_in_it_has_no_scale_of_values_that_nobody_measured():
    rows = [
        {"x": "0", "y": "1", "value": 243.0, "label": "243", "low": None, "high": None, "id": ""}
    ]
    few, many = ([str(i) for i in range(n)] for n in (2, 20))
    for pus, legend in ((few, False), (many, True)):
        heat = Heat(rows, ("to", pus), ("from", pus), "ns", (243.0, 364.5), (34, 34))
        (colour,) = encodings(spec_of(Panel("", heat)), "color")[:1]
        assert ("legend" not in colour) == legend


def test_each_of_a_few_nodes_has_its_name_beside_its_bar():
    (panel,) = fleet_figure(fleet_of([node(i, {1: 1.2}.get(i)) for i in range(5)])).panels
    spec = spec_of(panel)
    order = next(y["sort"] for y in encodings(spec, "y"))
    assert sorted(order[:-1]) == ["node00", "node02", "node03", "node04"] and order[-1] == "node01"


def test_no_bar_of_many_nodes_is_cut():
    (panel,) = fleet_figure(fleet_of([node(i, {1: 1.2, 2: 0.9}.get(i)) for i in range(50)])).panels
    spec = spec_of(panel)
    rows = spec["data"]["values"]
    for axis, ends in (("x", ("x",)), ("y", ("value", "low", "high"))):
        low, high = next(a["scale"]["domain"] for a in encodings(spec, axis) if "scale" in a)
        assert all(low < r[end] < high for r in rows for end in ends)
    assert {r["beside"].split()[0] for r in rows if "beside" in r} == {"node01", "node02"}
    # Left of a dot at the left end there is no room for its name; no other dot is at its height.
    written = [layer["mark"] for layer in spec["layer"] if layer["mark"]["type"] == "text"]
    seen = {(mark["align"], mark["dx"], mark["dy"]) for mark in written}
    assert seen == {("right", -8, 0), ("left", 8, 0)}


@pytest.mark.parametrize(("number", "dy"), [(0.985, 11), (1.015, -11)])
def test_a_name_beside_a_dot_lies_on_no_other_dot(number, dy):
    """One point is slow, so that the node differs and is in the middle of the others."""
    nodes = [node(i, {1: 1.2, 2: 0.9}.get(i)) for i in range(50)]
    nodes.append(node(50, dict.fromkeys(range(12), number) | {3: 1.5}))
    (panel,) = fleet_figure(fleet_of(nodes)).panels
    rows = spec_of(panel)["data"]["values"]
    assert {r["id"]: r["dy"] for r in rows if "beside" in r} == {
        "node01": 0,
        "node02": 0,
        "node50": dy,
    }
