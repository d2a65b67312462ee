"""Comparisons as JSON, for tools."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import isfinite
from typing import Any

from syncmeter_analysis.record.point import Point
from syncmeter_analysis.record.tables import axes
from syncmeter_analysis.relate.compare import Comparison, Difference


def _number(value: float) -> float | None:
    return value if isfinite(value) else None


def point_object(p: Point) -> dict[str, Any]:
    """A point without its arm, as a results file writes it."""
    values = {a.name: getattr(p, a.name) for a in axes if a.name != "arm"}
    written = {a.name for a in axes if a.always or getattr(p, a.name) != a.absent}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in values.items()
        if name in written and value is not None
    }


def as_object(d: Difference) -> dict[str, Any]:
    """`cost_ns` and `detectable` as the text has them; what is not known is null."""
    r = d.ratio
    return {
        "point": point_object(d.old.point),
        "verdict": d.verdict.name,
        "why": "",
        "pairs": r.visits,
        "ratio": {"value": r.value, "low": _number(r.low), "high": _number(r.high)},
        "confidence": d.confidence,
        "p": d.p,
        "detectable": _number(d.detectable),
        "cost_ns": [r.under_ns, r.over_ns],
        "hop_ns": r.state.hop_ns if r.state else 0.0,
        "busy": bool(r.state and r.state.busy),
        "in_cycles": r.in_cycles,
    }


def as_json(comparisons: Sequence[Comparison]) -> str:
    """A list of comparisons, each new against old."""
    told = [
        {
            "old": c.names[0],
            "new": c.names[1],
            "threshold": c.threshold,
            "sees": c.sees,
            "exit_status": c.status,
            "points": [as_object(d) for d in c.differences],
            "blind": [point_object(d.new.point) for d in c.blind],
            "apart": [{"point": point_object(a.point), "why": a.why} for a in c.apart],
            "only": list(c.only),
            "notes": c.notes,
        }
        for c in comparisons
    ]
    return json.dumps(told, indent=1)
