"""Explains the cost of a variable that threads share by moves of its cache line."""

from __future__ import annotations

from syncmeter_analysis.conclude.conclusion import Condition
from syncmeter_analysis.relate.contest import Over
from syncmeter_analysis.relate.relation import Ratio
from syncmeter_analysis.relate.summary import Measured

#: Below this share (core-to-core latency), a cost is too small for a cache line move each time.
surprising_share = 0.5


def line_moves(shared: Measured, over_alone: Over) -> Condition | None:
    """Returns how many times fewer operations the threads do in total than one thread alone, and the
    latency of a cache line. `over_alone` is the total throughput over a thread alone."""
    if shared.cost is None:
        return None
    hop_ns = shared.team_hop_ns
    few = shared.cost.value / shared.point.lanes < surprising_share * hop_ns
    if not isinstance(over_alone, Ratio) or over_alone.value >= 1:
        return Condition("few_moves", None, hop_ns) if few else None
    name = "few_line_moves" if few else "line_moves" if hop_ns > 0 else "alone"
    return Condition(name, 1 / over_alone.value, hop_ns)
