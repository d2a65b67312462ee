"""What lanes do to each other on the cells that they share out: throughput and fairness by the number
of cells, and the same lanes near each other and far from each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from syncmeter_analysis.record.machine import machine_of
from syncmeter_analysis.record.point import key_without
from syncmeter_analysis.record.reader import ResultsFile
from syncmeter_analysis.record.topology import Unit, pair_class, pair_classes, units_of
from syncmeter_analysis.relate import point_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Over
from syncmeter_analysis.relate.group import grouped, placed_alike
from syncmeter_analysis.relate.relation import NotComparable, Ratio, Verdict, ratio, verdict
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Cell, Table, table
from syncmeter_analysis.studies.cells import notes, of_each, rate
from syncmeter_analysis.studies.figures import Axis, Figure, Panel, curve
from syncmeter_analysis.studies.figures import Row as Drawn

title = "Contention"
order = 2

#: The class of a pair of PUs that the file does not place.
_unknown = pair_classes[-1]

_but_affinity = key_without("cells", "affinity")
_but_lanes = key_without("cells", "lanes", "affinity")


@dataclass
class Shared:
    """So many cells, shared out among the lanes of a row. `joined_by` is what the farthest lanes of
    one cell share: '' for one lane on each cell, or where the file does not say where its PUs are.
    `over_one` is the throughput of all lanes over that on one cell."""

    measured: Measured
    joined_by: str = ""
    over_one: Over = None


@dataclass
class Row:
    """One op on so many lanes of one file, under affinities that place the lanes alike.

    `over_alone` is the throughput of all lanes on one cell over that of a lone lane.
    """

    first: Measured
    affinities: list[str]
    by_cells: dict[int, Shared] = field(default_factory=dict)
    over_alone: Over = None

    @property
    def lanes(self) -> int:
        return self.first.point.lanes

    @property
    def placed(self) -> str:
        return ", ".join(self.affinities)


@dataclass
class NearFar:
    """The same op on as many lanes and cells, the lanes of a cell once nearer to each other. Cost of
    far over near: lanes elsewhere are mostly in another placement state, which no ratio crosses."""

    near: Row
    far: Row
    cells: int
    far_over_near: Ratio | NotComparable


@dataclass
class Part:
    """The rows of one file, and why near and far lanes cannot be compared where they cannot.
    `source` names the file where there are several."""

    rows: list[Row]
    pairs: list[NearFar]
    why_no_pairs: str
    virtual: bool
    source: str = ""

    @property
    def most_lanes(self) -> int:
        return max(row.lanes for row in self.rows)


def rows(campaign: Campaign) -> list[Part]:
    """The points of each file whose lanes share out a given number of cells."""
    parts = []
    for file, points, source in campaign.parts():
        units = units_of([file.campaign])
        if found := _rows_of(points, units):
            pairs = _near_against_far(found)
            virtual = bool(machine_of(file.campaign).hypervisor)
            parts.append(Part(found, pairs, _why_no_pairs(file, found, units), virtual, source))
    return parts


def _belongs(s: Measured) -> bool:
    cpu = s.device is None and not s.imported
    return cpu and s.visits > 0 and s.point.placement == "strided" and s.point.cells > 0


def _rows_of(points: Iterable[Measured], units: Mapping[int, Unit]) -> list[Row]:
    found = [s for s in points if _belongs(s)]
    alone = {_but_lanes(s.point): s for s in reversed(found) if s.point.lanes == 1}
    rows = [
        _row(affinities, group, alone.get(_but_lanes(group[0].point)), units)
        for affinities, group in placed_alike(found, lambda s: _but_affinity(s.point))
    ]

    def order(row: Row) -> tuple[object, ...]:
        p = row.first.point
        return p.backend, row.first.family, p.op, p.type, p.order, p.affinity, p.wait, p.lanes

    return sorted(rows, key=order)


def _row(
    affinities: list[str],
    group: Sequence[Measured],
    alone: Measured | None,
    units: Mapping[int, Unit],
) -> Row:
    row = Row(group[0], affinities)
    for s in sorted(group, key=lambda s: s.point.cells):
        row.by_cells[s.point.cells] = Shared(s, _joined_by(s, units))
    one = row.by_cells.get(1)
    if one is None:
        return row
    for cells, c in row.by_cells.items():
        if cells != 1:
            # Throughput goes as one over the cost.
            c.over_one = ratio(one.measured, c.measured)
    if alone is not None and row.lanes > 1:
        row.over_alone = ratio(alone, one.measured).times(row.lanes)
    return row


def _joined_by(s: Measured, units: Mapping[int, Unit]) -> str:
    """What the farthest two lanes that have a cell in common share."""
    lanes, cells = s.point.lanes, s.point.cells
    together = [
        (a, b)
        for a, b in combinations(range(lanes), 2)
        if a * cells // lanes == b * cells // lanes  # as the host rig deals them
    ]
    if not together or len(s.pus) != lanes or not set(s.pus) <= units.keys():
        return ""
    classes = {pair_class(units[s.pus[a]], units[s.pus[b]]) for a, b in together}
    return max(classes, key=pair_classes.index)


def _near_against_far(found: Sequence[Row]) -> list[NearFar]:
    """The nearest placement against each farther one."""
    pairs = []
    for rows_alike in grouped(found, lambda row: _but_affinity(row.first.point)).values():
        for cells in sorted({n for row in rows_alike for n in row.by_cells}):
            # One row for each distance: policies that differ in the order of lanes may share one.
            by_distance: dict[str, Row] = {}
            for row in rows_alike:
                c = row.by_cells.get(cells)
                if c is not None and c.joined_by not in ("", _unknown) and c.measured.usable:
                    by_distance.setdefault(c.joined_by, row)
            near, *farther = sorted(by_distance, key=pair_classes.index) or [""]
            for far in farther:
                sides = by_distance[near], by_distance[far]
                costs = (row.by_cells[cells].measured for row in reversed(sides))
                pairs.append(NearFar(*sides, cells, ratio(*costs)))
    return pairs


def _why_no_pairs(file: ResultsFile, found: Sequence[Row], units: Mapping[int, Unit]) -> str:
    joined = {c.joined_by for row in found for c in row.by_cells.values()} - {""}
    if not joined:
        return (
            "no two lanes shared a cell"
            if units
            else "the file does not say where its processing units are"
        )
    if joined == {_unknown}:
        return "what the lanes share is not known here"
    machine = {pair_class(a, b) for a, b in combinations(units.values(), 2)}
    if len(machine) == 1:
        return (
            f"all processing units here are in one domain ({machine.pop()}), so that there are "
            f"no lanes farther apart"
        )
    return "every policy puts the lanes of a cell equally far apart"


@of_each
def answer(part: Part) -> Iterator[str]:
    """What the most lanes get done on one cell and on more, and near lanes against far ones."""
    if part.most_lanes < 2:
        yield "cannot tell: points with two lanes or more were not measured"
    for row in part.rows:
        if row.lanes == part.most_lanes > 1:
            yield throughput_sentence(row)
    yield from map(distance_sentence, part.pairs)
    if not part.pairs:
        yield f"near lanes against far lanes: cannot tell: {part.why_no_pairs}"
    if part.virtual:
        yield (
            "the domains are as the hypervisor reports them; it may move lanes between CPUs of "
            "other domains"
        )


@of_each
def text(part: Part) -> list[Block]:
    """Throughput by cells, by lanes, and near lanes beside far ones."""
    # Of two lanes the first table has everything.
    return [_cells_table(part), *([_lanes_table(part)] if part.most_lanes > 2 else [])]


def _cells_table(part: Part) -> Table:
    """Everything of the rows with most lanes; of the others the second table has the throughput."""
    lanes = part.most_lanes
    what = (
        f"{formats.count(lanes, 'lane')} on a number of cells, neighbouring lanes on the same cell; "
        "throughput over that on one cell, of the same visits, in one placement state"
    )
    columns = "backend|op|affinity|cells>|lanes a cell>|lanes of one share|ns/op>|ops/s>|fair>"
    columns += "|slow/fast>|over one cell>|95 % interval>|"
    rows = []
    for row in part.rows:
        for cells, c in row.by_cells.items() if row.lanes == lanes else ():
            p, s = row.first.point, c.measured
            fair = [s.fairness, s.slowest_over_fastest] if lanes > 1 else [None, None]
            found = [p.backend, Cell(p.op, [s.id]), row.placed, str(cells), str(lanes // cells)]
            found += [c.joined_by, formats.cost(s) if s.usable else "", rate(s)]
            found += [formats.number(x, digits) for x, digits in zip(fair, (3, 2), strict=True)]
            found += formats.ratio_fields(c.over_one, itself=cells == 1)
            crowded = "oversubscribed" if s.oversubscribed else ""
            rows.append([*found, notes(s, crowded, over={"one cell": c.over_one})])
    return table(f"{part.source}: " * bool(part.source) + what, columns, rows, 4, spare=[9])


def _lanes_table(part: Part) -> Table:
    numbers = sorted({n for row in part.rows for n in row.by_cells})

    def field(c: Shared | None) -> str:
        per_s = rate(c.measured) if c else ""
        return f"{per_s} {formats.number(c.measured.fairness, 3)}".rstrip() if c and per_s else ""

    columns = ["backend", "op", "affinity", "lanes>"]
    columns += [f"{formats.count(n, 'cell')}>" for n in numbers]
    rows = []
    for row in part.rows:
        at = [row.first.point.backend, row.first.point.op, row.placed, str(row.lanes)]
        rows.append(at + [field(row.by_cells.get(n)) for n in numbers])
    return table("ops/s of all lanes, and fairness, by lanes and cells", columns, rows, keys=4)


def name_of(row: Row) -> str:
    p = row.first.point
    return f"{p.backend} {p.op}, {formats.count(row.lanes, 'thread')}, {row.placed}"


def throughput_sentence(row: Row) -> str:
    """The most cells against one, then one cell against a lone lane."""
    more = [(n, c.over_one) for n, c in reversed(row.by_cells.items()) if c.over_one is not None]
    found = [_gives(f"{n} cells", over, "the throughput of one cell") for n, over in more[:1]]
    # Throughput of more cells over that of one: slower is what has less.
    if more and more[0][0] == row.lanes and verdict(more[0][1]) is Verdict.slower:
        found[0] = f"give each thread a cell of its own, because {found[0]}"
    if row.over_alone is not None:
        what = "that" if found else "the throughput"
        found.append(_gives("one cell", row.over_alone, f"{what} of one thread alone"))
    return f"{name_of(row)}: {'; '.join(found) or 'cannot tell: nothing to compare'}"


def _gives(cells: str, r: Ratio | NotComparable, what: str) -> str:
    if isinstance(r, NotComparable):
        return f"{cells} cannot be compared with {what} ({r.why})"
    is_one = cells == "one cell"
    how_sure = formats.bounds(r) if is_one else formats.sure(r)
    return f"{cells} {'gives' if is_one else 'give'} {formats.times(r)} times {what}{how_sure}"


def distance_sentence(pair: NearFar) -> str:
    """Both costs, each with the hop of its placement state, and their ratio where there is one."""
    near, far = (_side(row, row.by_cells[pair.cells]) for row in (pair.near, pair.far))
    p, r = pair.near.first.point, pair.far_over_near
    lanes = f"{formats.count(pair.near.lanes, 'lane')} on {formats.count(pair.cells, 'cell')}"
    times = f"{formats.ratio_interval(r)} times" if isinstance(r, Ratio) else f"no ratio ({r.why})"
    return f"{p.backend} {p.op}, {lanes}: {near}; {far}: {times}"


def _side(row: Row, c: Shared) -> str:
    hop = f", hop {c.measured.state.hop_ns:.0f} ns" if c.measured.state.hop_ns > 0 else ""
    return f"{c.joined_by} ({row.placed}) {formats.cost_interval(c.measured)} ns{hop}"


_not_in_a_panel = ("backend", "op", "placement", "lanes", "affinity")


def figures(parts: list[Part]) -> list[Figure]:
    """A figure for each op of each backend and file: throughput of all lanes by the number of cells, a
    panel for each placement, a line for each number of lanes."""
    return [
        _figure(f"{number}-{backend}-{op}", found)
        for number, part in enumerate(parts, 1)
        if part.most_lanes > 1
        for (backend, op), found in grouped(part.rows, _of_op).items()
    ]


def _of_op(row: Row) -> tuple[str, str]:
    return row.first.point.backend, row.first.point.op


def _figure(name: str, found: Sequence[Row]) -> Figure:
    def panel_of(row: Row) -> str:
        what = point_text.short_name(row.first.point, _not_in_a_panel)
        return f"{what}, affinity {row.placed}".lstrip(", ")

    return Figure(
        f"contention-{name}".replace("_", "-"),
        _title(found),
        "Operations per second of all lanes together against the number of cells; both axes "
        "logarithmic.",
        [panel for name, of in grouped(found, panel_of).items() for panel in _curves(name, of)],
        [c.measured.id for row in found for c in row.by_cells.values()],
    )


def _curves(name: str, found: Sequence[Row]) -> list[Panel]:
    rows: list[Drawn] = [
        {"x": cells, "value": per_s, "name": str(row.lanes), "id": c.measured.id}
        for row in found
        for cells, c in row.by_cells.items()
        if (per_s := c.measured.ops_per_s_total) is not None
    ]
    x = Axis("cells", "log2", "d", sorted({row["x"] for row in rows}))
    lanes = sorted({row["name"] for row in rows}, key=int)
    y = Axis("ops/s of all lanes", format="~s")
    return curve(name, rows, x, y, lanes, legend="lanes")


def _title(found: Sequence[Row]) -> str:
    """What the most lanes do on one cell and on more, of the placement with the least on one."""
    most = max(row.lanes for row in found)

    def on_one(row: Row) -> float:
        return row.over_alone.value if isinstance(row.over_alone, Ratio) else math.inf

    return throughput_sentence(min((r for r in found if r.lanes == most), key=on_one))
