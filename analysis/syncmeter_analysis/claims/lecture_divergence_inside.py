"""Branches taken by lanes of one warp against by all lanes alike."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    above,
)
from syncmeter_analysis.claims.sources import (
    lecture,
)
from syncmeter_analysis.statistics.evidence import Evidence


def judge(data: Evidence) -> Finding:
    pairs = data.pairs(
        data.measured("branch_in_warp", backend="cuda", size=lambda paths: paths > 1),
        data.measured("branch_in_warp", backend="cuda", size=1),
        ("size",),
    )
    return above(pairs, 1.2, "paths inside a warp over one path")


claim = Claim(
    id="lecture-divergence-inside",
    statement="Divergence inside a warp costs.",
    source=lecture,
    needs="cuda branch_in_warp with one path and with more",
    command="syncmeter run --study divergence",
    advice="Let the lanes of a warp take one path.",
    otherwise="Divergence inside a warp costs nothing here.",
    judge=judge,
    figure="divergence",
)
