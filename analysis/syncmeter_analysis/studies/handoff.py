"""The tables of handoffs between warps: by form, by distance, and the chain beside its article's."""

from __future__ import annotations

from collections.abc import Sequence

from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.relation import NotComparable, Ratio, default_margin
from syncmeter_analysis.relate.stats import median
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Bullets, Cell, Table, Text
from syncmeter_analysis.studies.handoff_rows import (
    Handoff,
    Handoffs,
    Launch,
    Pairs,
    between_multiprocessors,
    form_of,
    key_of,
    ns_of,
    published_ms,
    published_warps,
    reference,
    rows,
)

__all__ = ["rows", "text", "title"]

title = "Handoffs between warps"
measured_by = "`syncmeter run --study handoff` on a GPU"


def text(handoffs: Handoffs) -> list[Block]:
    """Rings by form, pairs by distance, and the one-shot chain."""
    several = len(handoffs.backends) > 1
    found: list[Block] = [_ring(launch, several) for launch in handoffs.rings]
    if handoffs.rings:
        found += [
            Bullets([line for launch in handoffs.rings if (line := _in_order(launch))]),
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


def ring_name(launch: Launch) -> str:
    threads = f"of {launch.threads} threads"
    if launch.blocks == 1:
        return f"ring of the warps of one block {threads}"
    return f"ring through {launch.blocks} blocks {threads}"


def _of(backend: str, several: bool) -> str:
    return f" ({backend})" if several else ""


def _over(r: Ratio | NotComparable | None) -> list[str]:
    """The ratio and its interval; 1 for the reference."""
    if r is None:
        return ["1", ""]
    if isinstance(r, NotComparable):
        return ["", r.why]
    return [formats.ratio(r.value), formats.ratio_bounds(r)]


def _status(handoff: Handoff) -> str:
    s = handoff.s
    return "" if s.status == "ok" or formats.cost(s) == s.status else s.status


def _polls(handoff: Handoff) -> str:
    return "" if handoff.polls is None else f"{handoff.polls:.3g}"


def _old(handoff: Handoff) -> str:
    if handoff.old_messages is None or handoff.messages is None:
        return ""
    return f"{handoff.old_messages} of {handoff.messages}"


def _ring(launch: Launch, several: bool) -> Table:
    table = Table(
        [
            "form",
            "scope",
            "ns/handoff",
            "over ptx device",
            "95 % interval",
            "polls",
            "old messages",
            "",
        ],
        [],
        right=[2, 3, 4, 5, 6],
        caption="Handoffs: a flag from warp to warp, by form; "
        f"{ring_name(launch)}{_of(launch.backend, several)}",
        keys=2,
    )
    for h in launch.handoffs:
        texts = [form_of(h.s.point), h.s.point.scope, formats.cost(h.s), *_over(h.over_reference)]
        cells = [Cell(t) for t in [*texts, _polls(h), _old(h), _status(h)]]
        cells[2].points = [h.s.id]
        table.rows.append(cells)
    return table


def _in_order(launch: Launch) -> str:
    """The fastest form whose order keeps data and flag together."""
    if launch.in_order is None:
        return ""
    best, ties = launch.in_order.best, launch.in_order.ties
    line = (
        f"{ring_name(launch)}: {_written(best)} is the fastest form that keeps data and flag in "
        f"order, {formats.nanoseconds(ns_of(best))} ns"
    )
    if best.cost and best.cost.bounded:
        line += f" ({formats.interval_ns(best.cost)})"
    if ties:
        told = ", ".join(_written(s) for s in ties)
        line += f"; not told apart from it within {default_margin:.0%}: {told}"
    return line


def _written(s: Measured) -> str:
    return f"{form_of(s.point)} at scope {s.point.scope}"


def _distances(found: Sequence[Pairs], several: bool) -> list[Block]:
    table = Table(
        ["from one warp to another", "scope", "pairs", "ns/handoff", "lowest..highest"],
        [],
        right=[2, 3, 4],
        caption="Handoffs by distance: ld.acquire, st.release",
        keys=2,
    )
    for pairs in found:
        costs = [ns_of(s) for s in pairs.points]
        texts = [pairs.distance + _of(pairs.backend, several), pairs.scope, str(len(costs))]
        texts.append(formats.nanoseconds(median(costs)))
        extremes = f"{formats.nanoseconds(min(costs))}..{formats.nanoseconds(max(costs))}"
        cells = [Cell(t) for t in [*texts, extremes if len(costs) > 1 else ""]]
        cells[3].points = [s.id for s in pairs.points]
        table.rows.append(cells)
    if not table.rows:
        return []
    across = [s for pairs in found for s in pairs.points if between_multiprocessors(s.point)]
    if not across:
        return [table]
    slowest = max(across, key=ns_of)
    told = (
        f"slowest from multiprocessor 1: to multiprocessor {slowest.point.size}, "
        f"{formats.nanoseconds(ns_of(slowest))} ns"
    )
    return [table, Bullets([told])]


def _chain(launch: Launch, several: bool) -> Table:
    """Each form beside what was published of it: its cost, and its ratio to the reference."""
    table = Table(
        [
            "form",
            "scope",
            "ns/handoff",
            "published ns",
            "over ptx device",
            "95 % interval",
            "published",
            "here : published",
            "polls",
            "old messages",
            "",
        ],
        [],
        right=range(2, 10),
        caption="Reproduction: one-shot chain, every warp of a grid waits once for one flag; "
        f"{launch.blocks} blocks of {launch.threads} threads{_of(launch.backend, several)}",
        keys=2,
    )
    for h in launch.handoffs:
        ms, own = published_ms.get(key_of(h.s.point)), published_ms[reference]
        texts = [form_of(h.s.point), h.s.point.scope, formats.cost(h.s)]
        texts.append(formats.nanoseconds(ms * 1e6 / published_warps) if ms else "")
        texts += _over(h.over_reference)
        texts.append(formats.ratio(ms / own) if ms else "")
        r = h.over_reference
        texts.append(
            formats.ratio_interval(r.times(own / ms)) if ms and isinstance(r, Ratio) else ""
        )
        cells = [Cell(t) for t in [*texts, _polls(h), _old(h), _status(h)]]
        cells[2].points = [h.s.id]
        table.rows.append(cells)
    return table
