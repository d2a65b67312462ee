"""Statistics against closed forms, and as properties."""

import itertools
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncmeter_analysis.data.interval import Interval
from syncmeter_analysis.statistics import stats
from syncmeter_analysis.statistics.special import beta_ratio, student_t, student_t_tail

positive = st.floats(min_value=1e-6, max_value=1e9)


@pytest.mark.parametrize(
    ("degrees", "quantile"),
    [(1, 12.7062047), (2, 4.30265273), (4, 2.77644511), (10, 2.22813885), (100, 1.98397152)],
)
def test_student_t_is_the_tables(degrees, quantile):
    assert student_t(0.95, degrees) == pytest.approx(quantile, rel=1e-8)


@given(st.floats(min_value=0, max_value=1e6))
def test_tail_with_one_and_two_degrees_has_closed_forms(t):
    assert student_t_tail(t, 1) == pytest.approx(0.5 - math.atan(t) / math.pi, abs=1e-12)
    closed = 0.5 - t / (2 * math.sqrt(2 + t * t))
    assert student_t_tail(t, 2) == pytest.approx(closed, abs=1e-12)


@given(
    st.floats(min_value=0.5, max_value=50),
    st.floats(min_value=0.5, max_value=50),
    st.floats(min_value=0, max_value=1),
)
def test_incomplete_beta_is_symmetric(a, b, x):
    assert beta_ratio(a, b, x) + beta_ratio(b, a, 1 - x) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize(
    ("n", "rank"), [(5, 1), (6, 1), (9, 2), (11, 2), (15, 4), (20, 6), (26, 8)]
)
def test_ranks_are_those_of_exact_binomials(n, rank):
    def coverage(r):
        return 1 - 2 * sum(math.comb(n, k) for k in range(r)) / 2**n

    assert stats.median_rank(n) == rank
    assert coverage(rank) >= 0.95 or rank == 1
    assert coverage(rank + 1) < 0.95


@given(st.lists(st.floats(min_value=-1e9, max_value=1e9), min_size=1, max_size=60))
def test_median_interval_holds_the_median(values):
    found = stats.median_interval(values)
    assert found.low <= found.value <= found.high
    assert {found.low, found.high} <= set(values)


def test_interval_over_visits_is_the_drivers():
    # By hand: s = 0.158114, t(4) = 2.776445, e(5) = sqrt(5 pi / 10.96).
    found = stats.over_visits([1.0, 1.1, 1.2, 1.3, 1.4])
    half = math.sqrt(math.pi * 5 / 10.96) * 2.776445 * 0.1581139 / math.sqrt(5)
    assert (found.value, found.low, found.high) == pytest.approx((1.2, 1.2 - half, 1.2 + half))
    assert stats.over_visits([3.0]) == Interval(3.0)


@given(st.lists(positive, min_size=2, max_size=9))
def test_a_ratio_turned_round_is_its_reciprocal(ratios):
    there = stats.ratio_of_pairs(ratios)
    back = stats.ratio_of_pairs([1 / r for r in ratios])
    assert there.value * back.value == pytest.approx(1, rel=1e-6)
    if there.bounded and back.bounded and there.low > 0 and there.high < 1e280:
        assert there.low * back.high == pytest.approx(1, rel=1e-4)


@given(
    positive, st.floats(min_value=0, max_value=0.9), positive, st.floats(min_value=0, max_value=0.9)
)
def test_quotient_holds_its_value_and_widens_with_either_side(a, a_half, b, b_half):
    over = Interval(a, a * (1 - a_half), a * (1 + a_half))
    under = Interval(b, b * (1 - b_half), b * (1 + b_half))
    found = stats.quotient(over, under)
    exact = stats.quotient(over, Interval(b, b, b))
    assert found.low <= exact.low * (1 + 1e-12)
    assert exact.high <= found.high * (1 + 1e-12)
    assert found.low <= found.value * (1 + 1e-12)


def test_quotient_of_unknown_bounds_is_unknown():
    found = stats.quotient(Interval(2.0), Interval(1.0, 0.9, 1.1))
    assert (found.value, found.bounded) == (2.0, False)
    with pytest.raises(ValueError, match="not resolved"):
        stats.quotient(Interval(-1.0, -2, 0), Interval(1.0))


@given(st.lists(st.floats(min_value=0, max_value=1), max_size=30))
def test_holm_only_raises_and_keeps_the_order(ps):
    adjusted = stats.holm(ps)
    assert all(p <= q <= 1 for p, q in zip(ps, adjusted, strict=True))
    for (p, q), (r, s) in itertools.combinations(zip(ps, adjusted, strict=True), 2):
        assert (p <= r) <= (q <= s) or p == r


def test_holm_is_the_worked_example():
    # Holm's own steps: 4 x 0.005, 3 x 0.01, then never less than the one before.
    assert stats.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_a_shift_is_found_and_equal_sides_have_none():
    old = [1.0, 1.01, 0.99, 1.0, 1.005]
    found = stats.shift_between(old, [x * 1.5 for x in old])
    assert found.p < 1e-6
    assert found.ratio.low < 1.5 < found.ratio.high
    assert stats.shift_between(old, old).p == 1
    assert stats.shift_between([1.0], [2.0]).p == 1


def test_a_margin_swallows_what_lies_within_it():
    old = [1.0, 1.001, 0.999, 1.0, 1.0]
    new = [x * 1.03 for x in old]
    assert stats.shift_between(old, new).p < 1e-3
    assert stats.shift_between(old, new, margin=0.05).p == 1


def test_welch_is_right_about_as_often_as_it_says():
    # Turns red when the scatter of the median is forgotten: 8 % in place of 5.
    rng = random.Random(3)
    wrong = 0
    for _ in range(2000):
        a = [math.exp(rng.gauss(0, 0.05)) for _ in range(5)]
        b = [math.exp(rng.gauss(0, 0.05)) for _ in range(5)]
        wrong += stats.shift_between(a, b).p < 0.05
    assert 0.02 < wrong / 2000 < 0.07
