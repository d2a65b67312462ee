"""What things cost: op by backend at three sizes, and the ratio to the fastest alternative."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.op_groups import job_of
from syncmeter_analysis.relate.relation import Ratio, fastest_of, ratio
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.render.report import Section
from syncmeter_analysis.studies.blocks import Cell, Table, Text, table, without_empty_columns


@dataclass(frozen=True)
class Size:
    """A column: a number of lanes (CPU), or of blocks and lanes (GPU)."""

    title: str
    blocks: int
    lanes: int


def domain_lanes(campaign: Campaign) -> int | None:
    """Cores that share a last-level cache: one full core domain; None where it is not known."""
    machine: Any = campaign.files[0].campaign.get("machine")
    found = machine.get("caches") if isinstance(machine, dict) else None
    caches = [
        (c["level"], c.get("shared_by"))
        for c in (found if isinstance(found, list) else [])
        if isinstance(c, dict) and isinstance(c.get("level"), int)
    ]
    # Of several caches of the last level the first.
    _, shared_by = max(caches, key=lambda c: c[0], default=(0, None))
    cores, pus = campaign.machine.cores, campaign.machine.pus
    if not isinstance(shared_by, int) or not cores or not pus:
        return cores
    return max(1, shared_by * cores // pus)


def _sizes(campaign: Campaign, points: list[Measured], gpu: bool) -> list[Size]:
    if gpu:
        most = max(s.point.blocks for s in points)
        found = [Size("one warp", 1, 32), Size("one block of 1024", 1, 1024)]
        return found + ([Size(f"{most} blocks of 1024", most, 1024)] if most > 1 else [])
    lanes = sorted({s.point.lanes for s in points})
    domain = domain_lanes(campaign)
    found = [Size("1 thread", 1, 1)]
    if domain and 1 < domain < lanes[-1] and domain in lanes:
        found.append(Size(f"{domain} threads, one core domain", 1, domain))
    return found + ([Size(f"{lanes[-1]} threads, all", 1, lanes[-1])] if lanes[-1] > 1 else [])


#: Axes in which a point in its usual form has one of these values.
_usual = {
    "type": ("", "int32"),
    "affinity": ("close", "quiet", "none"),
    "wait": ("active",),
    "scope": ("", "device"),
    "space": ("", "global"),
    "order": ("unordered", "relaxed"),
}
#: Axes in which it has no value.
_unusual = ("active", "waves", "repeat", "pus", "base_offset", "cells", "late_us", "others", "home")


def _ordinary(s: Measured) -> bool:
    """In its usual form: the default type and flavour, cells shared or a line of their own."""
    p = s.point
    return (
        all(getattr(p, axis) in values for axis, values in _usual.items())
        and not any(getattr(p, axis) for axis in _unusual)
        and s.family != "control"
        and not s.oversubscribed
        and (p.placement != "strided" or p.stride in ((0, 1) if p.on_gpu else (16,)))
    )


def _cells(s: Measured) -> str:
    if s.point.on_gpu and s.point.placement == "shared":
        return "one cell, known"
    if s.point.placement == "strided":
        if s.point.on_gpu:
            return "own cells" if s.point.stride else "one cell, by data"
        return "own lines"
    return "" if s.point.placement == "none" else s.point.placement


def costs(campaign: Campaign) -> Section:
    """The section with a table for CPUs and one for GPUs, as far as measured."""
    about = Text(
        "Nanoseconds per op of one thread while all threads do the same, with the 95 % interval; "
        "x: how many times the cost of the fastest alternative for the same job, in one placement "
        "state. int32, relaxed; the cost of a fence between accesses is marginal and has no ratio."
    )
    tables = [
        _table(campaign, points, gpu)
        for gpu in (False, True)
        if (
            points := [
                s for s in campaign.points.values() if s.point.on_gpu == gpu and _ordinary(s)
            ]
        )
        and any(s.usable for s in points)
    ]
    return Section("costs", "What things cost", [about, *tables] if tables else [])


def _table(campaign: Campaign, points: list[Measured], gpu: bool) -> Table:
    sizes = _sizes(campaign, points, gpu)
    by_size = {(size.blocks, size.lanes): size for size in sizes}
    forms: dict[tuple[str, str, str], dict[Size, list[Measured]]] = defaultdict(dict)
    for s in points:
        if size := by_size.get((s.point.blocks, s.point.lanes)):
            form = forms[s.point.op, _cells(s), s.point.backend]
            form.setdefault(size, []).append(s)
    jobs: dict[tuple[str, str, Size], list[Measured]] = defaultdict(list)
    # Of several forms (flavours, affinities) the fastest.
    chosen = {
        name: {
            size: found.best if (found := fastest_of(alike)) else alike[0]
            for size, alike in of_size.items()
        }
        for name, of_size in forms.items()
    }
    for (op, cells, _), of_size in chosen.items():
        for size, s in of_size.items():
            jobs[job_of(op, op), cells, size].append(s)
    best = {
        job: found.best
        for job, points in jobs.items()
        if len(points) > 1 and (found := fastest_of(points))
    }

    def order(form: tuple[tuple[str, str, str], dict[Size, Measured]]) -> tuple[str, ...]:
        (op, cells, _), of_size = form
        family = next((s.family for s in of_size.values() if s.family), "~")
        return family, job_of(op, op), cells, op

    rows = [
        [
            Cell(op, note=" ".join(filter(None, [cells, backend]))),
            *(_field(at.get(size), best.get((job_of(op, op), cells, size))) for size in sizes),
        ]
        for (op, cells, backend), at in sorted(chosen.items(), key=order)
        if any(s.cost for s in at.values())
    ]
    columns = ["op", *(f"{size.title}, ns>" for size in sizes)]
    caption = "GPU: blocks x threads" if gpu else "CPU"
    return without_empty_columns(table(caption, columns, rows))


def _times(s: Measured, best: Measured | None) -> str:
    """The ratio to the fastest inside a common placement state; '' for what has none."""
    if best is None or not s.usable or s.inserted:
        return ""
    r = ratio(s, best)
    return text.times(r) if isinstance(r, Ratio) else "not comparable"


def _field(s: Measured | None, best: Measured | None) -> Cell:
    """The cost; below it the interval, and how many times the fastest alternative it takes."""
    if s is None:
        return Cell("")
    interval = text.cost_scatter(s)
    times = _times(s, best)
    over = f"x {times}" if times[:1].isdigit() else times
    return Cell(
        text.cost(s),
        [s.id],
        "" if s.status == "ok" else "dim",
        note=", ".join(filter(None, [interval, over])),
    )
