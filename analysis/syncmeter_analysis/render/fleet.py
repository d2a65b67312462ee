"""The nodes of a run in every medium: for a terminal, as Markdown, as JSON, as JUnit's XML and as a
page. Each kind of nodes is one comparison, of each node with the median node."""

from __future__ import annotations

import json
from collections import Counter
from math import isfinite
from typing import Any

from syncmeter_analysis.conclude.compare import conclude_nodes
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.fleet import Fleet, FleetPoint, Group, Whole
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.pairs import Outcome
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.render import compare, junit
from syncmeter_analysis.render.junit import Case
from syncmeter_analysis.render.report import Check, Head, Report, Section
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import blocks
from syncmeter_analysis.studies.blocks import Block, Lines
from syncmeter_analysis.studies.figures import Axis, Curves, Dots, Figure, Panel, Row
from syncmeter_analysis.studies.screen import screen_blocks
from syncmeter_analysis.voice import compare as voice
from syncmeter_analysis.voice import nodes as voice_of_nodes
from syncmeter_analysis.voice import numbers
from syncmeter_analysis.voice.words import say

#: Up to `_most_lines` nodes have named lines. In a larger figure up to `_most_beside` differing nodes
#: have names.
_most_lines, _most_beside = 40, 10


def as_text(fleet: Fleet, everything: bool, coloured: bool = False, width: int = 0) -> str:
    """For a terminal of this width, 0 for any."""
    shown = [as_plain(*part, coloured, width) for part in _screens(fleet, everything)]
    return compare.with_status(shown, fleet.status)


def as_markdown(fleet: Fleet, everything: bool) -> str:
    shown = [blocks.as_markdown(*part) for part in _screens(fleet, everything)]
    return compare.with_status(shown, fleet.status)


def _screens(fleet: Fleet, everything: bool) -> list[tuple[str, list[Block]]]:
    """Returns a first line and blocks for each kind of nodes. The first kind lists the files left
    out."""
    found = []
    for i, group in enumerate(fleet.groups):
        c = conclude_nodes(fleet, group)
        grids = [voice_of_nodes.point_grid(c, group)] if everything and group.points else []
        first = [voice.result(c, len(fleet.groups) > 1)]
        if i == 0 and fleet.left_out:
            first += voice_of_nodes.left_out(fleet, everything)
        shown = [Lines(first), *screen_blocks(voice.screen(c, grids))]
        found.append((voice.first_line(c), shown))
    return found


def as_json(fleet: Fleet) -> str:
    """Returns one object. Ratios compare costs with the median over nodes, and spreads are standard
    deviations of logarithms."""
    found = {
        "status": fleet.status,
        "threshold": fleet.threshold,
        "sees": fleet.sees,
        "groups": [
            {
                "kind": g.kind,
                "judged": g.judged,
                "nodes": _json_nodes(g),
                "blind": [g.names[i] for i in g.blind(fleet.sees)],
                "points": [_json_point(g, p) for p in g.in_order()],
            }
            for g in fleet.groups
        ],
        "left_out": [{"file": each.path, "why": each.why} for each in fleet.left_out],
    }
    return json.dumps(found, indent=1)


def as_junit(fleet: Fleet) -> str:
    """A case for each node, which fails if the node differs and is skipped if nobody can tell."""
    suites = [(voice.first_line(conclude_nodes(fleet, g)), _cases(fleet, g)) for g in fleet.groups]
    if fleet.left_out:
        files = [Case("file", each.path, "skipped", each.why) for each in fleet.left_out]
        suites.append((voice_of_nodes.title_of_left_out(fleet), files))
    return junit.as_junit("fleet", suites)


def _cases(fleet: Fleet, group: Group) -> list[Case]:
    at = Counter(i for point in group.points for i in point.beyond())
    by_node = grouped(group.wholes, lambda whole: whole.node)
    found = []
    for i, outcome in enumerate(group.outcomes(fleet.sees)):
        result, says = "", ""
        if outcome in (Outcome.slower, Outcome.faster, Outcome.broken):
            medians = (w.quartiles[1] for w in by_node.get(i, []))
            parts = [say("compare.json.node_median", ratio=text.ratio(m)) for m in medians]
            parts.append(say("compare.json.node_points", points=text.count(at[i], "point")))
            result, says = "failure", "; ".join(parts)
        elif outcome is Outcome.not_comparable:
            result, says = "skipped", say("compare.json.node_unjudged")
        elif outcome is Outcome.not_sensitive and not fleet.blind_is_fine:
            sees = text.percent(fleet.sees)
            result, says = "skipped", say("compare.json.node_blind", sees=sees)
        found.append(Case(group.kind, group.names[i], result, says))
    return found


def fleet_report(fleet: Fleet) -> Report:
    """Returns the page with the result, one figure and medians over nodes for every point."""
    screens = enumerate(_screens(fleet, True))
    sections = [Section(f"nodes-{i}", name, [*found]) for i, (name, found) in screens]
    results = [voice.result(conclude_nodes(fleet, g), True) for g in fleet.groups]
    checks = []
    if fleet.left_out:
        left_out = voice_of_nodes.title_of_left_out(fleet)
        checks.append(Check(left_out, "unclear", sections[0].id))
    for section, g, result in zip(sections, fleet.groups, results, strict=True):
        checks += [Check(result, "unclear", section.id)] * (not g.judged)
    figure, count = fleet_figure(fleet), sum(len(g.nodes) for g in fleet.groups)
    kind = "unclear" if fleet.status == 2 else compare.kinds[fleet.status]
    return Report(
        Head(
            figure.title,
            [section.title for section in sections],
            " ".join(results),
            kind,
            checks,
            [figure] if figure.panels else [],
        ),
        sections,
        [_listed(p) for g in fleet.groups for p in g.points if p.ratios],
        [text.count(count, "file")],
    )


def fleet_figure(fleet: Fleet) -> Figure:
    """Returns a panel for each part (CPU, GPU) of similar nodes, the fastest node first."""
    panels = []
    for group in fleet.groups:
        for part, wholes in grouped(group.wholes, lambda whole: whole.part).items():
            name = say("nodes.figure.panel", part=part, count=len(wholes), kind=group.kind)
            panels.append(Panel(name, _nodes(group, wholes)))
    title, note = voice_of_nodes.figure_title(fleet), say("nodes.figure.note")
    return Figure("fleet", title, note, panels, wide=True)


def _nodes(group: Group, wholes: list[Whole]) -> Curves | Dots:
    """Returns a line for each node, or a dot by its rank if there are many nodes."""
    alike, differs = (say(f"nodes.figure.{name}") for name in ("alike", "differs"))
    found, differing = [], set(group.differing)
    for w in sorted(wholes, key=lambda w: w.quartiles[1]):
        low, ratio, high = w.quartiles
        name = group.names[w.node]
        kind = differs if w.node in differing else alike
        found.append((name, kind, {"value": ratio, "low": low, "high": high, "id": name}))
    title = say("nodes.figure.axis")
    if len(found) <= _most_lines:
        lines = [{**at, "row": name, "group": kind} for name, kind, at in found]
        return Dots(lines, title, [alike, differs], "node", "found", ratios=True)
    rows: list[Row] = [
        {**at, "x": rank, "name": kind} for rank, (_, kind, at) in enumerate(found, 1)
    ]
    named = [row for row in rows if row["name"] == differs]
    if len(named) <= _most_beside:
        for row in named:
            row["beside"] = f"{row['id']} {numbers.ratio(row['value'])}"
    ends = [row[end] for row in rows for end in ("value", "low", "high")]
    x = Axis(say("nodes.figure.rank"), "linear", "d", domain=(0, len(rows) + 1))
    y = Axis(title, domain=(min(ends) / 1.01, max(ends) * 1.01))
    return Curves(rows, x, y, [alike, differs], "found", lines=False, level=1.0)


def _listed(p: FleetPoint) -> Measured:
    """Returns the point with its median and range over nodes."""
    cost = Interval(p.median_ns, p.median_ns * p.low, p.median_ns * p.high)
    return Measured(p.point, "ok", say("nodes.listed", count=len(p.ratios)), cost, resolved=True)


def _number(value: float) -> float | None:
    return float(f"{value:.6g}") if isfinite(value) else None


def _json_point(group: Group, p: FleetPoint) -> dict[str, Any]:
    return {
        "id": p.point.id,
        "point": p.point.key,
        "state": str(p.state) if p.state else None,
        "nodes": len(p.ratios),
        "median_ns": _number(p.median_ns),
        "spread": _number(p.spread),
        "lowest_ratio": _number(p.low),
        "highest_ratio": _number(p.high),
        "elsewhere": [group.names[i] for i in p.elsewhere],
        "differ": [
            {"node": group.names[o.node], "ratio": _number(o.ratio), "p": _number(o.p)}
            for o in p.odd
        ],
        "failed": {group.names[i]: why for i, why in p.failed.items()},
    }


def _json_nodes(group: Group) -> list[dict[str, Any]]:
    differ, wholes = set(group.differing), grouped(group.wholes, lambda whole: whole.node)
    return [
        {
            "name": group.names[i],
            "file": node.path,
            "differs": i in differ,
            "unlike_most": group.facts.get(i, []),
            "not_measured": group.missing[i],
            "parts": {
                w.part: {
                    "points": w.points,
                    "lower_quartile": _number(w.quartiles[0]),
                    "median": _number(w.quartiles[1]),
                    "upper_quartile": _number(w.quartiles[2]),
                    "p": _number(w.p),
                    "differs": w.differs,
                    "detectable": _number(w.detectable),
                }
                for w in wholes.get(i, ())
            },
        }
        for i, node in enumerate(group.nodes)
    ]
