"""atomicCAS against atomicAdd on one address."""

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
from syncmeter_analysis.statistics import text
from syncmeter_analysis.statistics.evidence import Evidence, Pairs


def judge(data: Evidence) -> Finding:
    def ratios(kind: str) -> Pairs:
        where = {
            "backend": "cuda",
            "placement": "shared",
            "type": kind,
            "order": "relaxed",
            "lanes": lambda n: n >= 32,
        }
        return data.pairs(
            data.measured("atomic_cas_pass", **where),
            data.measured("atomic_add", **where),
            ("op", "repeat"),
        )

    wide = ratios("uint64")
    note = f"of 64 bits {text.ratio_interval(wide.typical)}" if wide else ""
    return above(ratios("int32"), 1.1, "atomicCAS over atomicAdd of int32", note)


claim = Claim(
    id="cuda-cas-cost",
    statement="atomicCAS is slower than atomicAdd on the same address.",
    source=f"{primitives}, V-B2 and V-B5",
    needs="cuda atomic_cas_pass and atomic_add on a shared cell",
    command=f"{run_paper} --backend cuda",
    advice="Use the atomic made for the purpose; a loop of atomicCAS is the last resort.",
    otherwise="atomicCAS costs no more than atomicAdd here.",
    judge=judge,
)
