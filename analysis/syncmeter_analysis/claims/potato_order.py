"""A handoff by acquire and release against a relaxed one."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    above,
)
from syncmeter_analysis.claims.groups import HANDOFFS
from syncmeter_analysis.claims.sources import (
    potato,
    run_handoff,
)
from syncmeter_analysis.statistics.evidence import Evidence


def judge(data: Evidence) -> Finding:
    points = data.measured(HANDOFFS, backend="cuda", flavour=("ptx", "atomic_ref"))
    pairs = data.pairs(
        [s for s in points if s.point.order in ("acq_rel", "acquire", "release")],
        [s for s in points if s.point.order == "relaxed"],
        ("order",),
    )
    return above(pairs, 1.1, "acquire and release over relaxed")


claim = Claim(
    id="potato-order",
    statement="Acquire and release cost more than relaxed accesses in a handoff.",
    source=potato,
    needs="cuda warp handoffs relaxed and with acquire and release",
    command=run_handoff,
    advice="Relax what carries no data.",
    otherwise="Order is free here: use acquire and release.",
    judge=judge,
    figure="handoffs",
)
