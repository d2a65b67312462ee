"""A handoff at a wider scope against at a narrower one."""

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
from syncmeter_analysis.statistics.evidence import Evidence, Pairs


def judge(data: Evidence) -> Finding:
    points = data.measured(HANDOFFS, backend="cuda")
    pairs = Pairs()
    for wide, narrow in (("device", "block"), ("system", "device")):
        pairs += data.pairs(
            [s for s in points if s.point.scope == wide],
            [s for s in points if s.point.scope == narrow],
            ("scope",),
        )
    return above(pairs, 1.1, "wider over narrower scope")


claim = Claim(
    id="potato-scope",
    statement="Handing a flag on is faster at a narrower scope.",
    source=potato,
    needs="cuda warp handoffs at two scopes",
    command=run_handoff,
    advice="Use the narrowest scope that holds both sides: block, then device.",
    otherwise="The scope does not matter to a handoff here.",
    judge=judge,
    figure="handoffs",
)
