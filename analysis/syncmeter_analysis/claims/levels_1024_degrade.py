"""Cost per warp of a barrier of 1024 threads against of 512."""

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
    points = data.measured("barrier", backend="cuda", lanes=(512, 1024))
    # As many threads on every multiprocessor: half as many blocks, of twice the size.
    most = max((s.point.blocks for s in points if s.point.lanes == 512), default=0)
    large = [s for s in points if s.point.lanes == 1024 and 2 * s.point.blocks == most]
    small = [s for s in points if s.point.lanes == 512 and s.point.blocks == most]
    return above(
        data.pairs(large, small, ("lanes", "blocks")),
        1.05,
        "one block of 1024 threads over two of 512",
    )


claim = Claim(
    id="levels-1024-degrade",
    statement="Blocks of 1024 threads synchronize more slowly than two of 512 in their place.",
    source=f"{levels}, 4.4",
    needs="cuda barrier of 512 threads in twice as many blocks as of 1024",
    command=f"{run_paper} --backend cuda",
    advice="Use blocks of 512 threads or fewer where barriers dominate.",
    otherwise="One block of 1024 threads costs no more than two of 512 here.",
    judge=judge,
    figure="levels",
)
