"""How much work pays: for a region, for a larger team, for one more chunk or task.

W ns of serial work take W / n + R on n threads, where a region costs R: they are done sooner than by
one thread from W = R n / (n - 1) on, and the threads are busy for a share e of the time from
W = n R e / (1 - e) on. Who pays c for a piece of work is as busy with pieces of c e / (1 - e). Work is
taken to divide evenly, and to take as long on all threads at once as on one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from syncmeter_analysis.conclude.studies.constructs import Runtime, iterations
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.summary import Measured

#: The share of the time that threads are to be busy with work.
efficiency = 0.9


@dataclass(frozen=True)
class Grain:
    """A piece of work that a thread gets for `each` ns, by the points `measured`."""

    op: str
    lanes: int
    runtime: str
    each: Interval
    measured: list[Measured]

    @property
    def least(self) -> Interval:
        """The work, ns, with which threads are busy enough."""
        return self.each.scaled(efficiency / (1 - efficiency))


def break_even(region: Interval, lanes: int) -> Interval:
    """The serial work, ns, from which on `lanes` threads, two or more, are done sooner than one."""
    return region.scaled(lanes / (lanes - 1))


def busy_from(region: Interval, lanes: int) -> Interval:
    """The serial work, ns, from which on the threads of a region are busy enough."""
    return region.scaled(lanes * efficiency / (1 - efficiency))


@dataclass(frozen=True)
class Range:
    """The serial work, ns, for which a team is the fastest. None is an open end."""

    team: int
    first_ns: float | None
    last_ns: float | None

    @property
    def inside_ns(self) -> float:
        """Returns a work inside the range."""
        if self.first_ns and self.last_ns:
            return math.sqrt(self.first_ns * self.last_ns)
        return 2 * self.first_ns if self.first_ns else (self.last_ns or 0.0) / 2


def ranges_of(regions: Mapping[int, float]) -> list[Range]:
    """Returns the fastest team for each range of serial work, from one thread on."""
    costs = {1: 0.0} | {n: cost for n, cost in regions.items() if n > 1}
    found = [Range(1, None, None)]
    while later := [n for n in costs if n > found[-1].team]:
        team = found[-1].team
        even = {n: (costs[n] - costs[team]) / (1 / team - 1 / n) for n in later}
        # The largest of equally early teams wins.
        first = min(later, key=lambda n: (even[n], -n))
        found[-1] = Range(team, found[-1].first_ns, even[first])
        found.append(Range(first, even[first], None))
    return found


#: How many pieces each thread gets from an operation of this size.
_pieces: dict[str, Callable[[int], float]] = {
    "for_dynamic": lambda size: iterations / size,
    "task_by_all": float,
    "task_by_one": float,
    "epcc_parallel_task": lambda _: 1.0,
    "epcc_master_task": lambda _: 1.0,
}


def grains_of(runtime: Runtime, lanes: int) -> list[Grain]:
    """Of each op with most pieces over that with fewest, so that what is paid once is left out."""
    found = []
    for op, pieces in _pieces.items():
        costs = {pieces(size): s for size, s in runtime.by_size(op, lanes).items()}
        if not costs:
            continue
        most, fewest = max(costs), min(costs)
        each = (costs[most].cost or Interval(0.0)).scaled(1 / most)
        if most > fewest:
            each = _difference(costs[most].cost, costs[fewest].cost).scaled(1 / (most - fewest))
        if each.value > 0:
            measured = [costs[most], costs[fewest]][: len(costs)]
            found.append(Grain(op, lanes, runtime.name, each, measured))
    return found


def _difference(more: Interval | None, less: Interval | None) -> Interval:
    """With bounds for the worst case on both sides."""
    if more is None or less is None:
        return Interval(0.0)
    return Interval(more.value - less.value, more.low - less.high, more.high - less.low)
