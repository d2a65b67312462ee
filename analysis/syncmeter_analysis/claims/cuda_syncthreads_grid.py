"""__syncthreads in a grid of many blocks against in one block."""

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
    points = data.measured("barrier", backend="cuda", lanes=lambda n: n >= 32)
    pairs = data.pairs(
        [s for s in points if s.point.blocks > 1],
        [s for s in points if s.point.blocks == 1],
        ("blocks",),
    )
    return within(pairs, 0.9, 1.1, "many blocks over one")


claim = Claim(
    id="cuda-syncthreads-grid",
    statement="__syncthreads does not depend on the number of blocks in the grid.",
    source=f"{primitives}, V-B1",
    needs="cuda barrier with 1 block and with more",
    command=f"{run_paper} --backend cuda",
    advice="Size the grid by the work; barriers inside blocks do not mind.",
    otherwise="Barriers inside blocks get dearer with more blocks per multiprocessor here.",
    judge=judge,
    figure="levels",
)
