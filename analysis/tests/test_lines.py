"""No line through two points: it shows a course that nobody measured."""

import pytest
import vl_convert

from syncmeter_analysis.render.charts.draw import spec_of
from syncmeter_analysis.studies.figures import Axis, Curves, Panel


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
