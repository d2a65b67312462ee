"""The pairs of a comparison: a configuration on two sides with its ratio and its verdict.

A difference is shown if its 95 % interval lies beyond the threshold, and if it stays significant (5 %)
after Holm's correction over all pairs. The null hypothesis is a change up to the threshold. It is no
change at all if the points show by how much two runs differ anyway.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import inf, log, nan
from typing import Any

from syncmeter_analysis.record.arms import Arms
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.record.point import Point
from syncmeter_analysis.relate.relation import Ratio, Verdict, detectable, verdict
from syncmeter_analysis.relate.stats import holm
from syncmeter_analysis.relate.summary import Measured

#: Smaller adjusted probabilities show a difference.
alpha = 0.05

#: The change that each pair should be able to show, as a share.
default_sees = 0.5

#: `unchanged` needs a margin even if the threshold is 0.
_least_margin = 0.01


class Outcome(StrEnum):
    """The answer for one pair."""

    broken = "broken"
    slower = "slower"
    faster = "faster"
    unchanged = "unchanged"
    undecided = "undecided"
    not_sensitive = "not_sensitive"
    missing = "missing"
    not_comparable = "not_comparable"


@dataclass(frozen=True)
class Fact:
    """A reason or a difference without words: the name of a template and its values."""

    name: str
    values: Mapping[str, Any] = field(default_factory=dict)


def fact(name: str, **values: Any) -> Fact:
    return Fact(name, values)


def absent(point: Point) -> Measured:
    """Returns the side that does not have the point."""
    return Measured(point, "missing", "")


_no_ratio = Ratio(Interval(nan, 0.0, inf))


@dataclass(frozen=True)
class Pair:
    """One configuration on both sides. `ratio` is new over old in a common state at `confidence`, and
    `p` its adjusted probability. `detectable` is the smallest change, as a ratio above 1, that would
    have been shown. If `why` is set, there is no ratio. `in_both`: neither side has a cost, for one
    reason, which hides no change."""

    point: Point
    old: Measured
    new: Measured
    verdict: Verdict = Verdict.not_comparable
    ratio: Ratio = _no_ratio
    p: float = 1.0
    detectable: float = inf
    confidence: float = 1 - alpha
    why: Fact | None = None
    in_both: bool = False
    is_broken: bool = False
    is_missing: bool = False

    @property
    def is_compared(self) -> bool:
        return self.verdict is not Verdict.not_comparable


_outcomes = {
    Verdict.slower: Outcome.slower,
    Verdict.faster: Outcome.faster,
    Verdict.same: Outcome.unchanged,
}


@dataclass
class PairTable:
    """All pairs of two sides. `source` is `files`, `sides` (of one file, by `arms`) or `axis`. `only`
    counts points that one side alone has. `notes` say what the sides differ in and how the pairs were
    compared. A change of `sees` should be found: 0.5 means half as much again."""

    names: tuple[str, str]
    threshold: float
    source: str = "files"
    sees: float = default_sees
    blind_is_fine: bool = False
    pairs: list[Pair] = field(default_factory=list)
    only: tuple[int, int] = (0, 0)
    notes: list[Fact] = field(default_factory=list)
    arms: Arms | None = None
    hops_ns: tuple[float, float] | None = None

    def outcome(self, pair: Pair) -> Outcome:
        """Returns the answer for a pair of this table."""
        if pair.is_broken or pair.is_missing:
            return Outcome.broken if pair.is_broken else Outcome.missing
        if not pair.is_compared:
            return Outcome.not_comparable
        is_blind = pair.verdict is Verdict.cannot_tell and pair.detectable > 1 + self.sees
        return Outcome.not_sensitive if is_blind else _outcomes.get(pair.verdict, Outcome.undecided)

    @property
    def counts(self) -> Counter[Outcome]:
        return Counter(map(self.outcome, self.pairs))

    def _of(self, *outcomes: Outcome) -> list[Pair]:
        return [pair for pair in self.pairs if self.outcome(pair) in outcomes]

    @property
    def compared(self) -> list[Pair]:
        """Returns the pairs with a ratio."""
        return [pair for pair in self.pairs if pair.is_compared]

    @property
    def resolved(self) -> list[Pair]:
        """Returns the changed pairs, the largest change first."""
        changed = self._of(Outcome.slower, Outcome.faster)
        return sorted(changed, key=lambda pair: -abs(log(pair.ratio.value)))

    @property
    def slower(self) -> list[Pair]:
        return [pair for pair in self.resolved if pair.verdict is Verdict.slower]

    @property
    def undecided(self) -> list[Pair]:
        """Returns the pairs that are neither changed nor unchanged, the least sensitive first."""
        unknown = self._of(Outcome.undecided, Outcome.not_sensitive)
        return sorted(unknown, key=lambda pair: -pair.detectable)

    @property
    def blind(self) -> list[Pair]:
        """Returns the undecided pairs that may have missed a change of `sees`."""
        return [pair for pair in self.undecided if self.outcome(pair) is Outcome.not_sensitive]

    @property
    def apart(self) -> list[Pair]:
        """Returns the pairs of points in both sides that have no ratio."""
        return [pair for pair in self.pairs if not (pair.is_compared or pair.is_missing)]

    @property
    def lost(self) -> list[Pair]:
        return self._of(Outcome.missing)

    @property
    def broken(self) -> list[Pair]:
        return self._of(Outcome.broken)

    @property
    def status(self) -> int:
        """Returns the exit status: 0 nothing slower, 1 something slower or broken, 2 nothing compared,
        3 nothing slower, but a change of `sees` may have been missed."""
        if self.broken:
            return 1
        if not self.compared and not (self.arms and self.arms.equal):
            return 2
        if self.slower:
            return 1
        return 3 if self.hides_changes and not self.blind_is_fine else 0

    @property
    def hides_changes(self) -> bool:
        """Returns whether a change of `sees` may have been missed."""
        found = self.blind or self.lost or any(not pair.in_both for pair in self.apart)
        return bool(found) or self._lacks_points

    @property
    def _lacks_points(self) -> bool:
        """Returns whether the second side of one file lacks points. Two backends may differ in them."""
        if self.arms is None or not self.arms.only[0]:
            return False
        # Without any measured pair the backends of both sides are unknown.
        known = bool(self.compared) or not self.arms.any_backend
        return known and all(p.old.point.backend == p.new.point.backend for p in self.compared)


@dataclass(frozen=True)
class Candidate:
    """Two points with a ratio. A difference up to `margin` is none. The judgement uses a `share`
    of the false-alarm probability if there are several looks."""

    old: Measured
    new: Measured
    ratio: Ratio
    margin: float
    share: float = 1.0


def judged(found: Sequence[Candidate], threshold: float) -> list[Pair]:
    """Returns the pairs with their verdicts. One correction covers all pairs."""
    adjusted = holm([min(1.0, c.ratio.p(c.margin) / c.share) for c in found])
    pairs = []
    for c, p in zip(found, adjusted, strict=True):
        confidence = 1 - alpha * c.share
        r = c.ratio if c.share == 1 else replace(c.ratio, interval=c.ratio.at(confidence))
        judgement = verdict(r, c.margin)
        changed = judgement in (Verdict.slower, Verdict.faster)
        if not changed or p >= alpha:
            margin = max(threshold, _least_margin)
            same = not changed and verdict(r, margin) is Verdict.same
            judgement = Verdict.same if same else Verdict.cannot_tell
        least = detectable(r, c.margin, round(len(found) / c.share))
        pairs.append(Pair(c.old.point, c.old, c.new, judgement, r, p, least, confidence))
    return pairs
