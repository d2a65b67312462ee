"""A claim: a published or widely held statement, and how it is judged on the user's own data.

Each is a file in claims/: data, and a predicate of a few lines that turns evidence into a finding. A
verdict rests on an effect with its interval, never on two medians: the interval wholly on one side of
the bound decides, an interval that holds the bound cannot tell.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from syncmeter_analysis.data.interval import Interval
from syncmeter_analysis.statistics import text
from syncmeter_analysis.statistics.evidence import Evidence, Pair, Pairs

holds, fails, cannot_tell, not_measured = "holds", "does not hold", "cannot tell", "not measured"
verdicts = (holds, fails, cannot_tell, not_measured)

# The scatter of published figures is not known: one speaks against a claim about every point where
# it is beyond a bound by so much, and so do as large a share of all.
_bare_margin, _bare_share = 1.25, 0.05


@dataclass
class Finding:
    """What the data say. `effect` is a ratio of costs (`of` says of what to what) with an interval.

    `points` are ids of the evidence, `doubts` why it may not be what it seems, `note` what more
    there is to say.
    """

    verdict: str
    effect: Interval | None = None
    of: str = ""
    pairs: int = 0
    range: tuple[float, float] | None = None
    points: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    note: str = ""

    @property
    def says(self) -> str:
        """The evidence in one line."""
        if self.effect is None:
            return self.note
        parts = [f"{self.of}: {text.ratio_interval(self.effect)}"]
        if self.pairs > 1 and self.range is not None:
            parts.append(
                f"over {self.pairs} pairs, from {text.ratio(self.range[0])} to "
                f"{text.ratio(self.range[1])}"
            )
        if self.note:
            parts.append(self.note)
        return "; ".join(parts)


@dataclass(frozen=True)
class Claim:
    """A statement with its source, what it needs, how to get that, and what follows from it.

    `advice` is what to do where it holds, `otherwise` where it does not. `figure` names the section of
    the report that shows it. `judge` looks at evidence only.
    """

    id: str
    statement: str
    source: str
    needs: str
    command: str
    advice: str
    otherwise: str
    judge: Callable[[Evidence], Finding]
    figure: str = "scaling"


def missing(note: str = "") -> Finding:
    """Nothing that the claim is about was measured."""
    return Finding(not_measured, note=note)


def _finding(verdict: str, effect: Interval, of: str, pairs: Pairs, note: str) -> Finding:
    without = [f"{n} {why}" for why, n in sorted(pairs.without.items())]
    return Finding(
        verdict,
        effect,
        of,
        len(pairs.found),
        (pairs.smallest.ratio.value, pairs.largest.ratio.value),
        pairs.ids,
        pairs.doubts,
        "; ".join([note] * bool(note) + [", ".join(without)] * bool(without)),
    )


def _nothing(pairs: Pairs) -> Finding:
    if not pairs.without:
        return missing()
    reasons = ", ".join(f"{n} {why}" for why, n in sorted(pairs.without.items()))
    return Finding(cannot_tell, note=f"points are there, none with a ratio ({reasons})")


def above(pairs: Pairs, bound: float, of: str, note: str = "") -> Finding:
    """The typical ratio is larger than `bound`."""
    if not pairs:
        return _nothing(pairs)
    pairs = pairs.undoubted
    effect = pairs.typical
    verdict = holds if effect.low > bound else fails if effect.high <= bound else cannot_tell
    return _finding(verdict, effect, of, pairs, note)


def below(pairs: Pairs, bound: float, of: str, note: str = "") -> Finding:
    """The typical ratio is smaller than `bound`."""
    if not pairs:
        return _nothing(pairs)
    pairs = pairs.undoubted
    effect = pairs.typical
    verdict = holds if effect.high < bound else fails if effect.low >= bound else cannot_tell
    return _finding(verdict, effect, of, pairs, note)


def within(pairs: Pairs, low: float, high: float, of: str, note: str = "") -> Finding:
    """The typical ratio lies between the bounds: there is no difference worth the name."""
    if not pairs:
        return _nothing(pairs)
    pairs = pairs.undoubted
    effect = pairs.typical
    if low <= effect.low and effect.high <= high:
        verdict = holds
    else:
        verdict = fails if effect.high < low or effect.low > high else cannot_tell
    return _finding(verdict, effect, of, pairs, note)


def every(pairs: Pairs, low: float, high: float, of: str, note: str = "") -> Finding:
    """Each ratio lies between the bounds; one that is wholly outside contradicts.

    Intervals are widened for the number of pairs (Bonferroni) before they contradict. Figures without
    interval contradict where 5 % of them are beyond a bound by a quarter, and more of them than
    scatter explains.
    """
    if not pairs:
        return _nothing(pairs)
    pairs = pairs.undoubted
    confidence = 1 - 0.05 / len(pairs.found)
    bare = [p for p in pairs.found if not p.ratio.bounded]
    beyond = [
        p for p in pairs.found if p.ratio.bounded and _outside(p.ratio.at(confidence), low, high)
    ]
    beyond_bare = [
        p for p in bare if not low / _bare_margin <= p.ratio.value <= high * _bare_margin
    ]
    # Scatter alone puts as many on the other side of 1 as beyond the bound.
    mirrored = sum(p.ratio.value < 1 / (high * _bare_margin) for p in bare) if low <= 0 else 0
    if len(beyond_bare) >= _bare_share * len(bare) and _more(len(beyond_bare), mirrored):
        beyond += beyond_bare
    if beyond:
        worst = max(beyond, key=lambda p: _distance(p, low, high))
        told = f"{len(beyond)} of {len(pairs.found)} pairs contradict"
        return _finding(
            fails,
            worst.ratio.interval,
            f"{of}, worst",
            pairs,
            "; ".join(filter(None, [told, note])),
        )
    worst = max(pairs.found, key=lambda p: _distance(p, low, high))
    inside = all(
        low <= p.ratio.low and p.ratio.high <= high
        if p.ratio.bounded
        else low <= p.ratio.value <= high
        for p in pairs.found
    )
    return _finding(
        holds if inside else cannot_tell, worst.ratio.interval, f"{of}, worst", pairs, note
    )


def _more(beyond: int, mirrored: int) -> bool:
    """So many beyond against so many mirrored are no chance: a sign test at 1 %."""
    n = beyond + mirrored
    return bool(sum(math.comb(n, k) for k in range(beyond, n + 1)) < 0.01 * 2**n)


def _outside(i: Interval, low: float, high: float) -> bool:
    return i.high < low or i.low > high


def _distance(p: Pair, low: float, high: float) -> float:
    value = max(p.ratio.value, 1e-12)
    return max(value / high if high > 0 else 0.0, low / value)
