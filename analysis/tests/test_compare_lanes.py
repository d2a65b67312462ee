"""What of lanes is compared: cycles, quiet visits, the lane without a neighbour."""

import random

import pytest

from syncmeter_analysis.relate.relation import Verdict
from tests.made import around, point, visits
from tests.two_campaigns import both, notes_of, screen_of, steady


def in_cycles(cycles, what, busy=False, uneven=(), hop=0.0, ghz=1.0):
    """A visit for each cost in cycles; `uneven` is the slowest lane over the fastest of each."""
    lines = []
    for i, cost in enumerate(cycles):
        of_cycles = {"value": cost, "low": cost, "high": cost}
        estimate = {"cost_cycles": of_cycles, "busy": busy, "hop_ns": hop}
        (line,) = visits([cost / ghz], what, estimate=estimate)
        line["visit"] = i + 1
        line["slowest_over_fastest"] = uneven[i] if uneven else 1.0
        lines.append(line)
    return lines


def test_a_lone_lane_is_compared_in_cycles_whatever_the_clock(tmp_path):
    def at(ghz, cycles):
        lines = []
        for number, c in enumerate(cycles, 1):
            (line,) = visits([c / ghz], point())
            line["visit"] = number
            line["estimates"][0]["cost_cycles"] = {"value": c, "low": 0.99 * c, "high": 1.01 * c}
            lines.append(line)
        return lines

    # A neighbour on the core adds to some of the visits.
    old = at(3.4, [19.05, 19.04, 25.0, 22.1, 19.05])
    c = both(tmp_path, old, at(2.9, [19.04, 22.0, 19.06, 24.0, 19.05]))
    (d,) = c.compared
    assert (d.verdict, c.status) == (Verdict.same, 0)
    assert d.ratio.in_cycles and d.ratio.value == pytest.approx(1.0, abs=0.01)
    assert "compared in cycles" in notes_of(c)[-1]
    slower = both(tmp_path, old, at(3.4, [1.2 * x for x in (19.04, 22.0, 19.06, 24.0, 19.05)]))
    assert slower.status == 1


def test_separate_cells_are_compared_by_the_lane_that_had_no_neighbour(tmp_path):
    # In every campaign another number of visits in which some lane shares its core with a neighbour.
    what = point(lanes=4, placement="strided", stride=16)
    a, b = (1.0, 2.8, 2.0, 2.8, 1.4, 2.0), (2.8, 2.0, 2.8, 2.8, 2.0, 2.8)

    def at(uneven, cost):
        lane = [cost * (1 + 0.002 * i) for i in range(6)]
        return in_cycles([x * u for x, u in zip(lane, uneven, strict=True)], what, True, uneven)

    (same,) = both(tmp_path, at(a, 18.0), at(b, 18.0)).compared
    assert (same.verdict, same.detectable < 1.3) == (Verdict.same, True)
    assert both(tmp_path, at(a, 18.0), at(b, 24.0)).status == 1


def test_cycles_of_a_placement_that_the_start_up_probe_did_not_see_are_its_own(tmp_path):
    # All visit lines say class 0: the probe saw lanes 60 ns apart only.
    what = point(lanes=2)
    near, far = in_cycles([80.0, 81.0], what, hop=60.0), in_cycles([400.0] * 4, what, hop=250.0)
    for number, line in enumerate(near + far, 1):
        line["visit"] = number
    c = both(tmp_path, near + far, in_cycles([80.0, 81.0, 79.0], what, hop=60.0))
    (d,) = c.compared
    assert d.ratio.in_cycles and d.ratio.value == pytest.approx(1.0, abs=0.05)
    assert d.verdict not in (Verdict.slower, Verdict.faster)


def test_lanes_that_meet_are_compared_in_cycles_whatever_the_clock(tmp_path):
    cycles = [400.0, 410.0, 390.0, 405.0, 395.0, 402.0]
    old = in_cycles(cycles, point(lanes=4), hop=100.0)
    c = both(tmp_path, old, in_cycles(cycles, point(lanes=4), hop=100.0, ghz=0.7))
    (d,) = c.compared
    assert (d.ratio.in_cycles, d.verdict) == (True, Verdict.same)
    assert d.ratio.state.hop_ns == 100.0
    assert both(tmp_path, old, in_cycles([2 * x for x in cycles], point(lanes=4), hop=100.0)).status


def test_a_visit_far_out_does_not_hide_a_change(tmp_path):
    def at(factor):
        costs = [factor * x for x in (400, 410, 390, 405, 395, 402, 1500, 800)]
        return in_cycles(costs, point(lanes=4), hop=100.0)

    assert both(tmp_path, at(1.0), at(1.5)).status == 1


def test_a_lone_lane_with_a_neighbour_in_every_visit_is_doubted(tmp_path):
    quiet = in_cycles(around(18.0), point())
    beside = in_cycles(around(20.0), point(), busy=True)
    assert both(tmp_path, quiet, in_cycles(around(20.0), point())).status == 1
    assert both(tmp_path, quiet, beside).slower == []
    slower = both(tmp_path, quiet, in_cycles(around(25.0), point(), busy=True))
    assert (slower.status, slower.blind) == (3, slower.compared)
    assert "another program shared its core" in screen_of(slower)
    assert any("shared the core" in note for note in notes_of(slower))
    assert both(tmp_path, quiet, in_cycles(around(30.0), point(), busy=True)).status == 1


def beside_neighbours(rng, factor, *changed):
    """Lone lanes whose cores a neighbour shared in all visits, and slowed by up to this factor."""
    lines = []
    for i in range(24):
        cost = 18.0 * rng.uniform(1.0, factor) * (10.0 if i in changed else 1.0)
        lines += in_cycles(steady(rng, [cost] * 6), point(f"op{i}"), busy=True)
    return lines


def test_a_neighbour_that_stayed_for_a_campaign_is_no_change_of_the_points(tmp_path):
    rng = random.Random(4)
    one, other = beside_neighbours(rng, 1.0), beside_neighbours(rng, 1.4)
    c = both(tmp_path, one, other)
    assert (c.status, c.slower) == (3, [])
    found = both(tmp_path, one, beside_neighbours(rng, 1.4, 7)).slower
    assert [d.new.point.op for d in found] == ["op7"]


def lone_lanes(rng, costs, busy=()):
    """A lone lane of each cost in cycles, six visits; those at these places were never quiet."""
    lines = []
    for i, cost in enumerate(costs):
        lines += in_cycles(steady(rng, [cost] * 6, 0.002), point(f"op{i}"), busy=i in busy)
    return lines


@pytest.mark.parametrize(
    ("times", "beside", "found"),
    [(1.25, [7], False), (1.25, range(0, 24, 3), False), (2.0, [7], True), (1.25, [], True)],
)
def test_a_neighbour_at_some_points_of_one_campaign_is_no_change(tmp_path, times, beside, found):
    # It stayed on the core while op7 was measured, or op6, and all visits agree.
    rng = random.Random(4)
    at = 7 if 7 in beside or not beside else 6
    new = lone_lanes(rng, [times * 18.0 if i == at else 18.0 for i in range(24)], beside)
    c = both(tmp_path, lone_lanes(rng, [18.0] * 24), new)
    assert [d.new.point.op for d in c.slower] == [f"op{at}"] * found


def test_what_neighbours_add_in_one_campaign_is_not_learnt_from_other_ops(tmp_path):
    # They add 1 % to most, and 40 % to one.
    rng = random.Random(4)
    new = lone_lanes(rng, [18.0 * (1.4 if i == 6 else 1.01) for i in range(24)], range(24))
    assert both(tmp_path, lone_lanes(rng, [18.0] * 24), new).slower == []


def test_few_visits_that_seem_quiet_are_not_where_a_neighbour_stayed(tmp_path):
    # op0 seems quiet, while the other lanes of the campaign never were.
    rng = random.Random(4)
    new = lone_lanes(rng, [18.0 * 1.2] * 24, range(1, 24))
    assert both(tmp_path, lone_lanes(rng, [18.0] * 24), new).slower == []


def test_a_lone_lane_is_compared_by_its_quiet_visits_and_not_the_luckiest(tmp_path):
    def at(cycles, neighbour):
        lines = []
        for i in range(20):
            quiet = in_cycles(cycles, point(f"op{i}"))
            beside = in_cycles([neighbour] * 3, point(f"op{i}"), busy=True)
            for number, line in enumerate(quiet + beside, 1):
                line["visit"] = number
            lines += quiet + beside
        return lines

    c = both(tmp_path, at([55.3, 55.2, 55.3], 54.0), at([48.6, 55.3, 55.3], 58.0))
    assert [d.ratio.value for d in c.compared] == pytest.approx([1.0] * 20, abs=0.002)


def of_many_lanes(op, slow, cost, hop=0.0, **axes):
    """A point whose fastest lane takes the same in all visits, the slowest so many times as long."""
    lane = [cost * (1 + 0.002 * i) for i in range(len(slow))]
    cycles = [x * u for x, u in zip(lane, slow, strict=True)]
    return in_cycles(cycles, point(op, lanes=16, **axes), True, slow, hop=hop)


@pytest.mark.parametrize("hop", [0.0, 140.0])
def test_fences_and_stores_are_compared_by_the_lane_that_had_no_neighbour(tmp_path, hop):
    # All but one visit of each campaign are in one mode, in another campaign in another.
    a, b = (1.4, 1.4, 1.4, 1.4, 1.4, 2.8, 1.4), (2.8, 2.8, 2.8, 1.4, 2.8, 2.8, 2.8)
    old, new = of_many_lanes("fence", a, 18.0, hop), of_many_lanes("fence", b, 18.0, hop)
    (d,) = both(tmp_path, old, new).compared
    assert (d.verdict, d.detectable < 1.3) == (Verdict.same, True)
    assert both(tmp_path, old, of_many_lanes("fence", b, 24.0, hop)).status == 1


def test_lanes_that_take_turns_are_compared_by_the_slowest(tmp_path):
    # A lock: the whole takes the same, and the fastest lane what luck gives it.
    def at(luck, cost):
        cycles = steady(random.Random(1), [cost] * len(luck), 0.01)
        return in_cycles(cycles, point("lock", lanes=16), True, luck, hop=140.0)

    (d,) = both(
        tmp_path, at((1.1, 1.2, 1.1, 1.2, 1.1, 1.2), 4000), at((1.9, 1.7) * 3, 4000)
    ).compared
    assert d.verdict is Verdict.same
