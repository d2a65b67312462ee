"""How far apart the cells of different lanes must lie: the cost at each stride over that of cells on
separate pages, and the destructive interference size that follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from syncmeter_analysis.conclude.studies.false_sharing import rows as rows
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.relation import (
    NotComparable,
    Ratio,
    Verdict,
    default_margin,
    verdict,
)
from syncmeter_analysis.relate.strides import (
    Row,
    Sharing,
    apart_bytes,
    size_of_all,
    sizing,
)
from syncmeter_analysis.relate.text import percent
from syncmeter_analysis.studies.blocks import Block, Bullets, Cell, Table, Text, table
from syncmeter_analysis.studies.cells import legend_of_marks
from syncmeter_analysis.studies.figures import Figure, Heat, Panel
from syncmeter_analysis.studies.figures import row as figure_row

title = "False sharing"
order = 7


def text(sharing: Sharing) -> list[Block]:
    """The cost at each stride, one element apart, and the size by affinity."""
    found = sharing.rows
    lines = [
        line
        for affinities, of_these in grouped(found, lambda row: row.placed).items()
        for line in _of_affinity(affinities, of_these)
    ]
    strides = _strides(found)
    return [
        strides,
        Text("; ".join(filter(None, ["Types pooled", legend_of_marks(strides)])) + "."),
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
    """Returns the size that these rows show, and their number."""
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
        return f"the same within {percent(default_margin)} in {same} of {asked_rows}"
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
        f"{op}: time by distance of the variables",
        f"Cost over that of cells {apart_bytes} B apart (same visits, same placement state; types "
        "pooled); the line is the destructive interference size, the smallest stride that costs the "
        f"same within {percent(default_margin)} where all smaller ones are resolved to cost more.",
        [_panel(*at, members) for at, members in panels.items()],
        [id for row in found for id in row.points],
    )


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
