"""The other shuffles against __shfl_sync."""

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
        data.measured(("shuffle_up", "shuffle_down", "shuffle_xor"), backend="cuda"),
        data.measured("shuffle_idx", backend="cuda"),
        ("op",),
    )
    return within(pairs, 0.9, 1.1, "up, down and xor over idx")


claim = Claim(
    id="cuda-shuffle-alike",
    statement="All variants of the shuffle cost the same.",
    source=f"{primitives}, V-B3",
    needs="cuda shuffle_idx and another shuffle",
    command=f"{run_paper} --backend cuda",
    advice="Choose the shuffle that reads best.",
    otherwise="Variants differ here; look at what they compile to.",
    judge=judge,
    figure="levels",
)
