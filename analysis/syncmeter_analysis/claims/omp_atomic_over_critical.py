"""A critical section around an addition against an atomic one."""

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
from syncmeter_analysis.statistics.evidence import Evidence, on_cpu


def judge(data: Evidence) -> Finding:
    pairs = data.pairs(
        data.measured("critical_add", backend=on_cpu),
        data.measured("atomic_add", backend=on_cpu, order="relaxed"),
        ("op", "order"),
    )
    return above(pairs, 1.1, "critical section over atomic add")


claim = Claim(
    id="omp-atomic-over-critical",
    statement="An atomic update is faster than a critical section around the same update.",
    source=f"{primitives}, V-A3 and V-A5",
    needs="critical_add and atomic_add",
    command=run_paper,
    advice="Replace critical sections around one update by an atomic.",
    otherwise="A critical section costs no more than an atomic here.",
    judge=judge,
)
