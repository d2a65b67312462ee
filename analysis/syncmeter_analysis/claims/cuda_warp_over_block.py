"""An exchange inside the warp against a barrier of the block."""

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
from syncmeter_analysis.statistics.evidence import Evidence


def judge(data: Evidence) -> Finding:
    pairs = data.pairs(
        data.measured("barrier", backend="cuda", lanes=lambda n: n >= 64),
        [*data.measured("shuffle_idx", backend="cuda", type=("", "int32"))],
        ("op", "type"),
    )
    return above(pairs, 1.1, "__syncthreads over a shuffle")


claim = Claim(
    id="cuda-warp-over-block",
    statement="What a warp exchanges by shuffles is cheaper than by a barrier of the block.",
    source=f"{primitives}, V-B5",
    needs="cuda shuffle_idx and barrier at 64 threads or more",
    command=f"{run_paper} --backend cuda",
    advice="Keep exchanges inside a warp and use shuffles there.",
    otherwise="A barrier costs no more than a shuffle here.",
    judge=judge,
    figure="levels",
)
