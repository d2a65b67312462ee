"""A grid barrier with many blocks per multiprocessor against with few."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    above,
)
from syncmeter_analysis.claims.sources import (
    levels,
    run_levels,
)
from syncmeter_analysis.statistics.evidence import Evidence


def judge(data: Evidence) -> Finding:
    # Of larger blocks hardly more than one fits on a multiprocessor.
    points = data.measured("grid_sync", backend="cuda", lanes=lambda threads: threads <= 256)
    return above(data.ends(points, "blocks", lambda n: n >= 1), 1.5, "most blocks over fewest")


claim = Claim(
    id="levels-grid-blocks",
    statement="Synchronizing a grid costs with the number of blocks per multiprocessor.",
    source=f"{levels}, Table 10 and Figure 8",
    needs="cuda grid_sync over blocks",
    command=run_levels,
    advice="Use one large block per multiprocessor where the grid synchronizes.",
    otherwise="Blocks per multiprocessor do not matter to grid barriers here.",
    judge=judge,
    figure="levels",
)
