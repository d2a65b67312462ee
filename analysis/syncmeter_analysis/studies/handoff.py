"""The tables and figures of the study `handoff`: a flag from one warp to another by API and scope, by
distance, and the chain of warps that an article measured."""

from __future__ import annotations

from collections.abc import Sequence

from syncmeter_analysis.record.point import Point
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.handoffs import (
    Handoff,
    Handoffs,
    Launch,
    Pairs,
    between_multiprocessors,
    key_of,
    rank_of,
)
from syncmeter_analysis.relate.handoffs import rows as rows
from syncmeter_analysis.relate.stats import median
from syncmeter_analysis.studies.blocks import Block, Line, Table, table
from syncmeter_analysis.studies.cells import named
from syncmeter_analysis.studies.figures import Axis, Figure, courses, dots

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

#: What a ring has in place of a flag: objects in shared memory, and what carries the token itself.
in_place = {
    "semaphore_handoff": "cuda::binary_semaphore",
    "atomic_wait_handoff": "cuda::atomic wait, notify_one",
    "mbarrier_handoff": "mbarrier arrive, wait",
    "bulk_handoff": "cp.async.bulk, mbarrier wait",
    "red_async_handoff": "red.async, mbarrier wait",
}


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


def text(handoffs: Handoffs) -> list[Block]:
    """Returns rings and one-shot chains by form, and pairs by distance."""
    distances = [
        [
            *(p.backend, p.distance, p.scope, named(len(p.points), *p.points)),
            *(float(f(map(formats.ns_of, p.points))) for f in (median, min, max)),
        ]
        for p in handoffs.pairs
    ]
    columns = "backend|from one warp to another|scope|pairs>|median ns>|lowest>|highest>"
    what = "Handoffs by distance: ld.acquire, st.release"
    launches = map(_forms, (*handoffs.rings, *handoffs.chains))
    return [*launches, table(what, columns, distances, keys=3)]


def _forms(launch: Launch) -> Table:
    rows = [
        [
            *(form_of(h.s.point), h.s.point.scope, h.s),
            1 if h.over_reference is None else h.over_reference,
            *_published(h),
            *_counted(h),
        ]
        for h in launch.handoffs
    ]
    columns = "API|scope|ns/handoff>|over ptx device (95 % CI)>|published ns>|over the published>"
    columns += "|failed polls/handoff>|old messages>"
    place = f"{launch.place}, {launch.threads} threads, {launch.backend}"
    return table(f"Handoffs: a flag from warp to warp; {place}", columns, rows, keys=2)


def _published(h: Handoff) -> list[object]:
    """Returns the cost that the article published for its chain, and the ratio to it."""
    ms = published_ms.get(key_of(h.s.point))
    if h.s.point.op != "handoff_chain" or ms is None or h.s.cost is None:
        return ["", ""]
    ns = ms * 1e6 / published_warps
    return [ns, formats.ratio(h.s.cost.value / ns) if h.s.usable else ""]


def _counted(h: Handoff) -> list[str]:
    polls = "" if h.polls is None else f"{h.polls:.3g}"
    known = h.old_messages is not None and h.messages is not None
    return [polls, f"{h.old_messages} of {h.messages}" if known else ""]


def figures(found: Handoffs) -> list[Figure]:
    """Returns the cost of a handoff by form and by distance, for each backend."""
    drawn = []
    for i, backend in enumerate(found.backends):
        prefix, suffix = f"{backend}: " * (len(found.backends) > 1), f"-{backend}" * bool(i)
        # Of launches of one place the last.
        launches = (x for x in (*found.rings, *found.chains) if x.backend == backend)
        places = {x.place: x for x in launches}
        points = [(place, h.s) for place, x in places.items() for h in x.handoffs]
        points.sort(key=lambda point: rank_of(point[1].point))
        lines: list[Line] = [
            ([form_of(s.point), s.point.scope], {place: s}, ()) for place, s in points
        ]
        looks = {"title": "ns per handoff", "what": "form"}
        title = f"{prefix}A flag from warp to warp, by API and scope"
        note = "ns per handoff with the 95 % interval, logarithmic."
        drawn += dots(f"handoffs{suffix}", title, note, lines, **looks)
        pairs = [p for p in found.pairs if p.backend == backend]
        title = f"{prefix}A flag from warp to warp, by distance"
        drawn += _by_distance(f"handoff-distance{suffix}", title, pairs)
    return drawn


def _by_distance(id: str, title: str, found: Sequence[Pairs]) -> list[Figure]:
    across = [(p.distance, s) for p in found for s in p.points if s.point.op == "sm_handoff"]
    if sum(between_multiprocessors(s.point) for _, s in across) < 2:
        return []
    lines: list[Line] = [([s.point.size], {where: s}, ()) for where, s in across]
    x, y = Axis("multiprocessor of the other warp", "linear"), Axis("ns per handoff", "linear")
    note = "1 is another block of the first multiprocessor itself."
    return [Figure(id, title, note, courses(lines, x, y, legend="two warps", lines=False))]
