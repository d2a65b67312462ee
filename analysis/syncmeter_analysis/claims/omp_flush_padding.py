"""A flush between updates of cells in one line against of cells apart."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    above,
)
from syncmeter_analysis.claims.sources import (
    primitives,
    run_paper,
)
from syncmeter_analysis.statistics.evidence import Evidence, on_cpu


def judge(data: Evidence) -> Finding:
    points = data.measured(
        ("fence_between_adds", "fence_between_stores"),
        backend=on_cpu,
        base_offset=0,
        lanes=lambda n: n >= 2,
    )
    line = data.machine.line_bytes or 64
    near = [s for s in points if 0 < s.point.stride_bytes < line]
    far = [s for s in points if s.point.stride_bytes >= 2 * line]
    return above(
        data.pairs(near, far, ("stride", "repeat")), 1.2, "flush with cells in one line over apart"
    )


claim = Claim(
    id="omp-flush-padding",
    statement="A flush is cheap unless the threads' data share cache lines.",
    source=f"{primitives}, V-A4 and V-A5",
    needs="fence_between_adds or fence_between_stores, strides below and above a line, 2 lanes",
    command=run_paper,
    advice="Pad data around flushes; a flush then costs a few nanoseconds.",
    otherwise="False sharing does not make flushes dearer here.",
    judge=judge,
    figure="false-sharing",
)
