"""Several points of which one is to be taken: the fastest, what may be as fast, how many times as
long the others take, and what cannot be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.evidence import Pair, Pairs
from syncmeter_analysis.relate.group import group
from syncmeter_analysis.relate.op_groups import is_default, is_own_code
from syncmeter_analysis.relate.relation import NotComparable, Ratio, Verdict, ratio, verdict
from syncmeter_analysis.relate.repetition import Repeats, share_alike_of_answers
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.text import ns_of

#: A usual primitive may be slower than the fastest by this factor (upper end).
_near = 1.5

#: A ratio, the reason against it, or None without a comparison.
Over = Ratio | NotComparable | None


def over(s: Measured | None, under: Measured | None) -> Over:
    """Returns the ratio, or None if a point was not measured."""
    return ratio(s, under) if s is not None and under is not None else None


@dataclass
class Contest:
    """`best` of the points, None where none has a cost; no difference could be shown between it and the
    `ties`. `over_best`: each point's ratio to the fastest by its id, which has none itself. `below`:
    points without a cost whose upper bound lies below that of the fastest. `source` names their file
    where there are several."""

    points: Sequence[Measured]
    best: Measured | None = None
    ties: Sequence[Measured] = ()
    over_best: dict[str, Ratio | NotComparable] = field(default_factory=dict)
    below: Sequence[Measured] = ()
    source: str = ""

    @property
    def first(self) -> Measured:
        return self.points[0]

    @property
    def is_crowded(self) -> bool:
        """Whether there are more threads than processing units: two of them share one."""
        lanes, pus = self.first.point.lanes, self.first.pus
        pinned = any(s.pus[:lanes] for s in self.points)
        too_few = pinned and len(set(pus)) < min(lanes, len(pus))
        return too_few or any(s.oversubscribed for s in self.points)

    @cached_property
    def leaders(self) -> list[Measured]:
        """The fastest and its ties: what a program has anyway first, then what is known to be nearly as
        fast, of that what needs no code of its own; each as the points are, as which of
        costs without a shown difference is the least is chance."""

        def rank(s: Measured) -> tuple[bool, ...]:
            op = s.point.op
            return not is_default(op), not self.is_near(s), is_own_code(op)

        fastest = {s.id for s in (self.best, *self.ties) if s}
        return sorted((s for s in self.points if s.id in fastest), key=rank)

    @cached_property
    def kept(self) -> list[Measured]:
        """Of several leaders those that a program has anyway, where there are others, and where repeats
        of the campaign would not show these to be faster."""
        found = [s for s in self.leaders if is_default(s.point.op) and self.is_near(s)]
        return found if 0 < len(found) < len(self.leaders) and self.is_repeated(found) else []

    @property
    def taken(self) -> Measured | None:
        """The leader that stands for all: one to keep, else one that needs no code of its own."""
        ready = [s for s in self.leaders if not is_own_code(s.point.op) and self.is_near(s)]
        own_code = self.best is not None and is_own_code(self.best.point.op)
        return next(iter(self.kept or (ready if own_code else [])), self.best)

    def is_repeated(self, found: Sequence[Measured]) -> bool:
        """Whether 99 of 100 repeats would show none of the other leaders to be faster than these."""
        all_pairs, pairs = (
            [
                Pair(s, other, r)
                for s, other in product(over, self.leaders)
                if s is not other and isinstance(r := ratio(s, other), Ratio)
            ]
            for over in (self.points, found)
        )

        def decided(pairs: Pairs) -> str:
            return str([p.over.id for p in pairs.found if verdict(p.ratio) is Verdict.slower])

        return Repeats(all_pairs).decide_alike(Pairs(pairs), decided, share_alike_of_answers)

    def is_near(self, s: Measured) -> bool:
        """A wide interval is a tie under load, and twice as slow in a repeat."""
        r = self.over(s)
        return s is self.best or (isinstance(r, Ratio) and r.high <= _near)

    @property
    def is_open(self) -> bool:
        """Whether nothing is known of which is faster: of several points one alone has a cost, or no
        ratio to the fastest has an interval, as each was visited once."""
        found = self.over_best.values()
        known = any(isinstance(r, Ratio) and (r.bounded or not r.visits) for r in found)
        return len(self.points) > 1 and not known

    def over(self, s: Measured | None) -> Over:
        return self.over_best.get(s.id) if s else None

    @property
    def slower(self) -> list[tuple[Measured, Ratio]]:
        """The points that are resolved to be slower than the fastest, the slowest first."""
        over = [(s, r) for s in self.points if isinstance(r := self.over(s), Ratio)]
        found = [(s, r) for s, r in over if verdict(r) is Verdict.slower]
        return sorted(found, key=lambda item: -item[1].value)


def contest(points: Iterable[Measured], source: str = "") -> Contest:
    """Which of the points no other is below, each compared inside a common state.

    A tie is a point whose ratio to the fastest, and to any other tie, is not resolved above the margin.
    """
    found = list(points)
    # From the lowest headline on, whatever its state; a ratio below 1 in a common state overrules.
    usable = sorted((s for s in found if s.usable and not s.inserted), key=ns_of)
    if not usable:
        return Contest(found, source=source)
    best = usable[0]
    for s in usable[1:]:
        r = ratio(s, best)
        if isinstance(r, Ratio) and r.value < 1:
            best = s
    over_best = {s.id: ratio(s, best) for s in found if s is not best}
    not_slower = (Verdict.same, Verdict.faster, Verdict.cannot_tell)
    ties = [s for s in usable if s is not best and verdict(over_best[s.id]) in not_slower]
    ties = [s for s in ties if all(verdict(ratio(s, x)) is not Verdict.slower for x in ties)]
    unresolved = [(s, s.cost.high) for s in found if s.status == "not_resolved" and s.cost]
    below = [s for s, bound in unresolved if 0 < bound < ns_of(best)]
    return Contest(found, best, ties, over_best, below, source)


def contests(
    campaign: Campaign,
    belongs: Callable[[Measured], bool],
    *axes: str,
    known: Callable[[Measured], Measured] = lambda s: s,
) -> list[Contest]:
    """A contest of two points or more for each set of values on these axes, of each file; its points
    by backend and op, as what is `known` of them."""
    return [
        contest(sorted(alike, key=lambda s: (s.point.backend, s.point.op)), source)
        for _, points, source in campaign.parts()
        for alike in group(map(known, filter(belongs, points)), *axes).values()
        if len(alike) > 1
    ]
