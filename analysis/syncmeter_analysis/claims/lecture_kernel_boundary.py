"""A second kernel as a barrier of the grid against a barrier in the kernel."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    above,
)
from syncmeter_analysis.claims.sources import (
    lecture,
    run_levels,
)
from syncmeter_analysis.statistics.evidence import Evidence


def judge(data: Evidence) -> Finding:
    pairs = data.pairs(
        # What a launch costs beside is the host's time, which says little of the barrier.
        data.measured("kernel_split", backend="cuda"),
        data.measured("grid_sync", backend="cuda"),
        ("op", "home"),
    )
    return above(pairs, 1.1, "a kernel cut in two over a grid barrier")


claim = Claim(
    id="lecture-kernel-boundary",
    statement="The end of a kernel is a barrier, and dearer than one inside it.",
    source=lecture,
    needs="cuda kernel_split and grid_sync in the same grid",
    command=run_levels,
    advice="Synchronize the grid inside a kernel where it fits on the device.",
    otherwise="A second kernel is the cheaper barrier here.",
    judge=judge,
    figure="levels",
)
