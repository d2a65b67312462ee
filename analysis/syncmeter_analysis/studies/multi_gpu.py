"""The tables and figures of the study `multi-gpu`: barriers over the devices of one host, accesses by
the place of the cell, adds by all devices to one cell, and handoffs."""

from __future__ import annotations

from collections.abc import Sequence

from syncmeter_analysis.record.visit import Link
from syncmeter_analysis.relate import point_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.several_gpus import (
    Access,
    Contention,
    Handoff,
    SeveralGpus,
    places,
)
from syncmeter_analysis.relate.several_gpus import rows as rows
from syncmeter_analysis.studies.blocks import Block, Bullets, Table, Text, table
from syncmeter_analysis.studies.cells import cost, legend_of_marks
from syncmeter_analysis.studies.device_barriers import barrier_figure, barrier_table
from syncmeter_analysis.studies.figures import Dots, Figure, Panel, rows_of

title = "Several GPUs"
order = 16


def text(found: SeveralGpus) -> list[Block]:
    """The links, and a table with its findings for each kind of op that was measured."""
    blocks: list[Block] = []
    if found.links:
        blocks += [Text("Devices and their links:"), Bullets(list(map(link_sentence, found.links)))]
    if found.barriers:
        blocks.append(barrier_table(found.barriers))
    if found.accesses:
        accesses = _access_table(found.accesses)
        blocks += [accesses, Text(f"Ratios: {legend_of_marks(accesses)}.")]
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


def _access_table(accesses: Sequence[Access]) -> Table:
    # Columns in which all are alike say nothing.
    flavours, orders = (
        len({getattr(access.point, axis) for access in accesses}) > 1
        for axis in ("flavour", "order")
    )
    columns = ["access", "type", "scope", "flavour", "order", "blocks x threads>", "stride>"]
    columns += [*(f"{place}>" for place in places.values()), "peer : local>", "host : local>"]
    rows = []
    for access in accesses:
        p = access.point
        at = [p.op.removeprefix("remote_"), p.type, p.scope, p.flavour if flavours else ""]
        at += [p.order if orders else "", point_text.blocks_by_threads(p), str(p.stride or 0)]
        costs = [cost(access.by_place.get(place)) for place in places.values()]
        ratios = [formats.marked_interval(access.over_local(place)) for place in ("peer", "host")]
        rows.append([*at, *costs, *ratios])
    what = (
        "Accesses of one device (remote_*), ns per access of a thread, by where the cells lie; stride "
        "0: one cell"
    )
    return table(what, columns, rows, keys=7)


def _contention(found: Sequence[Contention]) -> Table:
    rows = []
    for row in found:
        s, p = row.measured, row.measured.point
        counted = [cost(s), formats.rate(row.adds_per_s), formats.number(s.fairness, 3)]
        shares = " ".join(f"{share:.2f}" for share in row.shares)
        rows.append([p.size, p.blocks, p.lanes, *counted, shares])
    columns = "devices>|blocks>|threads>|ns/add>|adds/s>|fair>|device's rate over the mean"
    return table("Adds by all threads of all devices to one cell of the first", columns, rows)


def _handoffs(found: Sequence[Handoff]) -> Table:
    rows = []
    for row in found:
        p, counted = row.measured.point, row.litmus
        stale = f"{counted.stale} of {counted.looked_at}" if counted else ""
        rows.append([p.op, p.flavour, p.order, p.scope, cost(row.measured), stale])
    columns = "handoff|flavour|order|scope|ns one way>|stale data>"
    return table("Handoffs of a token, with data that it guards", columns, rows)


def figures(found: SeveralGpus) -> list[Figure]:
    """One of the barriers over several numbers of devices, one of a thread's accesses."""
    return barrier_figure(found.barriers) + _access_figure(found.accesses)


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
    title = "An access by one thread, by the place of the cell"
    return [Figure("multi-gpu-accesses", title, note, [Panel("all accesses", dots)], wide=True)]
