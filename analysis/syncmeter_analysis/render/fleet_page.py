"""The nodes of a run as a page of the same kind as a report: the verdict, one figure, every point."""

from __future__ import annotations

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.fleet import Fleet, FleetPoint
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.render.blocks import Check, Head, Section
from syncmeter_analysis.render.build import Report
from syncmeter_analysis.render.charts.fleet import fleet_figure
from syncmeter_analysis.render.fleet_text import sections, title

_kinds = {0: "good", 1: "bad", 2: "unclear"}


def fleet_report(fleet: Fleet) -> Report:
    """The report of a fleet. It lists medians over nodes; single measurements are in the files."""
    told = [Section(f"nodes-{i}", name, [*b]) for i, (name, b) in enumerate(sections(fleet, True))]
    facts = [f"{text.count(len(g.nodes), 'node')}: {g.kind}" for g in fleet.groups]
    checks = []
    if fleet.left_out:
        left = f"{text.count(len(fleet.left_out), 'file')} left out"
        checks.append(Check(left, "unclear", told[-1].id))
    for section, g in zip(told, fleet.groups, strict=False):
        if not g.judged:
            checks.append(Check(f"too few nodes: {g.kind}", "unclear", section.id))
    figure = fleet_figure(fleet)
    return Report(
        Head(
            title(fleet),
            facts,
            figure.title,
            _kinds[fleet.status],
            checks,
            [figure] if figure.panels else [],
        ),
        told,
        [_listed(p) for g in fleet.groups for p in g.points if p.ratios],
        [text.count(sum(len(g.nodes) for g in fleet.groups), "file")],
    )


def _listed(p: FleetPoint) -> Measured:
    """The point for the page's list: its median over nodes, and the range of nodes."""
    cost = Interval(p.median_ns, p.median_ns * p.low, p.median_ns * p.high)
    told = f"median of {len(p.ratios)} nodes, from the fastest to the slowest"
    return Measured(p.point, "ok", told, cost, resolved=True)
