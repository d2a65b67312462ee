"""The matrices of pairs of PUs as text: the costs in the order of the topology, a line for each class
of pairs in both directions, and how far the machine itself drifted."""

from __future__ import annotations

import math

from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.relation import Verdict, default_margin
from syncmeter_analysis.relate.stats import median
from syncmeter_analysis.studies.blocks import Block, Bullets, Cell, Table, Text
from syncmeter_analysis.studies.core_to_core_map import (
    half_width,
    matrix_table,
    most_pus_in_a_matrix,
    most_pus_with_intervals,
    several_states,
)
from syncmeter_analysis.studies.core_to_core_rows import (
    CoreToCore,
    Matrix,
    PairClass,
    cost_of,
    rows,
)

__all__ = ["rows", "text", "title"]

title = "Core to core"
measured_by = "`syncmeter run --study core-to-core`"


def text(found: CoreToCore) -> list[Block]:
    """For each op its matrix (folded where it does not fit), its classes and what follows."""
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
    blocks: list[Block] = [matrix_table(matrix, name), _classes(matrix)]
    sentences = [*_legend(matrix), *_ways(matrix), *_drift(matrix)]
    return [*blocks, Bullets(sentences)] if sentences else blocks


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
        if any(map(several_states, shown)):
            lines.append("* seen in several placement states; this is the one with most visits")
        if any(s.status == "busy" for s in shown):
            lines.append("! a PU of the pair was shared or slow while measuring")
    if len(matrix.units) > most_pus_with_intervals and shown:
        widths = [half_width(s) / s.cost.value for s in shown if s.cost]
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
