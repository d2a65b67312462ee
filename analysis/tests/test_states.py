"""Placement states: gaps between hops make classes, strays do not."""

import pytest

from syncmeter_analysis.relate.fleet import class_bounds
from syncmeter_analysis.relate.summary import State


def test_a_gap_of_half_again_makes_two_classes():
    (bound,) = class_bounds([30, 31, 32, 33] * 10 + [110, 112, 115] * 10)
    assert bound == pytest.approx((33 * 110) ** 0.5)
    assert class_bounds([30, 33, 40, 44, 50, 60, 70] * 10) == []


def test_strays_neither_bridge_a_gap_nor_make_a_class():
    clusters = [30.0] * 200 + [120.0] * 200
    assert class_bounds(clusters) == pytest.approx([60.0])
    assert class_bounds([*clusters, 45.0, 65.0, 90.0]) == pytest.approx([60.0])
    assert class_bounds([30.0] * 200 + [900.0]) == []


def test_a_state_is_its_hop_whatever_its_number():
    near, far = State(0, False, 65.0), State(0, False, 235.0)
    assert near.agrees(State(1, False, 80.0))
    assert not near.agrees(far)
    assert not near.agrees(State(0, True, 65.0))
    # Just within and just beyond the gap of the classes, either way round.
    assert near.agrees(State(2, False, 65.0 * 1.49))
    assert not State(2, False, 65.0 * 1.5).agrees(near)


def test_a_point_without_a_hop_goes_with_every_state():
    assert State().agrees(State(1, False, 235.0))
    assert State(1, False, 235.0).agrees(State())
    assert not State().agrees(State(1, True, 235.0))
