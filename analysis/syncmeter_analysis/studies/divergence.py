"""A branch of a GPU by its number of paths, inside a warp and across warps, and without a branch; and
what follows in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Over, over
from syncmeter_analysis.relate.relation import NotComparable, Ratio, Verdict, ratio, verdict
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Cell, Table, Text, table
from syncmeter_analysis.studies.cells import cost_alone, cost_text, legend_of_marks, ns_of
from syncmeter_analysis.studies.figures import Axis, Figure, Panel, curve, shared_domain

title = "Divergence"
order = 13

#: Points that have a cost, by their number of paths.
ByPaths = dict[int, Measured]

_forms = ("branch_in_warp", "branch_across_warps", "branch_predicated")


@dataclass
class Launch:
    """The branches of one launch on one device. `over_one` is each over one path for all lanes
    (`uniform`), by op and paths; `without_branch` all paths done and one result selected, over the
    branch inside a warp."""

    backend: str
    device: int
    blocks: int
    lanes: int
    uniform: Measured | None = None
    by_op: dict[str, ByPaths] = field(default_factory=lambda: {op: {} for op in _forms})

    @property
    def over_one(self) -> dict[tuple[str, int], Over]:
        each = [(op, n, s) for op, costs in self.by_op.items() for n, s in costs.items()]
        return {(op, n): over(s, self.uniform) for op, n, s in each if self.uniform}

    @property
    def without_branch(self) -> dict[int, Ratio | NotComparable]:
        branched, predicated = self.by_op["branch_in_warp"], self.by_op["branch_predicated"]
        return {n: ratio(s, branched[n]) for n, s in predicated.items() if n in branched}

    @property
    def paths(self) -> list[int]:
        return sorted({n for costs in self.by_op.values() for n in costs})

    @property
    def points(self) -> list[Measured]:
        found = [s for costs in self.by_op.values() for s in costs.values()]
        return [*found, *([self.uniform] if self.uniform else [])]

    @property
    def name(self) -> str:
        blocks = formats.count(self.blocks, "block")
        return f"{self.backend}, {blocks} of {formats.count(self.lanes, 'thread')}"


def rows(campaign: Campaign) -> list[Launch]:
    """A row for each launch with branches of more than one number of paths."""
    found: dict[tuple[str, int, int, int], Launch] = {}
    for s in campaign.points.values():
        p = s.point
        if not s.on_gpu or p.op not in (*_forms, "branch_uniform") or not s.usable or s.doubt:
            continue
        key = p.backend, s.device or 0, p.blocks, p.lanes
        launch = found.setdefault(key, Launch(*key))
        if p.op == "branch_uniform":
            launch.uniform = s
        else:
            launch.by_op[p.op][p.size] = s
    for launch in found.values():
        launch.by_op = {op: dict(sorted(costs.items())) for op, costs in launch.by_op.items()}
    return [found[key] for key in sorted(found) if len(found[key].points) > 1]


def slope_ns(costs: ByPaths) -> float | None:
    """ns of one more path: least squares over all of them; None for fewer than two."""
    if len(costs) < 2:
        return None
    n = len(costs)
    ns = [s.cost.value for s in costs.values() if s.cost]
    x, y = sum(costs) / n, sum(ns) / n
    over = sum((paths - x) * (cost - y) for paths, cost in zip(costs, ns, strict=True))
    return over / sum((paths - x) ** 2 for paths in costs)


def answer(launches: Sequence[Launch]) -> list[str]:
    """What the slowest branch costs, then of each launch what a further path adds, inside a warp and
    across warps, and whether it is faster to compute all of them."""
    found = [_slowest_branch(launches)]
    for launch in launches:
        sentences = [
            _uniform_sentence(launch),
            _slope_sentence("paths inside a warp", launch.by_op["branch_in_warp"]),
            _slope_sentence("the same paths across warps", launch.by_op["branch_across_warps"]),
            _slope_sentence("all paths computed, one selected", launch.by_op["branch_predicated"]),
            _without_branch_sentence(launch),
        ]
        where = f"{launch.name}: " if len(launches) > 1 else ""
        found += [where + sentence for sentence in sentences if sentence]
    return list(filter(None, found))


def text(launches: Sequence[Launch]) -> list[Block]:
    """A table for each launch."""
    tables = list(map(_table, launches))
    return [*tables, Text(f"Ratios: {legend_of_marks(*tables)}.")]


def _table(launch: Launch) -> Table:
    columns = "paths>|in a warp ns>|cycles>|over one path>|across warps ns>|over one path>"
    columns += "|no branch ns>|over in a warp>"
    inside, across, predicated = (launch.by_op[op] for op in _forms)
    rows = []
    for n in launch.paths:
        s = inside.get(n)
        ids = [found[n].id for found in (inside, across, predicated) if n in found]
        cycles = formats.nanoseconds(s.cycles.value) if s and s.cycles else ""
        marks = [formats.marked(launch.over_one.get((op, n))) for op in _forms]
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
    return table(f"One branch to a path of 8 dependent operations, {launch.name}", columns, rows)


def _uniform_sentence(launch: Launch) -> str:
    return f"one path for all lanes: {cost_alone(launch.uniform)}" if launch.uniform else ""


def _slope_sentence(what: str, costs: ByPaths) -> str:
    slope = slope_ns(costs)
    if slope is None:
        return ""
    (first, a), (last, b) = min(costs.items()), max(costs.items())
    return (
        f"{what}: each further path adds {formats.duration(slope)} ({cost_alone(a)} to "
        f"{cost_alone(b)}, {first} to {last} paths)"
    )


def _without_branch_sentence(launch: Launch) -> str:
    """For how many paths selecting is faster than branching: `up to` where none below is not."""
    verdicts = {n: verdict(r) for n, r in launch.without_branch.items()}
    faster = [n for n, v in verdicts.items() if v is Verdict.faster]
    if not verdicts:
        return ""
    if not faster:
        return "without a branch it is resolved to be faster for no number of paths"
    if all(n in faster for n in verdicts if n <= faster[-1]):
        where = f"up to {formats.count(faster[-1], 'path')}"
    else:
        where = f"for {', '.join(map(str, faster))} paths"
    others = [
        f"{n}: {formats.marked(r)}" for n, r in launch.without_branch.items() if n not in faster
    ]
    rest = f"; not at {', '.join(others)}" if others else ""
    return f"without a branch (all paths computed, one result selected) it is faster {where}{rest}"


_names = {
    "branch_in_warp": "inside a warp",
    "branch_across_warps": "across warps",
    "branch_predicated": "no branch, all computed",
    "branch_uniform": "one path for all",
}


def figures(launches: Sequence[Launch]) -> list[Figure]:
    """One figure with a panel for each launch of several numbers of paths."""
    shown = [launch for launch in launches if len(launch.paths) > 1]
    if not shown:
        return []
    points = [s for launch in shown for s in launch.points]
    ns = Axis("ns", domain=shared_domain([s.cost.value for s in points if s.cost]))
    note = (
        "Cost of one branch to a path of eight dependent operations, against the number of paths; "
        "both logarithmic; backend, blocks and threads of each."
    )
    panels = [panel for launch in shown for panel in _curves(launch, ns)]
    title = _slowest_branch(shown) or "What a branch costs by its number of paths"
    return [Figure("divergence", title, note, panels, [s.id for s in points])]


def _curves(launch: Launch, ns: Axis) -> list[Panel]:
    rows = [
        {"x": max(s.point.size, 1), "value": ns_of(s), "name": _names[s.point.op], "id": s.id}
        for s in sorted(launch.points, key=lambda s: s.point.size)
    ]
    return curve(launch.name, rows, Axis("paths", "log2"), ns, list(_names.values()))


def _slowest_branch(launches: Sequence[Launch]) -> str:
    """The slowest branch inside a warp against one path, in the same launch."""
    slower = [
        (r.value, paths, launch)
        for launch in launches
        for (op, paths), r in launch.over_one.items()
        if op == "branch_in_warp" and isinstance(r, Ratio) and verdict(r) is Verdict.slower
    ]
    if not slower:
        return ""
    value, paths, launch = max(slower, key=lambda found: found[0])
    slope = slope_ns(launch.by_op["branch_in_warp"])
    because = f", because each further one adds {formats.duration(slope)}" if slope else ""
    return (
        f"Keep the lanes of a warp on one path{because}: {paths} paths take {formats.ratio(value)} "
        f"times as long ({launch.name})"
    )
