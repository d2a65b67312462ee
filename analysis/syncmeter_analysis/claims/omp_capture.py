"""An update whose old value is used against one whose is not."""

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
from syncmeter_analysis.statistics.evidence import Evidence, on_cpu


def judge(data: Evidence) -> Finding:
    pairs = data.pairs(
        data.measured("atomic_fetch_add", backend=on_cpu, order="relaxed"),
        data.measured("atomic_add", backend=on_cpu, order="relaxed"),
        ("op",),
    )
    return within(pairs, 0.9, 1.1, "capture over update")


claim = Claim(
    id="omp-capture",
    statement="An atomic capture costs as much as an atomic update.",
    source=f"{primitives}, V-A2",
    needs="atomic_fetch_add and atomic_add",
    command=run_paper,
    advice="Use the captured value freely.",
    otherwise="Do not capture where the old value is not needed.",
    judge=judge,
)
