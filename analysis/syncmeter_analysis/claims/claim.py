"""A claim: a published or widely held statement, and how it is judged on the user's own data.

Each is an entry in a module of claims/ and has its name as id. Most are rows: which points against
which, and a predicate with its bounds. Those that need more are functions from evidence to a finding.
A verdict rests on an effect with its interval, never on two medians: the interval wholly on one side
of the bound decides, an interval that straddles the bound cannot tell. Unlike ops are judged
each for itself: a median over them would decide nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from syncmeter_analysis.conclude.conclusion import Kind
from syncmeter_analysis.conclude.finding import Finding, Note
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.record.machine import Machine
from syncmeter_analysis.relate.evidence import Evidence, Pair, Pairs, on_cpu
from syncmeter_analysis.relate.relation import Ratio
from syncmeter_analysis.relate.summary import Measured

holds, fails, cannot_tell, not_measured = "holds", "does not hold", "cannot tell", "not measured"
#: Ops, or sizes, were judged each for itself, and not all alike.
differs = "differs"
verdicts = (holds, fails, differs, cannot_tell, not_measured)

# The scatter of published figures is not known: one speaks against a claim about every point where
# it is beyond a bound by so much, and so do as large a share of all.
_bare_margin, _bare_share = 1.25, 0.05


Judge = Callable[[Evidence], Finding]


@dataclass(frozen=True)
class Claim:
    """A statement by its id, its source, and the command that measures it.
    voice/templates/claims.toml has the words.

    `if_true` and `if_false` are the kinds of advice that follow, None if none follows. `conditions`
    are names of requirements for the advice. `usual` is the operation behind the advice if several were
    judged. `figure` names the section of the report that shows it.
    `gpus`, `least_pus` and `needs_smt` tell which machines can measure it.
    """

    id: str
    source: str
    command: str
    predicate: Judge
    figure: str
    if_true: Kind | None = Kind.use
    if_false: Kind | None = Kind.any
    conditions: tuple[str, ...] = ()
    usual: str = ""
    gpus: int = 0
    least_pus: int = 2
    needs_smt: bool = False

    def judge(self, data: Evidence) -> Finding:
        """Returns what the data say of the claim."""
        without_smt = self.needs_smt and data.machine.smt is False
        return missing(Note("no_smt")) if without_smt else self.predicate(data)

    def can_run_on(self, machine: Machine, gpus: int) -> bool:
        """Returns whether a machine with this number of GPUs can measure it."""
        if self.gpus:
            return gpus >= self.gpus
        if machine.smt is False and self.needs_smt:
            return False
        return machine.pus is None or machine.pus >= self.least_pus


def row(predicate: Judge, origin: dict[str, Any], **members: Any) -> Claim:
    """Returns the claim that this predicate judges. The members are those of Claim."""
    return Claim(id="", predicate=predicate, **origin, **members)


def claim(origin: dict[str, Any], **members: Any) -> Callable[[Judge], Claim]:
    """Makes a predicate of its own a claim."""
    return lambda predicate: row(predicate, origin, **members)


@dataclass(frozen=True)
class Found:
    """Pairs of points, with what may be asked of their ratios."""

    pairs: Callable[[Evidence], Pairs]

    def above(self, bound: float) -> Judge:
        return lambda data: above(self.pairs(data), bound)

    def below(self, bound: float) -> Judge:
        return lambda data: below(self.pairs(data), bound)

    def within(self, low: float, high: float) -> Judge:
        return lambda data: within(self.pairs(data), low, high)

    def every(self, low: float, high: float) -> Judge:
        return lambda data: every(self.pairs(data), low, high)


@dataclass(frozen=True)
class Points:
    """Points that a claim is about, and how they are paired with others."""

    of: Callable[[Evidence], list[Measured]]

    def over(self, under: Points, *but: str) -> Found:
        """Pairs points that differ in these axes only."""
        return Found(lambda data: data.pairs(self.of(data), under.of(data), but))

    def between(self, axis: str, *steps: Any) -> Found:
        """Those with the first of two values of an axis over those with the second."""
        return Found(lambda data: data.between(self.of(data), axis, *steps))

    def ends(self, axis: str, least: int) -> Found:
        """The largest value of an axis over the smallest that is at least this."""
        return Found(lambda data: data.ends(self.of(data), axis, least))

    def in_one_line(self, *but: str) -> Found:
        """Those with cells of several lanes in one cache line over those with each in its own."""

        def pairs(data: Evidence) -> Pairs:
            line, points = data.machine.line_bytes or 64, self.of(data)
            near = [s for s in points if 0 < s.point.stride_bytes < line]
            far = [s for s in points if s.point.stride_bytes >= 2 * line]
            return data.pairs(near, far, ("stride", *but))

        return Found(pairs)


def points(ops: str, **axes: Any) -> Points:
    """Returns the points with these ops (names with blanks between) and axes."""
    return Points(lambda data: data.measured(ops.split(), **axes))


on_cpus = partial(points, backend=on_cpu)
on_cuda = partial(points, backend="cuda")


def against(over: str, under: str, *but: str, **axes: Any) -> Found:
    """Ops over others, all with these values on their axes."""
    return points(over, **axes).over(points(under, **axes), "op", *but)


def at_least(least: int) -> Callable[[int], bool]:
    """Of the values of an axis those from this one on."""
    return lambda n: n >= least


def missing(*notes: Note) -> Finding:
    """Returns the finding of a claim without measured points."""
    return Finding(not_measured, notes=list(notes))


def _without(pairs: Pairs) -> list[Note]:
    return [Note("without", n, why=why) for why, n in sorted(pairs.without.items())]


def finding_of(
    decide: Callable[[Pairs], str],
    effect: Interval,
    pairs: Pairs,
    notes: Sequence[Note] = (),
    opposed: int = 0,
    worst: Pair | None = None,
) -> Finding:
    """Returns the finding of pairs with this effect."""
    against = [Note("opposed", opposed, len(pairs.found))] if opposed else []
    return Finding(
        decide(pairs),
        effect,
        len(pairs.found),
        (pairs.smallest.ratio.value, pairs.largest.ratio.value),
        pairs.ids,
        pairs.doubts,
        [*notes, *against, *_without(pairs)],
        example=min(pairs.found, key=lambda p: far(p.ratio.value, effect.value)),
        worst=worst,
        opposed=opposed,
        compared=pairs,
        decide=decide,
    )


def far(a: float, b: float) -> float:
    """Returns how many times one is the other, as a logarithm."""
    return abs(math.log(a / b)) if a > 0 and b > 0 else math.inf


def _nothing(pairs: Pairs) -> Finding:
    if not pairs.without:
        return missing()
    return Finding(cannot_tell, notes=_without(pairs))


def _typical(pairs: Pairs, decided: Callable[[Interval], str], notes: Sequence[Note]) -> Finding:
    """Decides about the typical ratio of each operation."""
    if not pairs:
        return _nothing(pairs)
    groups = {op: group.undoubted for op, group in pairs.by_op().items()}
    of_all = notes if len(groups) == 1 else ()
    parts = {op: _of_group(group, decided, of_all) for op, group in groups.items()}
    if len(parts) == 1:
        return next(iter(parts.values()))
    found = {f.verdict for f in parts.values()}
    return Finding(
        found.pop() if len(found) == 1 else differs,
        pairs=len(pairs.found),
        points=list(dict.fromkeys(id for f in parts.values() for id in f.points)),
        doubts=list(dict.fromkeys(doubt for f in parts.values() for doubt in f.doubts)),
        notes=[*notes, *_without(pairs)],
        parts=parts,
    )


def _of_group(pairs: Pairs, decided: Callable[[Interval], str], notes: Sequence[Note]) -> Finding:
    opposite = {holds: fails, fails: holds}.get(decided(pairs.typical))
    opposed = sum(p.ratio.bounded and decided(p.ratio.interval) == opposite for p in pairs.found)
    return finding_of(lambda of: decided(of.typical), pairs.typical, pairs, notes, opposed)


def above(pairs: Pairs, bound: float, *notes: Note) -> Finding:
    """The typical ratio is larger than `bound`."""

    def decided(effect: Interval) -> str:
        return holds if effect.low > bound else fails if effect.high <= bound else cannot_tell

    return _typical(pairs, decided, notes)


def below(pairs: Pairs, bound: float, *notes: Note) -> Finding:
    """The typical ratio is smaller than `bound`."""

    def decided(effect: Interval) -> str:
        return holds if effect.high < bound else fails if effect.low >= bound else cannot_tell

    return _typical(pairs, decided, notes)


def within(pairs: Pairs, low: float, high: float, *notes: Note) -> Finding:
    """The typical ratio lies between the bounds: there is no difference worth the name."""

    def decided(effect: Interval) -> str:
        if low <= effect.low and effect.high <= high:
            return holds
        return fails if effect.high < low or effect.low > high else cannot_tell

    return _typical(pairs, decided, notes)


def every(pairs: Pairs, low: float, high: float) -> Finding:
    """Each ratio lies between the bounds; one that is wholly outside contradicts.

    Intervals are widened for the number of pairs (Bonferroni) before they contradict. Figures without
    interval contradict where 5 % of them are beyond a bound by a quarter, and more of them than
    scatter explains.
    """
    if not pairs:
        return _nothing(pairs)
    pairs = pairs.undoubted
    beyond = _beyond(pairs, low, high)
    worst = max(beyond or pairs.found, key=lambda p: _distance(p, low, high))
    notes = [Note("contradict", len(beyond), len(pairs.found))] if beyond else []

    def decide(of: Pairs) -> str:
        if _beyond(of, low, high):
            return fails
        return holds if all(_inside(p.ratio, low, high) for p in of.found) else cannot_tell

    return finding_of(decide, worst.ratio.interval, pairs, notes, worst=worst)


def _beyond(pairs: Pairs, low: float, high: float) -> list[Pair]:
    """The pairs that contradict `every`."""
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
    return beyond


def _inside(r: Ratio, low: float, high: float) -> bool:
    if r.bounded:
        return low <= r.low and r.high <= high
    return low <= r.value <= high


def _more(beyond: int, mirrored: int) -> bool:
    """So many beyond against so many mirrored are no chance: a sign test at 1 %."""
    n = beyond + mirrored
    return bool(sum(math.comb(n, k) for k in range(beyond, n + 1)) < 0.01 * 2**n)


def _outside(i: Interval, low: float, high: float) -> bool:
    return i.high < low or i.low > high


def _distance(p: Pair, low: float, high: float) -> float:
    value = max(p.ratio.value, 1e-12)
    return max(value / high if high > 0 else 0.0, low / value)
