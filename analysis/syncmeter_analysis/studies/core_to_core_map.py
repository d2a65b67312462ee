"""The matrix of pairs of PUs as a table: a field for each pair where it fits, else one for each pair of
blocks of PUs."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from syncmeter_analysis.record.topology import Folding, foldings, pair_class
from syncmeter_analysis.relate.stats import median
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Cell, Table, width_of
from syncmeter_analysis.studies.core_to_core_rows import Matrix, cost_of, heat_of

#: On a page of no known width: of more PUs intervals stand in no field, and the matrix is folded.
most_pus_with_intervals, most_pus_in_a_matrix = 16, 24

# A field of one digit, and the gap before it.
_narrowest_field = 2


def matrix_table(matrix: Matrix, name: str) -> Table:
    """For a page, and narrowed to the width of a terminal."""

    def narrowed(width: int) -> Table | None:
        fitting = (t for t in _from_fine_to_coarse(matrix, name, width) if width_of(t) <= width)
        return next(fitting, None)

    if len(matrix.units) <= most_pus_in_a_matrix:
        table = _grid(matrix, name, len(matrix.units) <= most_pus_with_intervals)
    else:
        few = (f for f in foldings(matrix.places) if len(f.blocks) <= most_pus_in_a_matrix)
        table = _folded(matrix, next(few), name, with_gaps=True)
    table.narrowed = narrowed
    return table


def _from_fine_to_coarse(matrix: Matrix, name: str, width: int) -> Iterator[Table]:
    if len(matrix.units) * _narrowest_field <= width:
        if len(matrix.units) <= most_pus_with_intervals:
            yield _grid(matrix, name, with_interval=True)
        yield _grid(matrix, name, with_interval=False)
    for folding in foldings(matrix.places):
        if len(folding.blocks) * _narrowest_field <= width:
            yield _folded(matrix, folding, name, with_gaps=True)
            yield _folded(matrix, folding, name, with_gaps=False)


def _digits(ns: float) -> int:
    return 0 if ns >= 99.95 else 1 if ns >= 9.995 else 2


def half_width(s: Measured) -> float:
    """Of the interval, to its farther end, ns."""
    assert s.cost is not None
    return max(s.cost.high - s.cost.value, s.cost.value - s.cost.low)


def several_states(s: Measured) -> bool:
    return any(state.number != s.state.number for state in s.states)


def _cell_text(s: Measured, with_interval: bool) -> str:
    cost = cost_of(s)
    if cost is None:
        bounded = s.status == "not_resolved" and s.cost is not None and math.isfinite(s.cost.high)
        return f"<{math.ceil(s.cost.high)}" if bounded and s.cost else s.status
    digits = _digits(cost)
    half = half_width(s)
    interval = f"+-{half:.{digits}f}" if math.isfinite(half) else "+-?"
    marks = "*" * several_states(s) + "!" * (s.status == "busy")
    return f"{cost:.{digits}f}{interval if with_interval else ''}{marks}"


def _apart(matrix: Matrix) -> set[int]:
    """Before which units a gap stands: where neighbours share no cache; where no shared cache is known
    at all, between packages."""
    units, places = matrix.units, matrix.places
    shared = [
        "",
        *(pair_class(places[a], places[b]) for a, b in pairwise(units)),
    ]
    cached = {"same core", "same L2", "same L3"}
    if "not known" in shared:
        return set()
    within = cached if cached & set(shared) else cached | {"same NUMA node", "same package"}
    return {i for i, name in enumerate(shared) if name and name not in within}


def _with_gaps(
    head: list[str], names: list[str], rows: list[list[Cell]], gaps: set[int], caption: str
) -> Table:
    """A square of fields; the last of `head` stands over the names of its rows."""
    columns, right = list(head), [i for i, title in enumerate(head) if not title]
    for i, name in enumerate(names):
        columns += ["|", name] if i in gaps else [name]
        right.append(len(columns) - 1)
    table = Table(columns, [], right=right, caption=caption)
    for number, row in enumerate(rows):
        if number in gaps:
            table.rows.append([Cell("")] * len(columns))
        cells = row[: len(head)]
        for i, cell in enumerate(row[len(head) :]):
            cells += [Cell("|"), cell] if i in gaps else [cell]
        table.rows.append(cells)
    return table


def _grid(matrix: Matrix, name: str, with_interval: bool) -> Table:
    units, costs = matrix.units, matrix.costs

    def cell(first: int, second: int) -> Cell:
        s = matrix.cells.get((first, second))
        if s is None:
            return Cell(".")
        cost = cost_of(s)
        heat = None if cost is None else heat_of(cost, costs)
        return Cell(_cell_text(s, with_interval), [s.id], heat=heat)

    rows = [[Cell(str(first)), *(cell(first, second) for second in units)] for first in units]
    caption = f"{name}; the row is the first lane"
    return _with_gaps(["PU"], list(map(str, units)), rows, _apart(matrix), caption)


def _folded(matrix: Matrix, folding: Folding, name: str, with_gaps: bool) -> Table:
    """The medians of the pairs of two blocks, all with as many digits."""
    blocks = folding.blocks
    of_unit = {pu: i for i, block in enumerate(blocks) for pu in block}
    pairs: dict[tuple[int, int], list[float]] = defaultdict(list)
    for (first, second), s in matrix.cells.items():
        if (cost := cost_of(s)) is not None:
            pairs[of_unit[first], of_unit[second]].append(cost)
    medians = {at: median(costs) for at, costs in pairs.items()}
    shown = list(medians.values())
    digits = _digits(max(shown, default=0))

    def cell(row: int, column: int) -> Cell:
        cost = medians.get((row, column))
        return Cell(".") if cost is None else Cell(f"{cost:.{digits}f}", heat=heat_of(cost, shown))

    whole = len(blocks) == len(matrix.units)
    numbers = [str(block[0] if whole else i) for i, block in enumerate(blocks)]
    rows = [
        [
            *([Cell(numbers[row])] if whole else [Cell(numbers[row]), Cell(_named(block))]),
            *(cell(row, column) for column in range(len(blocks))),
        ]
        for row, block in enumerate(blocks)
    ]
    begin_apart = {matrix.units[i] for i in _apart(matrix)}
    apart = {i for i, block in enumerate(blocks) if block[0] in begin_apart}
    table = _with_gaps(
        ["PU"] if whole else ["", "PUs"],
        numbers,
        rows,
        apart if with_gaps and len(apart) < len(blocks) - 1 else set(),
        f"{name}; {'' if whole else _of_blocks(matrix, folding)}the row has the first lane. --csv, "
        "--svg and the report have every pair",
    )
    table.gap = 1
    return table


def _of_blocks(matrix: Matrix, folding: Folding) -> str:
    sample = " (of each class of pairs a sample was measured)" if matrix.sampled else ""
    return f"blocks of PUs, each {folding.each}, the median over the pairs{sample}; "


def _named(pus: list[int]) -> str:
    """`0-3,8`: ranges of numbers; of several with one step between them `0-6:2`."""
    parts: list[list[int]] = []
    for pu in sorted(pus):
        last = parts[-1] if parts else []
        if last and (len(last) == 1 or pu - last[-1] == last[1] - last[0]):
            last.append(pu)
        else:
            parts.append([pu])
    return ",".join(map(_range, parts))


def _range(pus: list[int]) -> str:
    step = pus[1] - pus[0] if len(pus) > 1 else 1
    if step == 1:
        return f"{pus[0]}-{pus[-1]}" if len(pus) > 1 else str(pus[0])
    return f"{pus[0]}-{pus[-1]}:{step}" if len(pus) > 2 else ",".join(map(str, pus))
