"""Threads that stay and reduce in registers against the other published forms of a maximum."""

from __future__ import annotations

import math

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    every,
)
from syncmeter_analysis.claims.sources import (
    primitives,
    run_reductions,
)
from syncmeter_analysis.statistics.evidence import Evidence

_others = (
    "reduce_max_global_atomic",
    "reduce_max_warp_atomic",
    "reduce_max_block_atomic",
    "reduce_max_warp_reduce",
)
# Below it a reduction is mostly its launch.
_least_elements = 1 << 20


def judge(data: Evidence) -> Finding:
    pairs = data.pairs(
        data.measured(_others, backend="cuda", size=lambda n: n >= _least_elements),
        data.measured("reduce_max_persistent", backend="cuda"),
        ("op",),
    )
    return every(pairs, 0.95, math.inf, "another form over persistent threads")


claim = Claim(
    id="reductions-persistent",
    statement="Of the published forms of a maximum, persistent threads that reduce in registers "
    "first are the fastest on large arrays.",
    source=f"{primitives}, Listing 1",
    needs="cuda reduce_max_persistent and another reduce_max of 2^20 elements or more",
    command=f"{run_reductions} --backend cuda",
    advice="Reduce in registers first, then in the warp, the block and the grid.",
    otherwise="Another form is faster here for some size or type.",
    judge=judge,
    figure="reductions",
)
