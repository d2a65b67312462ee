"""Fences of wider scope against narrower ones."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    above,
)
from syncmeter_analysis.claims.sources import (
    primitives,
    run_paper,
)
from syncmeter_analysis.statistics.evidence import Evidence, Pairs


def judge(data: Evidence) -> Finding:
    points = data.measured(("fence_between_adds", "fence", "fence_between_stores"), backend="cuda")
    pairs = Pairs()
    for wide, narrow in (("system", "device"), ("device", "block")):
        pairs += data.pairs(
            [s for s in points if s.point.scope == wide],
            [s for s in points if s.point.scope == narrow],
            ("scope",),
        )
    return above(pairs, 1.1, "wider over narrower scope")


claim = Claim(
    id="cuda-fence-scope",
    statement="A fence costs more the wider its scope: system over device over block.",
    source=f"{primitives}, V-B4 and V-B5",
    needs="cuda fences of at least two scopes",
    command=f"{run_paper} --backend cuda",
    advice="Use the narrowest fence that is correct: __threadfence_block, then __threadfence.",
    otherwise="The scope of a fence does not matter here.",
    judge=judge,
)
