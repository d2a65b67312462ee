"""__syncthreads of a full block against one of a warp."""

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
    points = data.measured("barrier", backend="cuda", lanes=(32, 1024))
    return above(data.ends(points, "lanes", lambda n: n >= 32), 1.5, "1024 threads over 32")


claim = Claim(
    id="cuda-syncthreads-warps",
    statement="__syncthreads gets slower with the number of warps in the block.",
    source=f"{primitives}, V-B1 and V-B5",
    needs="cuda barrier at 32 and 1024 threads",
    command=f"{run_paper} --backend cuda",
    advice="Prefer smaller blocks in kernels that synchronize often.",
    otherwise="The size of the block does not matter to __syncthreads here.",
    judge=judge,
    figure="levels",
)
