"""A grid larger than what co-resides is refused."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    cannot_tell,
    holds,
    missing,
)
from syncmeter_analysis.claims.sources import (
    levels,
    run_levels,
)
from syncmeter_analysis.statistics.evidence import Evidence


def judge(data: Evidence) -> Finding:
    points = data.select("grid_sync", backend="cuda")
    if not points:
        return missing()
    refused = [s for s in points if s.status == "unsupported"]
    ran = [s for s in points if s.usable]
    if not (refused and ran):
        return Finding(cannot_tell, note="all grids that were asked for fit, or none")
    return Finding(
        holds,
        points=[s.id for s in refused],
        note=f"{len(ran)} grids ran, {len(refused)} were refused: {refused[0].reason}",
    )


claim = Claim(
    id="levels-coresident",
    statement="Grid barriers are limited to as many blocks as fit at once.",
    source=f"{levels}, Table 9",
    needs="cuda grid_sync up to and beyond what co-resides",
    command=run_levels,
    advice="Ask the occupancy API for the grid's size before a cooperative launch.",
    otherwise="No limit was met here.",
    judge=judge,
    figure="levels",
)
