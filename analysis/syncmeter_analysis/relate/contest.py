"""Several points of which one is to be taken: the fastest, what may be as fast, how many times as
long the others take, and what cannot be compared."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from operator import attrgetter
from textwrap import wrap

from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.distance import distance, threads_apart
from syncmeter_analysis.relate.evidence import Pair, Pairs
from syncmeter_analysis.relate.group import group
from syncmeter_analysis.relate.op_groups import is_default, is_own_code, spins
from syncmeter_analysis.relate.relation import (
    NotComparable,
    Ratio,
    Verdict,
    default_margin,
    fastest_of,
    ratio,
    verdict,
)
from syncmeter_analysis.relate.repetition import Repeats, in_repeats
from syncmeter_analysis.relate.summary import Measured

#: So many names stand in a sentence; the table has the others.
_most_names = 3

#: So many leaders are all named where there is room.
_most_leaders = 4

#: A sentence is to fit into three lines of a list on a terminal: so many leaders and slower points are
#: named, the cost of each in full or of all as a range, the first that fit.
_lines, _width = 3, 78
_shorter_and_shorter = (
    *((4, 2, True), (4, 1, True), (4, 1, False), (4, 0, True), (4, 0, False)),
    *((3, 1, False), (2, 1, False), (3, 0, False), (2, 0, False), (1, 0, False)),
)

#: What is no difference between ties.
_margin = f"{default_margin:.0%}"

#: What needs no code of one's own may take so many times as long as the fastest, by its interval.
_near = 1.5

Name = Callable[[Measured], str]

#: A ratio, why there is none, or None where nothing is to be compared.
Over = Ratio | NotComparable | None


def over(s: Measured | None, under: Measured | None) -> Over:
    """The one over the other; None where either was not measured."""
    return ratio(s, under) if s is not None and under is not None else None


@dataclass
class Contest:
    """`best` of the points, None where none has a cost; no difference could be shown between it and the
    `ties`; `apart` have no ratio to it, for the reason. `over_best`: each point's ratio to the fastest
    by its id, which has none itself. `below`: points without a cost whose upper bound lies
    below that of the fastest. `source` names their file where there are several."""

    points: Sequence[Measured]
    best: Measured | None = None
    ties: Sequence[Measured] = ()
    apart: Sequence[tuple[Measured, str]] = ()
    over_best: dict[str, Ratio | NotComparable] = field(default_factory=dict)
    below: Sequence[Measured] = ()
    source: str = ""

    @property
    def first(self) -> Measured:
        return self.points[0]

    @property
    def threads(self) -> str:
        """`16 threads 119 ns apart`: the threads of the points, and where a hypervisor had placed those
        that meet."""
        apart = distance(self.points, self.over_best.values())
        return threads_apart(self.first.point.lanes if self.points else 1, apart)

    @property
    def threads_and_cpus(self) -> str:
        """The same of locks: one that spins is fast where each thread has a processing unit of its own,
        which is then a condition."""
        named = any(spins(s.point.op) for s in self.kept or self.leaders)
        each = named and self.first.point.lanes > 1 and not self.is_crowded
        return self.threads + ", a CPU each" * each

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
            return not is_default(op), not self._is_near(s), is_own_code(op)

        fastest = {s.id for s in (self.best, *self.ties) if s}
        return sorted((s for s in self.points if s.id in fastest), key=rank)

    @cached_property
    def kept(self) -> list[Measured]:
        """Of several leaders those that a program has anyway, where there are others, and where repeats
        of the campaign would not show these to be faster."""
        found = [s for s in self.leaders if is_default(s.point.op) and self._is_near(s)]
        return found if 0 < len(found) < len(self.leaders) and self._repeat(found) else []

    @property
    def taken(self) -> Measured | None:
        """The leader that stands for all: one to keep, else one that needs no code of its own."""
        ready = [s for s in self.leaders if not is_own_code(s.point.op) and self._is_near(s)]
        own_code = self.best is not None and is_own_code(self.best.point.op)
        return next(iter(self.kept or (ready if own_code else [])), self.best)

    def _repeat(self, found: Sequence[Measured]) -> bool:
        """Whether 19 of 20 repeats would show none of the other leaders to be faster than these."""
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

        return Repeats(all_pairs).decide_alike(Pairs(pairs), decided)

    def _is_near(self, s: Measured) -> bool:
        """A wide interval is a tie under load, and twice as slow in a repeat."""
        r = self.over(s)
        return s is self.best or (isinstance(r, Ratio) and r.high <= _near)

    @property
    def are_near(self) -> bool:
        """Whether each tie took about as long as the fastest: one that took far longer is a tie by its
        scatter alone, and nothing to take."""
        found = map(self.over, self.ties)
        return all(isinstance(r, Ratio) and r.value <= _near for r in found)

    def over(self, s: Measured | None) -> Over:
        return self.over_best.get(s.id) if s else None

    @property
    def slower(self) -> list[tuple[Measured, Ratio]]:
        """The points that are resolved to be slower than the fastest, the slowest first."""
        over = [(s, r) for s in self.points if isinstance(r := self.over(s), Ratio)]
        found = [(s, r) for s, r in over if verdict(r) is Verdict.slower]
        return sorted(found, key=lambda item: -item[1].value)

    @cached_property
    def slower_than_all(self) -> list[tuple[Measured, Ratio]]:
        """The points that are resolved to be slower than each leader, the slowest first. Beside several
        with the ratio whose lower bound is the least, as repeats of the campaign may have it."""
        if not self.ties:
            return self.slower
        found = []
        for s, _ in self.slower:
            beside = [(leader, ratio(s, leader)) for leader in self.leaders]
            ratios = [in_repeats(s, leader, r) for leader, r in beside if isinstance(r, Ratio)]
            if len(ratios) == len(beside) and all(verdict(r) is Verdict.slower for r in ratios):
                found.append((s, min(ratios, key=attrgetter("low"))))
        return found

    def fields(self, s: Measured | None) -> list[str]:
        """The point's ratio to the fastest and its bounds, for two columns of a table."""
        if s is None or not s.usable:
            return ["", ""]
        return text.ratio_fields(self.over(s), itself=s is self.best)

    def advice(
        self, name: Name, amount: Name | None = None, most: int = _most_leaders, each: bool = True
    ) -> str:
        """`take A (9 ns)` of one that is the fastest alone; of several `keep A (9 ns): none of 4 others
        is shown to be faster`, `A (9 ns) and B (9 ns) are the fastest, the same within 5%`, `B (9 ns)
        is probably faster`, or to take one of them, as it is undecided which is faster. Where not
        `each` has its own cost these are a range, and `any of` them says the same in less room."""

        def named(s: Measured) -> str:
            # The first of them names what the costs are of.
            cost = amount(s) if amount else ""
            if s is not self.leaders[0]:
                cost = cost.removesuffix(_of(cost, s) or "")
            return f"{name(s)} ({cost})" if cost else name(s)

        if not self.ties:
            return f"take {named(self.leaders[0])}"
        if kept := self.kept:
            compared = (s for s in self.points if s is self.best or isinstance(self.over(s), Ratio))
            others = [name(s) for s in compared if s not in kept]
            none = f"none of {len(others)} others is" if len(others) > 1 else f"{others[0]} is not"
            return f"keep {listed(list(map(named, kept)), last='or')}: {none} shown to be faster"
        costs = "" if each or not amount else f" ({self.costs(amount)})"
        names = [named(s) if each else name(s) for s in self.leaders]
        is_same = all(verdict(self.over_best[s.id]) is Verdict.same for s in self.ties)
        if is_same and self._repeat(self.leaders):
            same = f"the same within {_margin}"
            return f"{listed(names, max(2, most))} are the fastest{costs}, {same}"
        if faster := self._probably_faster(names):
            return faster + costs.replace("(", "(both ")
        if costs and self.are_near:
            any_of = listed(names, max(2, most), last="or")
            return f"take {'either' if len(names) == 2 else 'any of'} {any_of}{costs}"
        return undecided(names, self.are_near, max(2, most), costs) + self._between_two()

    def costs(self, amount: Name) -> str:
        """`2164 to 2310 ns for 16 sections`: what the leaders cost."""
        by_cost = sorted(self.leaders, key=lambda s: s.cost.value if s.cost else 0.0)
        least, most = by_cost[0], by_cost[-1]
        of = _of(amount(least), least)
        if of is None:
            return f"{amount(least)} to {amount(most)}"
        low, high = (s.cost.value if s.cost else 0.0 for s in (least, most))
        return text.duration_range(low, high) + of

    def _of_two(self) -> Ratio | None:
        """The first of two leaders over the second; None of others, and without an interval."""
        r = ratio(*self.leaders) if len(self.leaders) == 2 else None
        return r if isinstance(r, Ratio) and r.bounded and r.low > 0 else None

    def _probably_faster(self, names: Sequence[str]) -> str:
        """Of two leaders the one that the whole interval has as the faster, be it by less than the
        margin; '' of others."""
        r = self._of_two()
        if r is None or r.low <= 1 <= r.high:
            return ""
        (slower, faster), low, high = names, r.low, r.high
        if high < 1:
            (slower, faster), (low, high) = (faster, slower), (1 / high, 1 / low)
        longer = text.percent_range(low - 1, high - 1)
        return f"{faster} is probably faster, as {slower} takes {longer} longer"

    def _between_two(self) -> str:
        """Of two leaders what their ratio may be; '' of others, and where that is not known."""
        r = self._of_two()
        if r is None:
            return ""
        return f", as the first takes {text.ratio(r.low)} to {text.ratio(r.high)} times as long"

    def sentence(
        self,
        where: str,
        name: Name,
        amount: Name,
        what: str = "lock",
        usual: Iterable[Measured] = (),
        why: str = "",
        but: str = "",
    ) -> str:
        """`where`, which one to take or to keep, or between which no difference could be shown, and how
        many times as long what is `usual` takes and the next best, or each where there are few; without
        another reason that is why, of one alone. `amount` is its cost, then a comma and what goes first
        where there is no room. `why` stands where that one is the fastest alone, then `but`, what there
        is to say against it."""
        if self.best is None:
            return f"{where}: cannot tell which {what} to take: none has a cost"
        is_alone = not (self.ties or self.below)
        why, next_first = why if is_alone else "", is_alone and not why
        than = " as each" if self.ties and not self.kept else ""
        apart = [f"{name(s)} ({reason})" for s, reason in self.apart]
        slower = [(name(s), r) for s, r in self._slower_to_name(usual, next_first)]

        def short(s: Measured) -> str:
            return amount(s).partition(",")[0]

        # Of several OpenMP runtimes each is named with its library later.
        openmp = {s.point.backend for s in self.points if s.point.backend.startswith("omp")}
        for most_named, most_slower, in_full in _shorter_and_shorter:
            long = amount if in_full and len(self.kept or self.leaders) == 1 else short
            taken = self.advice(name, long, most_named, each=in_full)
            found = [f"{where}: {self._below(what, name)}{taken}"]
            if why:
                found[0] += f", {why}"
            if longer := self._they_take(slower[:most_slower], than if in_full else ""):
                if self.ties or why:
                    found.append(longer)
                else:
                    found[0] += f", because {longer}"
            found += [but] * bool(but and is_alone)
            words = "; ".join(found)
            named = sum(f"{backend} " in words for backend in openmp) if len(openmp) > 1 else 0
            libraries = " (library)" * named
            if len(wrap(words + libraries, _width, break_on_hyphens=False)) <= _lines:
                break
        if apart:
            found.append(f"{listed(apart)} cannot be compared with {'them' if than else 'it'}")
        return "; ".join(found)

    def _below(self, what: str, name: Name) -> str:
        """Why the fastest is not known; '' where it is."""
        if not self.below:
            return ""
        near = [f"{name(s)} ({text.cost(s)} ns)" for s in self.below]
        return (
            f"cannot tell which {what} is the fastest: {verb_of(near)} too near to nothing to be "
            "resolved; of the others "
        )

    def _they_take(self, slower: Sequence[tuple[str, Ratio]], than: str) -> str:
        """`omp critical takes 3.11 times as long (1.50 to 6.65), omp lock 4.71 (2.18 to 8.08)`; beside
        several leaders `omp critical takes at least 1.50 times as long as each`."""
        if not slower:
            return ""
        (first, r), *others = slower
        if self.ties:
            found = [f"{first} takes at least {text.ratio(r.low)} times as long{than}"]
            found += [f"{name} at least {text.ratio(r.low)}" for name, r in others]
        else:
            found = [f"{first} takes {text.times_as_long(r)}"]
            found += [f"{name} {text.times(r)}{text.bounds(r)}" for name, r in others]
        return ", ".join(found)

    def _slower_to_name(
        self, usual: Iterable[Measured], next_first: bool
    ) -> list[tuple[Measured, Ratio]]:
        """What is usual and the next best, which may be the same, or the next best alone; all where
        there are few."""
        ascending = self.slower_than_all[::-1]
        if len(self.points) <= _most_names:
            return ascending
        known = {s.id for s in (*usual, *(s for s in self.points if is_default(s.point.op)))}
        best, known_best = ascending[:1], [(s, r) for s, r in ascending if s.id in known][:1]
        found = best if next_first else known_best + best
        return found[:1] if len({s.id for s, _ in found}) < len(found) else found


def listed(names: Sequence[str], most: int = _most_names, last: str = "and") -> str:
    """`a`, `a and b`, `a, b, c and 7 more`, `10 others`."""
    shown = list(names[:most])
    if left := len(names) - len(shown):
        shown.append(f"{left} more" if most else "another" if left == 1 else f"{left} others")
    return f" {last} ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def undecided(
    names: Sequence[str], are_near: bool, most: int = _most_leaders, costs: str = ""
) -> str:
    """`take a or b: undecided which is faster`, `take a, b, c or d (30 to 35 ns): undecided which is
    fastest` with the `costs` of all; `undecided which is faster: a or b` of what is not near enough to
    take any."""
    which = f"undecided which is {'faster' if len(names) == 2 else 'fastest'}"
    listing = listed(names, most, last="or") + costs
    return f"take {listing}: {which}" if are_near else f"{which}: {listing}"


def verb_of(names: Sequence[str], most: int = _most_names) -> str:
    """`omp lock is`, `omp lock and std mutex are`."""
    return f"{listed(names, most)} {'is' if len(names) == 1 else 'are'}"


def contest(points: Iterable[Measured], source: str = "") -> Contest:
    """Which of the points is the fastest; each is compared with it inside a common state."""
    found = list(points)
    won = fastest_of(found)
    if won is None or won.best.cost is None:
        return Contest(found, source=source)
    over_best = {s.id: ratio(s, won.best) for s in found if s is not won.best}
    below = [s for s in found if _bound(s) < won.best.cost.value]
    return Contest(found, won.best, won.ties, won.apart, over_best, below, source)


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


def _of(amount: str, s: Measured) -> str | None:
    """` for 16 sections` of `1168 ns for 16 sections`; None of what does not begin with the cost."""
    ns = text.duration(s.cost.value) if s.cost else ""
    return amount.removeprefix(ns) if ns and amount.startswith(ns) else None


def _bound(s: Measured) -> float:
    """The upper bound of a point that is not resolved, ns; infinite without one."""
    if s.status != "not_resolved" or s.cost is None or s.cost.high <= 0:
        return math.inf
    return s.cost.high
