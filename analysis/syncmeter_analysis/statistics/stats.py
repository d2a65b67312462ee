"""Statistics, all pure functions: what the driver computes, and ratios, Welch's test and Holm.

Intervals are two-sided. `over_visits`, `median_interval` and `scatter_of_median` follow
core/stats.hpp, so that the report prints the intervals that `syncmeter show` prints.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean, median

from syncmeter_analysis.data.interval import Interval
from syncmeter_analysis.statistics.special import student_t, student_t_tail

__all__ = [
    "Shift",
    "holm",
    "jain",
    "median",
    "median_interval",
    "median_rank",
    "over_visits",
    "quotient",
    "ratio_of_pairs",
    "scatter_of_median",
    "shift_between",
    "shift_of_pairs",
    "stdev",
    "student_t",
]


def stdev(values: Sequence[float]) -> float:
    """Sample standard deviation (n - 1) of two values or more; statistics.stdev is exact and slow."""
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((x - mean) ** 2 for x in values) / (len(values) - 1))


@lru_cache(maxsize=4096)
def median_rank(n: int, confidence: float = 0.95) -> int:
    """The largest r whose interval x(r), x(n+1-r) around the median covers `confidence`.

    Coverage is 1 - 2 P(Binomial(n, 1/2) < r) (Conover, Practical Nonparametric Statistics, 3.2);
    1 when not even the extremes reach it (n < 6 at 95 %).
    """
    below, best = 0.0, 1
    for r in range(1, n // 2 + 1):
        below += math.comb(n, r - 1) * 0.5**n if n < 1000 else _binomial_term(n, r - 1)
        if 1 - 2 * below < confidence:
            break
        best = r
    return best


def _binomial_term(n: int, k: int) -> float:
    logs = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return math.exp(logs - n * math.log(2))


def median_interval(values: Iterable[float], confidence: float = 0.95) -> Interval:
    """Median with the exact distribution-free interval of order statistics.

    Values may be infinite. Raises ValueError when there are none.
    """
    ascending = sorted(values)
    if not ascending:
        raise ValueError("the median of nothing")
    r = median_rank(len(ascending), confidence)
    return Interval(median(ascending), ascending[r - 1], ascending[-r])


def scatter_of_median(n: int) -> float:
    """Standard deviation of the median of n normal values over that of their mean.

    1 for n <= 2, 1.20 at n = 5; the fit of core/stats.hpp, within 1 % of the exact values.
    """
    if n <= 2:
        return 1.0
    c = 2.55 if n % 2 == 0 else 0.96
    return math.sqrt(math.pi * n / (2 * n + c))


def over_visits(medians: Sequence[float], confidence: float = 0.95) -> Interval:
    """Median of visit medians with Student's t interval over visits (METHOD: visits, not rounds).

    Infinite bounds for one value. Raises ValueError when there are none.
    """
    if not medians:
        raise ValueError("an estimate over no visits")
    middle = median(medians)
    n = len(medians)
    if n == 1:
        return Interval(middle)
    half = scatter_of_median(n) * student_t(confidence, n - 1) * stdev(medians) / math.sqrt(n)
    return Interval(middle, middle - half, middle + half)


def ratio_of_pairs(ratios: Sequence[float], confidence: float = 0.95) -> Interval:
    """Ratio over visits in which both sides were seen: median, Student's t over the logarithms.

    In logarithms, so that A over B and B over A say the same. Every ratio must be > 0.
    """
    logs = over_visits([math.log(r) for r in ratios], confidence)
    return _exp(logs)


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


def _log_distance(larger: float, smaller: float) -> float:
    if not (smaller > 0 and math.isfinite(larger)):
        return math.inf
    return max(0.0, math.log(larger / smaller))


def _exp(logs: Interval) -> Interval:
    def back(x: float) -> float:
        return math.inf if x > 700 else math.exp(x)

    return Interval(
        back(logs.value), back(logs.low) if math.isfinite(logs.low) else -math.inf, back(logs.high)
    )


@dataclass(frozen=True, slots=True)
class Shift:
    """How two independent sets of visits differ: `ratio` new over old, and `p`.

    `p` is the two-sided probability of so large a difference where the true ratio lies within the
    margin that was asked for.
    """

    ratio: Interval
    p: float


def shift_between(
    old: Sequence[float],
    new: Sequence[float],
    margin: float = 0.0,
    confidence: float = 0.95,
    least_scatter: float = 0.001,
) -> Shift:
    """Welch's t test on the logarithms of visit medians, against a margin.

    `margin` is a ratio less 1 (0.05: differences of up to 5 % are none). The medians are compared,
    so the standard errors are widened by scatter_of_median. `least_scatter` is the smallest
    standard deviation of a logarithm that is believed: visits of a device that counts whole cycles
    can agree exactly. Every value must be > 0; fewer than two on a side give p = 1 and no bounds.
    """
    logs_old, logs_new = [math.log(x) for x in old], [math.log(x) for x in new]
    difference = median(logs_new) - median(logs_old)
    if len(old) < 2 or len(new) < 2:
        return Shift(Interval(math.exp(difference)), 1.0)
    squares = [
        (scatter_of_median(len(x)) * max(stdev(x), least_scatter)) ** 2 / len(x)
        for x in (logs_old, logs_new)
    ]
    error = math.sqrt(sum(squares))
    # Welch and Satterthwaite.
    degrees = sum(squares) ** 2 / sum(
        s**2 / (n - 1) for s, n in zip(squares, (len(old), len(new)), strict=True)
    )
    beyond = max(0.0, abs(difference) - math.log1p(margin))
    p = min(1.0, 2 * student_t_tail(beyond / error, degrees))
    half = student_t(confidence, degrees) * error
    return Shift(_exp(Interval(difference, difference - half, difference + half)), p)


def shift_of_pairs(
    ratios: Sequence[float],
    margin: float = 0.0,
    confidence: float = 0.95,
    least_scatter: float = 0.001,
) -> Shift:
    """The same for ratios seen within one visit each: Student's t on their logarithms, paired.

    Every ratio must be > 0; fewer than two give p = 1 and no bounds. Raises ValueError for none.
    """
    logs = [math.log(r) for r in ratios]
    middle, n = median(logs), len(logs)
    if n < 2:
        return Shift(Interval(math.exp(middle)), 1.0)
    error = scatter_of_median(n) * max(stdev(logs), least_scatter) / math.sqrt(n)
    beyond = max(0.0, abs(middle) - math.log1p(margin))
    p = min(1.0, 2 * student_t_tail(beyond / error, n - 1))
    half = student_t(confidence, n - 1) * error
    return Shift(_exp(Interval(middle, middle - half, middle + half)), p)


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


def jain(rates: Sequence[float]) -> float:
    """Jain's fairness index (sum x)^2 / (n sum x^2): 1 when equal, 1/n when one has all."""
    squares = sum(x * x for x in rates)
    return 1.0 if squares == 0 else (fmean(rates) ** 2) * len(rates) / squares
