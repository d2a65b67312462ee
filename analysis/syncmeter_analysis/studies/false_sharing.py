"""How far apart the cells of different lanes must lie: the cost at each stride over that of cells on
separate pages, visit by visit in one placement state, and the destructive interference size that
follows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby

from syncmeter_analysis.record.point import key_without, type_bytes
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.group import grouped, placed_alike
from syncmeter_analysis.relate.relation import (
    NotComparable,
    PairOfPoints,
    Ratio,
    Verdict,
    default_margin,
    pooled_ratio,
    state_of_most,
    verdict,
)
from syncmeter_analysis.relate.summary import Measured, State
from syncmeter_analysis.studies.blocks import Block, Bullets, Cell, Table, Text, table
from syncmeter_analysis.studies.figures import Figure, Heat, Panel
from syncmeter_analysis.studies.figures import row as figure_row

title = "False sharing"
measured_by = "`syncmeter run --study false-sharing`"
order = 7

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
    points: list[str]
    size: Size = Size()

    @property
    def strides(self) -> list[int]:
        return list(self.over_apart)

    @property
    def placed(self) -> str:
        return ", ".join(self.affinities)

    @property
    def where(self) -> str:
        p = self.first.point
        return f"{p.op}, {p.lanes} lanes, from {p.base_offset} B"

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
def rows(campaign: Campaign) -> Sharing:
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


def _usual_place(kind: str) -> tuple[int, str]:
    """Types in their usual order, then those that only another version knows."""
    usual = list(type_bytes)
    return (usual.index(kind) if kind in usual else len(usual), kind)


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
        types=sorted({s.point.type for s in group}, key=_usual_place),
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
        points=[s.id for s in group],
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
    machine = campaign.files[0].campaign.get("machine")
    m = machine if isinstance(machine, dict) else {}

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


def answer(sharing: Sharing) -> list[str]:
    """How far apart data of different lanes must lie, with the evidence; then what it costs each op if
    they do not."""
    found = [f"{op}: {what_it_costs(rows)}" for op, rows in _by_op(sharing).items()]
    return [_distance(sharing.rows), *found]


def _distance(found: Sequence[Row]) -> str:
    """The smallest distance that costs nothing; where that is open, what was resolved."""
    size = size_of_all(found)
    if size.enough is None:
        apart = "how many bytes apart data of different threads must lie"
        if size.slower_at:
            apart = (
                f"Keep data of different threads more than {size.slower_at} bytes apart, because "
                f"nearer they take up to {formats.ratio(_most_nearer(found, size))} times as long; the "
                "least"
            )
        return f"{apart} is not known: {size.why}; try more `--visits`"
    enough, _, evidence = size_sentence(found).partition(": ")
    if enough == "none":
        return f"Data of different threads need no distance on this machine: {evidence}"
    return f"Keep data of different threads {enough} apart on this machine: {evidence}"


def _most_nearer(found: Sequence[Row], size: Size) -> float:
    """The largest ratio of those that are slower, at distances known to be too small."""
    over_apart = [item for row in sizing(found) for item in row.over_apart.items()]
    nearer = [r for stride, r in over_apart if stride <= size.slower_at and isinstance(r, Ratio)]
    return max(r.value for r in nearer if verdict(r) is Verdict.slower)


def text(sharing: Sharing) -> list[Block]:
    """The cost at each stride, one element apart, and the size by affinity."""
    found = sharing.rows
    lines = [
        line
        for affinities, of_these in grouped(found, lambda row: row.placed).items()
        for line in _of_affinity(affinities, of_these)
    ]
    return [
        _strides(found),
        Text(f"Types pooled; {formats.legend_of_marks}."),
        _one_element(found),
        Bullets([*lines, f"line sizes reported by others: {sharing.line_sizes}"]),
    ]


def _of_affinity(affinities: str, of_these: Sequence[Row]) -> list[str]:
    return [
        f"{affinities}: {size_sentence(of_these)}",
        f"{affinities}, 64 B against 128 B: {_next_line_sentence(of_these)}",
    ]


def _size(row: Row) -> str:
    if row.size.enough is None:
        return "cannot tell"
    return "none" if row.costs_nothing else f"{row.size.enough} B"


def _state(row: Row) -> str:
    return f"hop {row.state.hop_ns:.0f} ns" if row.state and row.state.hop_ns > 0 else ""


def _strides(found: Sequence[Row]) -> Table:
    strides = sorted({stride for row in found for stride in row.strides})
    columns = ["backend", "op", "types", "lanes>", "affinity", "from>", "state>"]
    columns += [*(f"{stride} B>" for stride in strides), "size>", "64 B : 128 B>"]
    rows = []
    for row in found:
        p = row.first.point
        at = [p.backend, Cell(p.op, row.points), " ".join(row.types), str(p.lanes), row.placed]
        marks = [formats.marked(row.over_apart.get(s)) for s in strides]
        more = [_size(row), formats.marked(row.next_line)]
        rows.append([*at, f"{p.base_offset} B", _state(row), *marks, *more])
    what = f"Cost at each stride over that of cells {apart_bytes} B apart"
    return table(f"{what}, of the same visits, in one placement state", columns, rows, keys=7)


def _one_element(found: Sequence[Row]) -> Table:
    """From the start of a line only: that is where one element apart means one line."""
    rows = []
    for row in found:
        for kind, r in row.one_element.items() if not row.first.point.base_offset else ():
            p = row.first.point
            at = [p.backend, p.op, kind, str(p.lanes), row.placed, _state(row)]
            visits = str(r.visits if isinstance(r, Ratio) else 0)
            rows.append([*at, *formats.ratio_fields(r), visits, formats.why_none(r)])
    return table(
        f"One element apart over cells {apart_bytes} B apart: what it costs not to pad",
        "backend|op|type|lanes>|affinity|state>|ratio>|95 % interval>|visits>|",
        rows,
        keys=6,
        spare=[8],
    )


def _evidence(found: Sequence[Row], enough: int) -> str:
    """The two strides between which the cost falls, of the first row that has the size."""
    for row in found:
        if row.size.enough != enough or row.costs_nothing:
            continue
        below = row.strides[row.strides.index(enough) - 1]
        sentences = [
            f"at {stride} B {formats.ratio_interval(r)}"
            for stride in (below, enough)
            if isinstance(r := row.over_apart[stride], Ratio)
        ]
        return ", ".join([*sentences, row.where])
    return ""


def size_sentence(found: Sequence[Row]) -> str:
    """What these rows say of the size, and how many of them."""
    size, deciding = size_of_all(found), sizing(found)
    known = sum(row.size.enough is not None for row in deciding)
    if size.enough is None:
        more = f"more than {size.slower_at} B, but " if size.slower_at else ""
        return f"{more}cannot tell: {size.why}"
    by = f"so in {known} of {formats.count(len(deciding), 'row')}"
    if known < len(deciding):
        by += f"; one of the others cannot tell: {size.why}"
    if all(row.size.enough is None or row.costs_nothing for row in deciding):
        return f"none: {size.enough} B apart cost the same as cells apart ({by})"
    return f"{size.enough} B: {_evidence(deciding, size.enough)} ({by})"


def next_line_spans(found: Sequence[Row]) -> str:
    """What 64 B cost over 128 B by numbers of lanes, where these differ: `1.00 at 2 to 48 lanes, 2.70
    (2.61..2.79) at 64 lanes`. Pairs of lines begin where the page does, so that only arrays from the
    start of a line count."""
    rows = [
        (row.first.point.lanes, row.next_line)
        for row in sizing(found)
        if not row.first.point.base_offset and isinstance(row.next_line, Ratio)
    ]
    rows.sort(key=lambda row: row[0])
    spans = [(says, list(of)) for says, of in groupby(rows, key=lambda row: verdict(row[1]))]
    if not {Verdict.slower, Verdict.faster} & {says for says, _ in spans}:
        return ""
    return ", ".join(
        f"{_range_of([r for _, r in of])}{' (cannot tell)' * (says is Verdict.cannot_tell)} at "
        f"{formats.spans([lanes for lanes, _ in of])} lanes"
        for says, of in spans
    )


def _range_of(ratios: Sequence[Ratio]) -> str:
    if len(ratios) == 1:
        return formats.ratio_interval(ratios[0])
    least, most = (formats.ratio(f(r.value for r in ratios)) for f in (min, max))
    return least if least == most else f"{least} to {most}"


def _next_line_sentence(found: Sequence[Row]) -> str:
    asked = [row for row in sizing(found) if not row.first.point.base_offset]
    ratios = [(row, row.next_line, verdict(row.next_line)) for row in asked]
    if by_lanes := next_line_spans(found):
        why = "128 B cost more, which pairs of lines do not explain"
        if any(says is Verdict.slower for _, _, says in ratios):
            why = "adjacent lines are fetched in pairs"
        return f"differ: {by_lanes}; {why}"
    same = sum(says is Verdict.same for _, _, says in ratios)
    if same:
        asked_rows = formats.count(len(ratios), "row")
        return f"the same within {default_margin:.0%} in {same} of {asked_rows}"
    for row, r, _ in ratios:
        open_ = r.why if isinstance(r, NotComparable) else formats.ratio_interval(r)
        return f"cannot tell: {open_} at {row.where}"
    return "cannot tell: no such rows"


def figures(sharing: Sharing) -> list[Figure]:
    """A figure for each op: stride by lanes, panels by affinity and by where the array begins."""
    return [_figure(op, found) for op, found in _by_op(sharing).items()]


def _by_op(sharing: Sharing) -> dict[str, list[Row]]:
    controlled = (row for row in sizing(sharing.rows) if row.has_control)
    return grouped(controlled, lambda row: row.first.point.op)


def _figure(op: str, found: Sequence[Row]) -> Figure:
    panels = grouped(found, lambda row: (row.placed, row.first.point.base_offset))
    return Figure(
        f"false-sharing-{op.replace('_', '-')}",
        f"{op}: {what_it_costs(found)}",
        f"Cost over that of cells {apart_bytes} B apart (same visits, same placement state; types "
        "pooled); the line is the destructive interference size, the smallest stride that costs the "
        f"same within {default_margin:.0%} where all smaller ones are resolved to cost more.",
        [_panel(*at, members) for at, members in panels.items()],
        [id for row in found for id in row.points],
    )


def what_it_costs(found: Sequence[Row]) -> str:
    """What it costs to share a line, and how far apart is enough."""
    ratios = [r for row in found for r in row.over_apart.values() if isinstance(r, Ratio)]
    slower = [r.value for r in ratios if verdict(r) is Verdict.slower]
    size = size_of_all(found)
    if not slower:
        same = all(verdict(r) is Verdict.same for r in ratios)
        nothing = "sharing a line costs nothing"
        return nothing if ratios and same else "cannot tell whether sharing a line costs time"
    title = f"threads that share a line take up to {formats.ratio(max(slower))} times as long"
    if by_lanes := next_line_spans(found):
        title += f"; 64 B over 128 B: {by_lanes}"
    if size.enough is None:
        return f"{title}; more than {size.slower_at} bytes apart are needed"
    lanes = sorted({row.first.point.lanes for row in found})
    span = f"{lanes[0]} to {lanes[-1]}" if len(lanes) > 1 else str(lanes[0])
    return f"{title}; {size.enough} bytes apart are enough for {span} lanes"


def _panel(affinity: str, base: int, found: Sequence[Row]) -> Panel:
    rows = [
        figure_row(r.interval, row.first.id, x=str(stride), y=str(lanes), label=formats.times(r))
        for row in found
        for lanes in [row.first.point.lanes]
        for stride, r in row.over_apart.items()
        if isinstance(r, Ratio)
    ]
    strides = sorted({stride for row in found for stride in row.strides})
    lanes = sorted({row.first.point.lanes for row in found})
    enough = size_of_all(found).enough
    start = f", from {base} B" if base else ""
    heat = Heat(
        rows,
        ("bytes between cells", [str(x) for x in strides]),
        ("lanes", [str(n) for n in lanes]),
        "times slower",
        (1.0, max([2.0, *(r["value"] for r in rows)])),
        (46, 26),
        after=str(enough) if enough else "",
    )
    return Panel(f"affinity {affinity}{start} (1 = {apart_bytes} B apart)", heat)
