"""The tables of several GPUs, and what follows from them in sentences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from syncmeter_analysis.record.across_gpus import Link, Litmus
from syncmeter_analysis.record.point import Point
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.relation import (
    Ratio,
    Verdict,
    default_margin,
    verdict,
)
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Bullets, Cell, Table, Text
from syncmeter_analysis.studies.multi_gpu_rows import (
    Access,
    Barrier,
    Contention,
    Fastest,
    Handoff,
    SeveralGpus,
    barrier_name,
    places,
    rows,
)

__all__ = ["rows", "text", "title"]

title = "Several GPUs"
measured_by = "`syncmeter run --study multi-gpu` on a GPU"


def text(found: SeveralGpus) -> list[Block]:
    """The links, and a table with its findings for each kind of op that was measured."""
    blocks: list[Block] = []
    if found.links:
        blocks += [Text("Devices and their links:"), Bullets(list(map(link_sentence, found.links)))]
    if found.barriers:
        blocks.append(_barriers(found.barriers))
        blocks.append(Bullets(list(map(fastest_sentence, found.fastest))))
    if found.accesses:
        blocks += [_accesses(found.accesses), Text(f"Ratios: {formats.legend_of_marks}.")]
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
        blocks.append(
            Bullets(
                _litmus_sentences("device scope between devices", found.by_device_scope)
                + _litmus_sentences("a flag without order", found.unordered)
            )
        )
    return [block for block in blocks if not isinstance(block, Bullets) or block.items]


def link_sentence(link: Link) -> str:
    told = [
        f"{'' if link.peer_access else 'no '}peer access",
        f"{'' if link.native_atomics else 'no '}native atomics",
        f"performance rank {link.performance_rank}",
    ]
    if link.nvlinks:
        told.append(f"{formats.count(link.nvlinks, 'NVLink')} of device {link.source} up")
    return f"{link.source} to {link.target}: {', '.join(told)}"


def _cell(s: Measured | None) -> Cell:
    return Cell(formats.cost(s), [s.id]) if s else Cell("")


def _barriers(barriers: Sequence[Barrier]) -> Table:
    devices = sorted({n for barrier in barriers for n in barrier.by_devices})
    columns = ["barrier", "blocks x threads", *(formats.count(n, "device") for n in devices)]
    return Table(
        columns,
        [
            [
                Cell(b.name.removeprefix("multi_gpu_")),
                Cell(formats.blocks_by_threads(b.point)),
                *(_cell(b.by_devices.get(n)) for n in devices),
            ]
            for b in barriers
        ],
        right=range(1, len(columns)),
        caption="Barriers over devices (multi_gpu_*), ns, by blocks and threads on each",
        keys=2,
    )


def fastest_sentence(fastest: Fastest) -> str:
    """The fastest over so many devices, what is as fast, and its step from fewer devices."""
    s = fastest.winners.best
    told = f"fastest inside kernels over {formats.count(fastest.devices, 'device')}: "
    told += f"{barrier_name(s.point)}, {_launch(s.point)}, {formats.cost(s)} ns"
    launches: dict[str, list[str]] = defaultdict(list)
    for tie in fastest.winners.ties:
        launches[barrier_name(tie.point)].append(formats.blocks_by_threads(tie.point))
    if launches:
        ties = "; ".join(f"{name} {', '.join(found)}" for name, found in launches.items())
        told += f" (within {default_margin:.0%} of it or not told apart: {ties})"
    return told + _step(fastest)


def _launch(p: Point) -> str:
    return f"{formats.count(p.blocks, 'block')} of {formats.count(p.lanes, 'thread')}"


def _step(fastest: Fastest) -> str:
    fewer, r, cost = fastest.fewer, fastest.step, fastest.winners.best.cost
    if fewer is None or fewer.cost is None or cost is None or not isinstance(r, Ratio):
        return ""
    devices = formats.count(fewer.point.size, "device")
    if verdict(r) is Verdict.slower:
        more = formats.nanoseconds(cost.value - fewer.cost.value)
        return f"; its step from {devices} costs {more} ns, {formats.ratio_interval(r)} times"
    return f"; against {devices}: {verdict(r).value}, {formats.ratio_interval(r)} times"


def _one_value(axis: Callable[[Point], str], accesses: Sequence[Access]) -> bool:
    return len({axis(access.point) for access in accesses}) == 1


def _accesses(accesses: Sequence[Access]) -> Table:
    # Columns in which all are alike say nothing.
    flavours, orders = (
        not _one_value(axis, accesses) for axis in (lambda p: p.flavour, lambda p: p.order)
    )
    columns = ["access", "type", "scope", "flavour", "order", "blocks x threads", "stride"]
    columns += [*places.values(), "peer : local", "host : local"]
    table = Table(
        columns,
        [],
        right=range(5, len(columns)),
        caption="Accesses of one device (remote_*), ns per access of a thread, by where the cells "
        "lie; stride 0: one cell",
        keys=7,
    )
    for access in accesses:
        p = access.point
        name = p.op.removeprefix("remote_")
        texts = [name, p.type, p.scope, p.flavour if flavours else "", p.order if orders else ""]
        texts += [formats.blocks_by_threads(p), str(p.stride or 0)]
        table.rows.append(
            [
                *map(Cell, texts),
                *(_cell(access.by_place.get(place)) for place in places.values()),
                Cell(formats.marked_interval(access.peer_over_local)),
                Cell(formats.marked_interval(access.host_over_local)),
            ]
        )
    return table


def _contention(found: Sequence[Contention]) -> Table:
    columns = ["devices", "blocks", "threads", "ns/add", "adds/s", "fair"]
    table = Table(
        [*columns, "device's rate over the mean"],
        [],
        right=range(len(columns)),
        caption="Adds by all threads of all devices to one cell of the first",
    )
    for row in found:
        s, p = row.measured, row.measured.point
        fair = "" if s.fairness is None else f"{s.fairness:.3f}"
        shares = " ".join(f"{share:.2f}" for share in row.shares)
        launch = map(Cell, (str(p.size), str(p.blocks), str(p.lanes)))
        rest = map(Cell, (formats.rate(row.adds_per_s), fair, shares))
        table.rows.append([*launch, _cell(s), *rest])
    return table


def _handoffs(found: Sequence[Handoff]) -> Table:
    table = Table(
        ["handoff", "flavour", "order", "scope", "ns one way", "stale data"],
        [],
        right=(4, 5),
        caption="Handoffs of a token, with data that it guards",
    )
    for row in found:
        p, count = row.measured.point, row.litmus
        stale = Cell(f"{count.stale} of {count.looked_at}" if count else "")
        ways = map(Cell, (p.op, p.flavour, p.order, p.scope))
        table.rows.append([*ways, _cell(row.measured), stale])
    return table


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
