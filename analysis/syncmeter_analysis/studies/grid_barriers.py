"""Barriers of a GPU's grid: the grid's own by launch, and those that are made of atomics against it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from syncmeter_analysis.relate import point_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.contest import Contest
from syncmeter_analysis.relate.grid_barriers import GridBarriers, KernelEnd, software
from syncmeter_analysis.relate.relation import Ratio, default_margin, verdict
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.text import percent
from syncmeter_analysis.studies.blocks import Block, Cell, table
from syncmeter_analysis.studies.cells import ns_of
from syncmeter_analysis.studies.figures import Heat, Panel
from syncmeter_analysis.studies.figures import row as figure_row


def also(one: Contest, taken: Measured | None = None) -> str:
    """The ops that show no difference to the one to take, and how many points of each."""
    ops = Counter(s.point.op for s in one.leaders if s is not (taken or one.taken))
    return ", ".join(op if n == 1 else f"{op} ({n})" for op, n in sorted(ops.items()))


def microseconds(s: Measured | None) -> str:
    return f"{ns_of(s) / 1e3:.2f}" if s else ""


def by_launch(points: Sequence[Measured]) -> list[Block]:
    if len(points) < 2:
        return []
    blocks = sorted({s.point.blocks for s in points})
    at = {(s.point.lanes, s.point.blocks): s for s in points}

    def cell(s: Measured | None) -> Cell:
        return Cell(microseconds(s), [s.id] if s else [])

    what = "grid_sync: us by launch; empty: not resident at once, or not measured"
    threads = sorted({s.point.lanes for s in points})
    rows = [[str(n), *(cell(at.get((n, of))) for of in blocks)] for n in threads]
    return [table(what, ["threads per block>", *(f"{n} blocks>" for n in blocks)], rows)]


def against_own(found: Sequence[GridBarriers]) -> list[Block]:
    columns = ["blocks x threads>", "grid_sync us>"]
    columns += [op.removeprefix("software_barrier_") + ">" for op in software]
    columns += ["fastest", f"no difference shown within {percent(default_margin)}"]
    columns += ["over grid_sync>", "95 % interval>", ""]
    rows = []
    for row in found:
        taken, r = row.contest.taken or row.contest.first, row.over_grid_sync
        itself = isinstance(r, Ratio) and r.identical
        says = formats.why_none(r) or ("" if itself else verdict(r).value)
        rows.append(
            [
                point_text.blocks_by_threads(taken.point),
                *(microseconds(row.by_op.get(op)) for op in ("grid_sync", *software)),
                Cell(taken.point.op, [s.id for s in row.by_op.values()]),
                *(also(row.contest), *formats.ratio_fields(r, itself), says),
            ]
        )
    what = "Barriers of the grid in software against grid_sync"
    return [table(what, columns, rows)] if rows else []


def against_kernels(found: Sequence[KernelEnd]) -> list[Block]:
    columns = "blocks x threads>|kernels>|ns each>|grid_sync ns>|grid_sync over a kernel>"
    columns += "|95 % interval>|"
    rows = [
        [
            *(point_text.blocks_by_threads(k.own.point), str(k.graph.point.size)),
            Cell(formats.nanoseconds(k.each_ns), [k.graph.id]),
            Cell(formats.nanoseconds(ns_of(k.own)), [k.own.id]),
            *(*formats.ratio_fields(k.own_over_kernel), verdict(k.own_over_kernel).value),
        ]
        for k in found
    ]
    what = "The end of a kernel in a graph (additional_graph_launch) against grid_sync"
    return [table(what, columns, rows)] if rows else []


def panels(points: Sequence[Measured]) -> list[Panel]:
    """Figure 8 of the paper: microseconds by blocks and threads of each; none of one launch alone."""
    blocks = sorted({s.point.blocks for s in points})
    threads = sorted({s.point.lanes for s in points})
    if len(blocks) < 2 or len(threads) < 2:
        return []
    rows = [
        figure_row(
            s.cost.scaled(1e-3),
            s.id,
            x=str(s.point.blocks),
            y=str(s.point.lanes),
            label=microseconds(s),
        )
        for s in points
        if s.cost
    ]
    fastest, slowest = _ends(points)
    heat = Heat(
        rows,
        ("blocks", [str(n) for n in blocks]),
        ("threads per block", [str(n) for n in threads]),
        "us per barrier",
        (fastest / 1e3, max(slowest, 1.01 * fastest) / 1e3),
        (70, 34),
    )
    return [Panel("grid_sync", heat)]


def _ends(points: Sequence[Measured]) -> tuple[float, float]:
    costs = [ns_of(s) for s in points]
    return min(costs), max(costs)
