"""How points stand in the tables and sentences of all studies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from syncmeter_analysis.relate import point_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.contest import Over
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.text import ns_of as ns_of
from syncmeter_analysis.studies.blocks import Block, Cell, Table

Part = TypeVar("Part")
Item = TypeVar("Item")


def of_each(function: Callable[[Part], Iterable[Item]]) -> Callable[[Iterable[Part]], list[Item]]:
    """Makes a function of one part, such as one file's, a function of all parts."""

    def of_all(parts: Iterable[Part]) -> list[Item]:
        return [item for part in parts for item in function(part)]

    of_all.__doc__ = function.__doc__
    return of_all


def cost(s: Measured | None) -> Cell:
    """The cost or why there is none, linked to its evidence; empty for None."""
    return Cell(formats.cost(s), [s.id]) if s else Cell("")


def op_and_launch(s: Measured) -> list[object]:
    """Op, size and `blocks x threads` of a point of a GPU, for three columns."""
    size = str(s.point.size) if s.point.size else ""
    return [Cell(s.point.op, [s.id]), size, point_text.blocks_by_threads(s.point)]


def cost_text(s: Measured | None) -> str:
    """The same without a link: another cell of the row has it."""
    return formats.cost(s) if s else ""


def cost_alone(s: Measured) -> str:
    """`354.7 ns`, `18.26 us`, or why there is none, for a sentence."""
    return formats.duration(s.cost.value) if s.usable and s.cost else f"{formats.cost(s)} ns"


def cost_ns(s: Measured) -> str:
    """`354.7 ns, 320.1 to 380.2`, for a sentence."""
    return formats.duration_interval(s.cost) if s.usable and s.cost else cost_alone(s)


def rate(s: Measured | None) -> str:
    """Returns the total ops per second, or nothing without a cost."""
    per_s = s.ops_per_s_total if s else None
    return "" if per_s is None else formats.rate(per_s)


def fairness(s: Measured | None) -> list[str]:
    """Jain's index, and how many times as long the slowest lane took as the fastest."""
    if s is None or not s.usable or s.point.lanes == 1:
        return ["", ""]
    return [formats.number(s.fairness, 3), formats.number(s.slowest_over_fastest, 2)]


def rate_and_fairness(s: Measured | None) -> str:
    return f"{rate(s)} {fairness(s)[0]}".rstrip()


def notes(s: Measured | None, *others: str, over: Mapping[str, Over] | None = None) -> str:
    """A point's status where it is not ok, whatever else there is to say, and with what it cannot be
    compared, of ratios by what they are to."""
    found = [s.status] if s is not None and s.status != "ok" else []
    found += [text for text in others if text]
    for name, r in (over or {}).items():
        if why := formats.why_none(r):
            found.append(f"not comparable with {name}: {why}")
    return "; ".join(found)


def legend_of_marks(*blocks: Block) -> str:
    """`= the same within 5 %, > more`: the marks behind ratios in these tables; '' without any."""
    tables = [block for block in blocks if isinstance(block, Table)]
    cells = (cell.whole for one in tables for row in one.rows for cell in row)
    found = {text.rpartition(" ")[2] for text in cells}
    return ", ".join(f"{m} {says}" for m, says in formats.meaning_of_marks.items() if m in found)


def scope_of(s: Measured, *parts: str, affinities: Sequence[str], source: str) -> str:
    """What a table is of: these parts, where lanes are, how they wait if not active, and the file."""
    wait = f"{s.point.wait} waiting" if s.point.wait != "active" else ""
    return ", ".join(filter(None, (*parts, f"affinity {', '.join(affinities)}", wait, source)))
