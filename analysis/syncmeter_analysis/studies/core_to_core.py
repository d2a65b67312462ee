"""The study `core-to-core`: a cost matrix for each operation, classes of CPU pairs, both directions
of a pair, and changes between passes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from syncmeter_analysis.conclude.studies.pairs import Matrix, PairClass
from syncmeter_analysis.conclude.studies.pairs import rows as rows
from syncmeter_analysis.record.topology import blocks_of
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.relation import NotComparable, Verdict
from syncmeter_analysis.relate.stats import median
from syncmeter_analysis.studies.blocks import Block, Cell, Table, pivot, table
from syncmeter_analysis.studies.figures import Figure, Heat, Panel, rows_of

title = "Core to core"
order = 8

#: The rows of a matrix. More CPUs stand in blocks of neighbours.
most_blocks = 16


def text(matrices: list[Matrix]) -> list[Block]:
    """Returns the matrix and the classes of each operation, then both directions and the passes."""
    found: list[Block] = []
    for matrix in matrices:
        found += [_matrix(matrix), _classes(matrix)]
    return [*found, _both_ways(matrices), _passes(matrices)]


def _matrix(matrix: Matrix) -> Table:
    meaning = "one way, half a round trip" if matrix.family == "handoff" else "per operation"
    what = f"{matrix.name}: ns {meaning}; the row is the CPU of the first thread"
    blocks = blocks_of(matrix.places, most_blocks)
    if len(blocks) < len(matrix.units):
        what += "; median over the CPUs of each block (--csv has every pair)"
    place = {pu: i for i, block in enumerate(blocks) for pu in block}
    pairs = grouped(matrix.cells.values(), lambda s: tuple(place[pu] for pu in s.point.pus))
    names = list(map(_named, blocks))

    def field(row: int, column: int) -> Cell:
        alike = pairs.get((row, column), [])
        usable = [s for s in alike if s.usable]
        shown = formats.cost(alike[0]) if len(alike) == 1 else "." if not usable else ""
        ids = [s.id for s in alike] if len(alike) == 1 else ()
        return Cell(shown or formats.nanoseconds(median(map(formats.ns_of, usable))), ids)

    numbers = range(len(names))
    lines = (([names[i]], {names[j]: field(i, j) for j in numbers}, ()) for i in numbers)
    return pivot(what, "CPU", lines)


def _named(cpus: Sequence[int]) -> str:
    """Returns `0-3,8`."""
    spans = []
    for _, numbered in groupby(enumerate(sorted(cpus)), lambda item: item[1] - item[0]):
        span = [cpu for _, cpu in numbered]
        spans.append(str(span[0]) if len(span) == 1 else f"{span[0]}-{span[-1]}")
    return ",".join(spans)


def _classes(matrix: Matrix) -> Table:
    rows = []
    for c in matrix.classes:
        costs = [formats.nanoseconds(f(c.costs)) for f in (median, min, max)] if c.costs else "-"
        pairs = Cell(str(c.measured), [s.id for s in c.found])
        rows.append([c.name, c.pairs, pairs, *costs, *_latency(c)])
    columns = "class|pairs>|measured>|median ns>|lowest>|highest>|core-to-core latency ns>|highest>"
    # Without a cost the first column says so.
    rows = [[*row, *[""] * (8 - len(row))] for row in rows]
    return table(f"{matrix.name}: classes of pairs, both directions", columns, rows)


def _latency(c: PairClass) -> Iterator[str]:
    """Yields the median, or both ends if the host moved the threads."""
    if c.hops:
        yield f"{min(c.hops) if c.several_states else median(c.hops):.0f}"
        yield f"{max(c.hops):.0f}" if c.several_states else ""


def _both_ways(matrices: list[Matrix]) -> Table:
    rows = []
    for matrix in matrices:
        ways = matrix.ways
        most = max(ways.shares.values(), default=0.0)
        counts = [
            ways.count(Verdict.slower, Verdict.faster),
            ways.count(Verdict.same),
            ways.count(Verdict.cannot_tell),
            sum(isinstance(r, NotComparable) for r in ways.over_back.values()),
        ]
        if ways.over_back:
            rows.append([matrix.name, *counts, formats.percent(most, 1)])
    what = "Pairs of CPUs whose two directions are"
    columns = "operation|different>|the same>|undecided>|not comparable>|largest difference>"
    return table(what, columns, rows)


def _passes(matrices: list[Matrix]) -> Table:
    drifts = [(matrix.name, matrix.drift) for matrix in matrices if matrix.drift]
    rows = [[name, d.passes, d.pairs, d.least_ns, d.most_ns] for name, d in drifts]
    columns = "operation|passes>|pairs>|lowest ns>|highest ns>"
    return table("Median over the pairs that all passes saw", columns, rows)


def figures(matrices: list[Matrix]) -> list[Figure]:
    """The matrix of costs between CPUs, in the order of the topology: a panel for each op and home."""
    drawn = [matrix for matrix in matrices if matrix.costs]
    if not drawn:
        return []
    costs = [cost for matrix in drawn for cost in matrix.costs]
    domain = (min(costs), max(max(costs), min(costs) * 1.5))
    note = "ns one way (half a round trip) of a handoff, per operation of anything else."
    points = [s.id for matrix in drawn for s in matrix.cells.values()]
    panels = [_panel(matrix, domain) for matrix in drawn]
    return [Figure("core-to-core", "Time from CPU to CPU", note, panels, points)]


def _panel(matrix: Matrix, domain: tuple[float, float]) -> Panel:
    pus = [str(pu) for pu in matrix.units if any(pu in pair for pair in matrix.cells)]
    rows = [
        drawn | {"label": f"{drawn['value']:.0f}"}
        for (first, second), s in matrix.cells.items()
        for drawn in rows_of(s, y=str(first), x=str(second))
    ]
    side = 34 if len(pus) <= 16 else 12
    axes = ("to CPU", pus), ("from CPU", pus)
    heat = Heat(rows, *axes, "ns", domain, (side, side), logarithmic=False)
    return Panel(matrix.name, heat)
