"""__syncthreads of one warp against the synchronization of a warp."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    below,
)
from syncmeter_analysis.claims.sources import (
    levels,
)
from syncmeter_analysis.statistics.evidence import Evidence


def judge(data: Evidence) -> Finding:
    warp = data.measured(("tile_sync", "warp_sync_partial", "warp_sync"), backend="cuda", lanes=32)
    pairs = data.pairs(data.measured("barrier", backend="cuda", lanes=32), warp, ("op", "size"))
    return below(pairs, 1.1, "__syncthreads of one warp over warp synchronization")


claim = Claim(
    id="levels-one-warp-block",
    statement="A block of one warp synchronizes no slower than a warp does.",
    source=f"{levels}, Table 10",
    needs="cuda barrier and a warp synchronization at 32 threads",
    command="syncmeter run --study quick --backend cuda",
    advice="__syncthreads is good enough in kernels of one warp per block.",
    otherwise="Use __syncwarp where a block is one warp.",
    judge=judge,
    figure="levels",
)
