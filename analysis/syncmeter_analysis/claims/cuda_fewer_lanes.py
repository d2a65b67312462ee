"""All lanes of each warp against one of them, on the same cells."""

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
from syncmeter_analysis.statistics.evidence import Evidence


def judge(data: Evidence) -> Finding:
    points = data.measured("atomic_add", backend="cuda", order="relaxed")
    pairs = data.pairs(
        [s for s in points if s.point.active == 0],
        [s for s in points if s.point.active == 1],
        ("active",),
    )
    return above(pairs, 1.1, "all lanes over one of each warp")


claim = Claim(
    id="cuda-fewer-lanes",
    statement="Switching lanes of each warp off makes its atomics cheaper.",
    source=f"{primitives}, V-B5 (eighth recommendation)",
    needs="cuda atomic_add with one and with all lanes of a warp at work",
    command=f"{run_paper} --backend cuda",
    advice="Elect one lane of a warp for an atomic where one is enough.",
    otherwise="One lane costs as much as a warp here.",
    judge=judge,
)
