"""A flag handed from one warp of a GPU to another: each API at each launch, and pairs by distance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from syncmeter_analysis.record.point import Point
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, Over, contest
from syncmeter_analysis.relate.group import grouped, place_in
from syncmeter_analysis.relate.relation import NotComparable, ratio
from syncmeter_analysis.relate.stats import median
from syncmeter_analysis.relate.summary import Measured

#: Objects in shared memory that replace a flag.
objects = (
    "semaphore_handoff",
    "atomic_wait_handoff",
    "mbarrier_handoff",
    "bulk_handoff",
    "red_async_handoff",
)

#: The base for all ratios.
reference = ("ptx", "acq_rel", "device")

#: Row order. The narrowest scope is first.
flavours = ("ptx", "atomic_ref", "volatile")
orders = ("acq_rel", "relaxed")
scopes = ("block", "cluster", "device", "system")

#: Ops with a cluster launch.
in_cluster = ("cluster_handoff", "bulk_handoff", "red_async_handoff")

#: Places for two warps, from near to far.
distances = (
    "of one block",
    "of two blocks of one cluster",
    "of two blocks on one multiprocessor",
    "on two multiprocessors of one GPC",
    "on two multiprocessors of two GPCs",
    "on two multiprocessors that met in no cluster",
)


@dataclass
class Handoff:
    """A handoff by one API and scope. `over_reference` is None for the reference.

    `polls`: unsuccessful polls by all waiting lanes, for each handoff (median over visits).
    `old_messages` (of `messages`): reads behind the flag with data from before the flag. None means
    unknown.
    """

    s: Measured
    over_reference: Over
    polls: float | None
    old_messages: int | None
    messages: int | None


@dataclass
class Launch:
    """All handoffs with one op at one launch. `in_order`: handoffs with ordered data and flag."""

    backend: str
    blocks: int
    threads: int
    handoffs: list[Handoff]
    in_order: Contest

    @property
    def place(self) -> str:
        if self.handoffs[0].s.point.op == "handoff_chain":
            return f"one-shot chain over {self.blocks} blocks"
        if self.blocks == 1:
            return "ring in one block"
        cluster = " of one cluster" if self.handoffs[0].s.point.op in in_cluster else ""
        return f"ring through {self.blocks} blocks{cluster}"


@dataclass
class Pairs:
    """Pairs of warps as far apart, by acquire and release at one scope."""

    backend: str
    distance: str
    scope: str
    points: list[Measured]


@dataclass
class Handoffs:
    """Rings and one-shot chains by launch, and pairs by distance. Falsy if empty."""

    rings: list[Launch] = field(default_factory=list)
    chains: list[Launch] = field(default_factory=list)
    pairs: list[Pairs] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.rings or self.chains or self.pairs)

    @property
    def backends(self) -> list[str]:
        found = {launch.backend for launch in (*self.rings, *self.chains)}
        return sorted(found | {p.backend for p in self.pairs})


def rows(campaign: Campaign) -> Handoffs:
    """Returns all handoffs between warps with a cost or a failure."""
    points = [
        s
        for s in campaign.points.values()
        if s.on_gpu and (s.visits or s.status == "failed") and not s.point.repeat and not s.doubt
    ]
    points.sort(key=lambda s: rank_of(s.point))
    return Handoffs(
        _by_launch(points, ("warp_handoff", "cluster_handoff", *objects), campaign),
        _by_launch(points, ("handoff_chain",), campaign),
        _by_distance(points, campaign),
    )


def rank_of(p: Point) -> tuple[int, ...]:
    """Returns the place by API, order (relaxed last), scope (narrowest first) and partner."""
    axes = (p.flavour, flavours), (p.order, orders), (p.scope, scopes)
    return (*(place_in(among, value) for value, among in axes), p.size)


def key_of(p: Point) -> tuple[str, str, str]:
    return p.flavour, p.order, p.scope


def between_multiprocessors(p: Point) -> bool:
    """Returns whether the pair is on two multiprocessors. The size 1 means two blocks on one."""
    return p.op == "sm_handoff" and p.size != 1


def _by_launch(
    points: Iterable[Measured], ops: tuple[str, ...], campaign: Campaign
) -> list[Launch]:
    def launch(s: Measured) -> tuple[str, int, bool, int]:
        p = s.point
        return p.backend, p.blocks, p.blocks > 1 and p.op in in_cluster, p.lanes

    found = []
    launches = grouped((s for s in points if s.point.op in ops), launch)
    for (backend, blocks, _, threads), alike in sorted(launches.items()):
        own = next((s for s in alike if key_of(s.point) == reference), None)
        handoffs = [_handoff(s, own, campaign) for s in alike]
        ordered = contest(s for s in alike if s.point.order != "relaxed")
        found.append(Launch(backend, blocks, threads, handoffs, ordered))
    return found


def _handoff(s: Measured, own: Measured | None, campaign: Campaign) -> Handoff:
    over: Over = None
    if own is not s:
        over = ratio(s, own) if own else NotComparable("ptx at device scope was not measured")
    polls = campaign.remarks(s, "polls_per_handoff")
    old = campaign.remarks(s, "violations_seen")
    messages = campaign.remarks(s, "litmus_handoffs")
    return Handoff(
        s,
        over,
        median(polls) if polls else None,
        int(old[-1]) if old else None,
        int(messages[-1]) if messages else None,
    )


def _by_distance(points: Iterable[Measured], campaign: Campaign) -> list[Pairs]:
    """Returns pairs with acquire and release in PTX, up to device scope."""

    def is_pair(s: Measured) -> bool:
        p = s.point
        standard = (p.flavour, p.order) == ("ptx", "acq_rel") and p.scope in scopes[:-1]
        return standard and s.usable and _distance(s, campaign) != ""

    def place(s: Measured) -> tuple[str, int, int]:
        far = distances.index(_distance(s, campaign))
        return s.point.backend, far, scopes.index(s.point.scope)

    return [
        Pairs(backend, distances[far], scopes[scope], alike)
        for (backend, far, scope), alike in sorted(grouped(filter(is_pair, points), place).items())
    ]


def _distance(s: Measured, campaign: Campaign) -> str:
    """Returns the place for two warps, or '' for other ops. A cluster with blocks on two
    multiprocessors shows that both belong to a common GPC."""
    p = s.point
    if p.op == "warp_handoff":
        return distances[0] if (p.blocks, p.lanes) == (1, 64) and p.scope != "cluster" else ""
    if p.op == "cluster_handoff":
        return distances[1] if p.blocks == 2 else ""
    if p.op != "sm_handoff":
        return ""
    if p.size == 1:
        return distances[2]
    same = campaign.remarks(s, "same_gpc")
    return (distances[3] if same[-1] else distances[4]) if same else distances[5]
