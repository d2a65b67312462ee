"""What was published of OpenMP's primitives on CPUs."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Finding,
    above,
    against,
    below,
    between,
    cannot_tell,
    claim,
    ends,
    every,
    holds,
    missing,
    points,
    row,
    versus,
    within,
)
from syncmeter_analysis.claims.sources import primitives, run_paper
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.record.point import key_without
from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.evidence import Evidence, Pair, Pairs, on_cpu, same_measurement
from syncmeter_analysis.relate.relation import Ratio
from syncmeter_analysis.relate.stats import stdev
from syncmeter_analysis.relate.summary import Measured

_but_lanes = key_without("lanes")


@claim(
    statement="A barrier among few threads is hardly faster than one among all of them.",
    source=f"{primitives}, V-A5 and Figure 1",
    needs="barrier at 4 lanes and at more",
    command=run_paper,
    least_pus=5,
    advice="Do not use fewer threads for the sake of faster barriers; use fewer barriers.",
    otherwise="Where barriers dominate, use fewer threads: a barrier grows with their number here.",
)
def omp_barrier_lanes(data: Evidence) -> Finding:
    """A barrier among all threads against one among two."""
    barriers = data.measured("barrier", backend=on_cpu)
    over_two = data.ends(barriers, "lanes", lambda n: n >= 2)
    note = f"over 2 lanes {text.ratio_interval(over_two.typical)}" if over_two else ""
    many = data.ends(barriers, "lanes", lambda n: n >= 4)
    return below(many, 2.0, "barrier of all lanes over 4", note)


omp_atomic_contention = row(
    ends(points("atomic_add", backend=on_cpu, placement="shared", order="relaxed"), "lanes", 1),
    (above, 1.5, "an atomic add when all threads do it, over one by a thread alone"),
    statement="Atomic updates of one variable get slower with every thread that joins.",
    source=f"{primitives}, V-A5",
    needs="atomic_add on a shared cell at 1 lane and at more",
    command=run_paper,
    advice="Keep one variable per thread and combine them at the end, instead of one shared "
    "atomic.",
    otherwise="Contention on one atomic costs little here; a shared counter is good enough.",
)

omp_integer_add = row(
    between(
        points("atomic_add", backend=on_cpu, lanes=lambda n: n >= 2, order="relaxed"),
        "type",
        ("float", "int32"),
        ("double", "uint64"),
    ),
    (above, 1.1, "floating over integer atomic add"),
    statement="Atomic adds of integers are faster than those of floating-point numbers.",
    source=f"{primitives}, V-A2 and V-A5",
    needs="atomic_add of an integer and of a floating type of the same width, 2 lanes or more",
    command=run_paper,
    advice="Prefer integers where threads update a variable atomically (fixed point, counts).",
    otherwise="Choose the type that the algorithm wants: it costs no more here.",
)

omp_atomic_over_critical = row(
    versus(
        points("critical_add", backend=on_cpu),
        points("atomic_add", backend=on_cpu, order="relaxed"),
        "op",
        "order",
    ),
    (above, 1.1, "critical section over atomic add"),
    statement="An atomic update is faster than a critical section around the same update.",
    source=f"{primitives}, V-A3 and V-A5",
    needs="critical_add and atomic_add",
    command=run_paper,
    advice="Replace critical sections around one update by an atomic.",
    otherwise="A critical section costs no more than an atomic here.",
)


@claim(
    statement="Reading atomically costs no more than reading.",
    source=f"{primitives}, V-A2 and V-A5",
    needs="atomic_read and plain_read, or atomic_add",
    command=run_paper,
    advice="Read shared variables atomically wherever they may change: that costs nothing more.",
    otherwise="Atomic reads cost something here; look at what they compile to.",
)
def omp_atomic_read_free(data: Evidence) -> Finding:
    """An atomic read against an atomic update: is it next to nothing?"""
    plain = data.pairs(
        data.select("atomic_read", backend=on_cpu, order="relaxed"),
        data.measured("plain_read", backend=on_cpu),
        ("op", "order"),
    )
    if plain.without and not plain and set(plain.without) == {same_measurement}:
        return Finding(holds, note="both compile to the same instructions and are one measurement")
    if plain or plain.without:
        return within(plain, 0.9, 1.1, "atomic over plain read")
    pairs = data.pairs(
        data.select("atomic_read", backend=on_cpu, placement="shared", type=("int32", "uint64")),
        data.measured("atomic_add", backend=on_cpu, placement="shared"),
        ("op", "repeat"),
        zero=True,
    )
    return below(pairs, 0.1, "atomic read over atomic add")


omp_affinity = row(
    between(
        points(
            ("barrier", "atomic_add", "atomic_read", "critical_add", "fence"),
            backend=on_cpu,
            lanes=lambda n: n >= 2,
        ),
        "affinity",
        ("spread", "close"),
    ),
    (every, 0.8, 1.25, "spread over close"),
    statement="Where threads are placed makes no difference to synchronization.",
    source=f"{primitives}, V-A (affinity was asked for there and never took effect)",
    needs="ops at affinities close and spread that choose different PUs",
    command="syncmeter run --study scaling",
    advice="Leave placement to the runtime.",
    otherwise="Bind threads: OMP_PLACES and OMP_PROC_BIND decide what synchronization costs here.",
)

omp_word_size = row(
    between(
        points(
            ("atomic_add", "atomic_fetch_add", "critical_add"), backend=on_cpu, placement="shared"
        ),
        "type",
        ("uint64", "int32"),
    ),
    (within, 0.9, 1.1, "8-byte over 4-byte integers"),
    statement="On CPUs the word size of an integer does not matter.",
    source=f"{primitives}, V-A2",
    needs="atomic_add of int32 and of uint64 on a shared cell",
    command=run_paper,
    advice="Use 64-bit counters freely.",
    otherwise="Mind the width of shared counters.",
)

omp_capture = row(
    against("atomic_fetch_add", "atomic_add", backend=on_cpu, order="relaxed"),
    (within, 0.9, 1.1, "capture over update"),
    statement="An atomic capture costs as much as an atomic update.",
    source=f"{primitives}, V-A2",
    needs="atomic_fetch_add and atomic_add",
    command=run_paper,
    advice="Use the captured value freely.",
    otherwise="Do not capture where the old value is not needed.",
)


def _scatter(s: Measured) -> float | None:
    costs = s.visit_costs(s.state)
    return stdev(costs) / s.cost.value if len(costs) >= 3 and s.cost and s.cost.value > 0 else None


@claim(
    statement="With both siblings of cores at work timings vary more.",
    source=f"{primitives}, V-A1",
    needs="ops at as many lanes as cores and at more, on a machine with SMT",
    command="syncmeter run --study scaling",
    advice="Measure and run with one thread per core where steadiness counts.",
    otherwise="Siblings do not make timings less steady here.",
)
def smt_variance(data: Evidence) -> Finding:
    """Scatter over visits with more lanes than cores against with one on each."""
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
    groups: dict[object, dict[bool, list[Measured]]] = {}
    for s in points:
        if s.point.lanes > cores or s.point.lanes * 2 > cores:
            groups.setdefault(_but_lanes(s.point), {}).setdefault(s.point.lanes > cores, []).append(
                s
            )
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
