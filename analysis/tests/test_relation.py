"""The ratio of two points: inside one placement state, paired where it can be, or not at all."""

import math
import random

import pytest

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.campaign import campaign_of
from syncmeter_analysis.relate.contest import contest
from syncmeter_analysis.relate.relation import (
    NotComparable,
    Ratio,
    Verdict,
    detectable,
    ratio,
    verdict,
    verdict_of,
)
from syncmeter_analysis.relate.stats import student_t
from tests.made import around, point, read, results, visits, write

near, far = 65.0, 235.0


def points_of(path, *lines):
    return list(read(write(path, *lines)).points.values())


def two(path, over, under, **same):
    """The points of two ops of one file, from the visits of each as (cost, hop) pairs."""
    lines = []
    for op, seen in (("over", over), ("under", under)):
        for number, (cost, hop) in enumerate(seen, 1):
            (line,) = visits([cost], point(op, lanes=2), estimate={"hop_ns": hop})
            lines.append({**line, "visit": number, **same})
    return points_of(path, *lines)


def test_visits_of_one_file_are_paired_so_that_drift_cancels(tmp_path):
    drift = [10.0, 20.0, 15.0, 40.0, 12.0]
    a, b = two(tmp_path / "f", [(2 * x, near) for x in drift], [(x, near) for x in drift])
    r = ratio(a, b)
    assert (r.low, r.value, r.high) == pytest.approx((2.0, 2.0, 2.0))
    assert (r.visits, r.paired, r.over_ns, r.under_ns) == (5, True, 30.0, 15.0)


def test_visits_of_two_files_are_not_paired(tmp_path):
    drift = [10.0, 20.0, 15.0, 40.0, 12.0]
    (a,) = points_of(tmp_path / "a", visits([2 * x for x in drift], point("op")))
    (b,) = points_of(tmp_path / "b", visits(drift, point("op")))
    r = ratio(a, b)
    assert (r.value, r.paired, r.visits) == (pytest.approx(2.0), False, 5)
    assert r.low < 1.0 < 4.0 < r.high


def test_with_two_common_visits_it_is_still_of_the_common_state(tmp_path):
    # Headlines: `over` far (160), `under` near (10); in the state that both saw they are equal.
    over = [(160.0, far), (161.0, far), (159.0, far), (10.0, near), (10.1, near)]
    under = [(10.0, near), (10.1, near), (9.9, near), (10.0, near), (10.05, near)]
    a, b = two(tmp_path / "f", over, under)
    assert a.cost.value / b.cost.value == pytest.approx(16, rel=0.02)
    r = ratio(a, b)
    assert r.value == pytest.approx(1.0, abs=0.02)
    assert (r.paired, r.visits, r.state.hop_ns) == (False, 2, near)


def test_without_a_common_state_there_is_none(tmp_path):
    a, b = two(tmp_path / "f", [(160.0, far)] * 5, [(10.0, near)] * 5)
    assert ratio(a, b) == NotComparable("seen in different placement states")
    assert verdict(ratio(a, b)) is Verdict.not_comparable


def test_one_lane_is_compared_in_whatever_state_the_other_was(tmp_path):
    many = [(16.0, far)] * 3 + [(8.0, near)] * 2
    one, several = two(tmp_path / "f", [(2.0, 0.0)] * 5, many)
    assert several.state.number == 1
    assert ratio(several, one).value == pytest.approx(8.0)
    assert ratio(several, one).state.hop_ns == far


def test_points_that_share_one_measurement_are_identical(tmp_path):
    same = {"kind": "same", "point": point(affinity="spread"), "measured_as": point(), "why": "x"}
    a, b = points_of(tmp_path / "f", visits([5.0, 9.0, 2.0, 7.0, 4.0], point()), same)
    r = ratio(a, b)
    assert r.identical
    assert (r.interval, verdict(r)) == (Interval(1.0, 1.0, 1.0), Verdict.same)


def test_what_is_not_resolved_has_no_ratio(tmp_path):
    a, b = two(tmp_path / "f", [(x, near) for x in (-1.0, 0.5, 1.0, -0.5, 1.5)], [(5.0, near)] * 5)
    assert ratio(a, b) == NotComparable("not resolved")


def test_one_visit_gives_a_ratio_without_bounds(tmp_path):
    a, b = two(tmp_path / "f", [(10.0, near)], [(5.0, near)])
    r = ratio(a, b)
    assert (r.value, r.bounded, verdict(r)) == (2.0, False, Verdict.cannot_tell)
    assert detectable(r) == math.inf


def test_gpus_have_no_states_and_are_compared_by_their_estimates(tmp_path):
    lines = []
    for op, cost in (("over", 20.0), ("under", 10.0)):
        what = point(op, backend="cuda", affinity="none", lanes=32)
        lines += visits(around(cost, 3), what, device=0, spread=0.01)
    a, b = points_of(tmp_path / "f", lines)
    r = ratio(a, b)
    assert r.value == pytest.approx(2.0)
    assert (r.paired, r.state, r.visits) == (False, None, 3)
    assert verdict(r) is Verdict.slower


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (1.06, 1.5, Verdict.slower),
        (0.5, 0.94, Verdict.faster),
        (0.96, 1.04, Verdict.same),
        (1 / 1.05, 1.05, Verdict.same),
        (0.951, 1.0, Verdict.cannot_tell),
        (1.0, 1.06, Verdict.cannot_tell),
        (-math.inf, math.inf, Verdict.cannot_tell),
    ],
)
def test_the_interval_decides_and_the_margin_is_symmetric(low, high, shown):
    assert verdict_of(Interval(1.0, low, high)) is shown
    turned = {Verdict.slower: Verdict.faster, Verdict.faster: Verdict.slower}.get(shown, shown)
    if math.isfinite(high):
        assert verdict_of(Interval(1.0, 1 / high, 1 / low)) is turned


def test_of_more_comparisons_each_has_to_be_larger_to_be_seen():
    r = Ratio(Interval(1.0, 0.99, 1.01), degrees=4.0, error=0.02)
    found = student_t(0.8, 4)
    assert detectable(r) == pytest.approx(1.05 * math.exp((student_t(0.95, 4) + found) * 0.02))
    many = 1.05 * math.exp((student_t(1 - 0.05 / 40, 4) + found) * 0.02)
    assert detectable(r, comparisons=40) == pytest.approx(many)


def test_a_margin_can_be_given():
    assert verdict_of(Interval(1.08, 1.07, 1.09), 0.10) is Verdict.same
    assert verdict_of(Interval(1.08, 1.07, 1.09), 0.05) is Verdict.slower


def test_a_ratio_for_each_of_several_ops():
    r = Ratio(Interval(2.0, 1.6, 2.5), 5, over_ns=20.0, under_ns=10.0)
    assert r.times(3).interval == Interval(6.0, pytest.approx(4.8), 7.5)


def test_independent_visits_are_told_apart_about_as_often_as_it_says():
    # Turns red when the scatter of the median is forgotten: 7 % in place of 3.
    rng = random.Random(3)
    lines = [
        [
            line
            for i in range(1000)
            for line in visits([math.exp(rng.gauss(0, 0.05)) for _ in range(5)], point(f"op{i}"))
        ]
        for _ in range(2)
    ]
    sides = [campaign_of([results(n, x)]).points.values() for n, x in zip("ab", lines, strict=True)]
    ps = [ratio(a, b).p(0.0) for a, b in zip(*sides, strict=True)]
    share = sum(p < 0.05 for p in ps) / len(ps)
    assert 0.02 < share < 0.055


def test_the_fastest_is_found_across_states_with_those_not_told_apart(tmp_path):
    ops = {
        # The lowest headline, but it was never where the others were.
        "elsewhere": [(5.0, 20.0)] * 5,
        "cheap": [(10.0, near)] * 5,
        "as_cheap": [(x, near) for x in (10.1, 9.9, 10.0, 10.2, 9.95)],
        "dear": [(30.0, near)] * 5,
    }
    lines = []
    for op, seen in ops.items():
        for number, (cost, hop) in enumerate(seen, 1):
            (line,) = visits([cost], point(op, lanes=2), estimate={"hop_ns": hop})
            lines.append({**line, "visit": number})
    found = points_of(tmp_path / "f", lines)
    w = contest(s for s in found if s.point.op != "elsewhere")
    assert (w.best.point.op, [s.point.op for s in w.ties]) == ("cheap", ["as_cheap"])
    assert not any(isinstance(r, NotComparable) for r in w.over_best.values())
    w = contest(found)
    apart = [s.point.op for s in found if isinstance(w.over(s), NotComparable)]
    assert apart == ["cheap", "as_cheap", "dear"]


def test_the_fastest_headline_loses_where_both_were_seen(tmp_path):
    # `luck` was mostly near (8 ns), `cheap` always far (10 ns): far, `luck` costs 40.
    luck = [(8.0, near)] * 3 + [(40.0, far)] * 2
    a, b = two(tmp_path / "f", luck, [(10.0, far)] * 5)
    assert a.cost.value < b.cost.value
    assert contest([a, b]).best is b


def test_the_state_of_most_common_visits_goes_before_that_of_most_visits(tmp_path):
    # Near each was seen four times, never in one visit; far three times, in the same visits.
    lines = []
    for op, first, times in (("over", 1, 2.0), ("under", 5, 1.0)):
        seen = [(n, 10.0 * times, near) for n in range(first, first + 4)]
        seen += [(n, 80.0 * n, far) for n in (9, 10, 11)]
        for number, cost, hop in seen:
            (line,) = visits([cost], point(op, lanes=2), estimate={"hop_ns": hop})
            lines.append({**line, "visit": number})
    r = ratio(*points_of(tmp_path / "f", lines))
    assert (r.value, r.paired, r.visits, r.state.hop_ns) == (pytest.approx(1.0), True, 3, far)


def test_twice_as_slow_is_found_where_a_neighbour_may_have_added_half():
    # The interval lies beyond the half; so large a difference is rare enough among many points.
    r = Ratio(Interval(2.0, 1.65, 2.42), 5, error=0.09, degrees=20, beside_neighbour=True)
    assert verdict(r, 0.5) is Verdict.slower
    assert 80 * r.p(0.5) < 0.05 < 80 * Ratio(r.interval, 5, error=0.09, degrees=20).p(0.5)
    assert r.p(0.05) < r.p(0.5)
