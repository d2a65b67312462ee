"""__syncthreads over the number of warps that take part."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    above,
)
from syncmeter_analysis.claims.sources import (
    levels,
    run_paper,
)
from syncmeter_analysis.statistics.evidence import Evidence


def judge(data: Evidence) -> Finding:
    # One block: of a grid the warps of a multiprocessor are those of several blocks.
    points = data.measured(("barrier", "block_barrier"), backend="cuda", blocks=1)
    return above(data.ends(points, "lanes", lambda n: n >= 32), 1.5, "most warps over one")


claim = Claim(
    id="levels-block-warps",
    statement="Synchronizing a block costs with the number of active warps on its multiprocessor.",
    source=f"{levels}, Table 10 and 4.4",
    needs="cuda barrier at 32 threads and at more",
    command=f"{run_paper} --backend cuda",
    advice="Fewer warps per multiprocessor make block barriers cheaper.",
    otherwise="The number of warps does not matter to block barriers here.",
    judge=judge,
    figure="levels",
)
