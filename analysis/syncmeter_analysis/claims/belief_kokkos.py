"""The same op through Kokkos and native."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    every,
)
from syncmeter_analysis.claims.sources import (
    belief,
)
from syncmeter_analysis.data.point import native_of
from syncmeter_analysis.statistics.evidence import Evidence, Pairs


def judge(data: Evidence) -> Finding:
    pairs = Pairs()
    for portable, native in native_of.items():
        over = data.of_backend(portable)
        if over:
            under = data.of_backend(native)
            pairs += data.pairs(over, under, ("backend", "flavour", "scope", "space"))
    return every(pairs, 0.0, 1.05, "Kokkos over native")


claim = Claim(
    id="belief-kokkos",
    statement="Kokkos costs nothing over the native API.",
    source=belief,
    needs="ops of a kokkos backend and of its native one",
    command="syncmeter run --study portability",
    advice="Write Kokkos: synchronization costs the same.",
    otherwise="Mind the ops that Kokkos makes dearer; the table of backends says which.",
    judge=judge,
    figure="backends",
)
