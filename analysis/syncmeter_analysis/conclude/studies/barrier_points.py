"""The points of the study `barrier`: costs by number of threads, runtime and wait policy, and their
ratios."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from syncmeter_analysis.record.reader import ResultsFile
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Over, over
from syncmeter_analysis.relate.group import group, placed_alike
from syncmeter_analysis.relate.relation import NotComparable, Ratio, ratio
from syncmeter_analysis.relate.summary import Measured

#: A backend (with its op if a user wrote the barrier) and a wait policy.
Runtime = tuple[str, str]

#: With fewer thread counts and one runtime nothing can be compared.
least_curve = 3


@dataclass
class Row:
    """One number of threads with one affinity. A row of barrier_late also has one lateness."""

    lanes: int
    late_us: int
    costs: dict[Runtime, Measured]


@dataclass
class Placement:
    """Affinities that give all threads the same CPUs, in one file: `curve` has the op barrier by
    threads, `late` has barrier_late by threads and lateness."""

    placed: str
    curve: list[Row]
    late: list[Row]

    def over_on_time(self, row: Row, runtime: Runtime) -> Over:
        """Returns the cost with a late thread over the cost without one."""
        on_time = {each.lanes: each.costs.get(runtime) for each in self.late if each.late_us == 0}
        return over(row.costs.get(runtime), on_time.get(row.lanes)) if row.late_us else None


@dataclass
class Comparison:
    """The ratio of two runtimes by number of threads with one affinity."""

    name: str
    placed: str
    ratios: dict[int, Ratio | NotComparable]


@dataclass
class Part:
    """The barriers of one file. `sleeping` compares passive with active waiting,
    `between` compares two backends with one wait policy. `source` names the file if there are
    several."""

    file: ResultsFile
    placements: list[Placement]
    runtimes: list[Runtime]
    sleeping: list[Comparison]
    between: list[Comparison]
    points: list[str]
    source: str = ""

    @property
    def several_lanes(self) -> bool:
        return any(row.lanes > 1 for p in self.placements for row in (*p.curve, *p.late))


def rows(campaign: Campaign) -> list[Part]:
    """Returns the CPU barriers by file, if it has several runtimes or wait policies, late threads, or a
    curve."""
    found = (_part(*part) for part in campaign.parts())
    return [part for part in found if part is not None]


def is_barrier(s: Measured) -> bool:
    """Returns whether the point is a CPU barrier. A user's barrier has its own name."""
    cpu = s.device is None and not s.point.on_gpu
    return cpu and (s.family == "barrier" or s.point.op in ("barrier", "barrier_late"))


def is_late(s: Measured) -> bool:
    return s.point.op == "barrier_late"


def runtime_of(s: Measured) -> Runtime:
    p = s.point
    own = p.op in ("barrier", "barrier_late")
    return p.backend if own else f"{p.backend} {p.op}", p.wait


def _part(file: ResultsFile, measured: Sequence[Measured], source: str) -> Part | None:
    able = (s for s in measured if not s.imported and s.status != "unsupported")
    points = list(filter(is_barrier, able))
    runtimes = sorted({runtime_of(s) for s in points})
    late = any(map(is_late, points))
    if not late and len(runtimes) < 2 and len({s.point.lanes for s in points}) < least_curve:
        return None
    placements = [_placement(*alike) for alike in placed_alike(points)]
    return Part(
        file,
        placements,
        runtimes,
        _compared(placements, _sleeping(runtimes)),
        _compared(placements, _between(runtimes)),
        [s.id for s in points],
        source,
    )


def _placement(affinities: list[str], points: Sequence[Measured]) -> Placement:
    on_time = [s for s in points if not is_late(s)]
    return Placement(", ".join(affinities), _rows_of(on_time), _rows_of(filter(is_late, points)))


def _rows_of(points: Iterable[Measured]) -> list[Row]:
    return [
        Row(lanes, late_us, {runtime_of(s): s for s in alike})
        for (lanes, late_us), alike in group(points, "lanes", "late_us").items()
    ]


def _compared(
    placements: Sequence[Placement], pairs: Iterable[tuple[str, Runtime, Runtime]]
) -> list[Comparison]:
    """Returns a comparison for each affinity and each measured pair."""
    found = []
    for (name, above, below), placed in product(pairs, placements):
        both = [row for row in placed.curve if above in row.costs and below in row.costs]
        ratios = {row.lanes: ratio(row.costs[above], row.costs[below]) for row in both}
        if ratios:
            found.append(Comparison(name, placed.placed, ratios))
    return found


def _sleeping(runtimes: Sequence[Runtime]) -> Iterator[tuple[str, Runtime, Runtime]]:
    for backend, wait in runtimes:
        if wait == "active" and (backend, "passive") in runtimes:
            yield backend, (backend, "passive"), (backend, wait)


def _between(runtimes: Sequence[Runtime]) -> Iterator[tuple[str, Runtime, Runtime]]:
    for below, above in product(runtimes, runtimes):
        if below[0] < above[0] and below[1] == above[1]:
            yield f"{above[0]} : {below[0]} {above[1]}", above, below
