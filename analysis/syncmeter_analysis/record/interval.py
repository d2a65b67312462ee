"""A value with bounds: what estimates and ratios are."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with a two-sided interval; `low` <= `value` <= `high` is not guaranteed.

    Infinite bounds say that nothing is known of the scatter (one visit, an import).
    """

    value: float
    low: float = -math.inf
    high: float = math.inf

    @property
    def bounded(self) -> bool:
        """Both bounds are finite."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def relative_half_width(self) -> float:
        """Half the width over the value, as a ratio. Infinite with an unknown bound or the value 0."""
        if not self.bounded or self.value == 0:
            return math.inf
        return (self.high - self.low) / 2 / abs(self.value)

    def scaled(self, factor: float) -> Interval:
        """The same in another unit; `factor` > 0."""
        return Interval(self.value * factor, self.low * factor, self.high * factor)
