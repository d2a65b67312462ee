"""seq_cst against relaxed, the same op."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    above,
)
from syncmeter_analysis.claims.sources import (
    belief,
)
from syncmeter_analysis.statistics.evidence import Evidence


def judge(data: Evidence) -> Finding:
    ops = (
        "atomic_add",
        "atomic_fetch_add",
        "atomic_write",
        "atomic_read",
        "atomic_exchange",
        "atomic_cas_pass",
    )
    pairs = data.pairs(
        data.measured(ops, order="seq_cst"), data.measured(ops, order="relaxed"), ("order",)
    )
    return above(
        pairs, 1.05, "seq_cst over relaxed", f"most: {pairs.largest.over.point.op}" if pairs else ""
    )


claim = Claim(
    id="belief-relaxed",
    statement="Relaxed atomics are cheaper than sequentially consistent ones here.",
    source=belief,
    needs="atomics at both orders",
    command="syncmeter run --study quick --order relaxed,seq_cst",
    advice="Relax the order where correctness allows it.",
    otherwise="Write seq_cst: on this machine most atomics cost the same.",
    judge=judge,
)
