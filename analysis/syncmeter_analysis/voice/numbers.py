"""Formats all numbers: three digits at most, one notation (`1.2 us`, `5 %`)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from syncmeter_analysis.relate.text import of_one_unit

#: A half-width above this share of the value supports two digits, a smaller half-width three.
_wide = 0.05


def rounded(value: float, digits: int) -> float:
    """Returns the value with this number of significant digits."""
    if value == 0 or not math.isfinite(value):
        return value
    return round(value, digits - 1 - math.floor(math.log10(abs(value))))


def plain(value: float, digits: int) -> str:
    """`41`, `4.40`, `17,800`: no exponent, and thousands are separated from 10,000 on."""
    value = rounded(value, digits)
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:,.{decimals}f}" if abs(value) >= 10_000 else f"{value:.{decimals}f}"


def cost(value: float, low: float | None = None, high: float | None = None) -> str:
    """A cost in ns with the digits that its interval supports, from 100 on three."""
    width = math.inf if low is None or high is None else high - low
    return plain(value, 3 if value >= 100 or width < 2 * _wide * value else 2)


def factor(value: float) -> str:
    """A ratio with two digits: `2.3`, `0.87`, `130`."""
    return plain(value, 2)


def about(value: float) -> str:
    """A ratio of a poor run: two digits below 2, otherwise one, or 1.5 or 2.5: `1.3`, `15`, `20`."""
    if value < 1.95:
        return plain(value, 2)
    scale = 10 ** math.floor(math.log10(value))
    if 1.25 <= value / scale < 1.75:
        return plain(1.5 * scale, 2)
    return plain(2.5 * scale, 2) if 2.4 <= value / scale < 2.6 else plain(value, 1)


def factor_down(value: float, digits: int = 2) -> str:
    """A lower bound, rounded down."""
    digits = max(digits, 2) if value < 2 else digits
    step = 10 ** (math.floor(math.log10(value)) - digits + 1)
    return plain(math.floor(value / step + 1e-9) * step, digits)


def ratio(value: float, low: float | None = None, high: float | None = None) -> str:
    """A ratio near 1 with the decimals that its interval supports: `1.032`, `0.97`, otherwise as a
    factor."""
    if not 0.5 <= value < 10:
        return factor(value)
    width = 0.1 if low is None or high is None else high - low
    return f"{value:.{3 if width < 0.02 else 2 if width < 1 else 1}f}"


def factor_up(value: float) -> str:
    """A bound: two digits, rounded up, three near 1."""
    digits = 3 if value < 1.1 else 2
    step = 10 ** (math.floor(math.log10(value)) - digits + 1)
    return plain(math.ceil(value / step - 1e-9) * step, digits)


def power_of_two(value: float) -> str:
    """`2^20` from 1024 on, or `1,000` for a number that is no power of two."""
    whole = round(value)
    is_power = whole >= 1 << 10 and whole & (whole - 1) == 0
    return f"2^{whole.bit_length() - 1}" if is_power else f"{value:,.0f}"


def percent(share: float) -> str:
    """`7 %`, `98 %`, `0.4 %`."""
    return f"{plain(100 * share, 1 if share < 0.1 else 2)} %"


def percent_bound(shares: Iterable[float]) -> str:
    """Returns the largest share, and 1 % for smaller shares: no reader needs them."""
    return percent(max(0.01, *shares))


def duration(ns: float) -> str:
    """`41 ns`, `1.2 us`, `57 us`, `3.4 ms`: two digits."""
    for size, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if rounded(ns, 2) >= size:
            return f"{plain(ns / size, 2)} {unit}"
    return f"{plain(ns, 2)} ns"


def span(low: float | None, high: float | None) -> str:
    """`7.7 to 55 us`: two durations."""
    return of_one_unit(duration(low or 0.0), duration(high or 0.0))


_units = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"))
_most_decimals = 4


def seconds(values: Sequence[float]) -> list[str]:
    """Returns times with the unit and the decimals that fit the first time: `0.33 s`, `0.08`, `0.10 s`.
    Only the first and the last have the unit, and each time keeps a digit."""
    size, unit = next(((s, u) for s, u in _units if rounded(values[0], 2) >= s / 10), _units[-1])
    scaled = [value / size for value in values]
    first = _exponent(scaled[0])
    least = _exponent(min((x for x in scaled if x > 0), default=1.0))
    decimals = min(max(0, 1 - first, -least), _most_decimals)
    texts = [f"{rounded(scaled[0], 2) if decimals == 0 else scaled[0]:,.{decimals}f}"]
    texts += [f"{x:,.{decimals}f}" for x in scaled[1:]]
    return [f"{x} {unit}" if i in (0, len(texts) - 1) else x for i, x in enumerate(texts)]


def _exponent(value: float) -> int:
    return math.floor(math.log10(value)) if value > 0 else 0
