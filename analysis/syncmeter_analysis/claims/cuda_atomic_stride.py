"""Atomics of a warp on addresses far apart against on consecutive ones."""

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
from syncmeter_analysis.statistics.evidence import Evidence


def judge(data: Evidence) -> Finding:
    points = data.measured(
        ("atomic_add", "atomic_cas_pass"),
        backend="cuda",
        placement="strided",
        lanes=lambda n: n >= 32,
    )
    pairs = data.pairs(
        [s for s in points if s.point.stride in (16, 32, 128)],
        [s for s in points if s.point.stride == 1],
        ("stride",),
    )
    return above(pairs, 1.2, "strides of 16 and more over 1")


claim = Claim(
    id="cuda-atomic-stride",
    statement="Atomics of a warp on consecutive addresses are faster than on scattered ones.",
    source=f"{primitives}, V-B2 and V-B5",
    needs="cuda atomics on strided cells at stride 1 and at 16 or more",
    command=f"{run_paper} --backend cuda",
    advice="Let the lanes of a warp update neighbouring addresses; padding is for CPUs.",
    otherwise="Scattered addresses cost no more here.",
    judge=judge,
)
