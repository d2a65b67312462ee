"""The study `barrier`: tables and figures of barrier costs by number of threads, runtime and wait
policy, and of the overhead behind a late thread."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from operator import attrgetter

from syncmeter_analysis.conclude.studies.barrier_points import (
    Comparison,
    Part,
    Placement,
    Row,
    Runtime,
    is_barrier,
    is_late,
    least_curve,
    runtime_of,
)
from syncmeter_analysis.conclude.studies.barrier_points import rows as rows
from syncmeter_analysis.record.machine import object_of
from syncmeter_analysis.record.reader import ResultsFile
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Bullets, Cell, Table, Text, table
from syncmeter_analysis.studies.cells import legend_of_marks, of_each
from syncmeter_analysis.studies.figures import Axis, Figure, Panel, curve, rows_of

title = "Barriers"
order = 5


def curves(campaign: Campaign) -> dict[str, dict[int, Measured]]:
    """Returns barriers by runtime and wait policy, then by threads, imports included. Only the affinity
    with the most points counts."""

    def belongs(s: Measured) -> bool:
        return is_barrier(s) and not is_late(s) and s.usable and not s.oversubscribed

    by_affinity = grouped(filter(belongs, campaign.points.values()), attrgetter("point.affinity"))
    found: dict[str, dict[int, Measured]] = {}
    for s in max(by_affinity.values(), key=len, default=[]):
        waits = "" if s.point.wait == "active" else f", {s.point.wait} waiting"
        found.setdefault(runtime_of(s)[0] + waits, {}).setdefault(s.point.lanes, s)
    return found


def _libraries(file: ResultsFile, runtimes: Sequence[Runtime]) -> dict[str, str]:
    found: dict[str, str] = {}
    for (backend, _), worker in product(runtimes, file.workers):
        if about := object_of(object_of(worker, "runtime"), backend.split()[0]):
            compiler = object_of(worker, "build").get("compiler") or "unknown compiler"
            library = about.get("library") or "unknown library"
            found.setdefault(backend, f"{compiler}, {library}")
    return found


@of_each
def text(part: Part) -> list[Block]:
    """Returns costs by threads, passive over active waiting, late threads, and ratios of runtimes."""
    found: list[Block] = [_cost_table(part)]
    if not part.several_lanes:
        return [*found, Bullets(_about_runtimes(part))]
    found += _ratios("Passive waiting over active, the same barrier", part.sleeping)
    found += _late(part)
    found += _ratios("One runtime over another, the same wait policy", part.between)
    if len(found) > 1:
        marks = "; ".join(
            filter(None, ["Median over repetitions (95 % CI)", legend_of_marks(*found)])
        )
        found.append(Text(f"{marks}."))
    return [*found, Bullets(_about_runtimes(part))]


def _name(runtime: Runtime) -> str:
    return " ".join(runtime)


def _cost_table(part: Part) -> Table:
    what = "Barrier: ns by threads, runtime and wait policy (95 % CI)"
    return table(
        f"{part.source}: " * bool(part.source) + what,
        ["affinity", "threads>", *(f"{_name(runtime)}>" for runtime in part.runtimes)],
        [
            [placed.placed, str(row.lanes), *(_cost(row, r) for r in part.runtimes)]
            for placed in part.placements
            for row in placed.curve
        ],
        keys=2,
    )


def _cost(row: Row, runtime: Runtime, behind: str = "") -> Cell:
    s = row.costs.get(runtime)
    return Cell("") if s is None else Cell(formats.cost_interval(s) + behind, [s.id])


def _ratios(what: str, found: Sequence[Comparison]) -> list[Block]:
    """Returns a table of ratios, or nothing."""
    if not found:
        return []
    names = list(dict.fromkeys(c.name for c in found))
    rows = []
    for placed, of_these in grouped(found, lambda c: c.placed).items():
        by_name = {c.name: c.ratios for c in of_these}
        for lanes in sorted({n for c in of_these for n in c.ratios}):
            marks = [formats.marked_interval(by_name.get(n, {}).get(lanes)) for n in names]
            rows.append([placed, str(lanes), *marks])
    columns = ["affinity", "threads>", *(f"{name}>" for name in names)]
    return [table(what, columns, rows, keys=2)]


def _late(part: Part) -> list[Block]:
    what = (
        "Late thread: ns from its arrival until the next late thread leaves, without the delay; "
        "threads are late in turn"
    )
    columns = ["affinity", "threads>", "delay, us>", *(f"{_name(r)}>" for r in part.runtimes)]
    rows = [_late_row(part, placed, row) for placed in part.placements for row in placed.late]
    note = Text("x: ratio to the cost without a late thread.")
    return [table(what, columns, rows, keys=3), note] if rows else []


def _late_row(part: Part, placed: Placement, row: Row) -> list[Cell | str]:
    over_on_time = {r: formats.marked(placed.over_on_time(row, r)) for r in part.runtimes}
    costs = [_cost(row, r, x and f" x{x}") for r, x in over_on_time.items()]
    return [placed.placed, str(row.lanes), str(row.late_us), *costs]


def _about_runtimes(part: Part) -> list[str]:
    found = [
        f"{backend}: {library}" for backend, library in _libraries(part.file, part.runtimes).items()
    ]
    if "std" in part.backends:
        found.append("std: std::barrier ignores the wait policy, so active and passive must agree")
    if "omp-llvm" not in part.backends:
        found.append("omp-llvm (libomp) was not measured: `syncmeter list` shows what it needs")
    return found


def figures(parts: list[Part]) -> list[Figure]:
    """Returns a figure for each file with costs at three numbers of threads or more: a panel for each
    affinity, a line for each runtime and wait policy."""
    note = (
        "ns of a barrier by number of threads with the 95 % CI; both axes logarithmic. "
        "Costs may come from different vCPU placements."
    )
    return [
        Figure(f"barrier-{number}", "Barrier cost by number of threads", note, panels, part.points)
        for number, part in enumerate(parts, 1)
        if (panels := [panel for placed in part.placements for panel in _curves(part, placed)])
    ]


def _curves(part: Part, placed: Placement) -> list[Panel]:
    rows = [
        drawn
        for row in placed.curve
        for (backend, wait), s in row.costs.items()
        for drawn in rows_of(s, x=row.lanes, name=backend, dash=wait)
    ]
    return curve(
        f"affinity {placed.placed}",
        rows,
        Axis("threads", "log2", "d", sorted({row["x"] for row in rows})),
        Axis("ns of a barrier"),
        part.backends,
        least_curve,
        dashes=sorted({row["dash"] for row in rows}),
        dash_legend="waiting",
    )
