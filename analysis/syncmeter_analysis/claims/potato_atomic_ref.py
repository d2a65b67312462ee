"""cuda::atomic_ref against the device-scope form of the same op."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    within,
)
from syncmeter_analysis.claims.groups import HANDOFFS
from syncmeter_analysis.claims.sources import (
    potato,
    run_handoff,
)
from syncmeter_analysis.statistics.evidence import Evidence


def judge(data: Evidence) -> Finding:
    handoffs = data.measured(HANDOFFS, backend="cuda", scope="device")
    points = handoffs or data.measured(
        ("atomic_add", "atomic_fetch_add", "atomic_exchange", "atomic_cas_pass"),
        backend="cuda",
        scope="device",
        order="relaxed",
    )
    pairs = data.pairs(
        [s for s in points if s.point.flavour == "atomic_ref"],
        [s for s in points if s.point.flavour in ("ptx", "function")],
        ("flavour",),
    )
    return within(
        pairs,
        0.95,
        1.05,
        "atomic_ref over the device-scope form",
        "" if handoffs else "judged on atomics: no handoff was measured",
    )


claim = Claim(
    id="potato-atomic-ref",
    statement="cuda::atomic_ref costs what the device-scope form costs.",
    source=potato,
    needs="cuda handoffs (or atomics) by atomic_ref and by PTX or functions",
    command=f"{run_handoff}, or syncmeter run --study atomics",
    advice="Write cuda::atomic_ref: it costs nothing over PTX.",
    otherwise="atomic_ref is not free here; look at what it compiles to.",
    judge=judge,
    figure="handoffs",
)
