"""The points of the study `contention`: throughput of threads by the number of variables that they
share, and the distance between these threads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from syncmeter_analysis.record.machine import machine_of
from syncmeter_analysis.record.point import key_without
from syncmeter_analysis.record.topology import Unit, pair_class, pair_classes, units_of
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Over
from syncmeter_analysis.relate.group import grouped, placed_alike
from syncmeter_analysis.relate.relation import ratio
from syncmeter_analysis.relate.summary import Measured

#: The class for CPUs without a known place.
_unknown = pair_classes[-1]

_but_affinity = key_without("cells", "affinity")
_but_lanes = key_without("cells", "lanes", "affinity")


@dataclass
class Shared:
    """The threads of a row on some number of variables. `joined_by` is what the farthest threads of a
    variable share, or '' for a variable per thread and for unknown CPUs. `over_one` is the
    throughput over the throughput on one variable."""

    measured: Measured
    joined_by: str = ""
    over_one: Over = None


@dataclass
class Row:
    """One op and number of threads in one file. The affinities `placed` give the threads the same CPUs.
    `over_alone` is the total throughput on one variable over a thread alone."""

    first: Measured
    placed: str
    by_cells: dict[int, Shared] = field(default_factory=dict)
    over_alone: Over = None

    @property
    def lanes(self) -> int:
        return self.first.point.lanes


@dataclass
class NearFar:
    """One op on equally many variables, by near and by far threads."""

    near: Row
    far: Row
    cells: int


@dataclass
class Part:
    """The rows in one file. `why_no_pairs` names the reason if near and far threads cannot be compared.
    `source` names the file if there are several."""

    rows: list[Row]
    pairs: list[NearFar]
    why_no_pairs: str
    virtual: bool
    source: str = ""

    @property
    def most_lanes(self) -> int:
        return max(row.lanes for row in self.rows)


def rows(campaign: Campaign) -> list[Part]:
    """Returns all points with a given variable count, by file."""
    parts = []
    for file, points, source in campaign.parts():
        units = units_of([file.campaign])
        if found := _rows_of(points, units):
            pairs = _near_against_far(found)
            virtual = bool(machine_of(file.campaign).hypervisor)
            parts.append(Part(found, pairs, _why_no_pairs(found, units), virtual, source))
    return parts


def _belongs(s: Measured) -> bool:
    cpu = s.device is None and not s.imported
    return cpu and s.visits > 0 and s.point.placement == "strided" and s.point.cells > 0


def _rows_of(points: Iterable[Measured], units: Mapping[int, Unit]) -> list[Row]:
    found = [s for s in points if _belongs(s)]
    alone = {_but_lanes(s.point): s for s in reversed(found) if s.point.lanes == 1}
    rows = [
        _row(", ".join(affinities), group, alone.get(_but_lanes(group[0].point)), units)
        for affinities, group in placed_alike(found, lambda s: _but_affinity(s.point))
    ]

    def order(row: Row) -> tuple[object, ...]:
        p = row.first.point
        return p.backend, row.first.family, p.op, p.type, p.order, p.affinity, p.wait, p.lanes

    return sorted(rows, key=order)


def _row(
    placed: str,
    group: Sequence[Measured],
    alone: Measured | None,
    units: Mapping[int, Unit],
) -> Row:
    row = Row(group[0], placed)
    for s in sorted(group, key=lambda s: s.point.cells):
        row.by_cells[s.point.cells] = Shared(s, _joined_by(s, units))
    one = row.by_cells.get(1)
    if one is None:
        return row
    for cells, c in row.by_cells.items():
        if cells != 1:
            # Throughput is the inverse cost.
            c.over_one = ratio(one.measured, c.measured)
    if alone is not None and row.lanes > 1:
        row.over_alone = ratio(alone, one.measured).times(row.lanes)
    return row


def _joined_by(s: Measured, units: Mapping[int, Unit]) -> str:
    """Returns the domain that joins the farthest threads on one variable."""
    lanes, cells = s.point.lanes, s.point.cells
    together = [
        (a, b)
        for a, b in combinations(range(lanes), 2)
        if a * cells // lanes == b * cells // lanes  # like the host rig
    ]
    if not together or len(s.pus) != lanes or not set(s.pus) <= units.keys():
        return ""
    classes = {pair_class(units[s.pus[a]], units[s.pus[b]]) for a, b in together}
    return max(classes, key=pair_classes.index)


def _near_against_far(found: Sequence[Row]) -> list[NearFar]:
    """Returns the nearest affinity with each farther one."""
    pairs: list[NearFar] = []
    for rows_alike in grouped(found, lambda row: _but_affinity(row.first.point)).values():
        for cells in sorted({n for row in rows_alike for n in row.by_cells}):
            # Affinities with another thread order have the same distance.
            by_distance: dict[str, Row] = {}
            for row in rows_alike:
                c = row.by_cells.get(cells)
                if c is not None and c.joined_by not in ("", _unknown) and c.measured.usable:
                    by_distance.setdefault(c.joined_by, row)
            near, *farther = sorted(by_distance, key=pair_classes.index) or [""]
            pairs += [NearFar(by_distance[near], by_distance[far], cells) for far in farther]
    return pairs


def _why_no_pairs(found: Sequence[Row], units: Mapping[int, Unit]) -> str:
    joined = {c.joined_by for row in found for c in row.by_cells.values()} - {""}
    if not joined:
        return "nothing_shared" if units else "unknown_cpus"
    if joined == {_unknown}:
        return "unknown_domains"
    machine = {pair_class(a, b) for a, b in combinations(units.values(), 2)}
    return "one_domain" if len(machine) == 1 else "equally_far"
