"""Points of a GPU by its own clock and by the host's: what each measures of the same op."""

from __future__ import annotations

from collections.abc import Sequence

from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.both_clocks import BothClocks
from syncmeter_analysis.studies.blocks import Block, Text, table
from syncmeter_analysis.studies.cells import ns_of, op_and_launch


def _plus_minus(value: float, deviation: float) -> str:
    return f"{formats.nanoseconds(value)} ± {formats.nanoseconds(deviation)}"


def both_clocks_table(found: Sequence[BothClocks]) -> list[Block]:
    if all(row.host_ns is None for row in found):
        return []
    rows = []
    for row in found:
        s, interval = row.s, row.s.cost
        assert interval is not None
        own = interval.relative_half_width * interval.value
        both = [_plus_minus(ns_of(s), own) if interval.bounded else formats.nanoseconds(ns_of(s))]
        if row.host_ns is not None:
            both += [_plus_minus(row.host_ns, row.deviation_ns), f"{row.host_ns / ns_of(s):.3f}"]
        one = s.point.blocks == 1
        clock = "cycles of one multiprocessor" if one else "events around the launch"
        rows.append([*op_and_launch(s), *both, *[""] * (3 - len(both)), clock])
    notes = (
        "GPU: median over visits ± half its 95 % interval; host: (T1 - T2) / (r1 - r2) ± "
        "sqrt(s1² + s2²) / |r1 - r2|, of one launch each."
    )
    if any(row.host_ns is None for row in found):
        notes += " No host's time: its samples are several launches in a row."
    what = (
        "Both methods: the GPU's clock, and the host's by the difference of two numbers of repeats"
    )
    columns = "op|size>|blocks x threads>|GPU's clock ns>|host's clock ns>|host : GPU>"
    columns += "|the GPU's clock is"
    return [table(what, columns, rows, keys=3), Text(notes)]
