"""The library's reduction against those written by hand."""

from __future__ import annotations

import math

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    every,
)
from syncmeter_analysis.claims.sources import (
    belief,
    run_reductions,
)
from syncmeter_analysis.statistics.evidence import Evidence

_by_hand = (
    "reduce_max_global_atomic",
    "reduce_max_warp_atomic",
    "reduce_max_block_atomic",
    "reduce_max_warp_reduce",
    "reduce_max_persistent",
)


def judge(data: Evidence) -> Finding:
    pairs = data.pairs(
        data.measured(_by_hand, backend="cuda"),
        data.measured("reduce_max_cub", backend="cuda"),
        ("op",),
    )
    return every(pairs, 0.95, math.inf, "a form written by hand over the library's")


claim = Claim(
    id="reductions-library",
    statement="The library's reduction is the fastest.",
    source=belief,
    needs="cuda reduce_max_cub and another reduce_max of the same size",
    command=f"{run_reductions} --backend cuda",
    advice="Call the library.",
    otherwise="One written by hand is faster here for some size or type.",
    judge=judge,
    figure="reductions",
)
