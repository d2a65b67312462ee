"""What a step across GPUs costs: barriers over the devices of one host, accesses by where the cells
lie, adds of all devices to one cell, and handoffs with what their litmus counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from syncmeter_analysis.record.point import Point
from syncmeter_analysis.record.visit import Link, Litmus
from syncmeter_analysis.relate import point_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Over, over
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.relation import Ratio, Verdict, verdict
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Bullets, Table, Text, table
from syncmeter_analysis.studies.cells import cost, legend_of_marks
from syncmeter_analysis.studies.device_barriers import (
    Barrier,
    Fastest,
    barrier_figure,
    barrier_table,
    barriers_over_devices,
    fastest_of_each,
    fastest_sentence,
)
from syncmeter_analysis.studies.figures import Dots, Figure, Panel, rows_of

title = "Several GPUs"
order = 16

handoffs = ("gpu_handoff", "cpu_gpu_handoff")
_prefixes = ("multi_gpu_", "remote_")

#: Where the cells of an access lie, by the point's `home`.
places = {"first": "local", "second": "peer", "other": "host"}


@dataclass
class Access:
    """One access of one device, by where the cells lie."""

    by_place: dict[str, Measured]

    @property
    def point(self) -> Point:
        return next(iter(self.by_place.values())).point

    def over_local(self, place: str) -> Over:
        """The ratio to cells of its own; None where one of them was not measured."""
        return over(self.by_place.get(place), self.by_place.get("local"))


@dataclass
class Contention:
    """Adds by all threads of all devices to one cell of the first; `shares` the rate of each device
    over their mean in the visit taken last."""

    measured: Measured
    shares: tuple[float, ...]

    @property
    def adds_per_s(self) -> float:
        p, cost = self.measured.point, self.measured.cost
        assert cost is not None
        return p.size * p.blocks * p.lanes * 1e9 / cost.value


@dataclass
class Handoff:
    """A token between two sides, and what its litmus counted of the data that it guards."""

    measured: Measured
    litmus: Litmus | None


@dataclass
class SeveralGpus:
    """All of it; falsy without a point."""

    links: list[Link] = field(default_factory=list)
    barriers: list[Barrier] = field(default_factory=list)
    fastest: list[Fastest] = field(default_factory=list)
    accesses: list[Access] = field(default_factory=list)
    contention: list[Contention] = field(default_factory=list)
    handoffs: list[Handoff] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.barriers or self.accesses or self.contention or self.handoffs)

    def litmus(self, **axes: str) -> Litmus:
        """What was counted of the handoffs of these values."""
        counted = (
            h.litmus
            for h in self.handoffs
            if h.litmus and all(getattr(h.measured.point, a) == v for a, v in axes.items())
        )
        return sum(counted, Litmus())


def rows(campaign: Campaign) -> SeveralGpus:
    """Of all points that cross devices, but those that were not supported."""
    points = [
        s
        for s in campaign.points.values()
        if s.on_gpu
        and (s.point.op.startswith(_prefixes) or s.point.op in handoffs)
        and s.status not in ("unsupported", "elided")
    ]
    barriers = barriers_over_devices(points)
    return SeveralGpus(
        _links(campaign),
        barriers,
        fastest_of_each(barriers),
        _accesses(points),
        [
            Contention(s, _shares(campaign, s))
            for s in sorted(points, key=attrgetter("point.blocks", "point.lanes", "point.size"))
            if s.point.op == "multi_gpu_fetch_add" and s.usable
        ],
        [
            Handoff(s, _litmus(campaign, s))
            for s in sorted(points, key=_handoff_order)
            if s.point.op in handoffs
        ],
    )


_handoff_order = attrgetter("point.op", "point.order", "point.scope", "point.flavour")


def _links(campaign: Campaign) -> list[Link]:
    found: dict[tuple[int, int], Link] = {}
    for visits in campaign.visits.values():
        for link in (link for visit in visits for link in visit.links):
            found.setdefault((link.source, link.target), link)
    return [found[ends] for ends in sorted(found)]


def _accesses(points: Iterable[Measured]) -> list[Access]:
    remote = (s for s in points if s.point.op.startswith("remote_") and s.point.home in places)
    accesses = [
        Access({places[s.point.home]: s for s in alike})
        for alike in grouped(remote, lambda s: s.point.without("home")).values()
    ]
    return sorted(accesses, key=_access_order)


def _access_order(access: Access) -> tuple[str | int, ...]:
    p = access.point
    return p.op, p.type, p.scope, p.flavour, p.order, p.blocks, p.lanes, p.stride or 0


def _shares(campaign: Campaign, s: Measured) -> tuple[float, ...]:
    visits = [v for v in campaign.visits.get(s.measured_at, []) if v.device_shares]
    return max(visits, key=lambda v: v.number).device_shares if visits else ()


def _litmus(campaign: Campaign, s: Measured) -> Litmus | None:
    counts = [v.litmus for v in campaign.visits.get(s.measured_at, []) if v.litmus]
    return sum(counts, Litmus()) if counts else None


def answer(found: SeveralGpus) -> list[str]:
    """The barrier to take over so many devices, what an access of a peer costs, and whether flags
    without order, or of too small a scope, were seen to fail."""
    return [
        *map(fastest_sentence, reversed(found.fastest)),
        *filter(None, [_slowest_access(found.accesses)]),
        *_litmus_sentences(
            "device scope between devices", found.litmus(op="gpu_handoff", scope="device")
        ),
        *_litmus_sentences("a flag without order", found.litmus(order="relaxed")),
    ]


def text(found: SeveralGpus) -> list[Block]:
    """The links, and a table with its findings for each kind of op that was measured."""
    blocks: list[Block] = []
    if found.links:
        blocks += [Text("Devices and their links:"), Bullets(list(map(link_sentence, found.links)))]
    if found.barriers:
        blocks.append(barrier_table(found.barriers))
    if found.accesses:
        accesses = _access_table(found.accesses)
        blocks += [accesses, Text(f"Ratios: {legend_of_marks(accesses)}.")]
    if found.contention:
        blocks.append(_contention(found.contention))
        blocks.append(
            Text(
                "Every device does as many adds as the others, and the time ends with the "
                "slowest, which runs alone at the end. fair: Jain's index over the devices."
            )
        )
    if found.handoffs:
        blocks.append(_handoffs(found.handoffs))
    return blocks


def link_sentence(link: Link) -> str:
    sentences = [
        f"{'' if link.peer_access else 'no '}peer access",
        f"{'' if link.native_atomics else 'no '}native atomics",
        f"performance rank {link.performance_rank}",
    ]
    if link.nvlinks:
        sentences.append(f"{formats.count(link.nvlinks, 'NVLink')} of device {link.source} up")
    return f"{link.source} to {link.target}: {', '.join(sentences)}"


def _access_table(accesses: Sequence[Access]) -> Table:
    # Columns in which all are alike say nothing.
    flavours, orders = (
        len({getattr(access.point, axis) for access in accesses}) > 1
        for axis in ("flavour", "order")
    )
    columns = ["access", "type", "scope", "flavour", "order", "blocks x threads>", "stride>"]
    columns += [*(f"{place}>" for place in places.values()), "peer : local>", "host : local>"]
    rows = []
    for access in accesses:
        p = access.point
        at = [p.op.removeprefix("remote_"), p.type, p.scope, p.flavour if flavours else ""]
        at += [p.order if orders else "", point_text.blocks_by_threads(p), str(p.stride or 0)]
        costs = [cost(access.by_place.get(place)) for place in places.values()]
        ratios = [formats.marked_interval(access.over_local(place)) for place in ("peer", "host")]
        rows.append([*at, *costs, *ratios])
    what = (
        "Accesses of one device (remote_*), ns per access of a thread, by where the cells lie; stride "
        "0: one cell"
    )
    return table(what, columns, rows, keys=7)


def _contention(found: Sequence[Contention]) -> Table:
    rows = []
    for row in found:
        s, p = row.measured, row.measured.point
        counted = [cost(s), formats.rate(row.adds_per_s), formats.number(s.fairness, 3)]
        shares = " ".join(f"{share:.2f}" for share in row.shares)
        rows.append([p.size, p.blocks, p.lanes, *counted, shares])
    columns = "devices>|blocks>|threads>|ns/add>|adds/s>|fair>|device's rate over the mean"
    return table("Adds by all threads of all devices to one cell of the first", columns, rows)


def _handoffs(found: Sequence[Handoff]) -> Table:
    rows = []
    for row in found:
        p, counted = row.measured.point, row.litmus
        stale = f"{counted.stale} of {counted.looked_at}" if counted else ""
        rows.append([p.op, p.flavour, p.order, p.scope, cost(row.measured), stale])
    columns = "handoff|flavour|order|scope|ns one way>|stale data>"
    return table("Handoffs of a token, with data that it guards", columns, rows)


def _litmus_sentences(what: str, count: Litmus) -> list[str]:
    if not count.looked_at:
        return []
    if count.stale:
        times = f"{formats.count(count.stale, 'time')} of {count.looked_at}"
        return [f"{what}: stale data were seen {times}: not enough to order data"]
    return [
        f"{what}: no stale data were seen in {formats.count(count.looked_at, 'look')}, which is "
        f"no proof: the memory model promises no order"
    ]


def figures(found: SeveralGpus) -> list[Figure]:
    """One of the barriers over several numbers of devices, one of a thread's accesses."""
    return barrier_figure(found.barriers, found.fastest) + _access_figure(found.accesses)


def _slowest_access(accesses: Sequence[Access]) -> str:
    """The access of one thread that loses most where its cell is a peer's."""
    slower = [
        (r.value, access.point.op)
        for access in accesses
        if (access.point.blocks, access.point.lanes) == (1, 1)
        and isinstance(r := access.over_local("peer"), Ratio)
        and verdict(r) is Verdict.slower
    ]
    if not slower:
        return ""
    value, op = max(slower)
    return (
        f"{op} of one thread takes up to {formats.ratio(value)} times as long on a peer's cell as on "
        "its own device's"
    )


def _access_figure(accesses: Sequence[Access]) -> list[Figure]:
    alone = [a for a in accesses if a.point.blocks == 1 and a.point.lanes == 1]
    rows = [
        row
        for a in alone
        for place, s in a.by_place.items()
        for row in rows_of(s, row=f"{a.point.op} {a.point.type} {a.point.scope}", group=place)
    ]
    if len({row["group"] for row in rows}) < 2:
        return []
    note = "Cost of an access by one thread of one device and its 95 % interval, logarithmic."
    dots = Dots(rows, "ns per access", list(places.values()), "access", "cells on")
    title = _slowest_access(accesses) or "What an access of one thread costs by where the cell lies"
    return [Figure("multi-gpu-accesses", title, note, [Panel("all accesses", dots)], wide=True)]
