"""A volatile flag with a fence against acquire and release of the same scope."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    above,
)
from syncmeter_analysis.claims.groups import HANDOFFS
from syncmeter_analysis.claims.sources import (
    potato,
    run_handoff,
)
from syncmeter_analysis.statistics.evidence import Evidence


def judge(data: Evidence) -> Finding:
    points = data.measured(HANDOFFS, backend="cuda", order="acq_rel")
    pairs = data.pairs(
        [s for s in points if s.point.flavour == "volatile"],
        [s for s in points if s.point.flavour == "ptx"],
        ("flavour",),
    )
    return above(pairs, 1.1, "volatile with a fence over the scoped form")


claim = Claim(
    id="potato-volatile",
    statement="A volatile flag with a fence is slower than a scoped acquire and release.",
    source=potato,
    needs="cuda warp handoffs by volatile with a fence and by PTX",
    command=run_handoff,
    advice="Replace volatile and __threadfence by scoped atomics.",
    otherwise="The old idiom costs no more here.",
    judge=judge,
    figure="handoffs",
)
