"""Statistics against closed forms, and as properties."""

import itertools
import math
import random
import statistics
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate import stats
from syncmeter_analysis.relate.scatter import prior_of
from syncmeter_analysis.relate.stats import beta_ratio, student_t, student_t_tail

positive = st.floats(min_value=1e-6, max_value=1e9)


@pytest.mark.parametrize(
    ("degrees", "quantile"),
    [(1, 12.7062047), (2, 4.30265273), (4, 2.77644511), (10, 2.22813885), (100, 1.98397152)],
)
def test_student_t_is_the_tables(degrees, quantile):
    assert student_t(0.95, degrees) == pytest.approx(quantile, rel=1e-8)


@given(st.floats(min_value=1e-4, max_value=1 - 1e-6), st.floats(min_value=0.2, max_value=1e5))
def test_as_much_as_is_asked_lies_within_a_quantile_of_student_t(confidence, degrees):
    within = 1 - 2 * student_t_tail(student_t(confidence, degrees), degrees)
    assert within == pytest.approx(confidence, abs=1e-12)


@given(st.floats(min_value=0, max_value=1e6))
def test_tail_with_one_and_two_degrees_has_closed_forms(t):
    assert student_t_tail(t, 1) == pytest.approx(0.5 - math.atan(t) / math.pi, abs=1e-12)
    closed = 0.5 - t / (2 * math.sqrt(2 + t * t))
    assert student_t_tail(t, 2) == pytest.approx(closed, abs=1e-12)


@given(
    st.floats(min_value=0.5, max_value=50),
    st.floats(min_value=0.5, max_value=50),
    st.integers(0, 1024).map(lambda n: n / 1024),
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


def test_four_visits_are_students_t_on_logarithms():
    # By hand, of logarithms 0, 1, 2, 3: s = 1.290994, t(3) = 3.182446, e(4) = sqrt(4 pi / 10.55).
    found = stats.over_visits([math.exp(k) for k in range(4)])
    half = math.sqrt(math.pi * 4 / 10.55) * 3.182446 * 1.290994 / 2
    assert found.value == pytest.approx((math.e + math.e**2) / 2)
    assert (found.low, found.high) == pytest.approx((math.exp(1.5 - half), math.exp(1.5 + half)))
    assert stats.over_visits([3.0]) == Interval(3.0)


def test_values_that_are_not_all_positive_stay_on_their_scale():
    found = stats.over_visits([-1.0, 0.0, 1.0])
    half = math.sqrt(math.pi * 3 / 6.96) * 4.302653 / math.sqrt(3)
    assert (found.low, found.high) == pytest.approx((-half, half))


def test_few_visits_are_at_least_their_range():
    # Student's t alone ends at 10 ** 0.87.
    assert stats.over_visits([1.0, 1.0, 1.0, 10.0]).high == pytest.approx(10.0)


def test_five_visits_are_their_range_and_more_are_interpolated_ranks():
    found = stats.over_visits([24.0, 568.0, 269.0, 423.0, 500.0])
    assert (found.low, found.value, found.high) == pytest.approx((24.0, 423.0, 568.0))
    # Of seven, by hand: coverage 126/128 and 112/128; part = (126/128 - 0.95) / (14/128).
    part = (126 / 128 - 0.95) / (14 / 128)
    inwards = 6 * part / (1 + 5 * part)
    seven = stats.over_visits([math.exp(k) for k in range(7)])
    assert (math.log(seven.low), math.log(seven.high)) == pytest.approx((inwards, 6 - inwards))


@given(st.lists(positive, min_size=2, max_size=12))
def test_a_point_whose_every_visit_is_positive_is_resolved(costs):
    found = stats.over_visits(costs)
    assert 0 < found.low <= found.value <= found.high


@pytest.mark.parametrize("n", range(3, 11))
def test_intervals_hold_the_median_as_often_as_they_say(n):
    rng = random.Random(n)

    def two_states():
        return (10.0 if rng.random() < 0.3 else 1.0) * math.exp(rng.gauss(0, 0.03))

    # Of the mixture: P(x < m) = 1/2, where 7/10 of it are log-normal around 1.
    middle = math.exp(0.03 * NormalDist().inv_cdf(5 / 7))
    shapes = (
        (lambda: rng.gauss(10, 1), 10.0),
        (lambda: math.exp(rng.gauss(0, 1)), 1.0),
        (two_states, middle),
    )
    for draw, truth in shapes:
        held = 0
        for _ in range(1500):
            i = stats.over_visits([draw() for _ in range(n)])
            held += i.low <= truth <= i.high
        # 90 to 97 %, and three standard deviations of 1500 trials.
        assert 0.877 <= held / 1500 <= 0.983


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


def test_each_bound_of_a_quotient_is_of_the_side_that_moves_it_there():
    found = stats.quotient(Interval(10.0, 8.0, 20.0), Interval(4.0, 3.9, 6.0))
    lower = math.hypot(math.log(10 / 8), math.log(6 / 4))
    higher = math.hypot(math.log(20 / 10), math.log(4 / 3.9))
    assert found.low == pytest.approx(2.5 * math.exp(-lower))
    assert found.high == pytest.approx(2.5 * math.exp(higher))


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


def test_derivatives_of_the_gamma_function_are_those_of_tables():
    euler = 0.5772156649015329
    assert stats.digamma(1) == pytest.approx(-euler, abs=1e-8)
    assert stats.digamma(0.5) == pytest.approx(-euler - 2 * math.log(2), abs=1e-8)
    assert stats.trigamma(1) == pytest.approx(math.pi**2 / 6, abs=1e-8)
    assert stats.trigamma(0.5) == pytest.approx(math.pi**2 / 2, abs=1e-8)


@given(st.floats(min_value=0.01, max_value=1000))
def test_trigamma_is_inverted(x):
    assert stats.trigamma_inverse(stats.trigamma(x)) == pytest.approx(x, rel=1e-6)


@pytest.mark.parametrize(("true", "degrees"), [(0.04, 4), (0.0025, 2)])
def test_a_prior_is_what_equal_variances_have_in_common(true, degrees):
    rng = random.Random(3)
    spreads = []
    for _ in range(400):
        values = [rng.gauss(0, true**0.5) for _ in range(degrees + 1)]
        spreads.append((statistics.variance(values), degrees))
    alike, variance = prior_of(spreads)
    assert alike > 30
    assert variance == pytest.approx(true, rel=0.15)
    # Groups that are not alike count as few visits.
    unlike = [(v * (1 if i % 2 else 50), d) for i, (v, d) in enumerate(spreads)]
    assert prior_of(unlike)[0] < 4
    assert prior_of(spreads[:2]) == (0.0, 0.0)
