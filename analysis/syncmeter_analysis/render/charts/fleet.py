"""The nodes of a run side by side: each by its median over points, with its quartiles."""

from __future__ import annotations

from collections import defaultdict

from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.fleet import Fleet, Group, Whole
from syncmeter_analysis.studies.figures import Axis, Curves, Figure, Panel

#: Names are written beside so many nodes that differ.
_most_named = 10

_alike, _differs = "like most", "differs"


def fleet_figure(fleet: Fleet) -> Figure:
    """One panel for each kind of nodes and part of them, its nodes from the fastest to the slowest."""
    panels = []
    for group in fleet.groups:
        parts: dict[str, list[Whole]] = defaultdict(list)
        for whole in group.wholes:
            parts[whole.part].append(whole)
        for part, wholes in parts.items():
            name = f"{part} points, {len(wholes)} nodes of {group.kind}"
            panels.append(Panel(name, _nodes(group, wholes)))
    differ = sum(len(g.differing) for g in fleet.groups)
    nodes = sum(len(g.nodes) for g in fleet.groups)
    verb = "differs" if differ < 2 else "differ"
    found = f"{differ or 'None'} of {nodes} nodes {verb}"
    note = "costs over the medians over nodes: median over points, and quartiles as a bar"
    return Figure("fleet", found, note, panels, wide=True)


def _nodes(group: Group, wholes: list[Whole]) -> Curves:
    differing = {w.node for w in wholes if w.node in group.differing}
    rows = []
    for rank, w in enumerate(sorted(wholes, key=lambda w: w.quartiles[1]), 1):
        low, ratio, high = w.quartiles
        name = group.names[w.node]
        at = {"x": rank, "value": ratio, "low": low, "high": high, "id": name}
        rows.append({**at, "name": _differs if w.node in differing else _alike})
        if w.node in differing and len(differing) <= _most_named:
            rows[-1]["beside"] = f"{name} {text.ratio(ratio)}"
    x, y = (
        Axis("node, from the fastest on", "linear", "d"),
        Axis("ratio of costs to the median node"),
    )
    return Curves(rows, x, y, [_alike, _differs], "found", lines=False, level=1.0)
