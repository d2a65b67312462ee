"""Integers of 8 bytes against of 4."""

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
from syncmeter_analysis.statistics.evidence import Evidence, on_cpu


def judge(data: Evidence) -> Finding:
    points = data.measured(
        ("atomic_add", "atomic_fetch_add", "critical_add"), backend=on_cpu, placement="shared"
    )
    pairs = data.pairs(
        [s for s in points if s.point.type == "uint64"],
        [s for s in points if s.point.type == "int32"],
        ("type",),
    )
    return within(pairs, 0.9, 1.1, "8-byte over 4-byte integers")


claim = Claim(
    id="omp-word-size",
    statement="On CPUs the word size of an integer does not matter.",
    source=f"{primitives}, V-A2",
    needs="atomic_add of int32 and of uint64 on a shared cell",
    command=run_paper,
    advice="Use 64-bit counters freely.",
    otherwise="Mind the width of shared counters.",
    judge=judge,
)
