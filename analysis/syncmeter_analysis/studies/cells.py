"""How configurations stand in the tables of all studies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from syncmeter_analysis.conclude.studies.constructs import runtime_name
from syncmeter_analysis.conclude.studies.regions import reduction_ops
from syncmeter_analysis.relate import point_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.contest import Contest, Over
from syncmeter_analysis.relate.summary import Measured, State
from syncmeter_analysis.studies.blocks import Cell, Table, table

Part = TypeVar("Part")
Item = TypeVar("Item")


def of_each(function: Callable[[Part], Iterable[Item]]) -> Callable[[Iterable[Part]], list[Item]]:
    """Makes a function of one part, such as one file's, a function of all parts."""

    def of_all(parts: Iterable[Part]) -> list[Item]:
        return [item for part in parts for item in function(part)]

    of_all.__doc__ = function.__doc__
    return of_all


def named(name: object, *points: Measured | None) -> Cell:
    """Returns a name that is linked to its configurations."""
    return Cell(str(name), [s.id for s in points if s])


def cost_ci(s: Measured) -> Cell:
    """Returns the cost with its interval, or why there is none."""
    return Cell(formats.cost_interval(s), [s.id])


def over_best(one: Contest, s: Measured | None) -> Over | int:
    """Returns the ratio to the fastest, 1 of the fastest itself."""
    return 1 if s is not None and s is one.best else one.over(s) if s and s.usable else None


def op_and_launch(s: Measured) -> list[object]:
    """Returns operation, size, and `blocks x threads` of a configuration of a GPU."""
    return [named(s.point.op, s), s.point.size or "", point_text.blocks_by_threads(s.point)]


def rate(s: Measured | None, each: int = 1) -> str:
    """Returns `each` times the total operations per second, or nothing without a cost."""
    per_s = s.ops_per_s_total if s else None
    return "" if per_s is None else formats.rate(per_s * each)


def fairness(s: Measured | None) -> list[str]:
    """Returns Jain's index, and the slowest thread's time over the fastest thread's."""
    if s is None or not s.usable or s.point.lanes == 1:
        return ["", ""]
    return [formats.number(s.fairness, 3), formats.number(s.slowest_over_fastest, 2)]


def rate_and_fairness(s: Measured | None) -> str:
    return f"{rate(s)} {fairness(s)[0]}".rstrip()


def crowded(s: Measured | None) -> str:
    """Returns a remark on threads that share a CPU."""
    return "more threads than CPUs" if s is not None and s.oversubscribed else ""


def scope_of(s: Measured, *parts: str, affinities: Iterable[str], source: str) -> str:
    """Returns what a table is about: these parts, affinity, way to wait if not active, and file."""
    wait = f"{s.point.wait} waiting" if s.point.wait != "active" else ""
    return ", ".join(filter(None, (*parts, f"affinity {', '.join(affinities)}", wait, source)))


def file_prefix(source: str) -> str:
    """Returns the file to begin a caption with, if there are several."""
    return f"{source}: " if source else ""


def latency(state: State | None) -> str:
    """Returns the core-to-core latency of a vCPU placement in ns, if it is known."""
    return f"{state.hop_ns:.0f}" if state and state.hop_ns > 0 else ""


def fork_table(one: Contest) -> Table:
    """Returns every way to start work in all threads and to wait for it."""
    rows = [
        [named(runtime_name(s), s), s.point.op, s, over_best(one, s), one.source]
        for s in one.points
    ]
    reduced = ", reduction of a number" if one.first.point.op in reduction_ops else ""
    what = f"Fork and join{reduced}, {formats.count(one.first.point.lanes, 'thread')}"
    return table(what, "runtime|operation|ns>|over fastest (95 % CI)>|", rows)
