"""Finds and concludes how to add floats and doubles to addresses that many threads of a GPU share (the
driver's study `accumulate`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from syncmeter_analysis.conclude import references
from syncmeter_analysis.conclude.choice import choose, situation_of, subject_of, with_conditions
from syncmeter_analysis.conclude.conclusion import Conclusion, Condition, Subject
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, contest
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.summary import Measured

#: The ops for floats, as their rows are sorted.
ways = (
    "accumulate_atomic",
    "accumulate_cas",
    "accumulate_exchange",
    "accumulate_warp_match",
    "accumulate_warp_reduce",
    "accumulate_fixed",
    "accumulate_block",
    "accumulate_block_reduce",
    "accumulate_block_match",
    "accumulate_block_by_bulk",
)

#: An op for doubles has this at the end.
of_doubles = "_double"

#: Adds by each thread in one op, as many as in the worker.
adds_of_op = 16

_bytes_of = {"float": 4, "double": 8}


@dataclass
class Addresses:
    """The ways of one launch for one number of distinct addresses. `errors` are the largest relative
    errors of a sum by op, if values have to be rounded."""

    count: int
    found: Contest
    errors: dict[str, float]

    @property
    def by_op(self) -> dict[str, Measured]:
        return {s.point.op: s for s in self.found.points}


@dataclass
class Launch:
    """One launch over all numbers of addresses, the fewest first. `place` has the device if there are
    several."""

    blocks: int
    threads: int
    type: str
    device: int
    place: str = ""
    sizes: list[Addresses] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"{self.blocks} x {self.threads}{self.place}"

    @property
    def ops(self) -> list[str]:
        all_ways = [op + of_doubles * (self.type == "double") for op in ways]
        return [op for op in all_ways if any(op in size.by_op for size in self.sizes)]


def way_of(op: str) -> str:
    """Returns the op for floats, or '' for an op of another study."""
    name = op.removesuffix(of_doubles)
    return name if name in ways else ""


def subject(s: Measured) -> Subject:
    """Returns the way, the same for floats and doubles."""
    return replace(subject_of(s), op=way_of(s.point.op))


def subject_of_way(op: str) -> Subject:
    """Returns CUDA's way for an op."""
    return Subject("cuda", way_of(op))


def launches_of(campaign: Campaign) -> list[Launch]:
    """Returns the launches, floats and the largest first, or nothing without two ways to compare."""
    found = [s for s in campaign.points.values() if s.on_gpu and way_of(s.point.op) and not s.doubt]
    places = {(s.point.backend, s.device or 0) for s in found}

    def launch(s: Measured) -> tuple[bool, int, int, int, str, int]:
        p = s.point
        doubles = p.op.endswith(of_doubles)
        return doubles, -p.blocks * p.lanes, p.blocks, p.lanes, p.backend, s.device or 0

    launches = []
    for key, alike in sorted(grouped(found, launch).items()):
        doubles, _, blocks, lanes, backend, device = key
        place = f", {backend}:{device}" if len(places) > 1 else ""
        by_size = sorted(grouped(alike, lambda s: s.point.size).items())
        sizes = [_addresses(count, points, campaign) for count, points in by_size]
        type = "double" if doubles else "float"
        launches.append(Launch(blocks, lanes, type, device, place, sizes))
    several = any(size.found.over_best for one in launches for size in one.sizes)
    return launches if several else []


def _addresses(count: int, points: Sequence[Measured], campaign: Campaign) -> Addresses:
    in_order = sorted(points, key=lambda s: ways.index(way_of(s.point.op)))
    errors = {
        s.point.op: median(found)
        for s in in_order
        if (found := campaign.remarks(s, "relative_error"))
    }
    return Addresses(count, contest(in_order), errors)


def conclusions_of(launches: Sequence[Launch]) -> Iterator[Conclusion]:
    """Yields the way to use for few and many addresses, on the first device."""
    first = min((one.device for one in launches), default=0)
    here = [one for one in launches if one.device == first]
    largest = max((one.blocks * one.threads for one in here), default=0)
    for one in here:
        for size in one.sizes:
            if len(size.found.points) > 1:
                made = _way(one, size, one.blocks * one.threads == largest)
                yield with_conditions(made, *_limits(one, size))


def _limits(one: Launch, size: Addresses) -> Iterator[Condition]:
    """Returns how this number of addresses differs from the smaller ones. With as many addresses as
    threads each thread has its own address (backends/cuda/accumulate/updates.hpp)."""
    with_table = [x.count for x in one.sizes if any(map(_is_table, x.by_op))]
    if with_table and size.count > max(with_table):
        yield Condition("no_table", max(with_table))
    if size.count >= one.blocks * one.threads:
        yield Condition("own_address")


def _is_table(op: str) -> bool:
    return way_of(op).startswith("accumulate_block")


def _way(one: Launch, size: Addresses, is_largest: bool) -> Conclusion:
    def conditions(s: Measured) -> Iterator[Condition]:
        way = way_of(s.point.op)
        if way.endswith(("_match", "_reduce")):
            yield Condition("whole_warp")
        if _is_table(way):
            yield Condition("shared_memory", size.count * _bytes_of[one.type])
        if way == "accumulate_fixed":
            yield Condition("fixed_point")
        if way == "accumulate_block_by_bulk":
            yield Condition("bulk")

    work = "one_address" if size.count == 1 else "addresses"
    return choose(
        size.found,
        "way" if is_largest and one.type == "float" else "way_other",
        situation_of(size.found.first, work, size=size.count, type=one.type),
        references.accumulate.among(size.found.points),
        name=subject,
        conditions=lambda s: list(conditions(s)),
        next=["advise_program"],
    )
