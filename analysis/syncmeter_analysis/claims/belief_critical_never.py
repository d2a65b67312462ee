"""A critical section against an atomic, at every point."""

from __future__ import annotations

import math

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    every,
)
from syncmeter_analysis.claims.sources import (
    belief,
)
from syncmeter_analysis.statistics.evidence import Evidence, on_cpu


def judge(data: Evidence) -> Finding:
    pairs = data.pairs(
        data.measured(("critical_add", "critical_named_add"), backend=on_cpu),
        data.measured("atomic_add", backend=on_cpu, order="relaxed"),
        ("op", "order"),
    )
    return every(pairs, 1.0, math.inf, "critical section over atomic add")


claim = Claim(
    id="belief-critical-never",
    statement="A critical section is never better than an atomic update.",
    source=belief,
    needs="critical_add and atomic_add",
    command="syncmeter run --study scaling",
    advice="Never use a critical section for one update.",
    otherwise="There are points where a critical section wins: see the evidence before replacing one.",
    judge=judge,
)
