"""The matrices of pairs of PUs as text: the costs in the order of the topology, a line for each class
of pairs in both directions, and how far the machine itself drifted."""

from __future__ import annotations

import math
from itertools import pairwise

from syncmeter_analysis.data.topology import pair_class
from syncmeter_analysis.statistics import text as formats
from syncmeter_analysis.statistics.relation import Verdict, default_margin
from syncmeter_analysis.statistics.stats import median
from syncmeter_analysis.statistics.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Bullets, Cell, Table, Text
from syncmeter_analysis.studies.core_to_core_rows import (
    CoreToCore,
    Folded,
    Matrix,
    PairClass,
    cost_of,
    heat_of,
    most_pus_in_a_matrix,
    rows,
)

__all__ = ["rows", "text", "title"]

title = "Core to core"
measured_by = "`syncmeter run --study core-to-core`"

# More columns than this do not fit a screen with intervals in them.
_most_pus_with_intervals = 16


def text(found: CoreToCore) -> list[Block]:
    """For each op its matrix (above 24 PUs folded into blocks), its classes and what follows."""
    blocks = [block for matrix in found.matrices for block in _of(matrix)]
    if found.one_node and any(matrix.what.home for matrix in found.matrices):
        blocks.append(
            Text(
                "home: there is one NUMA node, so whichever PU touches the mailboxes first, they lie "
                "in the same memory: first, second and other cannot differ here"
            )
        )
    return blocks


def _of(matrix: Matrix) -> list[Block]:
    meaning = "one way, half a round trip" if matrix.family == "handoff" else "per op"
    name = f"{formats.short_name(matrix.what)}: ns {meaning}"
    blocks: list[Block] = []
    if len(matrix.units) <= most_pus_in_a_matrix:
        blocks.append(_grid(matrix, f"{name}; the row is the first lane"))
    elif matrix.folded is not None:
        blocks.append(_blocks(matrix, matrix.folded, name))
    classes = _classes(matrix)
    if not blocks:
        classes.caption = f"{name}; {classes.caption}"
    blocks.append(classes)
    sentences = [*_legend(matrix), *_ways(matrix), *_drift(matrix)]
    return [*blocks, Bullets(sentences)] if sentences else blocks


def _digits(ns: float) -> int:
    return 0 if ns >= 99.95 else 1 if ns >= 9.995 else 2


def _half_width(s: Measured) -> float:
    assert s.cost is not None
    return max(s.cost.high - s.cost.value, s.cost.value - s.cost.low)


def _several_states(s: Measured) -> bool:
    return any(state.number != s.state.number for state in s.states)


def _cell_text(s: Measured, with_interval: bool) -> str:
    cost = cost_of(s)
    if cost is None:
        bounded = s.status == "not_resolved" and s.cost is not None and math.isfinite(s.cost.high)
        return f"<{math.ceil(s.cost.high)}" if bounded and s.cost else s.status
    digits = _digits(cost)
    half = _half_width(s)
    interval = f"+-{half:.{digits}f}" if math.isfinite(half) else "+-?"
    marks = "*" * _several_states(s) + "!" * (s.status == "busy")
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


def _grid(matrix: Matrix, caption: str) -> Table:
    units, costs = matrix.units, matrix.costs
    with_interval = len(units) <= _most_pus_with_intervals
    gaps = _apart(matrix)
    columns, right = ["PU"], []
    for i, pu in enumerate(units):
        columns += ["|", str(pu)] if i in gaps else [str(pu)]
        right.append(len(columns) - 1)
    table = Table(columns, [], right=right, caption=caption)
    for row, first in enumerate(units):
        cells = [Cell(str(first))]
        for i, second in enumerate(units):
            s = matrix.cells.get((first, second))
            cost = cost_of(s)
            cells += [Cell("|")] if i in gaps else []
            cells.append(
                Cell(
                    _cell_text(s, with_interval) if s else ".",
                    [s.id] if s else [],
                    heat=heat_of(cost, costs) if cost is not None else None,
                )
            )
        if row in gaps:
            table.rows.append([Cell("")] * len(columns))
        table.rows.append(cells)
    return table


def _named(pus: list[int]) -> str:
    """`0-3,8`: ranges of numbers."""
    parts: list[list[int]] = []
    for pu in sorted(pus):
        if parts and pu == parts[-1][-1] + 1:
            parts[-1].append(pu)
        else:
            parts.append([pu])
    return ",".join(f"{p[0]}-{p[-1]}" if len(p) > 1 else str(p[0]) for p in parts)


def _blocks(matrix: Matrix, folded: Folded, name: str) -> Table:
    numbers = range(len(folded.blocks))
    sample = " (of each class of pairs a sample was measured)" if matrix.sampled else ""
    costs = list(folded.costs.values())
    table = Table(
        ["", "PUs", *map(str, numbers)],
        [],
        right=[0, *(2 + i for i in numbers)],
        keys=2,
        caption=f"{name}; blocks of PUs that share {folded.level}, the median over the pairs"
        f"{sample}; the row has the first lane. The report draws every pair",
    )
    for row in numbers:
        cells = [Cell(str(row)), Cell(_named(folded.blocks[row]))]
        for column in numbers:
            cost = folded.costs.get((row, column))
            cells.append(
                Cell(".")
                if cost is None
                else Cell(f"{cost:.{_digits(cost)}f}", heat=heat_of(cost, costs))
            )
        table.rows.append(cells)
    return table


def _classes(matrix: Matrix) -> Table:
    table = Table(
        ["class", "pairs", "median ns", "range", "hop ns"],
        [],
        right=[1, 2, 3, 4],
        caption="classes of pairs, both directions",
    )
    for c in matrix.classes:
        pairs = str(c.pairs) if c.measured == c.pairs else f"{c.measured} of {c.pairs}"
        texts = ["-", "", ""]
        if c.costs:
            spread = f"{formats.nanoseconds(min(c.costs))}..{formats.nanoseconds(max(c.costs))}"
            texts = [formats.nanoseconds(median(c.costs)), spread, _hop(c)]
        cells = [Cell(c.name), Cell(pairs, c.points), *map(Cell, texts)]
        table.rows.append(cells)
    return table


def _hop(c: PairClass) -> str:
    """The median; the range where pairs were seen in several placement states."""
    if not c.hops:
        return ""
    if c.several_states:
        return f"{min(c.hops):.0f}..{max(c.hops):.0f}"
    return f"{median(c.hops):.0f}"


def _legend(matrix: Matrix) -> list[str]:
    """What marks in the cells mean, where there are any, and how wide the intervals are that stand in
    none."""
    shown = [s for s in matrix.cells.values() if cost_of(s) is not None]
    lines = []
    if len(matrix.units) <= most_pus_in_a_matrix:
        if any(map(_several_states, shown)):
            lines.append("* seen in several placement states; this is the one with most visits")
        if any(s.status == "busy" for s in shown):
            lines.append("! a PU of the pair was shared or slow while measuring")
    if len(matrix.units) > _most_pus_with_intervals and shown:
        widths = [_half_width(s) / s.cost.value for s in shown if s.cost]
        widest = f"+-{100 * max(widths):.1f} %" if math.isfinite(max(widths)) else "not known"
        lines.append(f"95 % intervals: the widest is {widest}; --csv writes each")
    several = [c.name for c in matrix.classes if c.several_states]
    if several:
        lines.append(
            f"pairs of one class ({', '.join(several)}) were seen in several placement states: "
            f"their range includes where the hypervisor had placed the lanes"
        )
    return lines


def _ways(matrix: Matrix) -> list[str]:
    """a to b against b to a."""
    ways = matrix.ways
    lines = []
    if ways.ratios:
        differ = ways.count(Verdict.slower, Verdict.faster)
        shares = [ways.share(r) for r in ways.ratios.values()]
        a, b = ways.farthest
        lines.append(
            f"a to b against b to a: the same within {default_margin:.0%} in "
            f"{ways.count(Verdict.same)} of {formats.count(len(shares), 'pair')}, more apart in "
            f"{differ}, cannot tell in {ways.count(Verdict.cannot_tell)}; they differ by "
            f"{100 * median(shares):.1f} % in the median, by {100 * max(shares):.1f} % at most "
            f"(PUs {a} and {b})"
        )
    for why, n in sorted(ways.apart.items()):
        lines.append(f"a to b against b to a: {formats.count(n, 'pair')} not comparable: {why}")
    return lines


def _drift(matrix: Matrix) -> list[str]:
    """What no single pair can tell: a shared machine, or its clock, that was another one meanwhile."""
    d = matrix.drift
    if d is None:
        return []
    return [
        f"the machine itself: the median of the {formats.count(d.pairs, 'point')} seen in each of "
        f"{d.passes} passes was {formats.nanoseconds(d.least_ns)} to "
        f"{formats.nanoseconds(d.most_ns)} ns from pass to pass "
        f"({100 * (d.most_ns / d.least_ns - 1):.1f} % apart)"
    ]
