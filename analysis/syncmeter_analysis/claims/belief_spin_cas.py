"""Waiting by compare-and-swap against by load."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    above,
)
from syncmeter_analysis.claims.sources import (
    belief,
)
from syncmeter_analysis.statistics.evidence import Evidence, on_cpu


def judge(data: Evidence) -> Finding:
    pairs = data.pairs(
        data.measured("handoff_cas", backend=on_cpu),
        data.measured("handoff", backend=on_cpu),
        ("op", "order"),
    )
    return above(pairs, 1.05, "waiting by compare-and-swap over by load")


claim = Claim(
    id="belief-spin-cas",
    statement="Spinning on a compare-and-swap is worse than spinning on a load.",
    source=belief,
    needs="handoff_cas and handoff",
    command="syncmeter run --study core-to-core",
    advice="Wait by loads, and swap only when the load says so.",
    otherwise="How one waits makes no difference between two threads here.",
    judge=judge,
    figure="core-to-core",
)
