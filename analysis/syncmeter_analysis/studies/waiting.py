"""The tables of ways to wait, and for how long to spin before sleeping, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator

from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.relation import Ratio, Verdict, verdict
from syncmeter_analysis.studies.blocks import Block, Bullets, Cell, Table, Text
from syncmeter_analysis.studies.waiting_rows import (
    Advice,
    Neighbour,
    Part,
    Runtime,
    Waiting,
    Way,
    allowed_behind,
    rows,
)

__all__ = ["rows", "text", "title"]

title = "Waiting"
measured_by = "`syncmeter run --study waiting`"


def text(waiting: Waiting) -> list[Block]:
    """Cost and CPU time by lateness, then what to spin, and the settings that follow."""
    return [block for part in waiting.parts for block in _of_part(part)]


def _of_part(part: Part) -> list[Block]:
    found: list[Block] = []
    if part.ways:
        what = "ns from the arrival of the late lane until it is seen"
        found += [_costs(part.ways, what, part.source), *_cpu(part.ways)]
    if part.barriers:
        found.append(_costs(part.barriers, "ns of a barrier beyond the lateness", ""))
    if part.neighbours:
        found.append(_neighbours(part.neighbours))
    return [*found, Bullets(sentences(part))]


def _lates(ways: list[Way]) -> list[int]:
    return sorted({late for way in ways for late in way.costs})


def _costs(ways: list[Way], what: str, source: str) -> Table:
    found = Table(
        ["late us", *(way.name for way in ways)],
        [],
        range(1 + len(ways)),
        caption=f"{source}: " * bool(source) + f"{what}, by lateness",
    )
    for late in _lates(ways):
        cells = [way.costs.get(late) for way in ways]
        found.rows.append(
            [Cell(str(late)), *(Cell(formats.cost(s), [s.id]) if s else Cell("") for s in cells)]
        )
    return found


def _cpu(ways: list[Way]) -> list[Block]:
    told = [way for way in ways if way.cpu_ns]
    if not told:
        return []
    found = Table(
        ["late us", *(way.name for way in told)],
        [],
        range(1 + len(told)),
        caption="us of CPU time that a waiting lane burns, by lateness",
    )
    for late in _lates(told):
        burnt = [way.cpu_ns.get(late) for way in told]
        found.rows.append(
            [
                Cell(str(late)),
                *(Cell("" if ns is None else formats.nanoseconds(ns / 1e3)) for ns in burnt),
            ]
        )
    return [found, Text("Its calls, and what is spent on waking it or another lane, are in it.")]


def _neighbours(neighbours: list[Neighbour]) -> Table:
    columns = ["the other lane", "where", "over alone", "95 % interval", ""]
    found = Table(columns, [], range(2, 4), "Work beside a lane that waits", keys=2)
    for n in neighbours:
        texts = [f"waits: {n.way}", _where(n.affinity)]
        if isinstance(n.over, Ratio):
            texts += [formats.ratio(n.over.value), formats.ratio_bounds(n.over), ""]
        else:
            texts += ["-", "", n.over.why]
        cells = [Cell(text) for text in texts]
        cells[0].points = [n.beside.id]
        found.rows.append(cells)
    return found


def _where(affinity: str) -> str:
    return "same core" if affinity == "smt" else "another core"


def _cost_to_neighbours(neighbours: list[Neighbour]) -> Iterator[str]:
    """For each place the ways that slow a lane at work, and those that do not."""
    for affinity in sorted({n.affinity for n in neighbours}, reverse=True):
        said = {n.way: n.over for n in neighbours if n.affinity == affinity}
        slowing = [
            f"{way} {formats.ratio_interval(r)} times as long"
            for way, r in said.items()
            if isinstance(r, Ratio) and verdict(r) is Verdict.slower
        ]
        harmless = [way for way, r in said.items() if verdict(r) is Verdict.same]
        place = f"work beside a lane that waits on {_where(affinity).replace('same', 'the same')}"
        told = [", ".join(slowing)] * bool(slowing)
        told += [f"the same as alone: {', '.join(harmless)}"] * bool(harmless)
        yield f"{place}: {'; '.join(told) or 'cannot tell'}"
    if neighbours and all(n.affinity != "smt" for n in neighbours):
        yield (
            "what a waiting lane costs one on the same core cannot be seen here: no core shows two "
            "processing units"
        )


def sentences(part: Part) -> list[str]:
    """The crossover, what loses little time, the settings of each OpenMP runtime, and what waiting
    costs a neighbour."""
    found = []
    if part.advice is not None and part.between is not None:
        found += _crossover(part.advice, *part.between)
    for runtime in part.runtimes:
        found.append(setting(runtime))
    if not found and part.ways:
        found.append(
            "cannot tell how long to spin: that takes a way that spins and one that sleeps, "
            "each at two latenesses"
        )
    found += _cost_to_neighbours(part.neighbours)
    return found


def _crossover(a: Advice, spin: str, sleep: str) -> list[str]:
    if a.extra_ns == 0:
        return [f"sleeping ({sleep}) costs no more than spinning ({spin}) here: sleep at once"]
    extra = formats.duration(a.extra_ns)
    found = [
        f"sleeping ({sleep}) costs {extra} more than spinning ({spin}), {a.extra_at_us} us late: spin "
        f"for {extra}, then sleep, and time and CPU time together are never more than twice the "
        "better of the two"
    ]
    if a.spin_ns > 0:
        found.append(
            f"to lose no more than {allowed_behind:.0%} of the time: spin for "
            f"{formats.duration(a.spin_ns)}; {_checked(a)}"
        )
    return found


def _checked(a: Advice) -> str:
    first, last = a.latenesses
    return (
        f"worst {a.worst:.0%} behind the best fixed setting ({a.worst_at_us:.3g} us late), computed "
        f"from the measured curves from {first} to {last} us; of the CPU time of spinning it "
        f"spares {a.cpu_spared:.0%} at {last} us"
    )


def setting(runtime: Runtime) -> str:
    """What follows for the settings of one OpenMP runtime, from its own two curves."""
    a, name = runtime.advice, runtime.backend
    if a is None:
        return f"{name}: cannot tell, its barrier has no cost at two latenesses"
    if a.spin_ns == 0:
        return f"{name}: OMP_WAIT_POLICY=passive; {_checked(a)}"
    if a.spin_ns >= 1e3 * a.latenesses[1]:
        return (
            f"{name}: OMP_WAIT_POLICY=active: sleeping is more than {allowed_behind:.0%} behind "
            f"at {a.latenesses[1]} us too"
        )
    return (
        f"{name}: {_variable(runtime, a)}, to spin for {formats.duration(a.spin_ns)}; {_checked(a)}"
    )


def _variable(runtime: Runtime, a: Advice) -> str:
    if "llvm" in runtime.backend:
        return (
            f"KMP_BLOCKTIME={math.ceil(a.spin_ns / 1e3)}us from LLVM 18 on, "
            f"KMP_BLOCKTIME={math.ceil(a.spin_ns / 1e6)} (ms) before"
        )
    if runtime.spins is None:
        return "GOMP_SPINCOUNT of as many looks as take"
    return f"GOMP_SPINCOUNT={runtime.spins}"
