"""Other types against int32, all threads on one address."""

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
        "atomic_add", backend="cuda", placement="shared", lanes=lambda n: n >= 32, order="relaxed"
    )
    pairs = data.pairs(
        [s for s in points if s.point.type in ("uint64", "float", "double")],
        [s for s in points if s.point.type == "int32"],
        ("type",),
    )
    return above(pairs, 1.1, "other types over int32")


claim = Claim(
    id="cuda-int-atomics",
    statement="atomicAdd on one address is fastest for 32-bit integers.",
    source=f"{primitives}, V-B2 and V-B5",
    needs="cuda atomic_add on a shared cell for int32 and another type",
    command=f"{run_paper} --backend cuda",
    advice="Count in 32-bit integers: the compiler adds up a warp before it goes to memory.",
    otherwise="The type does not matter to atomicAdd on one address here.",
    judge=judge,
)
