"""Floats and doubles that many threads of a GPU add to few or many addresses: which way is the fastest
from how many addresses on, and how far rounding takes sums of floats from the exact ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from statistics import median

from syncmeter_analysis.relate import contest_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, contest
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.summary import Measured, code_of
from syncmeter_analysis.studies.blocks import Block, Cell, Table, Text, table
from syncmeter_analysis.studies.figures import Axis, Figure, Row, curve, most_colours

title = "Adding floats under contention"
order = 26

#: Ways in the order of their rows, by op, and what they are called.
ways = {
    "accumulate_atomic": "atomicAdd",
    "accumulate_cas": "CAS loop",
    "accumulate_exchange": "exchange loop",
    "accumulate_warp_match": "warp-aggregated by match",
    "accumulate_warp_reduce": "warp-aggregated by reduction",
    "accumulate_fixed": "64-bit fixed point",
    "accumulate_block": "privatized per block",
    "accumulate_block_reduce": "privatized and warp-aggregated",
    "accumulate_block_match": "privatized and warp-matched",
    "accumulate_block_by_bulk": "privatized with bulk reduction",
}
usual = "accumulate_atomic"

#: What the names of the same ways end in where they add doubles.
of_doubles = "_double"

#: Adds of each thread in one op: adds_of_op of the worker.
adds_of_op = 16


@dataclass
class Addresses:
    """The ways of one launch to add to so many distinct addresses, in their order; `errors` are the
    largest of a cell over its sum, by op, where values have to be rounded."""

    count: int
    found: Contest
    errors: dict[str, float]

    @property
    def by_op(self) -> dict[str, Measured]:
        return {s.point.op: s for s in self.found.points}

    @property
    def usual(self) -> list[Measured]:
        return [s for s in self.found.points if way_of(s.point.op) == ways[usual]]

    @property
    def words(self) -> str:
        return "one address" if self.count == 1 else f"{self.count} addresses"


@dataclass
class Launch:
    """One launch over all numbers of addresses, the fewest first. The name says which GPU or backend
    where there are several."""

    name: str
    threads: int
    doubles: bool
    sizes: list[Addresses] = field(default_factory=list)

    @property
    def ops(self) -> list[str]:
        all_ways = [op + of_doubles * self.doubles for op in ways]
        return [op for op in all_ways if any(op in size.by_op for size in self.sizes)]

    @property
    def words(self) -> str:
        return f"{self.name} threads" + ", doubles" * self.doubles


def way_of(op: str) -> str:
    """What the op is called, whatever it adds; '' for an op of another study."""
    return ways.get(op.removesuffix(of_doubles), "")


def rows(campaign: Campaign) -> list[Launch]:
    """The launches, the largest first; none without two ways that can be compared."""
    found = [s for s in campaign.points.values() if s.on_gpu and way_of(s.point.op) and not s.doubt]
    places = {(s.point.backend, s.device or 0) for s in found}

    def launch(s: Measured) -> tuple[bool, int, int, int, str, int]:
        p = s.point
        doubles = p.op.endswith(of_doubles)
        return doubles, -p.blocks * p.lanes, p.blocks, p.lanes, p.backend, s.device or 0

    launches = []
    for key, alike in sorted(grouped(found, launch).items()):
        doubles, threads, blocks, lanes, backend, device = key
        name = f"{blocks} x {lanes}"
        if len(places) > 1:
            name += f", {backend} device {device}"
        by_size = sorted(grouped(alike, lambda s: s.point.size).items())
        sizes = [_addresses(count, points, campaign) for count, points in by_size]
        launches.append(Launch(name, -threads, doubles, sizes))
    several = any(size.found.over_best for one in launches for size in one.sizes)
    return launches if several else []


def _addresses(count: int, points: Sequence[Measured], campaign: Campaign) -> Addresses:
    in_order = sorted(points, key=lambda s: list(ways.values()).index(way_of(s.point.op)))
    errors = {
        s.point.op: median(found)
        for s in in_order
        if (found := campaign.remarks(s, "relative_error"))
    }
    return Addresses(count, contest(in_order), errors)


def adds_per_ns(s: Measured) -> float | None:
    """Of all threads together."""
    if not s.usable or s.cost is None:
        return None
    return s.point.blocks * s.point.lanes * adds_of_op / s.cost.value


def _rate(s: Measured) -> str:
    found = adds_per_ns(s)
    return formats.nanoseconds(found) if found else formats.cost(s)


def answer(launches: list[Launch]) -> list[str]:
    """Of each launch which way to take from how many addresses on: a sentence for each number at which
    another one is the fastest, or others may be."""
    return [sentence for one in launches for sentence in _answer_of(one)]


def _answer_of(one: Launch) -> list[str]:
    def leaders(size: Addresses) -> frozenset[str]:
        return frozenset(s.point.op for s in size.found.leaders)

    runs = [list(alike) for _, alike in groupby(one.sizes, leaders)]
    return [
        sentence(one, run) for run in runs if run[0].found.best and len(run[0].found.points) > 1
    ]


def sentence(one: Launch, run: Sequence[Addresses]) -> str:
    """The way for the first of these numbers of addresses; up to which the same way leads."""
    first, last = run[0], run[-1]
    same = f" (the same up to {last.count})" if last is not first else ""

    def amount(s: Measured) -> str:
        beside = [f", atomicAdd {_rate(other)}" for other in first.usual if other is not s]
        return f"{_rate(s)} adds per ns{''.join(beside)}"

    return contest_text.sentence(
        first.found,
        f"{one.words}, {first.words}{same}",
        lambda s: way_of(s.point.op),
        amount,
        "way",
        first.usual,
    )


def text(launches: list[Launch]) -> list[Block]:
    """A table of rates for each launch and one of errors, and what each way compiles to."""
    blocks: list[Block] = [_rates(one) for one in launches]
    blocks += [_errors(one) for one in launches if any(size.errors for size in one.sizes)]
    blocks += _codes(launches)
    blocks.append(
        Text(
            f"A thread adds {adds_of_op} values for each op, to addresses drawn at random; with as "
            "many addresses as threads or more each thread has its own. Privatized: a copy of the "
            f"cells in shared memory, cleared before and added to the cells after these {adds_of_op} "
            "adds of each thread of its block. error: the largest of a cell over its sum, of float "
            "values from 0.5 to 1, all of one sign; fixed point has no error where 32 bits behind the "
            "point hold the values, and sums of them in doubles have none."
        )
    )
    return blocks


def _rates(one: Launch) -> Table:
    def cell(size: Addresses, op: str) -> Cell:
        s = size.by_op.get(op)
        return (
            Cell(_rate(s), [s.id], kind="good" if s in size.found.leaders else "")
            if s
            else Cell("")
        )

    columns = ["way", *(f"{size.count}>" for size in one.sizes)]
    lines = [[way_of(op), *(cell(size, op) for size in one.sizes)] for op in one.ops]
    what = "Adds of doubles by" if one.doubles else "Adds of"
    caption = f"{what} {one.name} threads per ns, by the number of distinct addresses"
    return table(caption, columns, lines)


def _errors(one: Launch) -> Table:
    columns = ["way", *(f"{size.count}>" for size in one.sizes)]
    lines = [
        [way_of(op), *(_error(size.errors.get(op)) for size in one.sizes)]
        for op in one.ops
        if any(op in size.errors for size in one.sizes)
    ]
    return table(f"Largest error over the sum, {one.name} threads", columns, lines)


def _codes(launches: list[Launch]) -> list[Table]:
    points = [s for one in launches for size in one.sizes for s in size.found.points]
    by_op = {s.point.op: code for s in points if (code := code_of(s.census))}
    lines = [
        [words + ", doubles" * bool(suffix), by_op[op + suffix]]
        for suffix in ("", of_doubles)
        for op, words in ways.items()
        if op + suffix in by_op
    ]
    return [table("What each way compiles to", "way|instructions", lines)] if lines else []


def _error(error: float | None) -> str:
    return "" if error is None else "0" if error == 0 else f"{error:.1e}"


def figures(launches: list[Launch]) -> list[Figure]:
    """Adds per ns over the number of addresses, a panel for each launch; of the ways those that come
    nearest to the fastest somewhere, as many as have a colour."""
    nearest: dict[str, float] = {}
    panels = []
    sizes = [(one, [_drawn(size) for size in one.sizes]) for one in launches]
    for row in (row for _, drawn in sizes for alike in drawn for row in alike):
        nearest[row["name"]] = max(nearest.get(row["name"], 0.0), row["near"])
    kept = set(sorted(nearest, key=lambda name: -nearest[name])[:most_colours])
    for one, drawn in sizes:
        panels += curve(
            one.words,
            [row for alike in drawn for row in alike if row["name"] in kept],
            Axis("distinct addresses", "powers"),
            Axis("adds per ns"),
            [name for name in ways.values() if name in kept],
            2,
            legend="way",
        )
    if not panels:
        return []
    first, *_ = answer(launches) or ["Ways to add values, by the number of distinct addresses"]
    note = "Adds of all threads per ns, both logarithmic."
    if left_out := [name for name in nearest if name not in kept]:
        note += f" Left out, as never near the fastest: {', '.join(left_out)}."
    return [Figure("accumulate", first, note, panels, wide=True)]


def _drawn(size: Addresses) -> list[Row]:
    """`near`: the rate over that of the fastest."""
    rates = [(s, rate) for s in size.found.points if (rate := adds_per_ns(s)) is not None]
    best = max((rate for _, rate in rates), default=1.0)
    return [
        {
            "x": size.count,
            "value": rate,
            "near": rate / best,
            "name": way_of(s.point.op),
            "id": s.id,
        }
        for s, rate in rates
    ]
