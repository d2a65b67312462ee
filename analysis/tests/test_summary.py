"""What a point says beside its estimate: rates of rings, of lanes that do one op together."""

import pytest

from tests.made import around, point, read, visits, write


def only(path, *lines):
    (s,) = read(write(path, *lines)).points.values()
    return s


@pytest.mark.parametrize(("members", "ring"), [({}, 132), ({"participants": 264}, 264)])
def test_a_ring_of_blocks_hands_on_once_for_each_of_its_warps(tmp_path, members, ring):
    what = point("handoff", backend="cuda", affinity="none", lanes=32, blocks=132)
    s = only(
        tmp_path / "f", visits(around(500.0, 3), what, device=0, cost_per_lane=True, **members)
    )
    assert s.ops_per_s_per_lane == pytest.approx(1e9 / 500 / ring)


@pytest.mark.parametrize(
    ("members", "axes", "concurrent"),
    [
        ({"family": "atomic"}, {}, 64 * 8),
        ({"family": "atomic"}, {"active": 4}, 64 * 8 * 4 / 32),
        ({"family": "atomic", "devices": [0, 1]}, {}, 64 * 8 * 2),
        ({"family": "barrier"}, {}, 8),
        ({"family": "barrier", "launching": "cooperative"}, {}, 1),
        ({"family": "barrier", "launching": "cluster"}, {"size": 4}, 2),
        ({"family": "group"}, {}, 8),
        ({"family": "group"}, {"size": 16}, 64 * 8),
        ({"family": "launch"}, {}, 1),
        ({"family": "memory", "host_lane": True}, {}, 1),
    ],
)
def test_lanes_that_do_one_op_together_count_once(tmp_path, members, axes, concurrent):
    what = point("x", backend="cuda", affinity="none", lanes=64, blocks=8, **axes)
    s = only(tmp_path / "f", visits(around(5.0, 3), what, device=0, **members))
    assert s.ops_per_s_total == pytest.approx(concurrent * 1e9 / 5)


def test_a_marginal_cost_has_no_rate(tmp_path):
    s = only(tmp_path / "f", visits(around(5.0), point("fence_between_adds"), pairing="insert"))
    assert (s.usable, s.ops_per_s_per_lane, s.ops_per_s_total) == (True, None, None)
