"""A compare-and-swap that fails against one that passes."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    within,
)
from syncmeter_analysis.claims.sources import (
    primitives,
    run_paper,
)
from syncmeter_analysis.statistics.evidence import Evidence


def judge(data: Evidence) -> Finding:
    pairs = data.pairs(
        data.measured("atomic_cas_fail", backend="cuda"),
        data.measured("atomic_cas_pass", backend="cuda"),
        ("op", "repeat"),
    )
    return within(pairs, 0.9, 1.1, "failing over passing compare-and-swap")


claim = Claim(
    id="cuda-cas-pass-fail",
    statement="A compare-and-swap that fails costs as much as one that passes.",
    source=f"{primitives}, V-B2",
    needs="cuda atomic_cas_fail and atomic_cas_pass",
    command=f"{run_paper} --backend cuda",
    advice="Do not guard an atomicCAS by a test for the sake of its cost alone.",
    otherwise="Whether it passes matters here.",
    judge=judge,
)
