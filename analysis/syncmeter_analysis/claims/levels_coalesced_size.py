"""A coalesced group of many lanes against one of few."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    above,
)
from syncmeter_analysis.claims.groups import grouped
from syncmeter_analysis.claims.sources import (
    levels,
    run_levels,
)
from syncmeter_analysis.statistics.evidence import Evidence


def judge(data: Evidence) -> Finding:
    return above(grouped(data, "coalesced_sync"), 1.1, "largest over smallest coalesced group")


claim = Claim(
    id="levels-coalesced-size",
    statement="The size of a coalesced group matters to its synchronization.",
    source=f"{levels}, Table 10",
    needs="cuda coalesced_sync over sizes of the group",
    command=run_levels,
    advice="Prefer tiles of fixed size to coalesced groups.",
    otherwise="Coalesced groups cost the same whatever their size here.",
    judge=judge,
    figure="levels",
)
