"""Student's t distribution, by the incomplete beta function: no numerical library is needed.

The continued fraction and its evaluation are Lentz's method (Press et al., Numerical Recipes, 6.4).
"""

from __future__ import annotations

import math
from functools import lru_cache


def beta_ratio(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b), for a, b > 0 and x within 0..1."""
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


def _fraction(a: float, b: float, x: float, tiny: float = 1e-300) -> float:
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
    low, high = 0.0, 1.0
    while student_t_tail(high, degrees) > tail:
        low, high = high, high * 2
    for _ in range(200):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if student_t_tail(middle, degrees) > tail:
            low = middle
        else:
            high = middle
    return (low + high) / 2


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
