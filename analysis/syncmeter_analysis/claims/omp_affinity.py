"""The same op with lanes packed close and spread far."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    every,
)
from syncmeter_analysis.claims.sources import (
    primitives,
)
from syncmeter_analysis.statistics.evidence import Evidence, Pairs, on_cpu


def judge(data: Evidence) -> Finding:
    points = data.measured(
        ("barrier", "atomic_add", "atomic_read", "critical_add", "fence"),
        backend=on_cpu,
        lanes=lambda n: n >= 2,
    )
    pairs = data.pairs(
        [s for s in points if s.point.affinity == "spread"],
        [s for s in points if s.point.affinity == "close"],
        ("affinity",),
    )
    pairs = Pairs(
        [p for p in pairs.found if not (p.over.measured_as or p.under.measured_as)], pairs.without
    )
    return every(pairs, 0.8, 1.25, "spread over close")


claim = Claim(
    id="omp-affinity",
    statement="Where threads are placed makes no difference to synchronization.",
    source=f"{primitives}, V-A (affinity was asked for there and never took effect)",
    needs="ops at affinities close and spread that choose different PUs",
    command="syncmeter run --study scaling",
    advice="Leave placement to the runtime.",
    otherwise="Bind threads: OMP_PLACES and OMP_PROC_BIND decide what synchronization costs here.",
    judge=judge,
)
