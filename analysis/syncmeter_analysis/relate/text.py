"""How figures are written, the same in tables, report and claims."""

from __future__ import annotations

import math

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.relation import (
    NotComparable,
    Ratio,
    Verdict,
    default_margin,
    verdict,
)
from syncmeter_analysis.relate.summary import Measured


def nanoseconds(ns: float) -> str:
    """Four significant digits, as `syncmeter show` prints; no unit."""
    if not math.isfinite(ns):
        return "unknown"
    size = abs(ns)
    for least, decimals in ((999.95, 0), (99.995, 1), (9.9995, 2), (0.99995, 3), (0.00095, 4)):
        if size >= least:
            return f"{ns:.{decimals}f}"
    return f"{ns:.4f}" if size == 0 else f"{ns:.1e}"


def percent(share: float, decimals: int = 0) -> str:
    """Returns `5 %` for 0.05."""
    return f"{100 * share:.{decimals}f} %"


def duration(ns: float) -> str:
    """Time with the unit that suits it: `4.876 ns`, `45.70 us`, `3.014 s`."""
    if not math.isfinite(ns):
        return "unknown"
    for least, unit, name in ((1e9, 1e9, "s"), (1e6, 1e6, "ms"), (1e4, 1e3, "us")):
        if abs(ns) >= least:
            value = f"{ns / unit:#.4g}".rstrip(".")
            return f"{value} {name}"
    return f"{nanoseconds(ns)} ns"


def duration_range(least: float, most: float) -> str:
    """`175.5 to 231.9 ns`; each with its unit where these differ: `9000 ns to 12.10 us`."""
    return of_one_unit(duration(least), duration(most))


def of_one_unit(low: str, high: str) -> str:
    """`175.5 to 231.9 ns` of `175.5 ns` and `231.9 ns`; each with its unit where these differ."""
    number, _, unit = low.rpartition(" ")
    return f"{number if high.endswith(f' {unit}') else low} to {high}"


def ratio(value: float) -> str:
    """A ratio with as many digits as it deserves: 0.0031, 0.031, 0.991, 1.31, 14.2, 310."""
    if not math.isfinite(value):
        return "unknown"
    for least, decimals in ((99.95, 0), (9.995, 1), (0.9995, 2), (0.0095, 3)):
        if value >= least:
            return f"{value:.{decimals}f}"
    return f"{value:.2g}"


def ratio_interval(i: Interval | Ratio) -> str:
    """`1.31 (1.20..1.43)`, or the value alone where nothing is known of its scatter."""
    return f"{ratio(i.value)} ({ratio(i.low)}..{ratio(i.high)})" if i.bounded else ratio(i.value)


_marks = {Verdict.same: " =", Verdict.slower: " >", Verdict.faster: " <", Verdict.cannot_tell: " ?"}

#: What the marks behind ratios in tables say.
meaning_of_marks = {
    "=": f"the same within {percent(default_margin)}",
    ">": "more",
    "<": "less",
    "?": "undecided",
}


def marked(r: Ratio | NotComparable, with_interval: bool = False) -> str:
    """A ratio for a field of a table: `1.31 >` or `1.31 (1.20..1.43) >`, `-` where there is none."""
    if isinstance(r, NotComparable):
        return "-"
    return (ratio_interval(r) if with_interval else ratio(r.value)) + _marks[verdict(r)]


def number(value: float | None, decimals: int) -> str:
    """`0.987`, or '' for None."""
    return "" if value is None else f"{value:.{decimals}f}"


def interval_ns(i: Interval) -> str:
    return f"{nanoseconds(i.low)}..{nanoseconds(i.high)}" if i.bounded else "unknown"


def count(n: int, what: str) -> str:
    """`1 point`, `7 points`."""
    return f"{n} {what}" + ("" if n == 1 else "s")


def rate(per_s: float) -> str:
    """`205 M`: ops per second with three digits and a prefix, as `syncmeter show` prints."""
    prefix = ""
    for larger in (" k", " M", " G", " T"):
        # 999.5 would be written as 1e+03.
        if per_s >= 999.5:
            per_s, prefix = per_s / 1000, larger
    if per_s >= 999.5:
        return f"{per_s:.3g}{prefix}"
    return f"{per_s:.{0 if per_s >= 99.95 else 1 if per_s >= 9.995 else 2}f}{prefix}"


def ns_of(s: Measured) -> float:
    """The cost in ns; 0 without one."""
    return s.cost.value if s.cost else 0.0


def cost(s: Measured) -> str:
    """The cost of a point in ns, its upper bound, or its status."""
    if s.usable and s.cost is not None:
        return nanoseconds(s.cost.value)
    if s.status == "not_resolved" and s.cost is not None and math.isfinite(s.cost.high):
        bound = s.cost.high
        if bound >= 1:
            return f"< {nanoseconds(bound * 1.0005)}"
        return f"< {max(math.ceil(bound * 1e4) / 1e4, 1e-4):.4f}"
    return s.status


def cost_interval(s: Measured) -> str:
    """`354.7 (320.1..380.2)`, the cost alone where nothing is known of its scatter, or as `cost`."""
    return f"{cost(s)} ({scatter})" if (scatter := cost_scatter(s)) else cost(s)


def cost_scatter(s: Measured) -> str:
    """The interval of the cost, or both modes where its visits are in two; '' where it is not known."""
    if not (s.usable and s.cost is not None and s.cost.bounded):
        return ""
    if not s.modes:
        return interval_ns(s.cost)
    # `9.782 in 4 visits or 18.13 in 5`
    low, high = s.modes
    in_low = f"{nanoseconds(low.cost_ns)} in {low.visits} visits"
    return f"{in_low} or {nanoseconds(high.cost_ns)} in {high.visits}"
