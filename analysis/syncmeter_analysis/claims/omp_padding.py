"""Cells of different lanes in one line against in lines of their own."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    above,
)
from syncmeter_analysis.claims.sources import (
    primitives,
    run_false_sharing,
)
from syncmeter_analysis.statistics.evidence import Evidence, on_cpu


def judge(data: Evidence) -> Finding:
    points = data.measured(
        "atomic_add", backend=on_cpu, placement="strided", base_offset=0, lanes=lambda n: n >= 2
    )
    line = data.machine.line_bytes or 64
    near = [s for s in points if 0 < s.point.stride_bytes < line]
    return above(
        data.pairs(near, [s for s in points if s.point.stride_bytes >= 2 * line], ("stride",)),
        1.2,
        "cells in one line over cells apart",
    )


claim = Claim(
    id="omp-padding",
    statement="Data that different threads update should lie at least a cache line apart.",
    source=f"{primitives}, V-A5",
    needs="atomic_add on strided cells nearer and farther than a line, 2 lanes or more",
    command=run_false_sharing,
    advice="Pad what different threads write to a cache line each.",
    otherwise="Padding buys nothing here; leave arrays dense.",
    judge=judge,
    figure="false-sharing",
)
