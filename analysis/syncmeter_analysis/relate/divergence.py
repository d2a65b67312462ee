"""Branches with several paths in a warp of a GPU: inside a warp, across warps, and without a branch."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import linear_regression

from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Over, over
from syncmeter_analysis.relate.relation import NotComparable, Ratio, ratio
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.text import ns_of

#: Points with a cost by number of paths.
ByPaths = dict[int, Measured]

forms = ("branch_in_warp", "branch_across_warps", "branch_predicated")


@dataclass
class Launch:
    """The branches in one launch on one device. `over_one` is each by op and paths over one path for
    all threads (`uniform`). `without_branch` computes all paths and selects one result, over the
    branch inside a warp."""

    backend: str
    device: int
    blocks: int
    lanes: int
    uniform: Measured | None = None
    by_op: dict[str, ByPaths] = field(default_factory=lambda: {op: {} for op in forms})

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


def rows(campaign: Campaign) -> list[Launch]:
    """Returns a row for each launch with several branches."""
    found: dict[tuple[str, int, int, int], Launch] = {}
    for s in campaign.points.values():
        p = s.point
        if not s.on_gpu or p.op not in (*forms, "branch_uniform") or not s.usable or s.doubt:
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
    """Returns ns for one more path by least squares, or None for fewer than two numbers of paths."""
    if len(costs) < 2:
        return None
    return linear_regression(list(costs), list(map(ns_of, costs.values()))).slope
