"""SMT siblings on one line against on lines of their own."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    missing,
    within,
)
from syncmeter_analysis.claims.sources import (
    primitives,
    run_false_sharing,
)
from syncmeter_analysis.statistics.evidence import Evidence, on_cpu


def judge(data: Evidence) -> Finding:
    if data.machine.smt is False:
        return missing("this machine has no SMT")
    points = data.measured(
        "atomic_add", backend=on_cpu, affinity="smt", lanes=2, base_offset=0, placement="strided"
    )
    line = data.machine.line_bytes or 64
    near = [s for s in points if 0 < s.point.stride_bytes < line]
    far = [s for s in points if s.point.stride_bytes >= 2 * line]
    return within(data.pairs(near, far, ("stride",)), 0.8, 1.25, "siblings in one line over apart")


claim = Claim(
    id="smt-no-false-sharing",
    statement="SMT siblings suffer no false sharing between them.",
    source=f"{primitives}, V-A2",
    needs="atomic_add on strided cells, 2 lanes, affinity smt, on a machine with SMT",
    command=run_false_sharing,
    advice="Threads that must share lines belong on siblings of one core.",
    otherwise="Pad between siblings too.",
    judge=judge,
    figure="false-sharing",
)
