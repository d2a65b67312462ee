"""Floating against integer atomic adds of the same width."""

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
from syncmeter_analysis.statistics.evidence import Evidence, Pairs, on_cpu


def judge(data: Evidence) -> Finding:
    points = data.measured("atomic_add", backend=on_cpu, lanes=lambda n: n >= 2, order="relaxed")
    pairs = Pairs()
    for floating, integer in (("float", "int32"), ("double", "uint64")):
        pairs += data.pairs(
            [s for s in points if s.point.type == floating],
            [s for s in points if s.point.type == integer],
            ("type",),
        )
    return above(pairs, 1.1, "floating over integer atomic add")


claim = Claim(
    id="omp-integer-add",
    statement="Atomic adds of integers are faster than those of floating-point numbers.",
    source=f"{primitives}, V-A2 and V-A5",
    needs="atomic_add of an integer and of a floating type of the same width, 2 lanes or more",
    command=run_paper,
    advice="Prefer integers where threads update a variable atomically (fixed point, counts).",
    otherwise="Choose the type that the algorithm wants: it costs no more here.",
    judge=judge,
)
