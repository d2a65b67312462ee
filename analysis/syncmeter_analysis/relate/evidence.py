"""What a campaign shows of a statement: pairs of points that differ in what it is about, only.

A *pair* is two points matched on all other axes; its ratio has an interval from the visits that
both have, or from both intervals. Many pairs make one *effect*: the typical ratio (the median over
pairs) or the extremes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.record.point import gpu_backends, key_without, native_of
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.relation import Ratio, ratio
from syncmeter_analysis.relate.stats import median, median_interval
from syncmeter_analysis.relate.summary import Measured

#: Value, values or predicate that an axis must have.
Wanted = Any

#: Other work disturbed the points of a pair.
busy_doubt = "disturbed"

#: So many pairs have a median with an interval; the effect of fewer is the range of all.
enough_pairs = 6

#: Why a point has no ratio to another that stands for it.
same_measurement = "of the same measurement"

_measured = frozenset({"ok", "busy", "noisy", "not_resolved", "interferes"})


def on_cpu(backend: str) -> bool:
    """An API that is native to CPUs: what a portable one makes of an op is no trait of a CPU."""
    return backend not in gpu_backends and backend not in native_of


@dataclass(frozen=True)
class Pair:
    """`over` and `under` differ in one thing; `ratio` of their costs, 95 %.

    `step` names what the two differ in, where a claim is about several such steps. `each`: the cost of
    the side that is a graph is of one of its kernels.
    """

    over: Measured
    under: Measured
    ratio: Ratio
    step: str = ""
    each: bool = False

    @property
    def doubts(self) -> list[str]:
        """Why it may not be what it seems: a figure that is something else, a machine that was busy."""
        sides = (self.over, self.under)
        found = [s.doubt for s in sides if s.doubt]
        state = self.ratio.state
        if state.busy if state else any(s.status == "busy" for s in sides):
            found.append(busy_doubt)
        if any(s.status == "noisy" for s in sides):
            found.append("dropped")
        return found


@dataclass
class Pairs:
    """Pairs found, how many matched points had no ratio, by reason, and which measurements were
    matched."""

    found: list[Pair] = field(default_factory=list)
    without: Counter[str] = field(default_factory=Counter)
    measurements: set[tuple[object, object]] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.found)

    def __add__(self, other: Pairs) -> Pairs:
        return Pairs(self.found + other.found, self.without + other.without)

    @property
    def ids(self) -> list[str]:
        return list(dict.fromkeys(s.id for p in self.found for s in (p.over, p.under)))

    @property
    def doubts(self) -> list[str]:
        return list(dict.fromkeys(doubt for p in self.found for doubt in p.doubts))

    def by_op(self) -> dict[str, Pairs]:
        """The pairs of each op and step; where one op is compared with several others, of each two ops.
        What has no ratio is counted where there is one group only."""
        partners: dict[str, set[str]] = defaultdict(set)
        for p in self.found:
            partners[p.over.point.op].add(p.under.point.op)
        groups: dict[str, Pairs] = defaultdict(Pairs)
        for p in self.found:
            over, under = p.over.point.op, p.under.point.op
            name = over if len(partners[over]) == 1 else f"{over} over {under}"
            groups[f"{name} {p.step}".rstrip()].found.append(p)
        return {op: self for op in groups} if len(groups) == 1 else dict(groups)

    @property
    def values(self) -> list[float]:
        """The ratios without their intervals."""
        return [p.ratio.value for p in self.found]

    @cached_property
    def undoubted(self) -> Pairs:
        """Without doubtful pairs, where others are there; how many were left out is among `without`."""
        sound = [p for p in self.found if not p.doubts]
        if not sound or len(sound) == len(self.found):
            return self
        doubtful = Counter({"of doubtful figures": len(self.found) - len(sound)})
        return Pairs(sound, self.without + doubtful)

    @cached_property
    def typical(self) -> Interval:
        """The median over pairs of their ratios.

        Of six or more its distribution-free interval; of fewer the range of all their intervals.
        """
        values = self.values
        if len(values) >= enough_pairs:
            return median_interval(values)
        value, ratios = median(values), [p.ratio.interval for p in self.found]
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


_but_affinity = key_without("affinity")


def _placement(s: Measured) -> object:
    """Equal for points of one file that differ in their affinity only, where it gave the same PUs."""
    return (s.source, _but_affinity(s.point), s.pus) if s.pus else s.measured_at


class Evidence:
    """The points of one campaign for claims: without what is oversubscribed."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self.machine = campaign.machine
        self._by_op: dict[str, list[Measured]] = defaultdict(list)
        self._placed: dict[object, object] = {}
        for s in campaign.points.values():
            too_many = (
                campaign.machine.pus is not None
                and not s.point.on_gpu
                and s.point.lanes > campaign.machine.pus
            )
            if not s.oversubscribed and not too_many:
                self._by_op[s.point.op].append(s)
                self._placed.setdefault(_placement(s), s.measured_at)

    def measurement(self, s: Measured) -> object:
        """What stands behind a point: equal for points that share a measurement, and for those whose
        affinities chose the same PUs."""
        return self._placed.get(_placement(s), s.measured_at)

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
    ) -> Pairs:
        """Each of `over` with each of `under` that agrees on all axes but `apart`."""
        axes = tuple(apart) + (("stride_bytes",) if {"stride", "type"} & set(apart) else ())
        key = key_without(*axes)
        partners = grouped(under, lambda s: key(s.point))
        result = Pairs()
        for s in over if partners else ():
            for partner in partners.get(key(s.point), ()):
                # Against each other, placements that gave the same PUs say nothing of the affinity.
                same = self.measurement(s) == self.measurement(partner)
                if partner is not s and not ("affinity" in apart and same):
                    self._add_pair(result, s, partner)
        return result

    def _add_pair(self, to: Pairs, over: Measured, under: Measured) -> None:
        """Adds the pair, or why it has no ratio; placements that gave the same PUs are one measurement
        and count once."""
        both = self.measurement(over), self.measurement(under)
        if both in to.measurements:
            return
        to.measurements.add(both)
        found = ratio(over, under)
        if isinstance(found, Ratio) and found.identical:
            # A point beside itself is no evidence: both compile to the same code.
            to.without[same_measurement] += 1
        elif isinstance(found, Ratio):
            to.found.append(Pair(over, under, found))
        else:
            to.without[found.why] += 1

    def between(
        self, points: Iterable[Measured], axis: str, *steps: tuple[Wanted, Wanted]
    ) -> Pairs:
        """Points that differ in `axis` only: at each step's first value over at its second."""
        found = list(points)
        result = Pairs()
        for over, under in steps:
            pairs = self.pairs(
                [s for s in found if _fits(getattr(s.point, axis), over)],
                [s for s in found if _fits(getattr(s.point, axis), under)],
                (axis,),
            )
            if len(steps) > 1:
                pairs.found = [replace(p, step=f"{over} over {under}") for p in pairs.found]
            result += pairs
        return result

    def ends(self, points: Iterable[Measured], axis: str, least: int) -> Pairs:
        """For each set of points that differ in `axis` only: the largest value over the smallest
        that is at least this."""
        key = key_without(axis)
        found = (s for s in points if s.status in _measured and getattr(s.point, axis) >= least)
        groups = grouped(found, lambda s: key(s.point))
        result = Pairs()
        for group in groups.values():
            group.sort(key=lambda s: int(getattr(s.point, axis)))
            if len(group) > 1:
                self._add_pair(result, group[-1], group[0])
        return result
