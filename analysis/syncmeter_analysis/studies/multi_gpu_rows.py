"""What a step across GPUs costs: barriers over the devices of one host, accesses by where the cells
lie, adds of all devices to one cell, and handoffs with what their litmus counted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from syncmeter_analysis.record.across_gpus import Link, Litmus
from syncmeter_analysis.record.point import Point
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.relation import NotComparable, Ratio, Winners, fastest_of, ratio
from syncmeter_analysis.relate.summary import Measured

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
    winners: Winners
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
        winners = fastest_of(b.by_devices[devices] for b in inside if devices in b.by_devices)
        if winners is None:
            continue
        best = Fastest(devices, winners)
        of_best = next(b for b in inside if b.by_devices.get(devices) is winners.best)
        less = [n for n, s in of_best.by_devices.items() if n < devices and s.usable]
        if less:
            best.fewer = of_best.by_devices[max(less)]
            best.step = ratio(winners.best, best.fewer)
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
