"""What several claims on GPUs share: the ops of a handoff, and points over the size of a group."""

from __future__ import annotations

from syncmeter_analysis.statistics.evidence import Evidence, Pairs

HANDOFFS = ("warp_handoff", "cluster_handoff", "handoff_chain", "handoff")


def grouped(data: Evidence, op: str) -> Pairs:
    """The largest group over the smallest, for points that differ in its size only."""
    return data.ends(data.measured(op, backend="cuda"), "size", lambda n: n >= 1)
