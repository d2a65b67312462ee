"""The tables of barriers, and what follows from them in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.relation import Ratio, Verdict, default_margin
from syncmeter_analysis.studies.barrier_rows import (
    Barriers,
    Comparison,
    Part,
    Placement,
    Row,
    Runtime,
    rows,
)
from syncmeter_analysis.studies.blocks import Block, Bullets, Cell, Table, Text

__all__ = ["rows", "text", "title"]

title = "Barriers"
measured_by = "`syncmeter run --study barrier`"


def text(barriers: Barriers) -> list[Block]:
    """The cost by lanes, passive over active waiting, late arrivers, and runtimes beside each other."""
    return [block for part in barriers.parts for block in _of_part(part)]


def _of_part(part: Part) -> list[Block]:
    found: list[Block] = [_cost_table(part)]
    if not part.several_lanes:
        alone = (
            "cannot tell what waiting costs: that takes two lanes or more; on one processing "
            "unit `--oversubscribe --lanes 2` measures two"
        )
        return [*found, Bullets([alone, *_about_runtimes(part)])]
    found += _ratios("Passive waiting over active, the same barrier", part.sleeping)
    found += _late(part)
    found += _ratios("One runtime over another, the same wait policy", part.between)
    if len(found) > 1:
        found.append(Text(f"Median over visits (95 % interval); {formats.legend_of_marks}."))
    return [*found, Bullets(_about_runtimes(part))]


def _name(runtime: Runtime) -> str:
    return " ".join(runtime)


def _fields(texts: Sequence[str]) -> list[Cell]:
    return [Cell(text) for text in texts]


def _cost_table(part: Part) -> Table:
    names = [_name(runtime) for runtime in part.runtimes]
    found = Table(
        ["affinity", "lanes", *names],
        [],
        range(1, 2 + len(names)),
        caption=f"{part.source}: " * bool(part.source)
        + "ns of a barrier by number of lanes, runtime and wait policy (95 % interval)",
        keys=2,
    )
    for placed in part.placements:
        for row in placed.curve:
            found.rows.append(
                [*_fields([placed.placed, str(row.lanes)]), *(_cost(row, r) for r in part.runtimes)]
            )
    return found


def _cost(row: Row, runtime: Runtime, behind: str = "") -> Cell:
    s = row.costs.get(runtime)
    return Cell("") if s is None else Cell(formats.cost_interval(s) + behind, [s.id])


def _ratios(what: str, found: Sequence[Comparison]) -> list[Block]:
    """A table of ratios of one kind, and for each a sentence that says at which numbers of lanes it is
    what."""
    if not found:
        return []
    names = list(dict.fromkeys(c.name for c in found))
    table = Table(["affinity", "lanes", *names], [], range(1, 2 + len(names)), what, keys=2)
    for placed in dict.fromkeys(c.placed for c in found):
        of_these = {c.name: c.ratios for c in found if c.placed == placed}
        for lanes in sorted({n for ratios in of_these.values() for n in ratios}):
            marks = [formats.marked_interval(of_these.get(n, {}).get(lanes)) for n in names]
            table.rows.append(_fields([placed, str(lanes), *marks]))
    return [table, Bullets([sentence(c) for c in found])]


_words = {
    Verdict.faster: "faster",
    Verdict.slower: "slower",
    Verdict.same: f"the same within {default_margin:.0%}",
    Verdict.cannot_tell: "cannot tell",
    Verdict.not_comparable: "not comparable",
}


def span_of(ratios: Sequence[Ratio]) -> str:
    """`11.3 to 15.2`: how many times slower or faster, of ratios that all say the same of the two."""
    factors = sorted(max(r.value, 1 / r.value) for r in ratios)
    low, high = formats.ratio(factors[0]), formats.ratio(factors[-1])
    return high if low == high else f"{low} to {high}"


def sentence(c: Comparison) -> str:
    """At which numbers of lanes the one is slower, faster, the same, and how many times."""
    parts = []
    for says, word in _words.items():
        lanes = c.lanes_that(says)
        if not lanes:
            continue
        ratios = [r for n in lanes if isinstance(r := c.ratios[n], Ratio)]
        differs = says in (Verdict.faster, Verdict.slower)
        times = f" ({span_of(ratios)} times)" if differs else ""
        whys = dict.fromkeys(r.why for n in lanes if not isinstance(r := c.ratios[n], Ratio))
        why = f" ({', '.join(whys)})" if whys else ""
        parts.append(f"{word} at {' '.join(map(str, lanes))}{times}{why}")
    return f"{c.name}, {c.placed}, by lanes: {'; '.join(parts)}"


def _late(part: Part) -> list[Block]:
    names = [_name(runtime) for runtime in part.runtimes]
    table = Table(
        ["affinity", "lanes", "late us", *names],
        [],
        range(1, 3 + len(names)),
        caption="A late arriver: ns from its arrival until the lane that is late next has left, "
        "without its delay; each time another lane is late",
        keys=3,
    )
    for placed in part.placements:
        table.rows += [_late_row(part, placed, row) for row in placed.late]
    return [table, Text("x: ratio to the cost with nobody late.")] if table.rows else []


def _late_row(part: Part, placed: Placement, row: Row) -> list[Cell]:
    found = _fields([placed.placed, str(row.lanes), str(row.late_us)])
    for runtime in part.runtimes:
        r = row.over_on_time.get(runtime)
        times = "" if r is None else f" x{formats.marked(r)}" if isinstance(r, Ratio) else " x -"
        found.append(_cost(row, runtime, times))
    return found


def _about_runtimes(part: Part) -> list[str]:
    found = [f"{backend}: {library}" for backend, library in part.libraries.items()]
    if "std" in part.backends:
        found.append(
            "std: std::barrier ignores the wait policy: active against passive is a control there"
        )
    if "omp-llvm" not in part.backends:
        found.append(
            "a second OpenMP runtime was not measured; `syncmeter list` says whether omp-llvm is "
            "available, and what it needs"
        )
    return found
