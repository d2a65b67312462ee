"""Cells of 4 bytes against cells of 8 at the same stride in elements, where lines are shared."""

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
from syncmeter_analysis.statistics.evidence import Evidence, Pairs, on_cpu


def judge(data: Evidence) -> Finding:
    line = data.machine.line_bytes or 64
    points = data.measured(
        "atomic_add",
        backend=on_cpu,
        placement="strided",
        base_offset=0,
        lanes=lambda n: n >= 2,
        stride=lambda n: n and n * 4 < line,
    )
    pairs = Pairs()
    for small, large in (("int32", "uint64"), ("float", "double")):
        pairs += data.pairs(
            [s for s in points if s.point.type == small],
            [s for s in points if s.point.type == large],
            ("type",),
        )
    return above(pairs, 1.05, "4-byte over 8-byte cells")


claim = Claim(
    id="omp-small-types",
    statement="At equal element stride 4-byte types suffer more from false sharing than 8-byte types.",
    source=f"{primitives}, V-A2",
    needs="atomic_add at strides below a line for types of both widths, 2 lanes or more",
    command=run_false_sharing,
    advice="Count padding in bytes; small types need more elements of it.",
    otherwise="What counts is the line alone: widths make no difference here.",
    judge=judge,
    figure="false-sharing",
)
