"""How costs grow with the number of threads: each op at every number that was measured, and the most
threads over the fewest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from syncmeter_analysis.record.point import key_without
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.group import grouped, placed_alike
from syncmeter_analysis.relate.point_text import blocks_by_threads, op_of
from syncmeter_analysis.relate.relation import Ratio, Verdict, ratio, verdict
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Cell, Table, Text, table
from syncmeter_analysis.studies.cells import cost, cost_alone, ns_of

title = "Scaling"
order = 0

#: What a program has most of, in words; the placement where the op has cells.
_named = (
    ("atomic_add", "shared", "an atomic add on one variable"),
    ("atomic_add", "strided", "an atomic add on a variable of each thread"),
    ("barrier", "none", "a barrier"),
    ("critical_add", "shared", "an add in a critical section"),
    ("lock_add", "shared", "an add under a lock"),
    ("parallel_region", "none", "a parallel region"),
)

_but_threads = key_without("lanes", "blocks", "affinity")
_but_cells = key_without("placement", "stride", "stride_bytes", "base_offset", "cells", "affinity")


@dataclass
class Row:
    """One op by number of threads, the fewest first, under affinities that place them alike. `source`
    names the file where there are several."""

    affinities: list[str]
    by_threads: list[Measured]
    source: str = ""

    @property
    def first(self) -> Measured:
        return self.by_threads[0]

    @property
    def placed(self) -> str:
        return ", ".join(filter(None, self.affinities))

    @property
    def on_gpu(self) -> bool:
        return self.first.on_gpu

    @property
    def ends(self) -> tuple[Measured, Measured]:
        return self.by_threads[0], self.by_threads[-1]


def rows(campaign: Campaign) -> list[Row]:
    """Of a campaign of this study, or of imported figures, the points of two numbers of threads or more
    that differ in nothing else."""
    asked = bool(campaign.asked("scaling"))
    if not asked and not campaign.machine.imported:
        return []
    return [
        row
        for _, points, source in campaign.parts()
        for row in _rows_of(points, source)
        if asked or not row.on_gpu
    ]


def _rows_of(points: Iterable[Measured], source: str) -> Iterator[Row]:
    found = [
        s for s in points if s.usable and not (s.oversubscribed or s.inserted or s.point.repeat)
    ]
    for alike in grouped(found, lambda s: _but_threads(s.point)).values():
        alone = [s for s in alike if _threads(s) == 1]
        for affinities, placed in placed_alike(s for s in alike if _threads(s) > 1):
            of_one = [s for s in alone if s.point.affinity in affinities] or alone
            by_threads = sorted([*of_one[:1], *placed], key=_threads)
            if len({_threads(s) for s in by_threads}) > 1:
                yield Row(affinities, by_threads, source)


def _threads(s: Measured) -> int:
    return s.point.lanes * s.point.blocks


def answer(found: list[Row]) -> list[str]:
    """What a program has most of: what most threads take, and how many times as long as the fewest."""
    named: dict[tuple[str, str], Row] = {}
    for row in sorted(found, key=_rank, reverse=True):
        p = row.ends[1].point
        named.setdefault((p.op, p.placement), row)
    sentences = [
        _sentence(named[op, placement], words)
        for op, placement, words in _named
        if (op, placement) in named
    ]
    by_rank = sorted(found, key=_rank)
    one, own = ([r for r in by_rank if _is_add(r, cells)] for cells in ("shared", "strided"))
    apart = (_own_variables(a, b) for a, b in product(reversed(one), reversed(own)))
    return [*filter(None, [next(filter(None, apart), "")]), *sentences] or [
        _sentence(row, op_of(row.first.point)) for row in found[:1]
    ]


def _is_add(row: Row, placement: str) -> bool:
    p = row.first.point
    return (p.op, p.placement) == ("atomic_add", placement)


def _own_variables(row: Row, other: Row) -> str:
    """That an add on one variable takes longer than on a variable of each thread, of rows that differ
    in nothing else; '' where it is not shown to."""
    one, own = row.ends[1], other.ends[1]
    alike = (_but_cells(s.point) for s in (one, own))
    is_apart = row.source != other.source or row.affinities != other.affinities
    if is_apart or len(set(alike)) > 1:
        return ""
    r = ratio(one, own)
    if not isinstance(r, Ratio) or verdict(r) is not Verdict.slower:
        return ""
    return (
        f"{_count(one)}{_of_file(row)}: count in a variable of each thread, because an atomic add on "
        f"one variable takes {formats.costs_as_long(r)}"
    )


def _rank(row: Row) -> tuple[object, ...]:
    """Most threads, the usual type, the first placement, cells far apart."""
    p = row.first.point
    apart = row.ends[1].point.stride_bytes
    return _threads(row.ends[1]), p.type in ("", "int32"), p.wait == "active", -abs(apart - 64)


def _sentence(row: Row, words: str) -> str:
    few, many = row.ends
    times = ratio(many, few)
    of = f"{_count(few)} {cost_alone(few)}, {_count(many)} {cost_alone(many)}"
    where = ", ".join(filter(None, [few.point.backend, row.placed, row.source]))
    if not isinstance(times, Ratio):
        return f"{words} takes {of} ({where})"
    longer = f"{formats.times(times)} times as long with {_count(many)} as with {_count(few)}"
    return f"{words} takes {longer}{formats.sure(times)}: {of} ({where})"


def _of_file(row: Row) -> str:
    return f" ({row.source})" if row.source else ""


def _count(s: Measured) -> str:
    if s.on_gpu:
        return f"{blocks_by_threads(s.point)} threads"
    return formats.count(s.point.lanes, "thread")


def text(found: list[Row]) -> list[Block]:
    """Each op by number of threads."""
    return [
        *(
            _table(on_gpu, of)
            for on_gpu, of in grouped(found, lambda row: row.first.on_gpu).items()
        ),
        Text(
            "ns of one op of each thread while all do the same; over the fewest: of most threads in "
            "one placement state."
        ),
    ]


def _table(on_gpu: bool, found: Sequence[Row]) -> Table:
    launches = sorted({(s.point.blocks, s.point.lanes) for row in found for s in row.by_threads})
    names = [f"{b} x {n}" if on_gpu else str(n) for b, n in launches]
    lines: list[list[object]] = []
    for row in sorted(found, key=_place):
        by_launch = {(s.point.blocks, s.point.lanes): s for s in row.by_threads}
        few, many = row.ends
        times = formats.ratio_fields(ratio(many, few))
        p = row.first.point
        at = [p.backend, Cell(op_of(row.first.point)), cells(row), row.placed]
        lines.append(
            [*at, *(cost(by_launch.get(launch)) for launch in launches), *times, row.source]
        )
    columns = ["backend", "op", "cells", "affinity", *(f"{name}>" for name in names)]
    columns += ["over the fewest>", "95 % interval>", ""]
    return table("By number of threads", columns, lines, keys=4)


def cells(row: Row) -> str:
    p = row.ends[1].point
    return (
        f"{p.stride_bytes} B apart"
        if p.placement == "strided"
        else "one" * (p.placement == "shared")
    )


def _place(row: Row) -> tuple[object, ...]:
    named = [(op, placement) for op, placement, _ in _named]
    key = (row.first.point.op, row.first.point.placement)
    return named.index(key) if key in named else len(named), -ns_of(row.ends[1])
