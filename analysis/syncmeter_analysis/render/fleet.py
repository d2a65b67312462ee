"""The nodes of a run in every medium: for a terminal, as Markdown, as JSON and as a page."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from math import isfinite
from typing import Any

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate import point_text, text
from syncmeter_analysis.relate.fleet import Fleet, FleetPoint, Group, Whole, fewest_nodes
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.text import percent
from syncmeter_analysis.render import junit
from syncmeter_analysis.render.junit import Case
from syncmeter_analysis.render.report import Check, Head, Report, Section
from syncmeter_analysis.render.terminal import parts_plain, prose
from syncmeter_analysis.studies import blocks
from syncmeter_analysis.studies.blocks import (
    Block,
    Bullets,
    Cell,
    Table,
    Text,
    table,
    without_empty_columns,
)
from syncmeter_analysis.studies.figures import Axis, Curves, Dots, Figure, Panel, Row

# Longer tables and lists are for --all.
_most_rows, _most_named, _most_notes = 20, 3, 8

#: So many nodes have a line each, with their names; of more, those that differ have their names beside
#: them, up to so many.
_most_lines, _most_beside = 40, 10
_alike, _differs = "like most", "differs"

_kinds = {0: "good", 1: "bad", 2: "unclear", 3: "unclear"}


def as_text(fleet: Fleet, everything: bool, coloured: bool = False, width: int = 0) -> str:
    """For a terminal of this width, 0 for any."""
    parts = [_title(fleet)]
    for name, found in _sections(fleet, everything):
        parts += [prose(name, width), *parts_plain(found, coloured, width)]
    return "\n\n".join(filter(None, parts))


def as_markdown(fleet: Fleet, everything: bool) -> str:
    parts = (blocks.as_markdown(name, found) for name, found in _sections(fleet, everything))
    return "\n\n".join([f"# {_title(fleet)}", *parts])


def as_json(fleet: Fleet) -> str:
    """Everything, one object; ratios are of costs to the median over nodes, spreads of logarithms."""
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
                "points": [_json_point(g, p) for p in _in_order(g)],
            }
            for g in fleet.groups
        ],
        "left_out": [{"file": each.path, "why": each.why} for each in fleet.left_out],
    }
    return json.dumps(found, indent=1)


def as_junit(fleet: Fleet) -> str:
    """A case for each node, which fails where the node differs and is skipped where nobody can tell."""
    suites = [(_name(g), _cases(fleet, g)) for g in fleet.groups]
    if fleet.left_out:
        files = [Case("file", each.path, "skipped", each.why) for each in fleet.left_out]
        suites.append((_files_left_out(fleet), files))
    return junit.as_junit("fleet", suites)


def _cases(fleet: Fleet, group: Group) -> list[Case]:
    at = Counter(i for p in group.points for i in _beyond(p))
    wholes, found = _wholes(group), {}
    if not fleet.blind_is_fine:
        says = f"could not have shown a change of {percent(fleet.sees)}"
        found = dict.fromkeys(group.blind(fleet.sees), ("skipped", says))
    found |= dict.fromkeys(group.unjudged, ("skipped", "could not be judged"))
    for i in group.differing:
        parts = [f"{text.ratio(w.quartiles[1])} times the median node" for w in wholes[i]]
        differs = "; ".join([*parts, f"differs at {text.count(at[i], 'point')}"])
        found[i] = "failure", differs
    return [Case(group.kind, name, *found.get(i, ("", ""))) for i, name in enumerate(group.names)]


def fleet_report(fleet: Fleet) -> Report:
    """A page of the same kind as a report: the verdict, one figure, every point. It lists medians over
    nodes; single measurements are in the files."""
    named = enumerate(_sections(fleet, True))
    sections = [Section(f"nodes-{i}", name, [*found]) for i, (name, found) in named]
    checks = []
    if fleet.left_out:
        checks.append(Check(_files_left_out(fleet), "unclear", sections[-1].id))
    for section, g in zip(sections, fleet.groups, strict=False):
        if not g.judged:
            checks.append(Check(f"too few nodes: {g.kind}", "unclear", section.id))
    figure = fleet_figure(fleet)
    return Report(
        Head(
            _title(fleet),
            [_name(g) for g in fleet.groups],
            figure.title,
            _kinds[fleet.status],
            checks,
            [figure] if figure.panels else [],
        ),
        sections,
        [_listed(p) for g in fleet.groups for p in g.points if p.ratios],
        [text.count(_counted(fleet)[0], "file")],
    )


def fleet_figure(fleet: Fleet) -> Figure:
    """One panel for each kind of nodes and part of them, its nodes from the fastest to the slowest."""
    panels = []
    for group in fleet.groups:
        for part in dict.fromkeys(whole.part for whole in group.wholes):
            wholes = [whole for whole in group.wholes if whole.part == part]
            name = f"{part} points, {len(wholes)} nodes of {group.kind}"
            panels.append(Panel(name, _nodes(group, wholes)))
    nodes, differ = _counted(fleet)
    found = f"{differ or 'None'} of {nodes} nodes differ{'s' * (differ < 2)}"
    if who := [each for group in fleet.groups for each in _who_differs(group)]:
        more = f" and {differ - _most_named} more" if differ > _most_named else ""
        found += f": {', '.join(who[:_most_named])}{more}"
    note = "costs over the medians over nodes: median over points, and quartiles as a bar"
    return Figure("fleet", found, note, panels, wide=True)


def _who_differs(group: Group) -> list[str]:
    """`node01 1.19 times the median node`, or of one that differs at some points only their number."""
    at, wholes = Counter(i for p in group.points for i in _beyond(p)), _wholes(group)
    found = []
    for i in group.differing:
        times = [text.ratio(w.quartiles[1]) for w in wholes[i] if w.differs]
        how = f"{' and '.join(times)} times the median node" if times else ""
        found.append(f"{group.names[i]} {how or 'at ' + text.count(at[i], 'point')}")
    return found


def _nodes(group: Group, wholes: list[Whole]) -> Curves | Dots:
    """A line for each node; of many nodes a dot by its rank."""
    found = []
    for w in sorted(wholes, key=lambda w: w.quartiles[1]):
        low, ratio, high = w.quartiles
        name = group.names[w.node]
        kind = _differs if w.node in group.differing else _alike
        found.append((name, kind, {"value": ratio, "low": low, "high": high, "id": name}))
    title = "ratio of costs to the median node"
    if len(found) <= _most_lines:
        lines = [{**at, "row": name, "group": kind} for name, kind, at in found]
        return Dots(lines, title, [_alike, _differs], "node", "found", ratios=True)
    rows: list[Row] = [
        {**at, "x": rank, "name": kind} for rank, (_, kind, at) in enumerate(found, 1)
    ]
    differing = [row for row in rows if row["name"] == _differs]
    if len(differing) <= _most_beside:
        for row in differing:
            row["beside"] = f"{row['id']} {text.ratio(row['value'])}"
    ends = [row[end] for row in rows for end in ("value", "low", "high")]
    x = Axis("node, from the fastest on", "linear", "d", domain=(0, len(rows) + 1))
    y = Axis(title, domain=(min(ends) / 1.01, max(ends) * 1.01))
    return Curves(rows, x, y, [_alike, _differs], "found", lines=False, level=1.0)


def _listed(p: FleetPoint) -> Measured:
    """The point for the page's list: its median over nodes, and the range of nodes."""
    cost = Interval(p.median_ns, p.median_ns * p.low, p.median_ns * p.high)
    remark = f"median of {len(p.ratios)} nodes, from the fastest to the slowest"
    return Measured(p.point, "ok", remark, cost, resolved=True)


def _title(fleet: Fleet) -> str:
    """`1000 nodes: 50 differ`."""
    nodes, differ = _counted(fleet)
    judged = any(g.judged for g in fleet.groups)
    found = f"{differ or 'none'} differ{'s' * (differ == 1)}" if judged else "cannot tell"
    return f"{text.count(nodes, 'node')}: {found}"


def _counted(fleet: Fleet) -> tuple[int, int]:
    """All nodes, and those that differ."""
    return sum(len(g.nodes) for g in fleet.groups), sum(len(g.differing) for g in fleet.groups)


def _name(group: Group) -> str:
    return f"{text.count(len(group.nodes), 'node')}: {group.kind}"


def _files_left_out(fleet: Fleet) -> str:
    return f"{text.count(len(fleet.left_out), 'file')} left out"


def _sections(fleet: Fleet, everything: bool) -> list[tuple[str, list[Block]]]:
    """A title and its blocks for each kind of nodes, then the files that were left out."""
    found = [(_name(g), _blocks(fleet, g, everything)) for g in fleet.groups]
    if fleet.left_out:
        files = [f"{each.path}: left out: {each.why}" for each in fleet.left_out]
        lines = _some(files, everything, "left out; --all")
        found.append((_files_left_out(fleet), [Bullets(lines)]))
    return found


def _some(lines: list[str], everything: bool, what: str) -> list[str]:
    """The first of the lines, and how many more there are."""
    if everything or len(lines) <= _most_notes:
        return lines
    return [*lines[:_most_notes], f"and {len(lines) - _most_notes} more {what}"]


def _blocks(fleet: Fleet, group: Group, everything: bool) -> list[Block]:
    """What is known of one kind of nodes."""
    notes = _some(_notes(fleet, group), everything, "notes; --all shows them")
    bullets: list[Block] = [Bullets(notes)] if notes else []
    if not group.judged:
        why = (
            f"fewer than {fewest_nodes} nodes of this kind"
            if len(group.nodes) < fewest_nodes
            else "no point is in three files in one placement state"
        )
        return [Text(f"Cannot tell which node differs: {why}."), *bullets]
    differ, whole = group.differing, {w.node for w in group.wholes if w.differs}
    count = f"{text.count(len(differ), 'node')} differ{'s' * (len(differ) == 1)}"
    found: list[Block] = [
        Text(
            f"{text.count(len(group.points), 'point')} over {len(group.nodes)} nodes; what differs "
            f"by more than {percent(fleet.threshold)} and more than nodes do, 95 % after Holm's "
            f"correction."
        ),
        Text(f"{count}, {len(whole)} over all points." if differ else "No node differs."),
    ]
    points = _point_table(group, everything)
    found += [_node_table(group, everything), points] if differ else [points]
    if left := len(group.points) - len(points.rows):
        found.append(Text(f"... and {text.count(left, 'more point')}; --all shows them"))
    return found + bullets


def _notes(fleet: Fleet, group: Group) -> list[str]:
    notes, names = [], group.names
    if blind := group.blind(fleet.sees):
        notes.append(
            f"{_some_names(group, blind)}: a change of {percent(fleet.sees)} at all points would not "
            "have been named. More nodes, visits (`run --visits`) or quiet hours tell; --blind "
            "ignore accepts it"
        )
    if group.judged and (alone := _some_names(group, group.unjudged)):
        notes.append(f"{alone}: no point in one state with two others; cannot tell")
    odd = [i for i in group.facts if i not in set(group.differing)]
    notes += [f"{names[i]}: {'; '.join(group.facts[i])}" for i in odd]
    for i, n in group.missing.most_common():
        notes.append(f"{names[i]}: no cost of {text.count(n, 'point')} that most nodes have")
    for i, n in Counter(i for p in group.points for i in p.elsewhere).most_common():
        notes.append(
            f"{names[i]}: {text.count(n, 'point')} in another placement state, or busy where "
            f"most are quiet: not compared"
        )
    return notes + [f"{node.path}: {note}" for node in group.nodes for note in node.notes]


def _some_names(group: Group, nodes: list[int]) -> str:
    more = f" and {len(nodes) - _most_named} more" if len(nodes) > _most_named else ""
    return ", ".join(group.names[i] for i in nodes[:_most_named]) + more


def _beyond(point: FleetPoint) -> list[int]:
    """Nodes that failed or differ at the point, the largest difference first."""
    odd = sorted(point.odd, key=lambda o: (o.p, -abs(o.ratio - 1)))
    return [*point.failed, *(o.node for o in odd)]


def _in_order(group: Group) -> list[FleetPoint]:
    """Those at which nodes differ, by their number; then those with the largest spread."""
    return sorted(group.points, key=lambda p: (-len(_beyond(p)), -p.spread))


def _point_table(group: Group, everything: bool) -> Table:
    """A row for each point: its median over nodes, the spread between them, who differs."""
    by_axis = {a: {getattr(p.point, a) for p in group.points} for a in ("backend", "affinity")}
    shared = [axis for axis, values in by_axis.items() if len(values) == 1]
    rows = []
    for p in _in_order(group)[: None if everything else _most_rows]:
        figures = ["", "", ""]
        if p.ratios:
            # The spread is a standard deviation of logarithms.
            spread = f"{100 * p.spread:.2g} %" if isfinite(p.spread) else "unknown"
            span = f"{text.ratio(p.low)}..{text.ratio(p.high)}"
            figures = [text.nanoseconds(p.median_ns), spread, span]
        differs = " ".join([_some_names(group, _beyond(p)), *["(failed)"] * bool(p.failed)])
        rows.append(
            [
                Cell(point_text.short_name(p.point, shared), [p.point.id]),
                *(str(p.state) if p.state else "", len(p.ratios), *figures),
                Cell(differs, kind="bad" if _beyond(p) else ""),
            ]
        )
    columns = "point|state|nodes>|median ns>|spread>|range>|differs"
    return without_empty_columns(table("", columns, rows, folded=_most_rows, spare=(5, 2)))


def _wholes(group: Group) -> dict[int, list[Whole]]:
    """What is known of each node over all points."""
    found: dict[int, list[Whole]] = defaultdict(list)
    for whole in group.wholes:
        found[whole.node].append(whole)
    return found


def _node_table(group: Group, everything: bool) -> Table:
    """A row for each node that differs and each part of it."""
    at: dict[int, list[str]] = defaultdict(list)
    for p in group.points:
        for odd in p.odd:
            at[odd.node].append(p.point.id)
    failed = Counter(n for p in group.points for n in p.failed)
    several = len({whole.part for whole in group.wholes}) > 1
    wholes, rows = _wholes(group), []
    for i in group.differing:
        last = [
            Cell(str(len(at[i]) or ""), at[i]),
            Cell(str(failed[i] or ""), kind="bad"),
            "; ".join(group.facts.get(i, [])),
        ]
        for parts in [_of_whole(w, several) for w in wholes[i]] or [["", "", "", ""]]:
            rows.append([group.names[i], *parts, *last])
    columns = "node|part|median>|quartiles>|p (Holm)>|points>|failed>|unlike most"
    shown = rows if everything else rows[: 2 * _most_rows]
    return without_empty_columns(table("", columns, shown))


def _of_whole(whole: Whole, several: bool) -> list[str]:
    """Part, median, quartiles and p."""
    low, middle, high = map(text.ratio, whole.quartiles)
    p = f"{whole.p:.1g}" if whole.p > 1e-15 else "< 1e-15"
    return [whole.part * several, middle, f"{low}..{high}", p * whole.differs]


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
    differ, wholes = set(group.differing), _wholes(group)
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
                for w in wholes[i]
            },
        }
        for i, node in enumerate(group.nodes)
    ]
