"""Collects the costs on a machine with all its threads: a rung for each operation of a CPU backend
and of a GPU backend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.group import group
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.text import ns_of

#: Fewer are no ladder.
_least_rungs = 5

#: A range needs this many locks.
_least_locks = 2


@dataclass(frozen=True)
class Rung:
    """An operation by the name of its template, with its point. `others` are more points with about
    this role, from the least to the highest cost."""

    key: str
    s: Measured
    others: tuple[Measured, ...] = ()

    @property
    def ns(self) -> float:
        return ns_of(self.s)


@dataclass(frozen=True)
class _Kind:
    """The first measured one of `ops` counts. `threads`: all, or any number."""

    key: str
    ops: tuple[str, ...]
    placement: str = ""
    threads: str = "all"


_locks = ("critical_add", "lock_add")
_on_cpus = (
    _Kind("plain", ("plain_add",), "strided"),
    _Kind("own_atomic", ("atomic_add",), "strided"),
    _Kind("handoff", ("handoff",)),
    _Kind("shared_atomic", ("atomic_add",), "shared"),
    _Kind("lock", _locks, "shared"),
    _Kind("barrier", ("barrier",)),
    _Kind("region", ("parallel_region",)),
    _Kind("task", ("task_by_one",)),
    _Kind("wake", ("wait_futex",), threads="any"),
)
_on_gpus = (
    _Kind("half_warp", ("warp_sync_partial",)),
    _Kind("shuffle", ("shuffle_idx", "shuffle_down")),
    _Kind("block", ("barrier",)),
    _Kind("own_atomic", ("atomic_add",), "strided"),
    _Kind("grid", ("grid_sync",)),
    _Kind("shared_atomic", ("atomic_add",), "shared"),
    _Kind("graph", ("additional_graph_launch",)),
    _Kind("launch", ("additional_launch",)),
    _Kind("launch_and_wait", ("launch",)),
)
_of_teams = ("atomic_add", "barrier", "launch")


def ladder(campaign: Campaign) -> list[Rung]:
    """Returns the rungs of the CPUs, then of the GPU, each from the least to the highest cost, or
    nothing if they are few. The backend with the most rungs counts."""
    usable = [
        s
        for s in campaign.measured
        if not (s.imported or s.oversubscribed or s.doubt or s.point.repeat or s.point.arm)
    ]
    found = []
    for rungs, on_gpu in ((_of_cpus, False), (_of_gpu, True)):
        by_backend = group((s for s in usable if s.on_gpu == on_gpu), "backend")
        most: list[Rung] = max(map(rungs, by_backend.values()), key=len, default=[])
        found += sorted(most, key=lambda rung: rung.ns) if len(most) >= _least_rungs else []
    return found


def _of_cpus(points: list[Measured]) -> list[Rung]:
    # A lock study may have more lanes.
    most = max((s.point.lanes for s in points if s.point.op in _of_teams), default=1)
    if most == 1:
        return []
    points = [s for s in points if s.point.wait == "active"]
    found = []
    for kind in _on_cpus:
        fits = [s for s in points if kind.threads == "any" or s.point.lanes == most]
        if s := _first(fits, kind):
            found.append(Rung(kind.key, s))
            if kind.key == "lock" and (others := _other_locks(fits, s)):
                found.append(Rung("other_locks", others[-1], others))
    return found


def _other_locks(points: Sequence[Measured], lock: Measured) -> tuple[Measured, ...]:
    p = lock.point
    others = [
        s
        for s in points
        if s.resolved and s.point.op != p.op and _is_lock(s.point.op)
        if (s.point.placement, s.point.type, s.point.affinity) == (p.placement, p.type, p.affinity)
        if s.point.section_ns == p.section_ns and s.point.think_ns == p.think_ns
    ]
    others.sort(key=ns_of)
    return tuple(others) if len(others) >= _least_locks else ()


def _is_lock(op: str) -> bool:
    return op.endswith("_add") and ("lock" in op or op.startswith("critical"))


def _of_gpu(points: list[Measured]) -> list[Rung]:
    """Returns the costs in the largest launch, or in a smaller launch if none was measured in it."""
    launches = {(s.point.blocks, s.point.lanes) for s in points if s.point.lanes > 1}
    found = []
    for kind in _on_gpus:
        for blocks, lanes in sorted(launches, reverse=True):
            fits = [s for s in points if (s.point.blocks, s.point.lanes) == (blocks, lanes)]
            if s := _first(fits, kind):
                found.append(Rung(kind.key, s))
                break
    return found


def _first(points: Sequence[Measured], kind: _Kind) -> Measured | None:
    """Of the first of these ops that was measured; int32 before other types, apart before near,
    small before large."""
    for op in kind.ops:
        of_op = [
            s
            for s in points
            if s.point.op == op and s.resolved
            if not kind.placement or s.point.placement == kind.placement
        ]
        if of_op:
            return min(
                of_op,
                key=lambda s: (
                    s.point.type not in ("", "int32"),
                    -s.point.stride_bytes,
                    s.point.size,
                ),
            )
    return None
