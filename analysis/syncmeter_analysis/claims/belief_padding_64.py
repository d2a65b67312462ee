"""Cells 64 bytes apart against cells pages apart."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    every,
)
from syncmeter_analysis.claims.sources import (
    belief,
    run_false_sharing,
)
from syncmeter_analysis.statistics.evidence import Evidence, on_cpu


def judge(data: Evidence) -> Finding:
    points = data.measured(
        ("atomic_add", "atomic_write", "plain_add", "fence_between_stores"),
        backend=on_cpu,
        placement="strided",
        base_offset=0,
        lanes=lambda n: n >= 2,
    )
    far = [s for s in points if s.point.stride_bytes >= 128]
    widest = max((s.point.stride_bytes for s in far), default=0)
    pairs = data.pairs(
        [s for s in points if s.point.stride_bytes == 64],
        [s for s in far if s.point.stride_bytes == widest or widest < 4096],
        ("stride",),
    )
    return every(pairs, 0.0, 1.1, "64 B apart over far apart")


claim = Claim(
    id="belief-padding-64",
    statement="Padding to 64 bytes is enough.",
    source=belief,
    needs="ops on cells 64 bytes apart and farther, 2 lanes or more",
    command=run_false_sharing,
    advice="Pad to 64 bytes.",
    otherwise="Pad to 128 bytes: 64 are not enough here.",
    judge=judge,
    figure="false-sharing",
)
