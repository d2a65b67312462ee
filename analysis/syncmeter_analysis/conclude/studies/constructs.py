"""What the constructs of an API cost: regions, loops, reductions and tasks of one runtime, with one way
of waiting.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from syncmeter_analysis.relate.group import place_in
from syncmeter_analysis.relate.summary import Measured

#: Iterations of each thread in the loops whose `size` is a chunk.
iterations = 128

families = ("region", "worksharing", "tasking")
_affinities = ("close", "none", "spread", "smt")


@dataclass
class Runtime:
    """What the constructs of an API cost with one way of waiting, by op, threads, size (1 where an op
    has none) and gap."""

    name: str
    costs: dict[tuple[str, int, int, int], Measured] = field(default_factory=dict)

    def at(self, op: str, lanes: int, size: int = 1, gap_us: int = 0) -> Measured | None:
        return self.costs.get((op, lanes, size, gap_us))

    def by_lanes(self, op: str) -> dict[int, Measured]:
        """The costs of an op of size 1 that are known, by threads."""
        found = {key[1]: s for key, s in self.costs.items() if key == (op, key[1], 1, 0)}
        return {lanes: s for lanes, s in sorted(found.items()) if s.usable}

    def regions(self) -> dict[int, Measured]:
        """The costs of a region, by threads: of one with a loop where that is known, for it is a loop
        that work is divided by, and a runtime may be called for it; else of an empty one."""
        return self.by_lanes("parallel_region") | self.by_lanes("parallel_for")

    def by_size(self, op: str, lanes: int) -> dict[int, Measured]:
        """The costs of an op that are known, by its size."""
        found = {key[2]: s for key, s in self.costs.items() if key[:2] == (op, lanes)}
        return {size: s for size, s in sorted(found.items()) if s.usable}

    def after_gap(self, lanes: int) -> dict[int, Measured]:
        """The costs of a region by the microseconds of serial work before it."""
        key = ("region_after_gap", lanes)
        found = {at[3]: s for at, s in self.costs.items() if at[:2] == key and s.usable}
        return dict(sorted(found.items()))


def runtime_name(s: Measured) -> str:
    """`omp passive`; APIs other than OpenMP have one way of waiting."""
    p = s.point
    return f"{p.backend} {p.wait}" if p.backend.startswith(("omp", "kokkos-openmp")) else p.backend


def by_preference(points: Iterable[Measured]) -> list[Measured]:
    """Of several affinities, types and repeats the first comes first."""
    return sorted(
        points,
        key=lambda s: (
            s.point.wait != "active",
            place_in(_affinities, s.point.affinity),
            s.point.type not in ("", "int32"),
            s.point.repeat,
        ),
    )


def runtimes_of(points: Iterable[Measured]) -> list[Runtime]:
    """The runtimes that these points are constructs of, by name; of equal ones the first counts."""
    found: dict[str, Runtime] = {}
    for s in points:
        p = s.point
        if s.family in families:
            runtime = found.setdefault(runtime_name(s), Runtime(runtime_name(s)))
            runtime.costs.setdefault((p.op, p.lanes, p.size or 1, p.gap_us), s)
    return [found[name] for name in sorted(found)]
