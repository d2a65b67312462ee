"""What several claims on GPUs share: the ops of a handoff, and points over the size of a group.

The studies of these ops are not built yet; the size is an axis of theirs (`group`, `devices`) that is
kept among a point's other members.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from syncmeter_analysis.evidence import Evidence, Pair, Pairs, pair_of
from syncmeter_analysis.summary import Measured

HANDOFFS = ("warp_handoff", "cluster_handoff", "handoff_chain", "handoff")

_size_axes = ("group", "devices")


def _size(s: Measured) -> int:
    for name, value in s.point.others:
        if name in _size_axes and value.isdigit():
            return int(value)
    return 0


def grouped(data: Evidence, op: str) -> Pairs:
    """The largest group over the smallest, for points that differ in its size only."""
    groups: dict[str, list[Measured]] = defaultdict(list)
    for s in data.measured(op, backend="cuda"):
        rest = tuple(pair for pair in s.point.others if pair[0] not in _size_axes)
        if _size(s):
            groups[replace(s.point, others=rest).key].append(s)
    result = Pairs()
    for points in groups.values():
        points.sort(key=_size)
        if len(points) < 2:
            continue
        found = pair_of(points[-1], points[0])
        if isinstance(found, Pair):
            result.found.append(found)
        else:
            result.without[found] += 1
    return result
