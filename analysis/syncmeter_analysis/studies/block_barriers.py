"""What the threads of a GPU's block can meet at: its hardware barrier, and objects in shared memory."""

from __future__ import annotations

from collections.abc import Sequence

from syncmeter_analysis.relate import point_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.block_barriers import BlockBarriers, alike, more
from syncmeter_analysis.studies.blocks import Block, Cell, table
from syncmeter_analysis.studies.cells import cost


def by_launch(found: Sequence[BlockBarriers]) -> list[Block]:
    """Each op's cost at each launch, and how many times as long as the fastest of the launch."""
    rows = []
    for op in (*alike, *more):
        of_op = [(row, row.by_op[op]) for row in found if op in row.by_op]
        for row, s in of_op:
            cycles = formats.nanoseconds(s.cycles.value) if s.cycles else ""
            where = point_text.blocks_by_threads(s.point)
            rows.append([Cell(op, [s.id]), where, cost(s), cycles, *row.contest.fields(s)])
    what = "Barriers of a block: the hardware's, and objects in shared memory"
    columns = "op|blocks x threads>|ns>|cycles>|over the fastest>|95 % interval>"
    return [table(what, columns, rows, keys=2)] if rows else []
