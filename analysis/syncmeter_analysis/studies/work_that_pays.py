"""How much work pays: for a region, for a larger team, for one more chunk or task.

W ns of serial work take W / n + R on n threads, where a region costs R: they are done sooner than by
one thread from W = R n / (n - 1) on, and the threads are busy for a share e of the time from
W = n R e / (1 - e) on. Who pays c for a piece of work is as busy with pieces of c e / (1 - e). Work is
taken to divide evenly, and to take as long on all threads at once as on one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.constructs import Runtime, iterations

#: The share of the time that threads are to be busy with work.
efficiency = 0.9


@dataclass(frozen=True)
class Grain:
    """A piece of work that a thread gets hold of for `each` ns, by the points `measured`."""

    op: str
    what: str
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


def fastest_teams(regions: Mapping[int, float]) -> list[tuple[int, float]]:
    """Teams with the serial work, ns, from which on each is the fastest; one thread, which needs no
    region, first. `regions` are costs in ns by threads.

    The lower envelope of W / n + R(n): from the team that is the fastest so far to the one whose line
    crosses it first.
    """
    found = [(1, 0.0)]
    lanes, region = 1, 0.0
    while larger := [n for n in regions if n > lanes]:
        crossings = [((regions[n] - region) / (1 / lanes - 1 / n), n) for n in larger]
        work, lanes = min(crossings)
        region = regions[lanes]
        found.append((lanes, work))
    return found


def fastest_at(regions: Mapping[int, float], work: float) -> tuple[int, float]:
    """The fastest team for so much serial work, and its speed over that of one thread."""
    times = {1: work} | {n: work / n + region for n, region in regions.items() if n > 1}
    best = min(times, key=times.__getitem__)
    return best, work / times[best]


#: What a thread is given one by one, by op: its name, and how many pieces each thread gets of an op of
#: this size.
_pieces: dict[str, tuple[str, Callable[[int], float]]] = {
    "for_dynamic": ("a chunk of a dynamic loop", lambda size: iterations / size),
    "task_by_all": ("a task of its own", float),
    "task_by_one": ("a task that one thread makes", float),
    "epcc_parallel_task": ("a task of its own (EPCC)", lambda _: 1.0),
    "epcc_master_task": ("a task that one thread makes (EPCC)", lambda _: 1.0),
}


def grains_of(runtime: Runtime, lanes: int) -> list[Grain]:
    """Of each op with most pieces over that with fewest, so that what is paid once is left out."""
    found = []
    for op, (what, pieces) in _pieces.items():
        costs = {pieces(size): s for size, s in runtime.by_size(op, lanes).items()}
        if not costs:
            continue
        most, fewest = max(costs), min(costs)
        each = (costs[most].cost or Interval(0.0)).scaled(1 / most)
        if most > fewest:
            each = _difference(costs[most].cost, costs[fewest].cost).scaled(1 / (most - fewest))
        if each.value > 0:
            measured = [costs[most], costs[fewest]][: len(costs)]
            found.append(Grain(op, what, lanes, runtime.name, each, measured))
    return found


def _difference(more: Interval | None, less: Interval | None) -> Interval:
    """With bounds for the worst case on both sides."""
    if more is None or less is None:
        return Interval(0.0)
    return Interval(more.value - less.value, more.low - less.high, more.high - less.low)
