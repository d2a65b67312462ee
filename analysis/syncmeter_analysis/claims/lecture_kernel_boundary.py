"""A second kernel as a barrier of the grid against a barrier in the kernel."""

from __future__ import annotations

from syncmeter_analysis.claim import (
    Claim,
    Finding,
    above,
)
from syncmeter_analysis.claims.sources import (
    lecture,
    run_levels,
)
from syncmeter_analysis.evidence import Evidence


def judge(data: Evidence) -> Finding:
    pairs = data.pairs(
        data.measured(("additional_launch", "launch"), backend="cuda"),
        data.measured("grid_sync", backend="cuda"),
        ("op", "home"),
    )
    return above(pairs, 1.1, "kernel boundary over grid barrier")


claim = Claim(
    id="lecture-kernel-boundary",
    statement="The end of a kernel is a barrier, and dearer than one inside it.",
    source=lecture,
    needs="cuda additional_launch or launch, and grid_sync in the same grid",
    command=run_levels,
    advice="Synchronize the grid inside a kernel where it fits on the device.",
    otherwise="A second kernel is the cheaper barrier here.",
    judge=judge,
    figure="levels",
)
