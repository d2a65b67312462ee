"""The nodes of a run as JSON."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any

from syncmeter_analysis.relate.fleet import Fleet, FleetPoint, Group, Whole
from syncmeter_analysis.render.fleet_text import points_in_order


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


def _json_node(group: Group, i: int, differ: set[int], wholes: list[Whole]) -> dict[str, Any]:
    return {
        "name": group.names[i],
        "file": group.nodes[i].path,
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
            }
            for w in wholes
        },
    }


def as_json(fleet: Fleet) -> str:
    """Everything, one object; ratios are of costs to the median over nodes, spreads of logarithms."""
    groups = []
    for g in fleet.groups:
        wholes: dict[int, list[Whole]] = {}
        for whole in g.wholes:
            wholes.setdefault(whole.node, []).append(whole)
        differ = set(g.differing)
        groups.append(
            {
                "kind": g.kind,
                "judged": g.judged,
                "nodes": [_json_node(g, i, differ, wholes.get(i, [])) for i in range(len(g.nodes))],
                "points": [_json_point(g, p) for p in points_in_order(g)],
            }
        )
    told = {
        "status": fleet.status,
        "threshold": fleet.threshold,
        "groups": groups,
        "left_out": [{"file": each.path, "why": each.why} for each in fleet.left_out],
    }
    return json.dumps(told, indent=1)
