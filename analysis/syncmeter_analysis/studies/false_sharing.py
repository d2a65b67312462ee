"""The tables of false sharing, and what follows from them in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.relation import (
    NotComparable,
    Ratio,
    Verdict,
    default_margin,
    verdict,
)
from syncmeter_analysis.studies.blocks import Block, Bullets, Cell, Table, Text
from syncmeter_analysis.studies.false_sharing_rows import (
    Row,
    Sharing,
    apart_bytes,
    rows,
    size_of_all,
    sizing,
)

__all__ = ["rows", "text", "title"]

title = "False sharing"
measured_by = "`syncmeter run --study false-sharing`"


def text(sharing: Sharing) -> list[Block]:
    """The cost at each stride, one element apart, and the size of this machine."""
    found = sharing.rows
    return [
        _strides(found),
        Text(f"Types pooled; {formats.legend_of_marks}."),
        _one_element(found),
        Text(f"Destructive interference size of this machine: {size_sentence(found)}"),
        Bullets(
            [
                line
                for affinities in dict.fromkeys(_placed(row) for row in found)
                for line in _of_affinity(affinities, found)
            ]
            + [f"line sizes reported by others: {sharing.line_sizes}"]
        ),
    ]


def _placed(row: Row) -> str:
    return ", ".join(row.affinities)


def _of_affinity(affinities: str, found: Sequence[Row]) -> list[str]:
    of_these = [row for row in found if _placed(row) == affinities]
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
    columns = ["backend", "op", "types", "lanes", "affinity", "from", "state"]
    columns += [f"{stride} B" for stride in strides] + ["size", "64 B : 128 B"]
    table = Table(
        columns,
        [],
        right=[3, *range(5, len(columns))],
        caption=f"Cost at each stride over that of cells {apart_bytes} B apart, of the same visits, "
        "in one placement state",
        keys=7,
    )
    for row in found:
        p = row.first.point
        texts = [p.backend, p.op, " ".join(row.types), str(p.lanes), _placed(row)]
        texts += [f"{p.base_offset} B", _state(row)]
        texts += [formats.marked(row.over_apart[s]) if s in row.over_apart else "" for s in strides]
        cells = [Cell(text) for text in [*texts, _size(row), formats.marked(row.next_line)]]
        cells[1].points = row.points
        table.rows.append(cells)
    return table


def _one_element(found: Sequence[Row]) -> Table:
    """From the start of a line only: that is where one element apart means one line."""
    table = Table(
        [
            "backend",
            "op",
            "type",
            "lanes",
            "affinity",
            "state",
            "ratio",
            "95 % interval",
            "visits",
            "",
        ],
        [],
        right=[3, 5, 6, 7, 8],
        caption=f"One element apart over cells {apart_bytes} B apart: what it costs not to pad",
        spare=[8],
        keys=6,
    )
    for row in found:
        if row.first.point.base_offset:
            continue
        for kind, r in row.one_element.items():
            p = row.first.point
            texts = [p.backend, p.op, kind, str(p.lanes), _placed(row), _state(row)]
            if isinstance(r, NotComparable):
                texts += ["", "", "0", r.why]
            else:
                texts += [formats.ratio(r.value), formats.ratio_bounds(r), str(r.visits), ""]
            table.rows.append([Cell(text) for text in texts])
    return table


def _evidence(found: Sequence[Row], enough: int) -> str:
    """The two strides between which the cost falls, of the first row that has the size."""
    for row in found:
        if row.size.enough != enough or row.costs_nothing:
            continue
        below = row.strides[row.strides.index(enough) - 1]
        told = [
            f"at {stride} B {formats.ratio_interval(r)}"
            for stride in (below, enough)
            if isinstance(r := row.over_apart[stride], Ratio)
        ]
        return ", ".join([*told, row.where])
    return ""


def size_sentence(found: Sequence[Row]) -> str:
    """What these rows say of the size, and how many of them."""
    size, deciding = size_of_all(found), sizing(found)
    told = sum(row.size.enough is not None for row in deciding)
    if size.enough is None:
        more = f"more than {size.slower_at} B, but " if size.slower_at else ""
        return f"{more}cannot tell: {size.why}"
    by = f"by {told} of {formats.count(len(deciding), 'row')}"
    if told < len(deciding):
        by += f"; one of the others cannot tell: {size.why}"
    if all(row.size.enough is None or row.costs_nothing for row in deciding):
        return f"none: {size.enough} B apart cost the same as cells apart ({by})"
    return f"{size.enough} B: {_evidence(deciding, size.enough)} ({by})"


def next_line_spans(found: Sequence[Row]) -> str:
    """What 64 B cost over 128 B by numbers of lanes, where these differ: `1.00 at 2 to 48 lanes, 2.70
    (2.61..2.79) at 64 lanes`. Pairs of lines begin where the page does, so that only arrays from the
    start of a line count."""
    rows = [
        (row.first.point.lanes, row.next_line, verdict(row.next_line))
        for row in sizing(found)
        if not row.first.point.base_offset and isinstance(row.next_line, Ratio)
    ]
    spans: list[tuple[Verdict, list[int], list[Ratio]]] = []
    for lanes, r, told in sorted(rows, key=lambda row: row[0]):
        if not spans or spans[-1][0] is not told:
            spans.append((told, [], []))
        spans[-1][1].append(lanes)
        if isinstance(r, Ratio):
            spans[-1][2].append(r)
    if not {Verdict.slower, Verdict.faster} & {told for told, _, _ in spans}:
        return ""
    return ", ".join(
        f"{_range_of(ratios)}{' (cannot tell)' * (told is Verdict.cannot_tell)} at "
        f"{formats.spans(lanes)} lanes"
        for told, lanes, ratios in spans
    )


def _range_of(ratios: Sequence[Ratio]) -> str:
    if len(ratios) == 1:
        return formats.ratio_interval(ratios[0])
    least, most = (formats.ratio(f(r.value for r in ratios)) for f in (min, max))
    return least if least == most else f"{least} to {most}"


def _next_line_sentence(found: Sequence[Row]) -> str:
    asked = [row for row in sizing(found) if not row.first.point.base_offset]
    said = [(row, row.next_line, verdict(row.next_line)) for row in asked]
    if by_lanes := next_line_spans(found):
        slower = any(told is Verdict.slower for _, _, told in said)
        why = (
            "adjacent lines are fetched in pairs"
            if slower
            else "128 B cost more, which pairs of lines do not explain"
        )
        return f"differ: {by_lanes}; {why}"
    same = sum(told is Verdict.same for _, _, told in said)
    if same:
        return (
            f"the same within {default_margin:.0%} in {same} of {formats.count(len(said), 'row')}"
        )
    for row, r, _ in said:
        open_ = r.why if isinstance(r, NotComparable) else formats.ratio_interval(r)
        return f"cannot tell: {open_} at {row.where}"
    return "cannot tell: no such rows"
