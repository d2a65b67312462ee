"""The barriers of a GPU's block: its hardware barrier, and objects in shared memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from syncmeter_analysis.relate.contest import Contest, contest
from syncmeter_analysis.relate.group import group
from syncmeter_analysis.relate.summary import Measured

#: Ops that are alternatives: all threads in the block arrive and wait for each other.
alike = ("barrier", "named_barrier", "block_barrier", "mbarrier_sync", "block_latch")

#: Ops that do more between arrival and wait.
more = ("mbarrier_transaction", "block_barrier_arrive_wait", "block_pipeline")


@dataclass
class BlockBarriers:
    """The barriers of a block at one launch, by op, and the contest of the alternatives."""

    by_op: dict[str, Measured]
    contest: Contest


def barriers_of(points: Iterable[Measured]) -> list[BlockBarriers]:
    """Returns the launches with several barriers, the smallest first."""
    found = []
    of_blocks = (s for s in points if s.point.op in (*alike, *more))
    for launch in group(of_blocks, "blocks", "lanes").values():
        by_op = {s.point.op: s for s in launch}
        one = contest(by_op[op] for op in alike if op in by_op)
        if one.best is not None and len(by_op) > 1:
            found.append(BlockBarriers(by_op, one))
    return found
