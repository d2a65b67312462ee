"""The cost between pairs of PUs: a matrix for each op in the order of the topology, its classes, a pair
in both directions, and the machine from pass to pass."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from operator import itemgetter

from syncmeter_analysis.conclude.studies.core_to_core import rows as rows
from syncmeter_analysis.conclude.studies.pairs import Matrix, PairClass
from syncmeter_analysis.record.topology import Folding, foldings, pair_class
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.relation import NotComparable, Verdict, default_margin, verdict
from syncmeter_analysis.relate.stats import median
from syncmeter_analysis.relate.summary import Measured, gap_of_states
from syncmeter_analysis.relate.text import percent
from syncmeter_analysis.studies.blocks import Block, Bullets, Cell, Table, Text, table, width_of
from syncmeter_analysis.studies.cells import ns_of
from syncmeter_analysis.studies.figures import Figure, Heat, Panel, rows_of

title = "Core to core"
order = 8


def heat_of(cost: float, costs: list[float]) -> float:
    """Its place between the least and the most, on logarithms. Costs of one kind are not made to look
    different by a scale that their noise sets."""
    least = min(costs)
    return math.log(cost / least) / math.log(max(max(costs) / least, gap_of_states))


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
    if not s.usable:
        bounded = s.status == "not_resolved" and s.cost is not None and math.isfinite(s.cost.high)
        return f"<{math.ceil(s.cost.high)}" if bounded and s.cost else s.status
    digits, half = _digits(ns_of(s)), half_width(s)
    interval = f"+-{half:.{digits}f}" if math.isfinite(half) else "+-?"
    marks = "*" * several_states(s) + "!" * (s.status == "busy")
    return f"{ns_of(s):.{digits}f}{interval if with_interval else ''}{marks}"


def _apart(matrix: Matrix) -> set[int]:
    """Before which units a gap stands: where neighbours share no cache; where no shared cache is known
    at all, between packages."""
    units, places = matrix.units, matrix.places
    shared = ["", *(pair_class(places[a], places[b]) for a, b in pairwise(units))]
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
        heat = heat_of(ns_of(s), costs) if s.usable else None
        return Cell(_cell_text(s, with_interval), [s.id], heat=heat)

    rows = [[Cell(str(first)), *(cell(first, second) for second in units)] for first in units]
    caption = f"{name}; the row is the first lane"
    return _with_gaps(["PU"], list(map(str, units)), rows, _apart(matrix), caption)


def _folded(matrix: Matrix, folding: Folding, name: str, with_gaps: bool) -> Table:
    """The medians of the pairs of two blocks, all with as many digits."""
    blocks = folding.blocks
    of_unit = {pu: i for i, block in enumerate(blocks) for pu in block}
    pairs = grouped(matrix.measured, lambda s: tuple(of_unit[pu] for pu in s.point.pus))
    medians = {at: median(map(ns_of, alike)) for at, alike in pairs.items()}
    shown = list(medians.values())
    digits = _digits(max(shown, default=0))

    def cell(row: int, column: int) -> Cell:
        cost = medians.get((row, column))
        return Cell(".") if cost is None else Cell(f"{cost:.{digits}f}", heat=heat_of(cost, shown))

    whole = len(blocks) == len(matrix.units)
    numbers = [str(block[0] if whole else i) for i, block in enumerate(blocks)]
    rows = []
    for row, block in enumerate(blocks):
        names = [numbers[row]] if whole else [numbers[row], _named(block)]
        rows.append([*map(Cell, names), *(cell(row, column) for column in range(len(blocks)))])
    begin_apart = {matrix.units[i] for i in _apart(matrix)}
    apart = {i for i, block in enumerate(blocks) if block[0] in begin_apart}
    table = _with_gaps(
        ["PU"] if whole else ["", "PUs"],
        numbers,
        rows,
        apart if with_gaps and len(apart) < len(blocks) - 1 else set(),
        f"{name}; {'' if whole else _of_blocks(matrix, folding)}the row has the first lane. --csv "
        "and the report have every pair",
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


def text(matrices: list[Matrix]) -> list[Block]:
    """For each op its matrix (folded where it does not fit), its classes and what follows."""
    blocks = [block for matrix in matrices for block in _of(matrix)]
    if both_ways := directions([matrix for matrix in matrices if matrix.costs]):
        blocks.append(Bullets(both_ways))
    if any(matrix.one_node and matrix.what.home for matrix in matrices):
        blocks.append(
            Text(
                "home: there is one NUMA node, so whichever PU touches the mailboxes first, they lie "
                "in the same memory: first, second and other cannot differ here"
            )
        )
    return blocks


def _of(matrix: Matrix) -> list[Block]:
    meaning = "one way, half a round trip" if matrix.family == "handoff" else "per op"
    name = f"{matrix.name}: ns {meaning}"
    blocks: list[Block] = [matrix_table(matrix, name), _class_table(matrix)]
    sentences = [*_legend(matrix), *_placements(matrix), *_drift_sentences(matrix)]
    return [*blocks, Bullets(sentences)] if sentences else blocks


def _class_table(matrix: Matrix) -> Table:
    rows = []
    for c in matrix.classes:
        pairs = str(c.pairs) if c.measured == c.pairs else f"{c.measured} of {c.pairs}"
        costs = ["-", "", ""]
        if c.costs:
            spread = f"{formats.nanoseconds(min(c.costs))}..{formats.nanoseconds(max(c.costs))}"
            costs = [formats.nanoseconds(median(c.costs)), spread, _hop(c)]
        rows.append([c.name, Cell(pairs, [s.id for s in c.found]), *costs])
    columns = "class|pairs>|median ns>|range>|hop ns>"
    return table("classes of pairs, both directions", columns, rows)


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
    shown, lines = matrix.measured, []
    if len(matrix.units) <= most_pus_in_a_matrix:
        if any(map(several_states, shown)):
            lines.append("* seen in several placement states; this is the one with most visits")
        if any(s.status == "busy" for s in shown):
            lines.append("! a PU of the pair was shared or slow while measuring")
    if len(matrix.units) > most_pus_with_intervals and shown:
        widths = [half_width(s) / ns_of(s) for s in shown]
        widest = f"+-{100 * max(widths):.1f} %" if math.isfinite(max(widths)) else "not known"
        lines.append(f"95 % intervals: the widest is {widest}; --csv writes each")
    return lines


def _placements(matrix: Matrix) -> list[str]:
    return [
        f"pairs of the class {c.name} were {min(c.hops):.0f} to {max(c.hops):.0f} ns apart, by the "
        "probe of each round: part of that range is where the hypervisor had placed the threads"
        for c in matrix.classes
        if c.several_states
    ]


def _drift_sentences(matrix: Matrix) -> list[str]:
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


def figures(matrices: list[Matrix]) -> list[Figure]:
    """The matrix of costs between PUs, in the order of the topology: a panel for each op and home."""
    drawn = [matrix for matrix in matrices if matrix.costs]
    if not drawn:
        return []
    costs = [cost for matrix in drawn for cost in matrix.costs]
    domain = (min(costs), max(max(costs), min(costs) * 1.5))
    note = (
        "ns one way (half a round trip) of a handoff, per op of anything else; PUs in the order of the "
        "topology; the row is the first lane, whose PU is home of the mailboxes unless it says "
        "otherwise."
    )
    points = [s.id for matrix in drawn for s in matrix.cells.values()]
    panels = [_panel(matrix, domain) for matrix in drawn]
    return [Figure("core-to-core", "Time from CPU to CPU", note, panels, points)]


def directions(matrices: list[Matrix]) -> list[str]:
    """a to b against b to a, of all ops together: of most pairs nothing is decided."""
    compared = [matrix for matrix in matrices if matrix.ways.ratios]
    pairs = sum(len(matrix.ways.ratios) for matrix in compared)
    lines = []
    if pairs:
        found = [
            _differing(compared),
            _counted(sum(m.ways.count(Verdict.same) for m in compared), "shown not to"),
            _counted(sum(m.ways.count(Verdict.cannot_tell) for m in compared), "undecided"),
        ]
        names = formats.listed([matrix.name for matrix in compared])
        differ = sum(m.ways.count(Verdict.slower, Verdict.faster) for m in compared)
        one = "Which thread of a pair begins" if differ else "Either thread of a pair may begin"
        of = f"of {pairs} comparisons of both directions"
        lines.append(f"{one} ({names}): {of} {', '.join(filter(None, found))} (each {'95 % CI'})")
    over_back = [r for matrix in matrices for r in matrix.ways.over_back.values()]
    apart = Counter(r.why for r in over_back if isinstance(r, NotComparable))
    for why, n in sorted(apart.items()):
        lines.append(f"a to b against b to a: {formats.count(n, 'pair')} not comparable: {why}")
    return lines


def _differing(matrices: list[Matrix]) -> str:
    """How many pairs are shown to differ, and which of these does so most."""
    found = [
        (matrix.ways.shares[pus], matrix, pus)
        for matrix in matrices
        for pus, r in matrix.ways.ratios.items()
        if verdict(r) in (Verdict.slower, Verdict.faster)
    ]
    if not found:
        return f"none is shown to differ by over {percent(default_margin)}"
    share, matrix, (a, b) = max(found, key=itemgetter(0))
    op = f"{matrix.name}, " * (len(matrices) > 1)
    most = f"{op}PUs {a} and {b}, by {100 * share:.1f} %"
    return f"{_counted(len(found), 'different')} ({'most: ' * (len(found) > 1)}{most})"


def _counted(n: int, what: str) -> str:
    """`2 are the same`; '' of none."""
    return f"{n} {'is' if n == 1 else 'are'} {what}" if n else ""


def _panel(matrix: Matrix, domain: tuple[float, float]) -> Panel:
    pus = [str(pu) for pu in matrix.units if any(pu in pair for pair in matrix.cells)]
    rows = [
        drawn | {"label": f"{drawn['value']:.0f}"}
        for (first, second), s in matrix.cells.items()
        for drawn in rows_of(s, y=str(first), x=str(second))
    ]
    side = 34 if len(pus) <= 16 else 12
    axes = ("to PU", pus), ("from PU", pus)
    heat = Heat(rows, *axes, "ns", domain, (side, side), logarithmic=False)
    return Panel(matrix.name, heat)
