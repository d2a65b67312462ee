"""Loads of a warp that are strided against coalesced."""

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
    levels = [
        data.pairs(
            data.measured(f"load_strided{level}", backend="cuda", size=lambda words: words > 1),
            data.measured(f"load_coalesced{level}", backend="cuda"),
            ("op", "size"),
        )
        for level in ("", "_l2")
    ]
    return above(levels[0] + levels[1], 1.2, "strided over coalesced loads")


claim = Claim(
    id="lecture-coalescing",
    statement="Loads of a warp that fall into few lines are faster than scattered ones.",
    source=lecture,
    needs="cuda load_coalesced and load_strided",
    command="syncmeter run --study coalescing",
    advice="Let neighbouring lanes read neighbouring addresses.",
    otherwise="The pattern of loads does not matter here.",
    judge=judge,
    figure="coalescing",
)
