"""What synchronization costs on a machine, from a plain add to the op of the highest cost: a rung for
each, of one CPU backend and of one GPU backend."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.group import group
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.text import all_within, count, duration

#: Fewer are no ladder.
_least_rungs = 5


@dataclass(frozen=True)
class Rung:
    """A point and its name for a reader: `16 atomic adds at once on one variable`."""

    name: str
    s: Measured

    @property
    def ns(self) -> float:
        return self.s.cost.value if self.s.cost else 0.0


#: Name, ops of which the first that was measured counts, whether by all threads, where the cells lie.
_on_cpus = (
    ("a plain add (1 thread)", ("plain_add",), False, ""),
    ("an atomic add (1 thread)", ("atomic_add",), False, "shared"),
    ("a fence (1 thread)", ("fence",), False, ""),
    ("an add under {lock} (1 thread)", ("critical_add", "lock_add"), False, "shared"),
    ("{n} atomic adds at once on variables of their own", ("atomic_add",), True, "strided"),
    ("a value handed on ({})", ("handoff",), True, ""),
    ("{n} atomic adds at once on one variable", ("atomic_add",), True, "shared"),
    ("{n} adds at once under {lock}", ("critical_add", "lock_add"), True, "shared"),
    ("a barrier ({})", ("barrier",), True, ""),
    ("waking a thread by a futex", ("wait_futex",), None, ""),
)
#: Of a GPU: one warp, or the largest launch.
_on_gpus = (
    ("32 plain adds at once (global memory)", ("plain_add",), False, "strided"),
    ("a barrier of half a warp", ("warp_sync_partial",), False, ""),
    ("a shuffle of a warp", ("shuffle_idx", "shuffle_down"), False, ""),
    ("a barrier of a block of 32 threads", ("barrier",), False, ""),
    ("32 atomic adds at once on one variable", ("atomic_add",), False, "shared"),
    ("a barrier of a grid of {}", ("grid_sync",), True, ""),
    ("{n} atomic adds at once on one variable", ("atomic_add",), True, "shared"),
    ("one launch more of a graph of {kernels}", ("additional_graph_launch",), False, ""),
    ("one launch more of a kernel", ("additional_launch",), False, ""),
    ("a launch and its wait", ("launch",), False, ""),
)
_plain = "plain_add"
_in_sentence = ("atomic_add", "barrier", "launch")


def ladder(campaign: Campaign) -> list[Rung]:
    """The rungs from the least to the highest cost; none without a plain add to begin with, or with few
    rungs."""
    usable = [
        s
        for s in campaign.measured
        if not (s.imported or s.oversubscribed or s.doubt or s.point.repeat or s.point.arm)
    ]
    found = _most_rungs(usable, _of_cpus, False) + _most_rungs(usable, _of_gpu, True)
    if len(found) < _least_rungs or not any(rung.s.point.op == _plain for rung in found):
        return []
    return sorted(found, key=lambda rung: rung.ns)


def _most_rungs(
    points: Iterable[Measured], rungs: Callable[[list[Measured]], list[Rung]], on_gpu: bool
) -> list[Rung]:
    """Of the backend that has most of them; the first of several."""
    by_backend = group((s for s in points if s.on_gpu == on_gpu), "backend")
    return max(map(rungs, by_backend.values()), key=len, default=[])


def _of_cpus(points: list[Measured]) -> list[Rung]:
    # A study of locks may have more lanes than the others.
    most = max((s.point.lanes for s in points if s.point.op in _in_sentence), default=1)
    found = []
    for name, ops, by_all, placement in _on_cpus:
        lanes = None if by_all is None else most if by_all else 1
        fits = [
            s
            for s in points
            if s.point.placement == placement or not placement
            if lanes in (None, s.point.lanes) and s.point.wait == "active"
        ]
        if most > 1 and (s := _first(fits, ops)):
            lock = f"{s.point.backend} {s.point.op.removesuffix('_add')}"
            found.append(Rung(name.format(count(most, "thread"), n=most, lock=lock), s))
    return found


def _of_gpu(points: list[Measured]) -> list[Rung]:
    several = ((s.point.blocks, s.point.lanes) for s in points if s.point.lanes > 1)
    most = max(several, default=(1, 32))
    found = []
    for name, ops, by_all, placement in _on_gpus:
        launch = most if by_all else (1, 32)
        fits = [
            s
            for s in points
            if s.point.placement == placement or not placement
            if (s.point.blocks, s.point.lanes) == launch
        ]
        if s := _first(fits, ops):
            threads, kernels = f"{most[0]} x {most[1]} threads", count(s.point.size, "kernel")
            found.append(Rung(name.format(threads, n=f"{most[0] * most[1]:,}", kernels=kernels), s))
    return found


def _first(points: Sequence[Measured], ops: Sequence[str]) -> Measured | None:
    """Of the first of these ops that was measured; int32 before other types, apart before near,
    small before large."""
    for op in ops:
        of_op = [s for s in points if s.point.op == op and s.resolved]
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


def ladder_sentence(rungs: Sequence[Rung]) -> str:
    """Some of its costs, the first and the last among them."""
    first, *others = [
        rung
        for i, rung in enumerate(rungs)
        if i in (0, len(rungs) - 1)
        or (rung.s.point.op in _in_sentence and rung.s.point.placement != "strided")
    ]
    costs = [f"{rung.name} {duration(rung.ns)}" for rung in others]
    shown = first, *others
    how_sure = all_within([rung.s for rung in shown], [rung.name for rung in shown])
    return "; ".join([f"Here {first.name} takes {duration(first.ns)}", *costs]) + how_sure


def ladder_title(rungs: Sequence[Rung]) -> str:
    """Its ends."""
    first, last = rungs[0], rungs[-1]
    return f"From {first.name}, {duration(first.ns)}, to {last.name}, {duration(last.ns)}"
