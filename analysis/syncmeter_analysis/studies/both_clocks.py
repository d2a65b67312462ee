"""Points of a GPU by its own clock and by the host's: what each measures of the same op."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.stats import median
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Text, table
from syncmeter_analysis.studies.cells import ns_of, op_and_launch

#: Ops that are timed by both clocks, from the shortest to the longest.
_ops = (
    "control_fadd",
    "fadd_chain",
    "tile_shuffle",
    "shuffle_idx",
    "barrier",
    "cluster_sync",
    "grid_sync",
    "software_barrier_counter",
    "software_barrier_lockfree",
)


@dataclass
class BothClocks:
    """A point by the GPU's clock and by the host's: the cost of the host's with its deviation, both in
    ns; None where the host has no time of one launch."""

    s: Measured
    host_ns: float | None = None
    deviation_ns: float = 0.0


def by_both_clocks(by_op: Mapping[str, list[Measured]], campaign: Campaign) -> list[BothClocks]:
    """Of each op that is timed so its largest point."""
    largest = (max(by_op[op], key=attrgetter("point.size")) for op in _ops if op in by_op)
    return [_both_clocks(s, campaign) for s in largest]


def _both_clocks(s: Measured, campaign: Campaign) -> BothClocks:
    deviations = campaign.remarks(s, "host_deviation_ns")
    if s.host_cost is None or s.host_cost.value == 0 or not deviations:
        return BothClocks(s)
    return BothClocks(s, s.host_cost.value, median(deviations))


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
