"""What an article said of handing on a flag."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import Finding, above, between, claim, points, row, within
from syncmeter_analysis.claims.sources import potato, run_handoff
from syncmeter_analysis.relate.evidence import Evidence

HANDOFFS = ("warp_handoff", "cluster_handoff", "handoff_chain", "handoff")

potato_scope = row(
    between(points(HANDOFFS, backend="cuda"), "scope", ("device", "block"), ("system", "device")),
    (above, 1.1, "wider over narrower scope"),
    statement="Handing a flag on is faster at a narrower scope.",
    source=potato,
    needs="cuda warp handoffs at two scopes",
    command=run_handoff,
    advice="Use the narrowest scope that contains both sides: block, then device.",
    otherwise="A wider scope costs a handoff no more here.",
    figure="handoff",
)

potato_order = row(
    between(
        points(HANDOFFS, backend="cuda", flavour=("ptx", "atomic_ref")),
        "order",
        (("acq_rel", "acquire", "release"), "relaxed"),
    ),
    (above, 1.1, "acquire and release over relaxed"),
    statement="Acquire and release cost more than relaxed accesses in a handoff.",
    source=potato,
    needs="cuda warp handoffs relaxed and with acquire and release",
    command=run_handoff,
    advice="Use relaxed order for flags that guard no data.",
    otherwise="Acquire and release cost no more here: use them.",
    figure="handoff",
)

potato_volatile = row(
    between(points(HANDOFFS, backend="cuda", order="acq_rel"), "flavour", ("volatile", "ptx")),
    (above, 1.1, "volatile with a fence over the scoped form"),
    statement="A volatile flag with a fence is slower than a scoped acquire and release.",
    source=potato,
    needs="cuda warp handoffs by volatile with a fence and by PTX",
    command=run_handoff,
    advice="Replace volatile and __threadfence by scoped atomics.",
    otherwise="A volatile flag with __threadfence costs no more here.",
    figure="handoff",
)


@claim(
    statement="cuda::atomic_ref costs what the device-scope form costs.",
    source=potato,
    needs="cuda handoffs (or atomics) by atomic_ref and by PTX or functions",
    command=f"{run_handoff}, or syncmeter run --study atomics",
    advice="Write cuda::atomic_ref: it costs nothing over PTX.",
    otherwise="atomic_ref is not free here; look at what it compiles to.",
    figure="handoff",
)
def potato_atomic_ref(data: Evidence) -> Finding:
    """cuda::atomic_ref against the device-scope form of the same op."""
    handoffs = data.measured(HANDOFFS, backend="cuda", scope="device")
    points = handoffs or data.measured(
        ("atomic_add", "atomic_fetch_add", "atomic_exchange", "atomic_cas_pass"),
        backend="cuda",
        scope="device",
        order="relaxed",
    )
    pairs = data.between(points, "flavour", ("atomic_ref", ("ptx", "function")))
    return within(
        pairs,
        0.95,
        1.05,
        "atomic_ref over the device-scope form",
        "" if handoffs else "judged on atomics: no handoff was measured",
    )
