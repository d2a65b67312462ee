"""From visits to one estimate: one visit, scattered visits, rates of rings."""

import math

import pytest

from tests.made import around, point, read, visits, write


def only(path, *lines):
    (s,) = read(write(path, *lines)).points.values()
    return s


def test_one_visit_of_a_cpu_has_a_cost_and_no_interval(tmp_path):
    s = only(tmp_path / "f", visits([5.0], point()))
    assert (s.status, s.usable, s.cost.value, s.cost.bounded) == ("ok", True, 5.0, False)


def test_one_visit_of_a_gpu_keeps_its_own(tmp_path):
    what = point(backend="cuda", affinity="none", lanes=32)
    s = only(tmp_path / "f", visits([5.0], what, device=0, spread=0.1))
    assert (s.cost.low, s.cost.high) == pytest.approx((4.5, 5.5))


def test_one_visit_that_saw_no_cost_is_not_resolved(tmp_path):
    s = only(tmp_path / "f", visits([0.1], point(), spread=3.0))
    assert (s.status, s.usable) == ("not_resolved", False)
    assert s.reason == "the interval holds 0; at most 0.4 ns"


def test_visits_that_scatter_by_tens_are_resolved(tmp_path):
    s = only(tmp_path / "f", visits([24e3, 269e3, 568e3, 423e3], point("barrier", lanes=2)))
    assert (s.status, s.usable, s.cost.value) == ("ok", True, 346e3)
    assert 0 < s.cost.low < 24e3 < 568e3 < s.cost.high < math.inf


@pytest.mark.parametrize(("said", "ring"), [({}, 132), ({"participants": 264}, 264)])
def test_a_ring_of_blocks_hands_on_once_for_each_of_its_warps(tmp_path, said, ring):
    what = point("handoff", backend="cuda", affinity="none", lanes=32, blocks=132)
    s = only(tmp_path / "f", visits(around(500.0, 3), what, device=0, cost_per_lane=True, **said))
    assert s.ops_per_s_per_lane == pytest.approx(1e9 / 500 / ring)


@pytest.mark.parametrize(
    ("members", "axes", "at_a_time"),
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
def test_lanes_that_do_one_op_together_count_once(tmp_path, members, axes, at_a_time):
    what = point("x", backend="cuda", affinity="none", lanes=64, blocks=8, **axes)
    s = only(tmp_path / "f", visits(around(5.0, 3), what, device=0, **members))
    assert s.ops_per_s_total == pytest.approx(at_a_time * 1e9 / 5)


def test_a_marginal_cost_has_no_rate(tmp_path):
    s = only(tmp_path / "f", visits(around(5.0), point("fence_between_adds"), pairing="insert"))
    assert (s.usable, s.ops_per_s_per_lane, s.ops_per_s_total) == (True, None, None)


def test_a_cost_wholly_below_zero_interferes(tmp_path):
    s = only(tmp_path / "f", visits([-2.0, -2.1, -1.9], point()))
    assert (s.status, s.usable) == ("interferes", False)
    assert s.reason.startswith("the test side is faster")


@pytest.mark.parametrize(("noisy", "status"), [(2, "ok"), (3, "noisy")])
def test_a_point_is_noisy_by_more_than_half_of_its_visits(tmp_path, noisy, status):
    lines = visits(around(5.0, 4), point())
    for line in lines[:noisy]:
        line["status"] = "noisy"
    assert only(tmp_path / "f", lines).status == status


def test_visits_of_a_gpu_that_disagree_are_no_one_sample(tmp_path):
    what = point(backend="cuda", affinity="none", lanes=32)
    costs = [5.0, 6.0, 7.0]
    lines = visits(costs, what, device=0, spread=0.01)
    for line, cost in zip(lines, costs, strict=True):
        line["round_costs_ns"] = [cost] * 20
    s = only(tmp_path / "f", lines)
    # Of sixty rounds the interval would be 6 to 6 and the visits' medians.
    assert s.cost.low < 5.0 < 7.0 < s.cost.high
