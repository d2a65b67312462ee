"""What a fleet's rule is made of: spreads that a few other values do not widen, and the probabilities
that are taken with them. All on logarithms of costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import isfinite, sqrt
from statistics import NormalDist

from syncmeter_analysis.relate.special import student_t_tail
from syncmeter_analysis.relate.stats import holm, median

#: A spread of logarithms below this is not believed: devices that count whole cycles can agree exactly.
least_spread = 0.001

_mad_to_sigma = 1.4826


def deviation(away: Sequence[float]) -> float:
    """The standard deviation of normal values, from the median of distances to their median."""
    middle = median(away)
    return _mad_to_sigma * median(abs(x - middle) for x in away)


@lru_cache(maxsize=1024)
def _normal_width(n: int, cut: int) -> float:
    """The expected width of n standard normal values without the `cut` at either end (Blom 1958)."""
    return -2 * NormalDist().inv_cdf((cut + 0.625) / (n + 0.25))


def spread_of_point(away: Sequence[float], errors: Sequence[float]) -> float:
    """What costs of a point differ by between nodes, as a standard deviation.

    The median of distances does not see a second state that less than half of the nodes are in; the
    range without a tenth at either end does. Nor can it be less than what the files' own visits
    scatter by.
    """
    n, cut = len(away), max(1, len(away) // 10)
    ordered = sorted(away)
    width = (ordered[n - 1 - cut] - ordered[cut]) / _normal_width(n, cut) if n > 2 * cut + 1 else 0
    return max(deviation(away), width, typical_error(errors), least_spread)


def typical_error(errors: Iterable[float]) -> float:
    known = [e for e in errors if isfinite(e)]
    return median(known) if known else 0.0


def scale_of(spread: float, error: float, typical: float) -> float:
    """A node whose own scatter is wider than that of most is judged by its own."""
    return sqrt(spread**2 + max(0.0, error**2 - typical**2))


def probability(distance: float, scale: float, degrees: float) -> float:
    """Two-sided; 1 where no correction could leave it, which saves a second for many nodes."""
    if not isfinite(scale) or distance < 2 * scale:
        return 1.0
    return min(1.0, 2 * student_t_tail(distance / scale, degrees))


def degrees_of(n: int) -> float:
    """Of the median distance of n values: by simulation Student's t of (n - 1) / 2 degrees is as far or
    a little farther out at 5, 1 and 0.1 %, from 3 values on."""
    return max(1.0, (n - 1) / 2)


def holm_of(smallest: Sequence[float], tests: int) -> list[float]:
    """Holm's adjusted probabilities of these, the smallest of so many."""
    return holm([*smallest, *[1.0] * (tests - len(smallest))])[: len(smallest)]


def quantile(ordered: Sequence[float], share: float) -> float:
    """Between neighbours in rank."""
    at = share * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])
