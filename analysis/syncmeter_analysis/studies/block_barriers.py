"""What the threads of a GPU's block can meet at: its hardware barrier, and objects in shared memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from syncmeter_analysis.relate import contest_text, point_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.contest import Contest, contest
from syncmeter_analysis.relate.group import group
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Cell, table
from syncmeter_analysis.studies.cells import cost, ns_of

#: Those that do one job: all threads of the block arrive, and wait for each other.
alike = ("barrier", "named_barrier", "block_barrier", "mbarrier_sync", "block_latch")

#: Those that do more between arrival and wait.
_more = ("mbarrier_transaction", "block_barrier_arrive_wait", "block_pipeline")


@dataclass
class BlockBarriers:
    """The barriers of a block at one launch, by op, and which of those that do one job to take."""

    by_op: dict[str, Measured]
    contest: Contest


def barriers_of(points: Iterable[Measured]) -> list[BlockBarriers]:
    """The launches that have several, the smallest first."""
    found = []
    of_blocks = (s for s in points if s.point.op in (*alike, *_more))
    for launch in group(of_blocks, "blocks", "lanes").values():
        by_op = {s.point.op: s for s in launch}
        one = contest(by_op[op] for op in alike if op in by_op)
        if one.best is not None and len(by_op) > 1:
            found.append(BlockBarriers(by_op, one))
    return found


def sentence(row: BlockBarriers) -> str:
    p = row.contest.first.point
    of = (
        f"{p.blocks} blocks of {p.lanes} threads"
        if p.blocks > 1
        else f"a block of {p.lanes} threads"
    )
    where = f"A barrier of {of}"
    amount = lambda s: formats.duration(ns_of(s))  # noqa: E731
    return contest_text.sentence(row.contest, where, attrgetter("point.op"), amount, "barrier")


def by_launch(found: Sequence[BlockBarriers]) -> list[Block]:
    """Each op's cost at each launch, and how many times as long as the fastest of the launch."""
    rows = []
    for op in (*alike, *_more):
        of_op = [(row, row.by_op[op]) for row in found if op in row.by_op]
        for row, s in of_op:
            cycles = formats.nanoseconds(s.cycles.value) if s.cycles else ""
            where = point_text.blocks_by_threads(s.point)
            rows.append([Cell(op, [s.id]), where, cost(s), cycles, *row.contest.fields(s)])
    what = "Barriers of a block: the hardware's, and objects in shared memory"
    columns = "op|blocks x threads>|ns>|cycles>|over the fastest>|95 % interval>"
    return [table(what, columns, rows, keys=2)] if rows else []
