"""A tile of any size against one of the whole warp."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    within,
)
from syncmeter_analysis.claims.groups import grouped
from syncmeter_analysis.claims.sources import (
    levels,
    run_levels,
)
from syncmeter_analysis.statistics.evidence import Evidence


def judge(data: Evidence) -> Finding:
    pairs = grouped(data, "tile_sync")
    return within(pairs, 0.9, 1.1, "largest over smallest tile")


claim = Claim(
    id="levels-tile-size",
    statement="The size of a tile does not matter to its synchronization.",
    source=f"{levels}, Table 10",
    needs="cuda tile_sync over sizes of the group",
    command=run_levels,
    advice="Choose tile sizes by the algorithm.",
    otherwise="Tile size matters here.",
    judge=judge,
    figure="levels",
)
