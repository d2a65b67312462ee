"""Strided cells over cells on separate pages, visit by visit in one placement state, and the
destructive interference size that follows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from syncmeter_analysis.record.machine import object_of
from syncmeter_analysis.record.point import key_without, type_bytes
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.group import place_in, placed_alike
from syncmeter_analysis.relate.relation import (
    NotComparable,
    PairOfPoints,
    Ratio,
    Verdict,
    pooled_ratio,
    state_of_most,
    verdict,
)
from syncmeter_analysis.relate.summary import Measured, State

#: Cells this far apart share neither a line nor what is fetched along with one: the control. The
#: smallest page there is.
apart_bytes = 4096

#: A row of fewer strides than this shows no fall of the cost and sizes nothing.
_least_strides = 3

_but_stride = key_without("type", "stride", "stride_bytes", "affinity")

#: By stride in bytes, then by type.
Cells = dict[int, dict[str, Measured]]


@dataclass(frozen=True)
class Size:
    """The destructive interference size: `enough` bytes apart cost the same as cells apart, where all
    smaller strides cost more; None: cannot tell, and `why`. `slower_at` is the largest stride known
    to cost more; 0 where none is."""

    enough: int | None = None
    slower_at: int = 0
    why: str = ""


@dataclass
class Row:
    """The cells of one op on so many lanes of one file, from one base offset, under affinities that
    place the lanes alike. Types are pooled: of each visit the median of their logarithms.

    `over_apart` is the cost at each stride over that of cells apart, `next_line` 64 B over 128 B,
    `one_element` one element apart over cells apart, by type.
    """

    first: Measured
    affinities: list[str]
    types: list[str]
    state: State | None
    has_control: bool
    over_apart: dict[int, Ratio | NotComparable]
    next_line: Ratio | NotComparable
    one_element: dict[str, Ratio | NotComparable]
    cells: list[Measured]
    size: Size = Size()

    @property
    def points(self) -> list[str]:
        return [s.id for s in self.cells]

    @property
    def strides(self) -> list[int]:
        return list(self.over_apart)

    @property
    def placed(self) -> str:
        return ", ".join(self.affinities)

    @property
    def costs_nothing(self) -> bool:
        """The smallest stride that was measured costs the same as cells apart."""
        return self.size.enough == self.strides[0]


@dataclass
class Sharing:
    """All rows; falsy without one. `line_sizes` is what others say of the machine."""

    rows: list[Row] = field(default_factory=list)
    line_sizes: str = ""

    def __bool__(self) -> bool:
        return any(row.has_control and row.over_apart for row in self.rows)


@lru_cache(maxsize=1)
def sharing_of(campaign: Campaign) -> Sharing:
    """A row for each op, lanes, base offset and set of affinities of each file's strided points with
    two lanes and more. Files are not mixed: each has its own drift and its own controls. Kept, since
    claims look at the same rows."""
    found = [row for _, points, _ in campaign.parts() for row in _rows_of(points)]
    return Sharing(found, _line_sizes(campaign))


def _rows_of(points: Sequence[Measured]) -> list[Row]:
    found = placed_alike(filter(_belongs, points), lambda s: _but_stride(s.point))

    def order(row: Row) -> tuple[object, ...]:
        p = row.first.point
        return p.backend, row.first.family, p.op, p.base_offset, p.lanes, p.affinity

    return sorted((_row(*alike) for alike in found), key=order)


def _belongs(s: Measured) -> bool:
    # Whatever is oversubscribed measures the scheduler.
    on_cpu = s.device is None and not s.imported and not s.oversubscribed and s.visits > 0
    p = s.point
    strided = p.placement == "strided" and bool(p.stride) and not p.cells
    return on_cpu and strided and bool(p.type) and p.lanes >= 2


def _pairs(over: dict[str, Measured], under: dict[str, Measured]) -> list[PairOfPoints]:
    return [(s, under[kind]) for kind, s in over.items() if kind in under]


def _ratio(
    over: dict[str, Measured], under: dict[str, Measured], state: State | None
) -> Ratio | NotComparable:
    for side in (over, under):
        if side and not any(s.usable for s in side.values()):
            s = next(iter(side.values()))
            return NotComparable(
                f"cells {s.point.stride_bytes} B apart have no cost to compare ({s.status})"
            )
    return pooled_ratio(_pairs(over, under), state)


def _row(affinities: list[str], group: list[Measured]) -> Row:
    cells: Cells = defaultdict(dict)
    for s in group:
        cells[s.point.stride_bytes][s.point.type] = s
    apart = cells.get(apart_bytes, {})
    near = {stride: cells[stride] for stride in sorted(cells) if stride < apart_bytes}
    state = state_of_most([pair for at in near.values() for pair in _pairs(at, apart)])
    row = Row(
        first=group[0],
        affinities=affinities,
        # In their usual order, then those that only another version knows.
        types=sorted({s.point.type for s in group}, key=lambda x: (place_in([*type_bytes], x), x)),
        state=state,
        has_control=bool(apart),
        over_apart={stride: _ratio(at, apart, state) for stride, at in near.items()},
        next_line=_ratio(cells.get(64, {}), cells.get(128, {}), state),
        one_element={
            kind: _ratio({kind: s}, apart, state)
            for stride, at in near.items()
            for kind, s in at.items()
            if stride == type_bytes.get(kind)
        },
        cells=group,
    )
    row.size = size_of(row)
    return row


def size_of(row: Row) -> Size:
    """The smallest stride that costs the same as cells apart within the margin, provided that every
    smaller one is resolved to cost more and no larger one is."""
    if not row.has_control:
        return Size(why=f"no cells {apart_bytes} B apart to compare with")
    enough, slower_at, why = None, 0, ""
    for stride, r in row.over_apart.items():
        says = verdict(r)
        if says is Verdict.slower:
            if enough:
                # A hypervisor's or a prefetcher's doing, but no size.
                why = f"{enough} B apart cost the same as cells apart, {stride} B more"
                return Size(None, stride, why)
            slower_at = stride
        elif enough is None and not why:
            if says is Verdict.same:
                enough = stride
            else:
                why = _cannot_compare(stride, r)
    if enough is None and not why:
        widest = max(row.strides, default=0)
        why = f"even {widest} B apart cost more than cells {apart_bytes} B apart"
    return Size(enough, slower_at, why)


def _cannot_compare(stride: int, r: Ratio | NotComparable) -> str:
    if isinstance(r, NotComparable):
        return f"at {stride} B {r.why}"
    if not r.bounded:
        return f"at {stride} B only one visit has both in one placement state"
    sentence = "neither the same nor more"
    if verdict(r) is Verdict.faster:
        sentence = "below 1, so that cells apart are no valid control"
    return f"at {stride} B the ratio is {formats.ratio_interval(r)}, {r.visits} visits: {sentence}"


def sizing(found: Sequence[Row]) -> list[Row]:
    """The rows that can tell a size: those of enough strides, where there are any."""
    long = [row for row in found if row.has_control and len(row.strides) >= _least_strides]
    return long or [row for row in found if row.strides]


def size_of_all(found: Sequence[Row]) -> Size:
    """What holds for all of these rows, whatever their base, op and file: the largest of their sizes,
    unless one that cannot tell is known to cost more there."""
    sizes = [row.size for row in sizing(found)]
    slower_at = max((s.slower_at for s in sizes), default=0)
    enough = max((s.enough for s in sizes if s.enough), default=None)
    why = next((s.why for s in sizes if not s.enough), "")
    if enough and slower_at >= enough:
        why = f"some cells {enough} B apart cost the same as cells apart, others {slower_at} B more"
        enough = None
    return Size(enough, slower_at, why)


def _line_sizes(campaign: Campaign) -> str:
    m = object_of(campaign.files[0].campaign, "machine")

    def size(members: object, name: str) -> str:
        value = members.get(name) if isinstance(members, dict) else None
        return f"{value} B" if isinstance(value, int) and value > 0 else "unknown"

    caches = m.get("caches")
    known = [c for c in (caches if isinstance(caches, list) else []) if isinstance(c, dict)]
    first = [c for c in known if c.get("level") == 1] or [{}]
    return (
        f"hwloc (L1 cache line) {size(first[-1], 'line_bytes')}, "
        f"sysconf(_SC_LEVEL1_DCACHE_LINESIZE) {size(m, 'line_bytes_sysconf')}, "
        "std::hardware_destructive_interference_size "
        f"{size(m, 'destructive_interference_size')}"
    )
