"""The controls of a report: costs that are known beforehand."""

import pytest

from syncmeter_analysis.render.controls import control_rows
from tests.made import campaign, point, read, visits, write


def empty_ops(resolved, points):
    """A/A points of which so many are resolved, though there is nothing to be resolved."""
    cost = {True: [1.0] * 5, False: [-1.0, 1.0, -1.0, 1.0, 0.0]}
    return [
        line
        for i in range(points)
        for line in visits(cost[i < resolved], point("control_aa", repeat=i + 1), family="control")
    ]


# By chance one of 20 is resolved. A single one in a few is none, nor are more than 8 of 100.
@pytest.mark.parametrize(
    ("resolved", "points", "good"),
    [(0, 1, True), (1, 1, False), (1, 2, False), (1, 20, True), (3, 20, False), (8, 100, True),
     (9, 100, False)],
)  # fmt: skip
def test_empty_ops_are_resolved_as_seldom_as_chance_has_it(tmp_path, resolved, points, good):
    c = read(write(tmp_path / "f.jsonl", empty_ops(resolved, points), first=campaign()))
    (row,) = control_rows(c)
    assert row[-1].kind == ("good" if good else "bad"), row[-2]
