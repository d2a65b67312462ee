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
    reference,
)
from syncmeter_analysis.relate.handoffs import rows as rows
from syncmeter_analysis.relate.relation import Ratio
from syncmeter_analysis.relate.stats import median
from syncmeter_analysis.studies.blocks import Block, Cell, Table, Text, table
from syncmeter_analysis.studies.cells import cost, ns_of
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
    """Rings by form, pairs by distance, and the one-shot chain."""
    several = len(handoffs.backends) > 1
    found: list[Block] = [_ring(launch, several) for launch in handoffs.rings]
    if handoffs.rings:
        found += [
            Text(
                "polls: unsuccessful polls of all waiting threads, per handoff; counted in a "
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
        "Handoffs: a flag from warp to warp, by API; "
        f"{launch.place} of {launch.threads} threads{_of(launch.backend, several)}",
        "API|scope|ns/handoff>|over ptx device>|95 % interval>|polls>|old messages>|",
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
    note = (
        "ns per handoff with the 95 % interval, logarithmic; form and scope. "
        "The chain is from an article: every warp of a grid waits once for one flag."
    )
    panel = Panel("by form", Dots(rows, "ns per handoff", groups, "form"))
    return [
        Figure("handoffs", "A flag from warp to warp, by API and scope", note, [panel], wide=True)
    ]


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
    return [Figure("handoff-distance", "A flag from warp to warp, by distance", note, panels)]
