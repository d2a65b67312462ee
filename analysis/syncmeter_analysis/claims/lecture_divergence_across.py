"""Branches taken by different warps against by all alike."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    within,
)
from syncmeter_analysis.claims.sources import (
    lecture,
)
from syncmeter_analysis.statistics.evidence import Evidence


def judge(data: Evidence) -> Finding:
    pairs = data.pairs(
        data.measured("branch_across_warps", backend="cuda", size=lambda paths: paths > 1),
        data.measured("branch_across_warps", backend="cuda", size=1),
        ("size",),
    )
    return within(pairs, 0.9, 1.1, "paths across warps over one path")


claim = Claim(
    id="lecture-divergence-across",
    statement="Divergence across warps does not cost.",
    source=lecture,
    needs="cuda branch_across_warps with one path and with more",
    command="syncmeter run --study divergence",
    advice="Split work by warps freely.",
    otherwise="Warps on different paths cost more here.",
    judge=judge,
    figure="divergence",
)
