"""Scatter over visits with more lanes than cores against with one on each."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    above,
    cannot_tell,
    missing,
)
from syncmeter_analysis.claims.sources import (
    primitives,
)
from syncmeter_analysis.data.interval import Interval
from syncmeter_analysis.statistics.evidence import Evidence, Pair, Pairs, on_cpu
from syncmeter_analysis.statistics.relation import Ratio
from syncmeter_analysis.statistics.stats import stdev
from syncmeter_analysis.statistics.summary import Measured


def _scatter(s: Measured) -> float | None:
    costs = s.visit_costs(s.state)
    return stdev(costs) / s.cost.value if len(costs) >= 3 and s.cost and s.cost.value > 0 else None


def judge(data: Evidence) -> Finding:
    cores = data.machine.cores
    if data.machine.smt is False or not cores:
        return missing("this machine has no SMT" if cores else "the number of cores is not known")
    points = [
        s
        for s in data.measured(
            ("barrier", "atomic_add", "critical_add", "atomic_fetch_add"), backend=on_cpu
        )
        if not s.imported
    ]
    groups: dict[str, dict[bool, list[Measured]]] = {}
    for s in points:
        if s.point.lanes > cores or s.point.lanes * 2 > cores:
            groups.setdefault(s.point.without("lanes").key, {}).setdefault(
                s.point.lanes > cores, []
            ).append(s)
    pairs = Pairs()
    for sides in groups.values():
        for over in sides.get(True, []):
            for under in sides.get(False, []):
                a, b = _scatter(over), _scatter(under)
                if a and b:
                    pairs.found.append(Pair(over, under, Ratio(Interval(a / b))))
    if 0 < len(pairs.found) < 6:
        return Finding(cannot_tell, note=f"{len(pairs.found)} pairs are too few to compare scatter")
    return above(pairs, 1.2, "scatter with siblings over without")


claim = Claim(
    id="smt-variance",
    statement="With both siblings of cores at work timings vary more.",
    source=f"{primitives}, V-A1",
    needs="ops at as many lanes as cores and at more, on a machine with SMT",
    command="syncmeter run --study scaling",
    advice="Measure and run with one thread per core where steadiness counts.",
    otherwise="Siblings do not make timings less steady here.",
    judge=judge,
)
