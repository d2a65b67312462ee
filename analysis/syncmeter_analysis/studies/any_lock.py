"""The lock for a program that does not know how long its locks are held: the one that loses least in
the situation that suits it least."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.contest import Contest
from syncmeter_analysis.relate.op_groups import is_own_code, spins
from syncmeter_analysis.relate.relation import Ratio, ratio
from syncmeter_analysis.relate.summary import Measured

_suffix = "_held"

#: A lock that may take so many times as long as the fastest is no advice for all situations.
_most_lost = 2
#: One situation says nothing of others.
_least_situations = 2


@dataclass(frozen=True)
class Loss:
    """What one lock takes over the fastest at worst, by the ratio with the largest upper end of all
    situations."""

    s: Measured
    at_worst: Ratio

    @property
    def name(self) -> str:
        """`std mcs_lock`."""
        return f"{self.s.point.backend} {self.s.point.op.removesuffix(_suffix)}"


def any_lock(held: Iterable[Contest], one_add: Iterable[Contest]) -> list[str]:
    """Which lock to take where it is not known how long it is held, what that loses at worst, and
    around one add; of those that an API has the best too. Nothing where none loses little."""
    by_lanes: dict[tuple[int, str, str], list[Contest]] = {}
    for one in held:
        if (p := one.first.point).section_ns and p.lanes > 1 and not one.is_crowded:
            by_lanes.setdefault(_team(one), []).append(one)
    if not by_lanes:
        return []
    situations = max(by_lanes.items(), key=lambda item: item[0][0])[1]
    losses = sorted(_losses(situations), key=lambda loss: loss.at_worst.high)
    losses = [loss for loss in losses if loss.at_worst.high <= _most_lost]
    if len(situations) < _least_situations or not losses:
        return []
    best = losses[0]
    each = ", a CPU each" * spins(best.s.point.op)
    found = (
        f"{situations[0].threads}{each}, not known how long a lock is held: take {best.name}, at most "
        f"{text.ratio(best.at_worst.high)} times as long as the fastest at "
        f"{text.listed(list(map(_times_of, situations)), len(situations), last='or')}"
        f" (by 95 % intervals, {text.count(best.at_worst.visits, 'visit')})"
    )
    alike = (one for one in one_add if _team(one) == _team(situations[0]))
    around = next(filter(None, (_around_one_add(best.s, one) for one in alike)), None)
    if around:
        found += f", around one add up to {text.ratio(around.high)} times"
    of_apis = [loss for loss in losses if not is_own_code(loss.s.point.op)]
    if is_own_code(best.s.point.op) and of_apis:
        least = of_apis[0]
        found += f"; without own code {least.name}, at most {text.ratio(least.at_worst.high)} times"
    return [found]


def _team(one: Contest) -> tuple[int, str, str]:
    """How many threads meet, where, and in which file."""
    p = one.first.point
    return p.lanes, p.affinity, one.source


def _times_of(one: Contest) -> str:
    """`50 ns (500 between)`: of a situation."""
    p = one.first.point
    return f"{p.section_ns} ns" + f" ({p.think_ns} between)" * (p.think_ns > 0)


def _losses(situations: Sequence[Contest]) -> Iterable[Loss]:
    """Of each lock that has a ratio to the leaders of every situation."""
    for s in situations[0].points:
        alike = [_same_lock(s, one) for one in situations]
        over = [_over_leaders(x, one) for x, one in zip(alike, situations, strict=True) if x]
        found = [r for r in over if r]
        if len(found) == len(situations):
            yield Loss(s, max(found, key=lambda r: r.high))


def _same_lock(s: Measured, one: Contest) -> Measured | None:
    key = s.point.backend, s.point.op
    return next((x for x in one.points if (x.point.backend, x.point.op) == key), None)


def _over_leaders(s: Measured, one: Contest) -> Ratio | None:
    """The ratio to a leader, of all leaders that with the largest upper end; None where one is not
    known."""
    over = [ratio(s, leader) for leader in one.leaders if leader is not s]
    known = [r for r in over if isinstance(r, Ratio) and r.bounded]
    own = ratio(s, s)
    if len(known) < len(over) or not isinstance(own, Ratio):
        return None
    return max([*known, own], key=lambda r: r.high)


def _around_one_add(s: Measured, one: Contest) -> Ratio | None:
    """Of the same lock around one add, where it was measured and is slower than the fastest."""
    add = f"{s.point.op.removesuffix(_suffix)}_add"
    found = [x for x in one.points if (x.point.backend, x.point.op) == (s.point.backend, add)]
    r = one.over(found[0]) if found else None
    return r if isinstance(r, Ratio) and r.bounded and r.value > 1 else None
