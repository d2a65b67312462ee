"""A branch of a GPU by its number of paths: inside a warp, across warps, and without a branch."""

from __future__ import annotations

from collections.abc import Sequence

from syncmeter_analysis.conclude.studies.divergence import Launch, forms
from syncmeter_analysis.conclude.studies.divergence import rows as rows
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.studies.blocks import Block, Cell, Table, Text, table
from syncmeter_analysis.studies.cells import cost_text, legend_of_marks, ns_of
from syncmeter_analysis.studies.figures import Axis, Figure, Panel, curve, shared_domain

title = "Divergence"
order = 13


def _name(launch: Launch) -> str:
    blocks = formats.count(launch.blocks, "block")
    return f"{launch.backend}, {blocks} of {formats.count(launch.lanes, 'thread')}"


def text(launches: Sequence[Launch]) -> list[Block]:
    """A table for each launch."""
    tables = list(map(_table, launches))
    return [*tables, Text(f"Ratios: {legend_of_marks(*tables)}.")]


def _table(launch: Launch) -> Table:
    columns = "paths>|in a warp ns>|cycles>|over one path>|across warps ns>|over one path>"
    columns += "|no branch ns>|over in a warp>"
    inside, across, predicated = (launch.by_op[op] for op in forms)
    rows = []
    for n in launch.paths:
        s = inside.get(n)
        ids = [found[n].id for found in (inside, across, predicated) if n in found]
        cycles = formats.nanoseconds(s.cycles.value) if s and s.cycles else ""
        marks = [formats.marked(launch.over_one.get((op, n))) for op in forms]
        row = [
            Cell(str(n), ids),
            cost_text(s),
            cycles,
            marks[0],
            cost_text(across.get(n)),
            marks[1],
        ]
        rows.append(
            [*row, cost_text(predicated.get(n)), formats.marked(launch.without_branch.get(n))]
        )
    return table(f"One branch to a path of 8 dependent operations, {_name(launch)}", columns, rows)


_names = {
    "branch_in_warp": "inside a warp",
    "branch_across_warps": "across warps",
    "branch_predicated": "no branch, all computed",
    "branch_uniform": "one path for all",
}


def figures(launches: Sequence[Launch]) -> list[Figure]:
    """Draws a panel for each launch with several numbers of paths."""
    shown = [launch for launch in launches if len(launch.paths) > 1]
    if not shown:
        return []
    points = [s for launch in shown for s in launch.points]
    ns = Axis("ns", domain=shared_domain([s.cost.value for s in points if s.cost]))
    note = (
        "Cost of one branch to a path of eight dependent operations, over the number of paths. Both "
        "are logarithmic. Each panel names backend, blocks and threads."
    )
    ids = [s.id for s in points]
    panels = [panel for launch in shown for panel in _curves(launch, ns)]
    return [Figure("divergence", "A branch by its number of paths", note, panels, ids)]


def _curves(launch: Launch, ns: Axis) -> list[Panel]:
    rows = [
        {"x": max(s.point.size, 1), "value": ns_of(s), "name": _names[s.point.op], "id": s.id}
        for s in sorted(launch.points, key=lambda s: s.point.size)
    ]
    return curve(_name(launch), rows, Axis("paths", "log2"), ns, list(_names.values()))
