"""What a campaign shows of a statement: pairs of points that differ in what it is about, only.

A *pair* is two points matched on all other axes; its ratio has an interval from visits in which both
were seen, or from both intervals. Many pairs make one *effect*: the typical ratio (the median over
pairs) or the extremes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from syncmeter_analysis.data.interval import Interval
from syncmeter_analysis.data.point import Point, gpu_backends, key_without, native_of
from syncmeter_analysis.statistics.campaign import Campaign
from syncmeter_analysis.statistics.relation import Ratio, ratio
from syncmeter_analysis.statistics.stats import (
    median,
    median_interval,
)
from syncmeter_analysis.statistics.summary import Measured

#: Value, values or predicate that an axis must have.
Wanted = Any

cpu_backends = ("omp", "std")

_measured = frozenset({"ok", "busy", "noisy", "not_resolved", "interferes"})


def on_cpu(backend: str) -> bool:
    """An API that is native to CPUs: what a portable one makes of an op is no trait of a CPU."""
    return backend not in gpu_backends and backend not in native_of


@dataclass(frozen=True)
class Pair:
    """`over` and `under` differ in one thing; `ratio` of their costs, 95 %.

    `zero` says that `over` was not resolved and stands for next to nothing (ratio 0).
    """

    over: Measured
    under: Measured
    ratio: Ratio
    zero: bool = False


@dataclass
class Pairs:
    """Pairs found, and how many matched points had no ratio, by reason."""

    found: list[Pair] = field(default_factory=list)
    without: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def __bool__(self) -> bool:
        return bool(self.found)

    def __add__(self, other: Pairs) -> Pairs:
        both = Pairs(self.found + other.found)
        for part in (self.without, other.without):
            for why, n in part.items():
                both.without[why] += n
        return both

    @property
    def ids(self) -> list[str]:
        return list(dict.fromkeys(s.id for p in self.found for s in (p.over, p.under)))

    @property
    def doubts(self) -> list[str]:
        return list(
            dict.fromkeys(s.doubt for p in self.found for s in (p.over, p.under) if s.doubt)
        )

    @cached_property
    def undoubted(self) -> Pairs:
        """Without pairs of doubtful figures, where others are there; how many is among `without`."""
        sound = [p for p in self.found if not (p.over.doubt or p.under.doubt)]
        if not sound or len(sound) == len(self.found):
            return self
        without = defaultdict(int, self.without)
        without["of doubtful figures"] += len(self.found) - len(sound)
        return Pairs(sound, without)

    @cached_property
    def typical(self) -> Interval:
        """The median over pairs of their ratios.

        Of six or more its distribution-free interval; of fewer the range of all their intervals.
        """
        ratios = [p.ratio.interval for p in self.found]
        if len(ratios) >= 6:
            return median_interval(r.value for r in ratios)
        value = median([r.value for r in ratios])
        if len(ratios) > 1 and not any(r.bounded for r in ratios):
            return Interval(value, min(r.value for r in ratios), max(r.value for r in ratios))
        return Interval(value, min(r.low for r in ratios), max(r.high for r in ratios))

    @property
    def largest(self) -> Pair:
        return max(self.found, key=lambda p: p.ratio.value)

    @property
    def smallest(self) -> Pair:
        return min(self.found, key=lambda p: p.ratio.value)


def _fits(value: Any, wanted: Wanted) -> bool:
    if callable(wanted):
        return bool(wanted(value))
    if isinstance(wanted, (tuple, list, set, frozenset)):
        return value in wanted
    return bool(value == wanted)


class Evidence:
    """The points of one campaign for claims: without what is oversubscribed."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self.machine = campaign.machine
        self._by_op: dict[str, list[Measured]] = defaultdict(list)
        for s in campaign.points.values():
            too_many = (
                campaign.machine.pus is not None
                and not s.point.on_gpu
                and s.point.lanes > campaign.machine.pus
            )
            if not s.oversubscribed and not too_many:
                self._by_op[s.point.op].append(s)

    def select(self, op: str | Collection[str], **where: Wanted) -> list[Measured]:
        """Points of these ops whose axes are as wanted, whatever their status."""
        ops = [op] if isinstance(op, str) else op
        return [
            s
            for name in ops
            for s in self._by_op.get(name, ())
            if all(_fits(getattr(s.point, axis), wanted) for axis, wanted in where.items())
        ]

    def measured(self, op: str | Collection[str], **where: Wanted) -> list[Measured]:
        """Of these the ones that were measured, resolved or not."""
        return [s for s in self.select(op, **where) if s.status in _measured]

    def of_backend(self, backend: str) -> list[Measured]:
        """Everything of a backend that was measured but its controls."""
        return [
            s
            for points in self._by_op.values()
            for s in points
            if s.point.backend == backend and s.status in _measured and s.family != "control"
        ]

    def pairs(
        self,
        over: Iterable[Measured],
        under: Iterable[Measured],
        apart: Collection[str],
        zero: bool = False,
    ) -> Pairs:
        """Each of `over` with each of `under` that agrees on all axes but `apart`.

        With `zero` an `over` that was not resolved counts as ratio 0: it costs next to nothing.
        """
        axes = tuple(apart) + (("stride_bytes",) if {"stride", "type"} & set(apart) else ())
        key = key_without(*axes)
        partners: dict[object, list[Measured]] = defaultdict(list)
        for s in under:
            partners[key(s.point)].append(s)
        result = Pairs()
        seen: set[tuple[object, object]] = set()
        for s in over if partners else ():
            for partner in partners.get(key(s.point), ()):
                # Placements that gave the same PUs are one measurement and count once.
                both = s.measured_at, partner.measured_at
                if partner is s or both in seen:
                    continue
                seen.add(both)
                found = ratio(s, partner)
                if isinstance(found, Ratio):
                    result.found.append(Pair(s, partner, found))
                elif zero and s.status in ("not_resolved", "elided") and partner.usable:
                    nothing = Ratio(Interval(0.0, 0.0, 0.0))
                    result.found.append(Pair(s, partner, nothing, zero=True))
                else:
                    result.without[found.why] += 1
        return result

    def ends(
        self,
        points: Iterable[Measured],
        axis: str,
        first: Callable[[int], bool],
        adjust: Callable[[Pair], Pair] | None = None,
    ) -> Pairs:
        """For each set of points that differ in `axis` only: the largest value over the smallest
        that `first` accepts."""
        groups: dict[object, list[Measured]] = defaultdict(list)
        key = key_without(axis)
        for s in points:
            if s.status in _measured and first(getattr(s.point, axis)):
                groups[key(s.point)].append(s)
        result = Pairs()
        for group in groups.values():
            group.sort(key=lambda s: int(getattr(s.point, axis)))
            if len(group) < 2:
                continue
            found = ratio(group[-1], group[0])
            if isinstance(found, Ratio):
                pair = Pair(group[-1], group[0], found)
                result.found.append(adjust(pair) if adjust else pair)
            else:
                result.without[found.why] += 1
        return result


def differing(points: Iterable[Measured], key: Callable[[Point], object]) -> Mapping[object, int]:
    """How many points have each value of `key`."""
    counts: dict[object, int] = defaultdict(int)
    for s in points:
        counts[key(s.point)] += 1
    return counts
