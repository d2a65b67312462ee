"""A flag handed from one warp of a GPU to another: every way to write it over the one with acquire and
release at device scope, how far it goes, and the chain of warps that an article measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from syncmeter_analysis.record.point import Point
from syncmeter_analysis.relate import contest_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, Over, contest
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.relation import NotComparable, Ratio, ratio
from syncmeter_analysis.relate.stats import median
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Cell, Table, Text, table
from syncmeter_analysis.studies.cells import cost, cost_ns, ns_of
from syncmeter_analysis.studies.figures import Axis, Dots, Figure, Panel, curve, rows_of

title = "Handoffs between warps"
order = 12

#: What the article's own program took on an H200, ms for 2^20 warps with one handoff each, by form and
#: scope.
published_ms = {
    ("ptx", "acq_rel", "block"): 277.0,
    ("ptx", "acq_rel", "device"): 3014.0,
    ("ptx", "acq_rel", "system"): 6762.0,
    ("volatile", "acq_rel", "device"): 5672.0,
    ("volatile", "acq_rel", "system"): 6781.0,
    ("atomic_ref", "acq_rel", "device"): 3013.0,
    ("ptx", "relaxed", "block"): 248.0,
    ("ptx", "relaxed", "device"): 1853.0,
    ("ptx", "relaxed", "system"): 3306.0,
}
published_warps = 1 << 20

#: The form that the others are compared with.
reference = ("ptx", "acq_rel", "device")

#: Forms in the order of their rows; scopes from the narrowest.
flavours = ("ptx", "atomic_ref", "volatile")
orders = ("acq_rel", "relaxed")
scopes = ("block", "cluster", "device", "system")

#: What a ring has in place of a flag: objects in shared memory, and what carries the token itself.
in_place = {
    "semaphore_handoff": "cuda::binary_semaphore",
    "atomic_wait_handoff": "cuda::atomic wait, notify_one",
    "mbarrier_handoff": "mbarrier arrive, wait",
    "bulk_handoff": "cp.async.bulk, mbarrier wait",
    "red_async_handoff": "red.async, mbarrier wait",
}

#: Launched as one cluster of blocks.
in_cluster = ("cluster_handoff", "bulk_handoff", "red_async_handoff")

#: Where two warps sit, from near to far.
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
    """One way to hand a flag on. `over_reference` is None for the reference itself.

    `polls` in vain, of all who wait, for each handoff (median over visits); `old_messages` of
    `messages`: data of before the flag that were seen with it. None where the visits do not say.
    """

    s: Measured
    over_reference: Over
    polls: float | None
    old_messages: int | None
    messages: int | None


@dataclass
class Launch:
    """The handoffs of one op at one launch; `in_order`: those that keep data and flag in order."""

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
    """Rings and one-shot chains by launch, and pairs by distance; falsy without any."""

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
    """What was measured or failed of the GPUs' handoffs between warps."""
    points = [
        s
        for s in campaign.points.values()
        if s.on_gpu and (s.visits or s.status == "failed") and not s.point.repeat and not s.doubt
    ]
    points.sort(key=lambda s: rank_of(s.point))
    return Handoffs(
        _by_launch(points, ("warp_handoff", "cluster_handoff", *in_place), campaign),
        _by_launch(points, ("handoff_chain",), campaign),
        _by_distance(points, campaign),
    )


def form_of(p: Point) -> str:
    """How the flag is written and read, in the names of CUDA, or what hands on in its place."""
    if p.op in in_place:
        return in_place[p.op]
    relaxed = p.order == "relaxed"
    if p.flavour == "ptx":
        return "ld.relaxed, st.relaxed" if relaxed else "ld.acquire, st.release"
    if p.flavour == "atomic_ref":
        return "atomic_ref relaxed" if relaxed else "atomic_ref acquire, release"
    if relaxed:
        return "volatile"
    fence = {"system": "__threadfence_system", "block": "__threadfence_block"}
    return f"volatile, {fence.get(p.scope, '__threadfence')}"


def _place(value: str, among: tuple[str, ...]) -> int:
    return among.index(value) if value in among else len(among)


def rank_of(p: Point) -> tuple[int, ...]:
    """By form, orders before what is relaxed, the narrowest scope first; pairs by the partner."""
    axes = (p.flavour, flavours), (p.order, orders), (p.scope, scopes)
    return (*(_place(value, among) for value, among in axes), p.size)


def key_of(p: Point) -> tuple[str, str, str]:
    return p.flavour, p.order, p.scope


def between_multiprocessors(p: Point) -> bool:
    """`size` says which is the other; 1 is another block of the first one itself."""
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
    """Of the standard form only; wider scopes than the device are of other hardware."""

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
    """Where the two warps sit, or '' for what is no pair of warps. Whether two multiprocessors are of
    one GPC was seen where a cluster put two blocks on them."""
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


def answer(handoffs: Handoffs) -> list[str]:
    """The fastest form that keeps data and flag in order, by place, and the farthest pair."""
    several = len(handoffs.backends) > 1
    found = [
        contest_text.sentence(
            x.in_order,
            f"{x.place} of {x.threads} threads{_of(x.backend, several)}, data and flag in order",
            *(_written, cost_ns, "form in order"),
        )
        for x in (*handoffs.rings, *handoffs.chains)
        if x.in_order.points
    ]
    return found + _slowest_pair(handoffs.pairs)


def text(handoffs: Handoffs) -> list[Block]:
    """Rings by form, pairs by distance, and the one-shot chain."""
    several = len(handoffs.backends) > 1
    found: list[Block] = [_ring(launch, several) for launch in handoffs.rings]
    if handoffs.rings:
        found += [
            Text(
                "polls: unsuccessful polls of all waiting lanes, per handoff; counted in a "
                "register after the load, in both loops. old messages: reads behind the flag "
                "that returned data from before it; with acquire and release a single one would "
                "fail the point."
            ),
        ]
    found += _distances(handoffs.pairs, several)
    found += [_chain(launch, several) for launch in handoffs.chains]
    if handoffs.chains:
        found.append(
            Text(
                "published: by the article's program on an H200, 2^20 warps in blocks of 1024 "
                "threads; here the difference of two lengths. The chain relies on blocks starting "
                "in order, which CUDA does not promise; with scope block it goes from one block to "
                "the next at device scope."
            )
        )
    return found


def _of(backend: str, several: bool) -> str:
    return f" ({backend})" if several else ""


def _ring(launch: Launch, several: bool) -> Table:
    return table(
        "Handoffs: a flag from warp to warp, by form; "
        f"{launch.place} of {launch.threads} threads{_of(launch.backend, several)}",
        "form|scope|ns/handoff>|over ptx device>|95 % interval>|polls>|old messages>|",
        [[*_form_fields(h), *_over_fields(h), *_counted_fields(h)] for h in launch.handoffs],
        keys=2,
    )


def _form_fields(h: Handoff) -> list[Cell | str]:
    return [form_of(h.s.point), h.s.point.scope, cost(h.s)]


def _over_fields(h: Handoff) -> list[str]:
    return formats.ratio_fields(h.over_reference, itself=h.over_reference is None)


def _counted_fields(h: Handoff) -> list[str]:
    """Polls, old messages, and why there is no ratio or cost."""
    polls = "" if h.polls is None else f"{h.polls:.3g}"
    known = h.old_messages is not None and h.messages is not None
    status = "" if h.s.status == "ok" or formats.cost(h.s) == h.s.status else h.s.status
    notes = filter(None, (status, formats.why_none(h.over_reference)))
    return [polls, f"{h.old_messages} of {h.messages}" if known else "", "; ".join(notes)]


def _written(s: Measured) -> str:
    return f"{form_of(s.point)} at scope {s.point.scope}"


def _distances(found: Sequence[Pairs], several: bool) -> list[Block]:
    rows = []
    for pairs in found:
        costs = [ns_of(s) for s in pairs.points]
        middle = Cell(formats.nanoseconds(median(costs)), [s.id for s in pairs.points])
        ends = f"{formats.nanoseconds(min(costs))}..{formats.nanoseconds(max(costs))}"
        where = pairs.distance + _of(pairs.backend, several)
        rows.append([where, pairs.scope, str(len(costs)), middle, ends if len(costs) > 1 else ""])
    if not rows:
        return []
    columns = "from one warp to another|scope|pairs>|ns/handoff>|lowest..highest>"
    return [table("Handoffs by distance: ld.acquire, st.release", columns, rows, keys=2)]


def _slowest_pair(found: Sequence[Pairs]) -> list[str]:
    across = [s for pairs in found for s in pairs.points if between_multiprocessors(s.point)]
    if not across:
        return []
    slowest = max(across, key=ns_of)
    takes = formats.duration(ns_of(slowest))
    to = f"to multiprocessor {slowest.point.size}"
    return [f"a handoff from multiprocessor 1 takes longest {to}: {takes}"]


def _chain(launch: Launch, several: bool) -> Table:
    """Each form beside what was published of it: its cost, and its ratio to the reference."""
    own = published_ms[reference]
    rows = []
    for h in launch.handoffs:
        ms, r = published_ms.get(key_of(h.s.point)), h.over_reference
        ns = formats.nanoseconds(ms * 1e6 / published_warps) if ms else ""
        over = [formats.ratio(ms / own) if ms else ""]
        over += [formats.ratio_interval(r.times(own / ms)) if ms and isinstance(r, Ratio) else ""]
        rows.append([*_form_fields(h), ns, *_over_fields(h), *over, *_counted_fields(h)])
    return table(
        "Reproduction: one-shot chain, every warp of a grid waits once for one flag; "
        f"{launch.blocks} blocks of {launch.threads} threads{_of(launch.backend, several)}",
        "form|scope|ns/handoff>|published ns>|over ptx device>|95 % interval>|published>"
        "|here : published>|polls>|old messages>|",
        rows,
        keys=2,
    )


def figures(found: Handoffs) -> list[Figure]:
    """What it costs to hand a flag on, by form and by distance, of each backend that measured it."""
    drawn = []
    for i, backend in enumerate(found.backends):
        of_backend = Handoffs(
            [x for x in found.rings if x.backend == backend],
            [x for x in found.chains if x.backend == backend],
            [p for p in found.pairs if p.backend == backend],
        )
        for figure in _form_figure(of_backend) + _distance_figure(of_backend.pairs):
            figure.id += f"-{backend}" if i else ""
            figure.title = f"{backend}: " * (len(found.backends) > 1) + figure.title
            drawn.append(figure)
    return drawn


def _form_figure(found: Handoffs) -> list[Figure]:
    # Of launches of one place the last.
    places = {x.place: x for x in (*found.rings, *found.chains)}
    points = [(place, h.s) for place, x in places.items() for h in x.handoffs if h.s.usable]
    if not points:
        return []
    points.sort(key=lambda point: rank_of(point[1].point))
    rows = [
        row
        for place, s in points
        for row in rows_of(s, row=f"{form_of(s.point)}, {s.point.scope}", group=place)
    ]
    groups = list(dict.fromkeys(place for place, _ in points))
    title, *_ = answer(found) or ["A flag from warp to warp, by form"]
    note = (
        "ns per handoff with the 95 % interval, logarithmic; form and scope. "
        "The chain is from an article: every warp of a grid waits once for one flag."
    )
    panel = Panel("by form", Dots(rows, "ns per handoff", groups, "form"))
    return [Figure("handoffs", title, note, [panel], wide=True)]


def _distance_figure(found: Sequence[Pairs]) -> list[Figure]:
    across = [(p.distance, s) for p in found for s in p.points if s.point.op == "sm_handoff"]
    if sum(between_multiprocessors(s.point) for _, s in across) < 2:
        return []
    rows = [
        {"x": s.point.size, "value": ns_of(s), "name": where, "id": s.id} for where, s in across
    ]
    x, y = Axis("multiprocessor of the other warp", "linear"), Axis("ns per handoff", "linear")
    note = (
        "ns per handoff by acquire and release at scope device; 1 is another block of the first "
        "multiprocessor itself."
    )
    panels = curve("by distance", rows, x, y, legend="two warps", lines=False)
    return [Figure("handoff-distance", _slowest_pair(found)[0], note, panels)]
