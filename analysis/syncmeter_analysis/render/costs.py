"""What things cost: each operation by backend at three sizes."""

from __future__ import annotations

from collections import defaultdict

from syncmeter_analysis.record.machine import object_of
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import contest
from syncmeter_analysis.relate.op_groups import job_of
from syncmeter_analysis.relate.point_text import cells
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.render.report import Section
from syncmeter_analysis.studies.blocks import Table, pivot
from syncmeter_analysis.studies.cells import cost_ci


def domain_lanes(campaign: Campaign) -> int | None:
    """Cores that share a last-level cache: one full core domain; None where it is not known."""
    found = object_of(campaign.files[0].campaign, "machine").get("caches")
    caches = [
        (c["level"], c.get("shared_by"))
        for c in (found if isinstance(found, list) else [])
        if isinstance(c, dict) and isinstance(c.get("level"), int)
    ]
    # Several last-level caches: the first.
    _, shared_by = max(caches, key=lambda c: c[0], default=(0, None))
    cores, pus = campaign.machine.cores, campaign.machine.pus
    if not isinstance(shared_by, int) or not cores or not pus:
        return cores
    return max(1, shared_by * cores // pus)


def _sizes(campaign: Campaign, points: list[Measured]) -> dict[tuple[int, int], str]:
    """Returns the columns by their blocks and lanes."""
    if points[0].on_gpu:
        most = max(s.point.blocks for s in points)
        found = {(1, 32): "one warp", (1, 1024): "one block of 1024"}
        return found | ({(most, 1024): f"{most} blocks of 1024"} if most > 1 else {})
    lanes = sorted({s.point.lanes for s in points})
    domain = domain_lanes(campaign)
    found = {(1, 1): "1 thread"}
    if domain and 1 < domain < lanes[-1] and domain in lanes:
        found[1, domain] = f"{domain} threads, one core domain"
    return found | ({(1, lanes[-1]): f"{lanes[-1]} threads, all"} if lanes[-1] > 1 else {})


#: Axes, each with the usual values of a point.
_usual = {
    "type": ("", "int32"),
    "affinity": ("close", "quiet", "none"),
    "wait": ("active",),
    "scope": ("", "device"),
    "space": ("", "global"),
    "order": ("unordered", "relaxed"),
}
#: Axes without a value in usual rows.
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


def costs(campaign: Campaign) -> Section:
    """Returns a table for CPUs and a table for GPUs, as far as measured."""
    usual = [s for s in campaign.points.values() if _ordinary(s)]
    by_kind = ([s for s in usual if s.on_gpu == gpu] for gpu in (False, True))
    tables = [_table(campaign, found) for found in by_kind if any(s.usable for s in found)]
    return Section("costs", "What things cost", [*tables])


def _table(campaign: Campaign, points: list[Measured]) -> Table:
    sizes = _sizes(campaign, points)
    forms: dict[tuple[str, ...], dict[str, list[Measured]]] = defaultdict(dict)
    for s in points:
        if size := sizes.get((s.point.blocks, s.point.lanes)):
            p = s.point
            variables = "private" if p.placement == "strided" and p.stride else cells(p)
            form = forms[s.family or "~", job_of(p.op, p.op), p.op, variables, p.backend]
            form.setdefault(size, []).append(s)

    def fastest(alike: list[Measured]) -> Measured:
        """Chooses among flavours and affinities."""
        return contest(alike).best or alike[0]

    lines = []
    for (_, _, op, variables, backend), alike in sorted(forms.items()):
        chosen = {size: fastest(alike[size]) for size in sizes.values() if size in alike}
        if any(s.cost for s in chosen.values()):
            lines.append(([op, variables, backend], chosen, ()))
    where = "GPU" if points[0].on_gpu else "CPU"
    what = f"{where}: ns of an operation of each thread while all threads do the same (95 % CI)"
    return pivot(what, "operation|variables|backend", lines, show=cost_ci)
