"""The first figure of a report: all costs on one axis, levels of a GPU, or the figure of a study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from syncmeter_analysis.relate import gpu_levels, text
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.ladder import ladder
from syncmeter_analysis.studies.blocks import Line
from syncmeter_analysis.studies.figures import Dots, Figure, dots
from syncmeter_analysis.voice.overview import operation_of
from syncmeter_analysis.voice.words import say

#: Panels of the first figure.
_most_panels = 2
#: Fewer rows are no chart.
_least_rows = 2


def lead_figures(campaign: Campaign, others: Sequence[Figure]) -> list[Figure]:
    """Returns at most one figure: the cost overview, levels, or the first small figure of a study."""
    small = [figure for figure in others if len(figure.panels) <= _most_panels]
    small.sort(key=lambda figure: figure.id.startswith("scaling-"))
    for found in (_ladder, _levels):
        if figures := [f for f in found(campaign) if has_rows(f)]:
            return figures[:1]
    return [f for f in small if has_rows(f)][:1]


def has_rows(figure: Figure) -> bool:
    """Returns whether a chart of dots has several rows."""
    dots = [p.drawing for p in figure.panels if isinstance(p.drawing, Dots)]
    return not dots or len({f["row"] for d in dots for f in d.rows}) >= _least_rows


def _ladder(campaign: Campaign) -> list[Figure]:
    """Returns all costs on one axis, from the least to the highest."""
    rungs = sorted((r for r in ladder(campaign) if not r.others), key=lambda r: r.ns)
    lines: list[Line] = [([operation_of(r)], {r.s.point.backend: r.s}, ()) for r in rungs]
    legend = None if len({r.s.point.backend for r in rungs}) == 1 else "by"
    return _labelled("ladder", say("overview.costs.title"), lines, what="op", legend=legend)


def _levels(campaign: Campaign) -> list[Figure]:
    """Returns the recommended way of each level of the first GPU backend."""
    for one in gpu_levels.rows(campaign)[:1]:
        ways = [(name, gpu_levels.way_of(name, contest)) for name, contest in one.axis]
        lines: list[Line] = [
            ([f"{name}: {s.point.op}"], {one.backend: s}, ()) for name, s in ways if s
        ]
        title = f"Levels of synchronization ({one.backend})"
        return _labelled("axis", title, lines, what="level", legend=None)
    return []


def _labelled(id: str, title: str, lines: Sequence[Line], **looks: Any) -> list[Figure]:
    """Returns a figure with the time above each dot."""
    found = dots(id, title, "ns, 95 % CI, logarithmic axis", lines, **looks)
    for field in (row for f in found for panel in f.panels for row in panel.drawing.rows):
        field["label"] = text.duration(field["value"])
    return found
