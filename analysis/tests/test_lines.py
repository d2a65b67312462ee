"""No line through two points: it shows a course that nobody measured."""

import re
from pathlib import Path

import altair as alt
import pytest
import vl_convert

from syncmeter_analysis.render.charts import figure
from syncmeter_analysis.render.charts.figure import long_lines


def lines_of(**courses):
    """How many lines are drawn of these courses, each a list of x."""
    rows = [{"x": x, "y": 1.0, "line": name} for name, xs in courses.items() for x in xs]
    base = alt.Chart().encode(x="x:Q", y="y:Q", color="line:N")
    layers = long_lines(base.mark_line(), rows, "x", "line")
    # Vega warns of a layer without data.
    assert bool(layers) == any(len(set(xs)) > 2 for xs in courses.values())
    chart = alt.layer(*layers, base.mark_point(), data=alt.Data(values=rows))
    return vl_convert.vegalite_to_svg(chart.to_dict()).count('"line mark"')


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


def test_every_figure_with_lines_leaves_the_short_ones_out():
    # Those by threads are of three numbers of threads or more to begin with.
    folder = Path(figure.__file__).parent
    drawing = {p for p in folder.glob("*.py") if "mark_line(" in p.read_text()}
    assert {p.stem for p in drawing} >= {"barrier", "contention", "scaling"}
    for path in drawing - {folder / "scaling.py"}:
        assert re.search(r"= long_lines\(", path.read_text()), path
