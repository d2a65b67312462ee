"""A branch of a GPU by its number of paths: inside a warp, across warps, and without a branch."""

from __future__ import annotations

from collections.abc import Sequence

from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.divergence import Launch, forms
from syncmeter_analysis.relate.divergence import rows as rows
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Line, table
from syncmeter_analysis.studies.cells import named
from syncmeter_analysis.studies.figures import Axis, Figure, courses, shared_domain

title = "Divergence"
order = 13


def _name(launch: Launch) -> str:
    blocks = formats.count(launch.blocks, "block")
    return f"{launch.backend}, {blocks} of {formats.count(launch.lanes, 'thread')}"


def text(launches: Sequence[Launch]) -> list[Block]:
    """Returns a table for each launch."""
    columns = "paths>|in a warp ns>|cycles>|over one path>|across warps ns>|over one path>"
    columns += "|no branch ns>|over in a warp>"
    return [
        table(
            f"One branch to a path of 8 dependent operations, {_name(launch)}",
            columns,
            (_row(launch, n) for n in launch.paths),
        )
        for launch in launches
    ]


def _row(launch: Launch, n: int) -> list[object]:
    inside, across, predicated = (launch.by_op[op].get(n) for op in forms)
    over_one = [launch.over_one.get((op, n)) for op in forms]
    cycles = inside.cycles.value if inside and inside.cycles else None
    both = [named(n, inside, across, predicated), inside, cycles, over_one[0], across, over_one[1]]
    return [*both, predicated, launch.without_branch.get(n)]


_names = {
    "branch_in_warp": "inside a warp",
    "branch_across_warps": "across warps",
    "branch_predicated": "no branch, all computed",
    "branch_uniform": "one path for all",
}


def figures(launches: Sequence[Launch]) -> list[Figure]:
    """Draws a panel for each launch with several numbers of paths."""
    lines: list[Line] = [
        ([_name(launch), max(s.point.size, 1)], {_names[s.point.op]: s}, ())
        for launch in launches
        if len(launch.paths) > 1
        for s in sorted(launch.points, key=lambda s: s.point.size)
    ]
    points = [s for _, values, _ in lines for s in values.values() if isinstance(s, Measured)]
    if not points:
        return []
    ns = Axis("ns", domain=shared_domain([s.cost.value for s in points if s.cost]))
    panels = courses(lines, Axis("paths", "log2"), ns)
    note = "Cost of one branch to a path of eight dependent operations. Both axes are logarithmic."
    return [Figure("divergence", "A branch by its number of paths", note, panels)]
