"""Fork and join: each way of each API to start work in all threads and to wait for it, with and
without a reduction."""

from __future__ import annotations

from syncmeter_analysis.conclude.studies.constructs import runtime_name
from syncmeter_analysis.conclude.studies.regions import reduction_ops
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.contest import Contest
from syncmeter_analysis.studies.blocks import Cell, Table, table
from syncmeter_analysis.studies.cells import notes


def _what(one: Contest) -> str:
    reduces = one.first.point.op in reduction_ops
    what = "fork, reduction of a number and join" if reduces else "fork and join"
    return f"{what}, {formats.count(one.first.point.lanes, 'thread')}"


def fork_table(one: Contest) -> Table:
    """Every way to fork and join, over the fastest."""
    lines = [
        [
            Cell(runtime_name(s), [s.id]),
            s.point.op,
            formats.cost(s),
            *one.fields(s),
            notes(s, one.source),
        ]
        for s in one.points
    ]
    columns = "runtime|op|ns>|over fastest>|95 % interval>|"
    what = _what(one)
    return table(what[0].upper() + what[1:], columns, lines)
