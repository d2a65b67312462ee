"""Points of a GPU by its own clock and by the clock of the host."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter

from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.stats import median
from syncmeter_analysis.relate.summary import Measured

#: Ops with both times, from the shortest to the longest.
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
    """A point with the cost and the deviation by the host clock, in ns. `host_ns` is None if the host
    clock has no time for one launch."""

    s: Measured
    host_ns: float | None = None
    deviation_ns: float = 0.0


def by_both_clocks(by_op: Mapping[str, list[Measured]], campaign: Campaign) -> list[BothClocks]:
    """Returns the largest point for each op."""
    largest = (max(by_op[op], key=attrgetter("point.size")) for op in _ops if op in by_op)
    return [_both_clocks(s, campaign) for s in largest]


def _both_clocks(s: Measured, campaign: Campaign) -> BothClocks:
    deviations = campaign.remarks(s, "host_deviation_ns")
    if s.host_cost is None or s.host_cost.value == 0 or not deviations:
        return BothClocks(s)
    return BothClocks(s, s.host_cost.value, median(deviations))
