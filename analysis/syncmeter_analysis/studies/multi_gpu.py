"""The tables and figures of the study `multi-gpu`: barriers over the devices of one host, accesses by
the place of the cell, adds by all devices to one cell, and handoffs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from syncmeter_analysis.relate import point_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.several_gpus import Access, Barrier, SeveralGpus, in_kernels
from syncmeter_analysis.relate.several_gpus import rows as rows
from syncmeter_analysis.studies.blocks import Block, Line, pivot, table
from syncmeter_analysis.studies.cells import named
from syncmeter_analysis.studies.figures import Axis, Figure, courses, dots

title = "Several GPUs"
order = 16


def text(found: SeveralGpus) -> list[Block]:
    """Returns the links, and a table for each kind of operation."""
    links = (
        [
            x.source,
            x.target,
            *("yes" if b else "no" for b in (x.peer_access, x.native_atomics)),
            x.performance_rank,
            x.nvlinks or "",
        ]
        for x in found.links
    )
    contention = (
        [
            row.measured.point.size,
            row.measured.point.blocks,
            row.measured.point.lanes,
            row.measured,
            formats.rate(row.adds_per_s),
            formats.number(row.measured.fairness, 3),
            " ".join(f"{share:.2f}" for share in row.shares),
        ]
        for row in found.contention
    )
    handoffs = []
    for row in found.handoffs:
        p, counted = row.measured.point, row.litmus
        stale = f"{counted.stale} of {counted.looked_at}" if counted else ""
        handoffs.append([p.op, p.flavour, p.order, p.scope, row.measured, stale])
    return [
        table(
            "Devices and their links",
            "from>|to>|peer access|native atomics|performance rank>|NVLinks of the first>",
            links,
        ),
        pivot(
            "Barriers over devices (multi_gpu_*), ns, by blocks and threads on each",
            "barrier|blocks x threads>",
            _barriers(found.barriers),
        ),
        pivot(
            "Accesses of one device (remote_*), ns per access of a thread, by place of the variables",
            "access|type|scope|API|order|blocks x threads>|stride>",
            (([*_at(x), x.point.stride or 0], x.by_place, _over_local(x)) for x in found.accesses),
            "peer over local (95 % CI)>|host over local (95 % CI)>",
        ),
        table(
            "As many adds by all threads of each device to one variable of the first device",
            "devices>|blocks>|threads>|ns/add>|adds/s>|fair>|rate of each device over the mean",
            contention,
        ),
        table(
            "Handoffs of a token, with data that it guards",
            "handoff|API|order|scope|ns one way>|stale data>",
            handoffs,
        ),
    ]


def _at(access: Access) -> list[object]:
    p = access.point
    name = named(p.op.removeprefix("remote_"), *access.by_place.values())
    return [name, p.type, p.scope, p.flavour, p.order, point_text.blocks_by_threads(p)]


def _over_local(access: Access) -> list[object]:
    return [access.over_local(place) for place in ("peer", "host")]


def _barriers(barriers: Sequence[Barrier]) -> list[Line]:
    return [
        (
            [b.name.removeprefix("multi_gpu_"), point_text.blocks_by_threads(b.point)],
            {formats.count(n, "device"): s for n, s in sorted(b.by_devices.items())},
            (),
        )
        for b in barriers
    ]


def figures(found: SeveralGpus) -> list[Figure]:
    """Returns the barriers over several numbers of devices, and a thread's accesses."""
    alone = [a for a in found.accesses if a.point.blocks * a.point.lanes == 1]
    lines: list[Line] = [
        ([access.point.op.removeprefix("remote_"), access.point.scope], access.by_place, ())
        for access in alone
    ]
    title = "An access by one thread, by the place of the variable"
    looks = {"title": "ns per access", "what": "access", "legend": "variables on"}
    note = "Cost with its 95 % interval, logarithmic."
    return [*_by_devices(found.barriers), *dots("multi-gpu-accesses", title, note, lines, **looks)]


def _by_devices(barriers: Sequence[Barrier]) -> list[Figure]:
    several = [
        b
        for b in barriers
        if sum(s.usable for s in b.by_devices.values()) > 1 and b.point.home != "second"
    ]
    inside = Counter(
        (b.point.blocks, b.point.lanes) for b in several if b.point.op.startswith(in_kernels)
    )
    # The smallest launch among the launches with most barriers.
    usual = min(inside, key=lambda launch: (-inside[launch], launch), default=None)
    if usual is None:
        return []
    lines: list[Line] = [
        ([n], {b.name.removeprefix("multi_gpu_"): s}, ())
        for b in several
        if not b.point.op.startswith(in_kernels) or (b.point.blocks, b.point.lanes) == usual
        for n, s in b.by_devices.items()
    ]
    note = (
        f"Inside kernels {usual[0]} blocks of {usual[1]} threads on each device, others one block."
    )
    panels = courses(lines, Axis("devices", "steps"), Axis("ns"), title="all barriers")
    return [Figure("multi-gpu-barriers", "Barriers over several devices", note, panels)]
