"""All threads on one address against each on its own."""

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
    ops = ("atomic_add", "atomic_cas_pass", "atomic_cas_fail", "atomic_exchange")
    where = {"backend": "cuda", "lanes": lambda n: n >= 32, "order": "relaxed"}
    pairs = data.pairs(
        data.measured(ops, placement="shared", **where),
        data.measured(ops, placement="strided", stride=1, **where),
        ("placement", "stride"),
    )
    return above(pairs, 1.1, "one address over private ones")


claim = Claim(
    id="cuda-atomic-contention",
    statement="Atomics of many threads on one address are slower than on addresses of their own.",
    source=f"{primitives}, V-B2 and V-B5",
    needs="cuda atomics on a shared cell and on strided ones, 32 threads or more",
    command=f"{run_paper} --backend cuda",
    advice="Spread atomics over addresses, or combine per warp or block before the one that is shared.",
    otherwise="One address costs no more than many here (the compiler or L2 combines them).",
    judge=judge,
)
