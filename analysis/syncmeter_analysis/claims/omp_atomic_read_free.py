"""An atomic read against an atomic update: is it next to nothing?"""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    below,
    within,
)
from syncmeter_analysis.claims.sources import (
    primitives,
    run_paper,
)
from syncmeter_analysis.statistics.evidence import Evidence, on_cpu


def judge(data: Evidence) -> Finding:
    plain = data.pairs(
        data.select("atomic_read", backend=on_cpu, order="relaxed"),
        data.measured("plain_read", backend=on_cpu),
        ("op", "order"),
    )
    if plain or plain.without:
        return within(plain, 0.9, 1.1, "atomic over plain read")
    pairs = data.pairs(
        data.select("atomic_read", backend=on_cpu, placement="shared", type=("int32", "uint64")),
        data.measured("atomic_add", backend=on_cpu, placement="shared"),
        ("op", "repeat"),
        zero=True,
    )
    return below(pairs, 0.1, "atomic read over atomic add")


claim = Claim(
    id="omp-atomic-read-free",
    statement="Reading atomically costs no more than reading.",
    source=f"{primitives}, V-A2 and V-A5",
    needs="atomic_read and plain_read, or atomic_add",
    command=run_paper,
    advice="Read shared variables atomically wherever they may change: it is free.",
    otherwise="Atomic reads cost something here; look at what they compile to.",
    judge=judge,
)
