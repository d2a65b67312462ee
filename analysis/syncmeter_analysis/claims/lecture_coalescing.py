"""Loads of a warp that are strided against coalesced."""

from __future__ import annotations

from syncmeter_analysis.claim import (
    Claim,
    Finding,
    above,
)
from syncmeter_analysis.claims.sources import (
    lecture,
)
from syncmeter_analysis.evidence import Evidence


def judge(data: Evidence) -> Finding:
    pairs = data.pairs(
        data.measured(("load_strided", "load_random"), backend="cuda"),
        data.measured("load_coalesced", backend="cuda"),
        ("op", "stride"),
    )
    return above(pairs, 1.2, "scattered over coalesced loads")


claim = Claim(
    id="lecture-coalescing",
    statement="Loads of a warp that fall into few lines are faster than scattered ones.",
    source=lecture,
    needs="cuda load_coalesced and load_strided or load_random",
    command="syncmeter run --study coalescing",
    advice="Let neighbouring lanes read neighbouring addresses.",
    otherwise="The pattern of loads does not matter here.",
    judge=judge,
    figure="levels",
)
