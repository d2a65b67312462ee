"""What a step across GPUs costs: barriers over the devices of one host, accesses by where the cells
lie, adds of all devices to one cell, and handoffs with what their litmus counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from syncmeter_analysis.record.point import Point
from syncmeter_analysis.record.visit import Link, Litmus
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, contest
from syncmeter_analysis.relate.relation import (
    NotComparable,
    Ratio,
    Verdict,
    ratio,
    verdict,
)
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Bullets, Cell, Table, Text, table
from syncmeter_analysis.studies.figures import Axis, Curves, Dots, Figure, Panel, Row, rows_of

title = "Several GPUs"
measured_by = "`syncmeter run --study multi-gpu` on a GPU"
order = 16

handoffs = ("gpu_handoff", "cpu_gpu_handoff")
_prefixes = ("multi_gpu_", "remote_")
in_kernels = "multi_gpu_barrier_"

#: Where the cells of an access lie, by the point's `home`.
places = {"first": "local", "second": "peer", "other": "host"}


@dataclass
class Barrier:
    """One barrier with one launch on each device, by the number of devices."""

    by_devices: dict[int, Measured]

    @property
    def point(self) -> Point:
        return next(iter(self.by_devices.values())).point

    @property
    def name(self) -> str:
        return barrier_name(self.point)


@dataclass
class Fastest:
    """The fastest barrier inside kernels over so many devices. `fewer` is the same barrier with the
    same launch over the next fewer, `step` its ratio to that one."""

    devices: int
    contest: Contest
    fewer: Measured | None = None
    step: Ratio | NotComparable | None = None


@dataclass
class Access:
    """One access of one device, by where the cells lie; the ratios are to cells of its own."""

    by_place: dict[str, Measured]
    peer_over_local: Ratio | NotComparable | None = None
    host_over_local: Ratio | NotComparable | None = None

    @property
    def point(self) -> Point:
        return next(iter(self.by_place.values())).point


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
    """All of it; falsy without a point. `by_device_scope` is what was counted of handoffs between
    devices at device scope, `unordered` of flags without order."""

    links: list[Link] = field(default_factory=list)
    barriers: list[Barrier] = field(default_factory=list)
    fastest: list[Fastest] = field(default_factory=list)
    accesses: list[Access] = field(default_factory=list)
    contention: list[Contention] = field(default_factory=list)
    handoffs: list[Handoff] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.barriers or self.accesses or self.contention or self.handoffs)

    @property
    def by_device_scope(self) -> Litmus:
        return _sum(h for h in self.handoffs if _is_between_devices_at_device_scope(h))

    @property
    def unordered(self) -> Litmus:
        return _sum(h for h in self.handoffs if h.measured.point.order == "relaxed")


def _is_between_devices_at_device_scope(h: Handoff) -> bool:
    return h.measured.point.op == "gpu_handoff" and h.measured.point.scope == "device"


def _sum(found: Iterable[Handoff]) -> Litmus:
    return sum((h.litmus for h in found if h.litmus), Litmus())


def barrier_name(p: Point) -> str:
    return f"{p.op}, counter on the second" if p.home == "second" else p.op


def rows(campaign: Campaign) -> SeveralGpus:
    """Of all points that cross devices, but those that were not supported."""
    points = [
        s
        for s in campaign.points.values()
        if s.on_gpu
        and (s.point.op.startswith(_prefixes) or s.point.op in handoffs)
        and s.status not in ("unsupported", "elided")
    ]
    barriers = _barriers(points)
    return SeveralGpus(
        _links(campaign),
        barriers,
        _fastest(barriers),
        _accesses(points),
        [
            Contention(s, _shares(campaign, s))
            for s in sorted(points, key=_launch_order)
            if s.point.op == "multi_gpu_fetch_add" and s.usable
        ],
        [
            Handoff(s, _litmus(campaign, s))
            for s in sorted(points, key=_handoff_order)
            if s.point.op in handoffs
        ],
    )


def _launch_order(s: Measured) -> tuple[int, int, int]:
    return s.point.blocks, s.point.lanes, s.point.size


def _handoff_order(s: Measured) -> tuple[str, ...]:
    p = s.point
    return p.op, p.order, p.scope, p.flavour


def _links(campaign: Campaign) -> list[Link]:
    found: dict[tuple[int, int], Link] = {}
    for visits in campaign.visits.values():
        for link in (link for visit in visits for link in visit.links):
            found.setdefault((link.source, link.target), link)
    return [found[ends] for ends in sorted(found)]


def _barriers(points: Sequence[Measured]) -> list[Barrier]:
    found: dict[Point, dict[int, Measured]] = defaultdict(dict)
    for s in points:
        if s.family == "barrier":
            found[s.point.without("size")][s.point.size] = s
    barriers = [Barrier(dict(sorted(by_devices.items()))) for by_devices in found.values()]
    return sorted(barriers, key=lambda b: (b.name, b.point.blocks, b.point.lanes))


def _fastest(barriers: Sequence[Barrier]) -> list[Fastest]:
    inside = [b for b in barriers if b.point.op.startswith(in_kernels)]
    found = []
    for devices in sorted({n for b in inside for n in b.by_devices}):
        by_name: dict[str, list[Measured]] = defaultdict(list)
        for b in inside:
            if devices in b.by_devices:
                by_name[b.name].append(b.by_devices[devices])
        of_each = (contest(launches) for launches in by_name.values())
        one = contest(launches.best for launches in of_each if launches.best)
        if one.best is None:
            continue
        best = Fastest(devices, one)
        of_best = next(b for b in inside if b.by_devices.get(devices) is one.best)
        less = [n for n, s in of_best.by_devices.items() if n < devices and s.usable]
        if less:
            best.fewer = of_best.by_devices[max(less)]
            best.step = ratio(one.best, best.fewer)
        found.append(best)
    return found


def _accesses(points: Sequence[Measured]) -> list[Access]:
    found: dict[Point, dict[str, Measured]] = defaultdict(dict)
    for s in points:
        if s.point.op.startswith("remote_") and s.point.home in places:
            found[s.point.without("home")][places[s.point.home]] = s
    accesses = []
    for by_place in found.values():
        access = Access(by_place)
        local, peer, host = (by_place.get(place) for place in places.values())
        access.peer_over_local = ratio(peer, local) if peer and local else None
        access.host_over_local = ratio(host, local) if host and local else None
        accesses.append(access)
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
        *_litmus_sentences("device scope between devices", found.by_device_scope),
        *_litmus_sentences("a flag without order", found.unordered),
    ]


def text(found: SeveralGpus) -> list[Block]:
    """The links, and a table with its findings for each kind of op that was measured."""
    blocks: list[Block] = []
    if found.links:
        blocks += [Text("Devices and their links:"), Bullets(list(map(link_sentence, found.links)))]
    if found.barriers:
        blocks.append(_barrier_table(found.barriers))
    if found.accesses:
        blocks += [_access_table(found.accesses), Text(f"Ratios: {formats.legend_of_marks}.")]
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


def _cell(s: Measured | None) -> Cell:
    return Cell(formats.cost(s), [s.id]) if s else Cell("")


def _barrier_table(barriers: Sequence[Barrier]) -> Table:
    devices = sorted({n for barrier in barriers for n in barrier.by_devices})
    return table(
        "Barriers over devices (multi_gpu_*), ns, by blocks and threads on each",
        ["barrier", "blocks x threads>", *(f"{formats.count(n, 'device')}>" for n in devices)],
        [
            [
                b.name.removeprefix("multi_gpu_"),
                formats.blocks_by_threads(b.point),
                *(_cell(b.by_devices.get(n)) for n in devices),
            ]
            for b in barriers
        ],
        keys=2,
    )


def fastest_sentence(fastest: Fastest) -> str:
    """The fastest over so many devices, what may be as fast, and its step from fewer devices."""
    which = fastest.contest.sentence(
        _barrier_and_launch, lambda s: f"{formats.cost(s)} ns", "barrier"
    )
    return f"{formats.count(fastest.devices, 'device')}, inside kernels: {which}{_step(fastest)}"


def _barrier_and_launch(s: Measured) -> str:
    return f"{barrier_name(s.point)} of {formats.blocks_by_threads(s.point)} threads"


def _step(fastest: Fastest) -> str:
    fewer, r, best = fastest.fewer, fastest.step, fastest.contest.best
    cost = best.cost if best else None
    if fewer is None or fewer.cost is None or cost is None or not isinstance(r, Ratio):
        return ""
    devices = formats.count(fewer.point.size, "device")
    if verdict(r) is Verdict.slower:
        more = formats.nanoseconds(cost.value - fewer.cost.value)
        return f"; its step from {devices} costs {more} ns, {formats.ratio_interval(r)} times"
    return f"; against {devices}: {verdict(r).value}, {formats.ratio_interval(r)} times"


def _one_value(axis: Callable[[Point], str], accesses: Sequence[Access]) -> bool:
    return len({axis(access.point) for access in accesses}) == 1


def _access_table(accesses: Sequence[Access]) -> Table:
    # Columns in which all are alike say nothing.
    flavours, orders = (
        not _one_value(axis, accesses) for axis in (lambda p: p.flavour, lambda p: p.order)
    )
    columns = ["access", "type", "scope", "flavour", "order", "blocks x threads>", "stride>"]
    columns += [*(f"{place}>" for place in places.values()), "peer : local>", "host : local>"]
    rows = []
    for access in accesses:
        p = access.point
        at = [p.op.removeprefix("remote_"), p.type, p.scope, p.flavour if flavours else ""]
        at += [p.order if orders else "", formats.blocks_by_threads(p), str(p.stride or 0)]
        costs = [_cell(access.by_place.get(place)) for place in places.values()]
        ratios = map(formats.marked_interval, (access.peer_over_local, access.host_over_local))
        rows.append([*at, *costs, *ratios])
    what = (
        "Accesses of one device (remote_*), ns per access of a thread, by where the cells lie; stride "
        "0: one cell"
    )
    return table(what, columns, rows, keys=7)


def _contention(found: Sequence[Contention]) -> Table:
    return table(
        "Adds by all threads of all devices to one cell of the first",
        "devices>|blocks>|threads>|ns/add>|adds/s>|fair>|device's rate over the mean",
        [
            [
                *map(str, _launch_order(row.measured)[2:] + _launch_order(row.measured)[:2]),
                *(_cell(row.measured), formats.rate(row.adds_per_s)),
                formats.number(row.measured.fairness, 3),
                " ".join(f"{share:.2f}" for share in row.shares),
            ]
            for row in found
        ],
    )


def _handoffs(found: Sequence[Handoff]) -> Table:
    return table(
        "Handoffs of a token, with data that it guards",
        "handoff|flavour|order|scope|ns one way>|stale data>",
        [
            [
                *(p.op, p.flavour, p.order, p.scope, _cell(row.measured)),
                f"{row.litmus.stale} of {row.litmus.looked_at}" if row.litmus else "",
            ]
            for row in found
            for p in [row.measured.point]
        ],
    )


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
    return _barrier_figure(found) + _access_figure(found.accesses)


def _barrier_figure(found: SeveralGpus) -> list[Figure]:
    several = [
        b
        for b in found.barriers
        if sum(s.usable for s in b.by_devices.values()) > 1 and b.point.home != "second"
    ]
    inside = Counter(
        (b.point.blocks, b.point.lanes) for b in several if b.point.op.startswith(in_kernels)
    )
    # Of the launches that most barriers have, the smallest.
    usual = min(inside, key=lambda launch: (-inside[launch], launch), default=None)
    shown = [
        b
        for b in several
        if not b.point.op.startswith(in_kernels) or (b.point.blocks, b.point.lanes) == usual
    ]
    if not shown or usual is None:
        return []
    rows: list[Row] = [
        {"x": n, "value": s.cost.value, "name": b.name.removeprefix("multi_gpu_"), "id": s.id}
        for b in shown
        for n, s in b.by_devices.items()
        if s.usable and s.cost
    ]
    names = list(dict.fromkeys(r["name"] for r in rows))
    note = (
        "Cost of a barrier by the number of devices, logarithmic; inside kernels "
        f"{usual[0]} blocks of {usual[1]} threads on each device, the others one block. "
        "Counters on the second device are in the table."
    )
    panel = Panel("all barriers", Curves(rows, Axis("devices", "steps"), Axis("ns"), names))
    title = (
        fastest_sentence(found.fastest[-1]) if found.fastest else "Barriers by number of devices"
    )
    return [Figure("multi-gpu-barriers", title, note, [panel], [r["id"] for r in rows])]


def _slowest_access(accesses: Sequence[Access]) -> str:
    """The access of one thread that loses most where its cell is a peer's."""
    slower = [
        (r.value, access.point.op)
        for access in accesses
        if (access.point.blocks, access.point.lanes) == (1, 1)
        and isinstance(r := access.peer_over_local, Ratio)
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
    panels, points = [Panel("all accesses", dots)], [row["id"] for row in rows]
    title = _slowest_access(accesses) or "What an access of one thread costs by where the cell lies"
    return [Figure("multi-gpu-accesses", title, note, panels, points, wide=True)]
