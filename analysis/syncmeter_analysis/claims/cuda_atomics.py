"""What was published of CUDA's atomics."""

from __future__ import annotations

from typing import Any

from syncmeter_analysis.claims.claim import (
    Finding,
    above,
    against,
    between,
    claim,
    points,
    row,
    versus,
    within,
)
from syncmeter_analysis.claims.sources import primitives, run_paper
from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.evidence import Evidence, Pairs

cuda_int_atomics = row(
    between(
        points(
            "atomic_add",
            backend="cuda",
            placement="shared",
            lanes=lambda n: n >= 32,
            order="relaxed",
        ),
        "type",
        (("uint64", "float", "double"), "int32"),
    ),
    (above, 1.1, "other types over int32"),
    statement="atomicAdd on one address is fastest for 32-bit integers.",
    source=f"{primitives}, V-B2 and V-B5",
    needs="cuda atomic_add on a shared cell for int32 and another type",
    command=f"{run_paper} --backend cuda",
    advice="Count in 32-bit integers: the compiler adds up a warp before it goes to memory.",
    otherwise="The type does not matter to atomicAdd on one address here.",
)

cuda_atomic_contention = row(
    versus(
        points(
            ("atomic_add", "atomic_cas_pass", "atomic_cas_fail", "atomic_exchange"),
            placement="shared",
            backend="cuda",
            lanes=lambda n: n >= 32,
            order="relaxed",
        ),
        points(
            ("atomic_add", "atomic_cas_pass", "atomic_cas_fail", "atomic_exchange"),
            placement="strided",
            stride=1,
            backend="cuda",
            lanes=lambda n: n >= 32,
            order="relaxed",
        ),
        "placement",
        "stride",
    ),
    (above, 1.1, "one address over private ones"),
    statement="Atomics of many threads on one address are slower than on addresses of their own.",
    source=f"{primitives}, V-B2 and V-B5",
    needs="cuda atomics on a shared cell and on strided ones, 32 threads or more",
    command=f"{run_paper} --backend cuda",
    advice="Spread atomics over addresses, or combine per warp or block before the one that is shared.",
    otherwise="One address costs no more than many here (the compiler or L2 combines them).",
)


@claim(
    statement="atomicCAS is slower than atomicAdd on the same address.",
    source=f"{primitives}, V-B2 and V-B5",
    needs="cuda atomic_cas_pass and atomic_add on one address, known or by data (stride 0)",
    command=f"{run_paper} --backend cuda",
    advice="Use the atomic made for the purpose; a loop of atomicCAS is the last resort.",
    otherwise="atomicCAS costs no more than atomicAdd here.",
)
def cuda_cas_cost(data: Evidence) -> Finding:
    """atomicCAS against atomicAdd on one address: one that data decide, where that was measured."""

    def ratios(kind: str, **where: Any) -> Pairs:
        where |= {"backend": "cuda", "type": kind, "order": "relaxed", "lanes": lambda n: n >= 32}
        return data.pairs(
            data.measured("atomic_cas_pass", **where),
            data.measured("atomic_add", **where),
            ("op", "repeat"),
        )

    by_data = {"placement": "strided", "stride": 0}
    known = {"placement": "shared"}
    place = by_data if ratios("int32", **by_data) else known
    wide = ratios("uint64", **place)
    note = f"of 64 bits {text.ratio_interval(wide.typical)}" if wide else ""
    found = above(ratios("int32", **place), 1.1, "atomicCAS over atomicAdd of int32", note)
    if place is known and found.effect:
        found.doubts.append("where the compiler knows the address, a warp sends one addition")
    return found


cuda_atomic_stride = row(
    between(
        points(
            ("atomic_add", "atomic_cas_pass"),
            backend="cuda",
            placement="strided",
            lanes=lambda n: n >= 32,
        ),
        "stride",
        ((16, 32, 128), 1),
    ),
    (above, 1.2, "strides of 16 and more over 1"),
    statement="Atomics of a warp on consecutive addresses are faster than on scattered ones.",
    source=f"{primitives}, V-B2 and V-B5",
    needs="cuda atomics on strided cells at stride 1 and at 16 or more",
    command=f"{run_paper} --backend cuda",
    advice="Let the lanes of a warp update neighbouring addresses; padding is for CPUs.",
    otherwise="Scattered addresses cost no more here.",
)

cuda_fewer_lanes = row(
    between(points("atomic_add", backend="cuda", order="relaxed"), "active", (0, 1)),
    (above, 1.1, "all lanes over one of each warp"),
    statement="Switching lanes of each warp off makes its atomics faster.",
    source=f"{primitives}, V-B5 (eighth recommendation)",
    needs="cuda atomic_add with one and with all lanes of a warp at work",
    command=f"{run_paper} --backend cuda",
    advice="Elect one lane of a warp for an atomic where one is enough.",
    otherwise="One lane costs as much as a warp here.",
)

cuda_cas_pass_fail = row(
    against("atomic_cas_fail", "atomic_cas_pass", "repeat", backend="cuda"),
    (within, 0.9, 1.1, "failing over passing compare-and-swap"),
    statement="A compare-and-swap that fails costs as much as one that passes.",
    source=f"{primitives}, V-B2",
    needs="cuda atomic_cas_fail and atomic_cas_pass",
    command=f"{run_paper} --backend cuda",
    advice="Do not guard an atomicCAS by a test for the sake of its cost alone.",
    otherwise="Whether it passes matters here.",
)
