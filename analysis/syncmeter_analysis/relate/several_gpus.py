"""Several GPUs: barriers by the number of devices, accesses by the place of the cell, shared adds, and
handoffs with a litmus test."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from syncmeter_analysis.record.point import Point
from syncmeter_analysis.record.visit import Link, Litmus
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, Over, contest, over
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.relation import Ratio, Verdict, verdict
from syncmeter_analysis.relate.summary import Measured

in_kernels = "multi_gpu_barrier_"


@dataclass
class Barrier:
    """One barrier with one launch on each device, by the number of devices."""

    by_devices: dict[int, Measured]

    @property
    def point(self) -> Point:
        return next(iter(self.by_devices.values())).point

    @property
    def name(self) -> str:
        p = self.point
        return f"{p.op} (counter on the second)" if p.home == "second" else p.op


@dataclass
class Fastest:
    """The fastest launch for each barrier inside kernels, over this number of devices."""

    devices: int
    contest: Contest


def barriers_over_devices(points: Iterable[Measured]) -> list[Barrier]:
    of_barriers = (s for s in points if s.family == "barrier")
    barriers = [
        Barrier({s.point.size: s for s in sorted(alike, key=attrgetter("point.size"))})
        for alike in grouped(of_barriers, lambda s: s.point.without("size")).values()
    ]
    return sorted(barriers, key=lambda b: (b.name, b.point.blocks, b.point.lanes))


def fastest_of_each(barriers: Sequence[Barrier]) -> list[Fastest]:
    inside = [b for b in barriers if b.point.op.startswith(in_kernels)]
    found = []
    for devices in sorted({n for b in inside for n in b.by_devices}):
        over_these = grouped((b for b in inside if devices in b.by_devices), lambda b: b.name)
        of_each = (contest(b.by_devices[devices] for b in bs).best for bs in over_these.values())
        one = contest(best for best in of_each if best)
        if one.best is not None:
            found.append(Fastest(devices, one))
    return found


handoffs = ("gpu_handoff", "cpu_gpu_handoff")
_prefixes = ("multi_gpu_", "remote_")

#: The place for cells, by `home`.
places = {"first": "local", "second": "peer", "other": "host"}


@dataclass
class Access:
    """One access of one device, by where the cells lie."""

    by_place: dict[str, Measured]

    @property
    def point(self) -> Point:
        return next(iter(self.by_place.values())).point

    def over_local(self, place: str) -> Over:
        """Returns the ratio to local cells, or None without a cost."""
        return over(self.by_place.get(place), self.by_place.get("local"))


@dataclass
class Contention:
    """Adds by all threads to one cell on the first device. `shares`: rate by device over the mean, from
    the last visit."""

    measured: Measured
    shares: tuple[float, ...]

    @property
    def adds_per_s(self) -> float:
        p, cost = self.measured.point, self.measured.cost
        assert cost is not None
        return p.size * p.blocks * p.lanes * 1e9 / cost.value


@dataclass
class Handoff:
    """A token between two sides, with the litmus counts for the guarded data."""

    measured: Measured
    litmus: Litmus | None


@dataclass
class SeveralGpus:
    """Everything about several GPUs. Falsy if empty."""

    links: list[Link] = field(default_factory=list)
    barriers: list[Barrier] = field(default_factory=list)
    fastest: list[Fastest] = field(default_factory=list)
    accesses: list[Access] = field(default_factory=list)
    contention: list[Contention] = field(default_factory=list)
    handoffs: list[Handoff] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.barriers or self.accesses or self.contention or self.handoffs)


def rows(campaign: Campaign) -> SeveralGpus:
    """Returns everything between devices, without unsupported points."""
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


def slowest_access(accesses: Sequence[Access]) -> Access | None:
    """Returns the access with the largest loss if the cell is on a peer, at the largest launch."""
    known = [(r, a) for a in accesses if isinstance(r := a.over_local("peer"), Ratio)]
    most = max((a.point.blocks * a.point.lanes for _, a in known), default=0)
    slower = [
        (r.value, a.point.op, a)
        for r, a in known
        if a.point.blocks * a.point.lanes == most and verdict(r) is Verdict.slower
    ]
    return max(slower, key=lambda found: found[:2])[-1] if slower else None
