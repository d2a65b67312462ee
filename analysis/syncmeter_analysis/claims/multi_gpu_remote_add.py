"""An atomic add in a peer's memory against one in the device's own."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    above,
)
from syncmeter_analysis.claims.sources import (
    belief,
    run_multi_gpu,
)
from syncmeter_analysis.statistics.evidence import Evidence


def judge(data: Evidence) -> Finding:
    points = data.measured("remote_atomic_add_dependent", backend="cuda")
    pairs = data.pairs(
        [s for s in points if s.point.home == "second"],
        [s for s in points if s.point.home == "first"],
        ("home",),
    )
    return above(pairs, 2, "in a peer's memory over in its own")


claim = Claim(
    id="multi-gpu-remote-add",
    statement="An atomic on another GPU's memory takes more than twice as long as on one's own.",
    source=belief,
    needs="cuda remote_atomic_add_dependent at two homes",
    command=run_multi_gpu,
    advice="Add up on each GPU first, and send one result to the other.",
    otherwise="A peer's memory is as good a place for a counter as one's own here.",
    judge=judge,
    figure="levels",
)
