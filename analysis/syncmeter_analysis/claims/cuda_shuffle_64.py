"""Shuffles of 8 bytes against of 4."""

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
from syncmeter_analysis.statistics import text
from syncmeter_analysis.statistics.evidence import Evidence, Pairs


def judge(data: Evidence) -> Finding:
    shuffles = ("shuffle_idx", "shuffle_up", "shuffle_down", "shuffle_xor")
    points = data.measured(shuffles, backend="cuda")
    pairs, few = Pairs(), Pairs()
    for large, small in (("uint64", "int32"), ("double", "float")):
        found = data.pairs(
            [s for s in points if s.point.type == large],
            [s for s in points if s.point.type == small],
            ("type",),
        )
        pairs += Pairs([p for p in found.found if p.over.point.lanes >= 512], found.without)
        few += Pairs([p for p in found.found if p.over.point.lanes <= 128])
    note = f"in blocks of at most 128 threads {text.ratio_interval(few.typical)}" if few else ""
    return within(pairs, 1.5, 2.5, "64-bit over 32-bit shuffle, 512 threads and more", note)


claim = Claim(
    id="cuda-shuffle-64",
    statement="In full blocks a 64-bit shuffle costs as much as two 32-bit ones.",
    source=f"{primitives}, V-B3",
    needs="cuda shuffles of types of 4 and of 8 bytes, 512 threads or more",
    command=f"{run_paper} --backend cuda",
    advice="Shuffle 32-bit values; split what does not need 64 bits.",
    otherwise="A 64-bit shuffle does not cost two here.",
    judge=judge,
    figure="levels",
)
