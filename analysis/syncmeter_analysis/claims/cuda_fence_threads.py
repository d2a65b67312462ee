"""A device fence in a full block against in one warp."""

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
    points = data.measured(
        ("fence_between_adds", "fence"), backend="cuda", scope="device", lanes=(32, 1024)
    )
    return within(data.ends(points, "lanes", lambda n: n >= 32), 0.8, 1.25, "1024 threads over 32")


claim = Claim(
    id="cuda-fence-threads",
    statement="The cost of a fence does not grow with the number of threads.",
    source=f"{primitives}, V-B4",
    needs="cuda fences of device scope at 32 and 1024 threads",
    command=f"{run_paper} --backend cuda",
    advice="Fences need no smaller blocks.",
    otherwise="Fence with fewer threads, or one lane for all.",
    judge=judge,
)
