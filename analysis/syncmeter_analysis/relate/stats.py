"""Statistics, all pure functions: intervals over visits and of ratios, Holm's correction, and Student's
t distribution by the incomplete beta function: no numerical library is needed.

Intervals are two-sided. `over_visits` and `scatter_of_median` are the rules of core/harness/stats.hpp.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from statistics import median as median

from syncmeter_analysis.record.interval import Interval

_confidence = 0.95

# The extremes of few values may miss the median this much more often than asked: those of five do so
# with 6.25 % in place of 5, whatever the distribution.
_most_misses = 1.3

# The smallest standard deviation of a logarithm that is believed: visits of a device that counts whole
# cycles can agree exactly.
_least_scatter = 0.001


def stdev(values: Sequence[float]) -> float:
    """Sample standard deviation (n - 1) of two values or more; statistics.stdev is exact and slow."""
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((x - mean) ** 2 for x in values) / (len(values) - 1))


@lru_cache(maxsize=65536)
def median_coverage(n: int, r: int) -> float:
    """Coverage of (x(r), x(n+1-r)) around the median: 1 - 2 P(Binomial(n, 1/2) < r), 1 <= r <= n/2."""
    return 1 - 2 * math.fsum(_binomial_term(n, k) for k in range(r))


@lru_cache(maxsize=4096)
def median_rank(n: int) -> int:
    """The largest r whose interval x(r), x(n+1-r) around the median covers 95 %.

    (Conover, Practical Nonparametric Statistics, 3.2); 1 when not even the extremes reach it (n < 6).
    """
    below, best = 0.0, 1
    for r in range(1, n // 2 + 1):
        below += _binomial_term(n, r - 1)
        if 1 - 2 * below < _confidence:
            break
        best = r
    return best


def _binomial_term(n: int, k: int) -> float:
    if n < 1000:
        return math.comb(n, k) * 0.5**n
    logs = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return math.exp(logs - n * math.log(2))


def median_interval(values: Iterable[float]) -> Interval:
    """Median with the exact distribution-free 95 % interval of order statistics.

    Values may be infinite. Raises ValueError when there are none.
    """
    ascending = sorted(values)
    r = median_rank(len(ascending))
    return Interval(median(ascending), ascending[r - 1], ascending[-r])


def scatter_of_median(n: int) -> float:
    """Standard deviation of the median of n normal values over that of their mean.

    1 for n <= 2, 1.20 at n = 5; the fit of core/harness/stats.hpp, within 1 % of the exact values.
    """
    if n <= 2:
        return 1.0
    c = 2.55 if n % 2 == 0 else 0.96
    return math.sqrt(math.pi * n / (2 * n + c))


def over_visits(medians: Sequence[float]) -> Interval:
    """Returns the median of visit medians with its interval over visits (docs/evidence/intervals.md).

    From five visits on order statistics, interpolated between ranks (Hettmansperger and Sheather
    1986), whatever the distribution; below, Student's t, at least as wide as the range. On logarithms
    where every value is positive, so that a point whose every visit is resolved is resolved.
    Infinite bounds for one value. Raises ValueError when there are none.
    """
    middle = median(medians)
    if len(medians) == 1:
        return Interval(middle)
    if min(medians) > 0:
        low, high = _bounds([math.log(x) for x in medians])
        # Back from logarithms a bound can fall a rounding short of the median that it meets.
        return Interval(
            middle, min(middle, exp_or_infinity(low)), max(middle, exp_or_infinity(high))
        )
    return Interval(middle, *_bounds(medians))


def _bounds(values: Sequence[float]) -> tuple[float, float]:
    """Bounds of the median of two values or more, on the scale that they are given on."""
    x, n = sorted(values), len(values)
    reached = median_coverage(n, 1)
    if 1 - reached > _most_misses * (1 - _confidence):
        middle = median(x)
        half = scatter_of_median(n) * student_t(_confidence, n - 1) * stdev(x) / math.sqrt(n)
        return min(x[0], middle - half), max(x[-1], middle + half)
    r = median_rank(n)
    covered = median_coverage(n, r)
    if covered <= _confidence:
        return x[r - 1], x[n - r]
    part = (covered - _confidence) / (covered - median_coverage(n, r + 1))
    inwards = (n - r) * part / (r + (n - 2 * r) * part)
    return (x[r - 1] + inwards * (x[r] - x[r - 1]), x[n - r] - inwards * (x[n - r] - x[n - r - 1]))


def ratio_of_pairs(ratios: Sequence[float]) -> Interval:
    """Ratio over visits that have both sides: median and interval, on their logarithms.

    In logarithms, so that A over B and B over A say the same. Every ratio must be > 0.
    """
    logs = [math.log(r) for r in ratios]
    if len(logs) == 1:
        return Interval(ratios[0])
    low, high = _bounds(logs)
    return Interval(exp_or_infinity(median(logs)), exp_or_infinity(low), exp_or_infinity(high))


def quotient(over: Interval, under: Interval) -> Interval:
    """Ratio of two independent positive estimates, from their intervals.

    On the logarithms the distances to the bounds add in squares, each side for itself (method of
    variance estimates recovery; Zou and Donner 2008). An unknown or non-positive bound makes the
    bound of the ratio unknown. Raises ValueError unless both values are > 0.
    """
    if not (over.value > 0 and under.value > 0):
        raise ValueError("a ratio of costs that are not resolved")
    value = over.value / under.value
    low = math.hypot(_log_distance(over.value, over.low), _log_distance(under.high, under.value))
    high = math.hypot(_log_distance(over.high, over.value), _log_distance(under.value, under.low))
    # exp(-inf) is 0: nothing is known, which is not the same as being larger than 0.
    return Interval(
        value,
        value * math.exp(-low) if math.isfinite(low) else -math.inf,
        value * math.exp(high) if high < 700 else math.inf,
    )


def exp_or_infinity(x: float) -> float:
    return math.inf if x > 700 else math.exp(x)


def _log_distance(larger: float, smaller: float) -> float:
    if not (smaller > 0 and math.isfinite(larger)):
        return math.inf
    return max(0.0, math.log(larger / smaller))


def error_of_median_log(values: Sequence[float]) -> float:
    """Standard error of the logarithm of the median; infinite for fewer than two values > 0."""
    n = len(values)
    if n < 2:
        return math.inf
    scatter = max(stdev([math.log(x) for x in values]), _least_scatter)
    return scatter_of_median(n) * scatter / math.sqrt(n)


def welch(errors: Sequence[float], sizes: Sequence[int]) -> tuple[float, float]:
    """Standard error and degrees of freedom of a difference of independent values (Welch 1947,
    Satterthwaite 1946); infinite and 0 where one of them is not known."""
    if not all(math.isfinite(e) for e in errors):
        return math.inf, 0.0
    total = math.fsum(e**2 for e in errors)
    parts = math.fsum(e**4 / (n - 1) for e, n in zip(errors, sizes, strict=True))
    return math.sqrt(total), total**2 / parts


def holm(ps: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p values, in the order given (Holm 1979).

    Rejecting where the adjusted value is below alpha keeps the probability of any false rejection
    below alpha, whatever the dependence. Raises ValueError for a value outside 0..1.
    """
    if any(not 0 <= p <= 1 for p in ps):
        raise ValueError("a probability lies between 0 and 1")
    adjusted = [0.0] * len(ps)
    largest = 0.0
    for rank, i in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):
        largest = max(largest, min(1.0, (len(ps) - rank) * ps[i]))
        adjusted[i] = largest
    return adjusted


def beta_ratio(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b), for a, b > 0 and x within 0..1: its continued
    fraction by Lentz's method (Press et al., Numerical Recipes, 6.4)."""
    if not 0 <= x <= 1:
        raise ValueError("x lies between 0 and 1")
    if x in (0.0, 1.0):
        return x
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    # The fraction converges fast below the mean only.
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1 - front * _fraction(b, a, 1 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    result = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 + term * d
            c = 1 + term / c
            d = 1 / (d if abs(d) > tiny else tiny)
            c = c if abs(c) > tiny else tiny
            step = d * c
            result *= step
        if abs(step - 1) < 1e-14:
            return result
    return result


def student_t_tail(t: float, degrees: float) -> float:
    """P(T > t) for t >= 0 and `degrees` > 0 (a fraction is allowed: Welch's)."""
    if math.isinf(t):
        return 0.0
    square = t * t
    if square < degrees:
        # Near 0 the other argument of the two keeps the digits.
        return (1 - beta_ratio(0.5, degrees / 2, square / (degrees + square))) / 2
    return beta_ratio(degrees / 2, 0.5, degrees / (degrees + square)) / 2


@lru_cache(maxsize=65536)
def student_t(confidence: float, degrees: float) -> float:
    """Two-sided quantile: P(|T| <= result) = `confidence`. Raises ValueError outside (0, 1)."""
    if not 0 < confidence < 1 or degrees <= 0:
        raise ValueError("a confidence lies between 0 and 1, degrees of freedom above 0")
    tail = (1 - confidence) / 2
    result, step = 0.0, 1.0
    while student_t_tail(result + step, degrees) > tail:
        result, step = result + step, 2 * step
    # Newton's steps from below: the tail is convex, so that none goes beyond the quantile.
    front = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)
    front -= math.log(degrees * math.pi) / 2
    for _ in range(200):
        log_density = front - (degrees + 1) / 2 * math.log1p(result * result / degrees)
        step = (student_t_tail(result, degrees) - tail) / math.exp(log_density)
        result += step
        if step <= 1e-15 * result:
            break
    return result


def digamma(x: float) -> float:
    """The logarithmic derivative of the gamma function, for x > 0 (Abramowitz and Stegun, 6.3.18)."""
    below = 0.0
    while x < 6:
        below, x = below - 1 / x, x + 1
    square = 1 / (x * x)
    return below + math.log(x) - 0.5 / x - square * (1 / 12 - square * (1 / 120 - square / 252))


def trigamma(x: float) -> float:
    """The derivative of `digamma`, for x > 0 (Abramowitz and Stegun, 6.4.12)."""
    below = 0.0
    while x < 6:
        below, x = below + 1 / (x * x), x + 1
    square = 1 / (x * x)
    return below + 1 / x + square / 2 + square / x * (1 / 6 - square * (1 / 30 - square / 42))


def trigamma_inverse(y: float) -> float:
    """The x > 0 with `trigamma(x) == y`, for y > 0: it falls from infinity to 0."""
    low, high = 1e-8, 1e8
    for _ in range(200):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if trigamma(middle) > y else (low, middle)
    return math.sqrt(low * high)
