"""The study `barrier`: tables and figures of barrier costs by number of threads, runtime and wait
policy, and of the overhead behind a late thread."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import product

from syncmeter_analysis.conclude.studies.barrier_points import (
    Comparison,
    Part,
    Runtime,
    least_curve,
)
from syncmeter_analysis.conclude.studies.barrier_points import rows as rows
from syncmeter_analysis.record.machine import object_of
from syncmeter_analysis.record.reader import ResultsFile
from syncmeter_analysis.studies.blocks import Block, Line, Table, pivot, table
from syncmeter_analysis.studies.cells import cost_ci, file_prefix, of_each
from syncmeter_analysis.studies.figures import Axis, Figure, courses

title = "Barriers"
order = 5


def _libraries(file: ResultsFile, runtimes: Sequence[Runtime]) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for (backend, _), worker in product(runtimes, file.workers):
        if about := object_of(object_of(worker, "runtime"), backend.split()[0]):
            compiler = object_of(worker, "build").get("compiler") or "unknown"
            found.setdefault(backend, (compiler, about.get("library") or "unknown"))
    return found


@of_each
def text(part: Part) -> list[Block]:
    """Returns costs by threads, passive over active waiting, late threads, and ratios of runtimes."""
    file = file_prefix(part.source)
    what = "Barrier: ns by threads, runtime and wait policy (95 % CI)"
    tables = [
        pivot(file + what, "affinity|threads>", _costs(part), show=cost_ci),
        _late(part),
    ]
    if part.several_lanes:
        tables.insert(1, _ratios("Passive over active waiting, the same barrier", part.sleeping))
        tables.append(_ratios("One runtime over another, the same wait policy", part.between))
    libraries = _libraries(part.file, part.runtimes).items()
    return [
        *tables,
        table("Libraries", "runtime|compiler|library", ([a, *b] for a, b in libraries)),
    ]


def _costs(part: Part) -> list[Line]:
    return [
        ([placed.placed, row.lanes], {_name(r): s for r, s in row.costs.items()}, ())
        for placed in part.placements
        for row in placed.curve
    ]


def _name(runtime: Runtime) -> str:
    return " ".join(runtime)


def _ratios(what: str, found: Sequence[Comparison]) -> Table:
    by_place: dict[tuple[str, int], dict[str, object]] = defaultdict(dict)
    for c in found:
        for lanes, r in c.ratios.items():
            by_place[c.placed, lanes][c.name] = r
    return pivot(what, "affinity|threads>", ((at, r, ()) for at, r in sorted(by_place.items())))


def _late(part: Part) -> Table:
    """Returns costs with a late thread, and their ratios to those without."""
    lines = []
    for placed in part.placements:
        for row in placed.late:
            values: dict[str, object] = {}
            for runtime, s in row.costs.items():
                values[_name(runtime)] = cost_ci(s)
                values[f"{_name(runtime)} over 0 us"] = placed.over_on_time(row, runtime)
            lines.append(([placed.placed, row.lanes, row.late_us], values, ()))
    what = "Late thread: ns from its arrival until the next late thread leaves, without the delay"
    return pivot(what, "affinity|threads>|delay us>", lines)


def figures(parts: list[Part]) -> list[Figure]:
    """Returns a figure for each file with costs at three numbers of threads or more."""
    x, y = Axis("threads", "log2", "d"), Axis("ns of a barrier")
    note = "Costs with the 95 % CI. Both axes are logarithmic."
    return [
        Figure(f"barrier-{number}", "Barrier cost by number of threads", note, panels, part.points)
        for number, part in enumerate(parts, 1)
        if (panels := courses(_costs(part), x, y, least_curve, "affinity"))
    ]
