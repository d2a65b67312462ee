"""The two points that show an advice: their costs as bars, how many times as long the one takes, and
what they have in common."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite

from syncmeter_analysis.claims.claim import Finding
from syncmeter_analysis.relate import point_text, text
from syncmeter_analysis.relate.distance import distance, unknown
from syncmeter_analysis.relate.evidence import Pair
from syncmeter_analysis.relate.relation import Ratio
from syncmeter_analysis.render.report import Bar


def effect_of(f: Finding) -> str:
    """The ratio of the two points that are shown; of what has no two costs the effect itself."""
    if f.effect is None:
        return f.note
    if f.example is None or not bars_of(f):
        return f"{f.of}: {text.effect(f.effect, f.example is not None)}"
    return text.effect(_as_in_tables(f.example)) + _of_each_op(f.example)


def _as_in_tables(pair: Pair) -> Ratio:
    """The ratio with the costs of tables and answers, where those of the state that it was taken in are
    the same within the margin: one thing has one cost on a page."""
    r, costs = pair.ratio, [s.cost.value for s in (pair.over, pair.under) if s.cost]
    placed = text.in_placement(r, pair.over, pair.under)
    if pair.each or placed or len(costs) < 2 or not isfinite(r.over_ns):
        return r
    return replace(r, over_ns=costs[0], under_ns=costs[1])


def _counts(pair: Pair) -> list[float]:
    """How many ops the cost of each side is of, where these are not as many; else nothing. A cost is of
    one op of each lane, while all lanes do theirs."""
    sides = (pair.over, pair.under)
    found = [s.concurrent_ops for s in sides if s.family in ("atomic", "critical", "memory")]
    return found if len(set(found)) == len(sides) else []


def _of_each_op(pair: Pair) -> str:
    """`, 3.75 times as long for each op` of two sides that do not do as many; else ''."""
    counts = _counts(pair)
    if not counts:
        return ""
    return f", {text.ratio(pair.ratio.value * counts[1] / counts[0])} times as long for each op"


def where_of(f: Finding) -> str:
    """`omp, int32, shared, 2 threads; where threads are 50 ns apart, as here`: what the two points have
    in common, in which of their states they are compared, and the distance that this holds at."""
    if f.example is None:
        return ""
    over, under, r = f.example.over, f.example.under, f.example.ratio
    placed = text.in_placement(r, over, under)
    apart = distance((over, under), [r])
    if apart and apart != unknown:
        apart = f"where threads are {apart}, as here"
    return "; ".join(filter(None, [point_text.in_common(over.point, under.point), placed, apart]))


def bars_of(f: Finding) -> list[Bar]:
    """The two sides of the pair nearest to the effect, in their common state."""
    if f.example is None:
        return []
    r = _as_in_tables(f.example)
    costs = r.over_ns, r.under_ns
    if not all(isfinite(ns) and ns > 0 for ns in costs):
        return []
    sides = f.example.over.point, f.example.under.point
    several = (f.example.each and p.size > 1 for p in sides)
    named = zip(point_text.names_apart(*sides), several, strict=True)
    names = tuple(name + ", each" * each for name, each in named)
    if ops := _counts(f.example):
        counts = [f"{n:g} ops at once" if n > 1 else "one op" for n in ops]
        names = f"{names[0]} ({counts[0]})", f"{names[1]} ({counts[1]})"
    return [
        Bar(name, text.duration(ns), ns / max(costs)) for name, ns in zip(names, costs, strict=True)
    ]
