"""Placement states over a whole file, as `syncmeter show` tells them apart (class_bounds).

A worker sorts rounds by the bounds that it was given; a state that appears later is found here,
from the hops of all visits with as many lanes.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise

from syncmeter_analysis.data.visit import Estimate, Visit

_gap = 1.5


def class_bounds(
    values: Iterable[float], gap: float = _gap, min_share: float = 0.02
) -> list[float]:
    """Upper bounds between state classes: cuts where neighbours are `gap` apart in ratio.

    Both parts must keep `min_share` of all values; stray values, near which (within gap^(1/4)) lie
    fewer than half of that, are no neighbours. Returns the geometric middle of each cut.
    """
    ascending = sorted(v for v in values if v > 0 and math.isfinite(v))
    reach, wanted = gap**0.25, min_share / 2 * len(ascending)
    dense = [
        v
        for v in ascending
        if bisect_right(ascending, v * reach) - bisect_left(ascending, v / reach) >= wanted
    ]
    bounds = []
    for smaller, larger in pairwise(dense):
        if larger < gap * smaller:
            continue
        bound = math.sqrt(smaller * larger)
        below = bisect_right(ascending, bound)
        if min(below, len(ascending) - below) >= min_share * len(ascending):
            bounds.append(bound)
    return bounds


class StateClasses:
    """The class of an estimate's placement state; 0 is the fastest."""

    def __init__(self, visits: Iterable[Visit]) -> None:
        hops: dict[int, list[float]] = defaultdict(list)
        for visit in visits:
            for estimate in visit.estimates:
                if estimate.hop_ns > 0:
                    hops[visit.point.lanes].append(estimate.hop_ns)
        self._bounds = {lanes: class_bounds(values) for lanes, values in hops.items()}

    def of(self, estimate: Estimate, lanes: int) -> int:
        bounds = self._bounds.get(lanes)
        if estimate.hop_ns <= 0 or bounds is None:
            return estimate.state
        return bisect_right(bounds, estimate.hop_ns)

    def several(self) -> bool:
        """Some lanes saw more than one state."""
        return any(self._bounds.values())
