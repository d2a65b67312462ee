"""What the title of a scaling figure says is true inside one placement state."""

import pytest

from syncmeter_analysis.figures.scaling import scaling_figures
from tests.made import around, point, read, visits, write


def at(lanes, cost, hop, **members):
    lines = visits(around(cost), point(placement="shared", lanes=lanes), **members)
    for line in lines:
        line["estimates"][0]["hop_ns"] = hop
    return lines


def title(tmp_path, *lines):
    (figure,) = scaling_figures(read(write(tmp_path / "f.jsonl", *lines)))
    return figure.title


@pytest.mark.parametrize(
    ("hop", "told"),
    [(66.0, "a lane's rate falls to 1/8.00 from 2 to 4 lanes"), (235.0, "not comparable")],
)
def test_rates_are_compared_in_one_state_or_not_at_all(tmp_path, hop, told):
    assert told in title(tmp_path, at(2, 10.0, 65.0), at(4, 80.0, hop))


def test_a_longer_ring_has_the_token_less_often(tmp_path):
    ring = {"cost_per_lane": True, "family": "handoff"}
    lines = at(2, 60.0, 65.0, **ring), at(4, 60.0, 66.0, **ring)
    assert "falls to 1/2.00 from 2 to 4 lanes" in title(tmp_path, *lines)
