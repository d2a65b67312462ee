"""All lanes on one cell against the same lanes on two."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    above,
)
from syncmeter_analysis.claims.sources import (
    belief,
)
from syncmeter_analysis.statistics.evidence import Evidence, on_cpu


def judge(data: Evidence) -> Finding:
    points = data.measured("atomic_add", backend=on_cpu, lanes=lambda n: n >= 2)
    pairs = data.pairs(
        [s for s in points if s.point.cells == 1],
        [s for s in points if s.point.cells == 2],
        ("cells",),
    )
    return above(pairs, 1.5, "one cell over two")


claim = Claim(
    id="belief-split-counter",
    statement="Splitting one counter in two makes its updates about twice as cheap.",
    source=belief,
    needs="atomic_add with --cells 1 and 2",
    command="syncmeter run --study contention",
    advice="Split what many threads count into a few cells on lines of their own, and add up to read.",
    otherwise="Two cells gain little here; give each thread its own.",
    judge=judge,
)
