"""What was published of OpenMP's primitives on CPUs, and of where the cells of different lanes lie."""

from __future__ import annotations

from collections import defaultdict
from itertools import product

from syncmeter_analysis.claims.claim import (
    Finding,
    above,
    against,
    at_least,
    below,
    cannot_tell,
    claim,
    every,
    fails,
    holds,
    missing,
    on_cpus,
    points,
    row,
    within,
)
from syncmeter_analysis.claims.sources import belief, origin, primitives
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.record.point import key_without
from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.evidence import Evidence, Pair, Pairs, on_cpu, same_measurement
from syncmeter_analysis.relate.relation import Ratio, Verdict, verdict
from syncmeter_analysis.relate.stats import stdev
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.false_sharing import rows, size_sentence
from syncmeter_analysis.studies.strides import Row, size_of_all, sizing

_but_lanes = key_without("lanes")


@claim(
    origin(f"{primitives}, V-A5 and Figure 1", "paper"),
    statement="A barrier among few threads is hardly faster than one among all of them.",
    needs="barrier at 4 lanes and at more",
    least_pus=5,
    advice="Do not use fewer threads for the sake of faster barriers; use fewer barriers.",
    otherwise="Where barriers dominate, use fewer threads: a barrier grows with their number here.",
)
def omp_barrier_lanes(data: Evidence) -> Finding:
    """A barrier among all threads against one among two."""
    barriers = data.measured("barrier", backend=on_cpu)
    over_two = data.ends(barriers, "lanes", 2)
    note = f"over 2 lanes {text.ratio_interval(over_two.typical)}" if over_two else ""
    many = data.ends(barriers, "lanes", 4)
    return below(many, 2.0, "barrier of all lanes over 4", note)


@claim(
    origin(f"{primitives}, V-A5", "paper"),
    statement="Atomic updates of one variable get slower with every thread that joins.",
    needs="atomic_add on a shared cell at 1 lane and at more",
    advice="Keep one variable per thread and combine them at the end, instead of one shared "
    "atomic.",
    otherwise="Contention on one atomic costs little here; a shared counter is good enough.",
)
def omp_atomic_contention(data: Evidence) -> Finding:
    """One variable against what is advised instead, as many threads with a variable each, a line or
    more apart; against a thread alone where these were not measured."""
    add = on_cpus("atomic_add", order="relaxed", base_offset=0, cells=0)
    shared = [s for s in add.of(data) if s.point.placement == "shared"]
    joined = data.ends(shared, "lanes", 1)
    line = data.machine.line_bytes or 64
    apart = [s for s in add.of(data) if s.point.stride_bytes >= line]
    widest = max((s.point.stride_bytes for s in apart), default=0)
    own = [s for s in apart if s.point.stride_bytes == widest]
    each = data.pairs([p.over for p in joined.found], own, ("placement", "stride"))
    if each:
        return above(each, 1.5, "an atomic add on one variable over one on a variable each")
    return above(joined, 1.5, "an atomic add when all threads do it, over one by a thread alone")


omp_integer_add = row(
    on_cpus("atomic_add", lanes=at_least(2), order="relaxed")
    .between("type", ("float", "int32"), ("double", "uint64"))
    .above(1.1, "floating over integer atomic add"),
    origin(f"{primitives}, V-A2 and V-A5", "paper"),
    statement="Atomic adds of integers are faster than those of floating-point numbers.",
    needs="atomic_add of an integer and of a floating type of the same width, 2 lanes or more",
    advice="Prefer integers where threads update a variable atomically (fixed point, counts).",
    otherwise="Choose the type that the algorithm wants: it costs no more here.",
)

omp_atomic_over_critical = row(
    on_cpus("critical_add")
    .over(on_cpus("atomic_add", order="relaxed"), "op", "order")
    .above(1.1, "critical section over atomic add"),
    origin(f"{primitives}, V-A3 and V-A5", "paper"),
    statement="An atomic update is faster than a critical section around the same update.",
    needs="critical_add and atomic_add",
    advice="Replace critical sections around one update by an atomic.",
    otherwise="A critical section costs no more than an atomic here.",
)


@claim(
    origin(f"{primitives}, V-A2 and V-A5", "paper"),
    statement="Reading atomically costs no more than reading.",
    needs="atomic_read and plain_read",
    advice="Read shared variables atomically wherever they may change: that costs nothing more.",
    otherwise="Read atomically once and keep the value: an atomic read costs something here.",
)
def omp_atomic_read_free(data: Evidence) -> Finding:
    """Of reads alone: an update that takes ten times as long does not make a read free."""
    plain = data.pairs(
        data.select("atomic_read", backend=on_cpu, order="relaxed"),
        data.measured("plain_read", backend=on_cpu),
        ("op", "order"),
    )
    if plain.without and not plain and set(plain.without) == {same_measurement}:
        return Finding(holds, note="both compile to the same instructions and are one measurement")
    return within(plain, 0.9, 1.1, "atomic over plain read")


omp_affinity = row(
    on_cpus("barrier atomic_add atomic_read critical_add fence", lanes=at_least(2))
    .between("affinity", ("spread", "close"))
    .every(0.8, 1.25, "spread over close"),
    origin(f"{primitives}, V-A (affinity was asked for there and never took effect)", "scaling"),
    statement="Where threads are placed makes no difference to synchronization.",
    needs="ops at affinities close and spread that choose different PUs",
    advice="Leave placement to the runtime.",
    otherwise="Bind threads: OMP_PLACES and OMP_PROC_BIND decide what synchronization costs here.",
)

omp_word_size = row(
    on_cpus("atomic_add atomic_fetch_add critical_add", placement="shared")
    .between("type", ("uint64", "int32"))
    .within(0.9, 1.1, "8-byte over 4-byte integers"),
    origin(f"{primitives}, V-A2", "paper"),
    statement="On CPUs the word size of an integer does not matter.",
    needs="atomic_add of int32 and of uint64 on a shared cell",
    advice="Use 64-bit counters freely.",
    otherwise="Mind the width of shared counters.",
)

omp_capture = row(
    against("atomic_fetch_add", "atomic_add", backend=on_cpu, order="relaxed").within(
        0.9, 1.1, "capture over update"
    ),
    origin(f"{primitives}, V-A2", "paper"),
    statement="An atomic capture costs as much as an atomic update.",
    needs="atomic_fetch_add and atomic_add",
    advice="Use the captured value freely.",
    otherwise="Do not capture where the old value is not needed.",
)


def _scatter(s: Measured) -> float | None:
    costs = s.visit_costs(s.state)
    return stdev(costs) / s.cost.value if len(costs) >= 3 and s.cost and s.cost.value > 0 else None


@claim(
    origin(f"{primitives}, V-A1", "scaling"),
    statement="With both siblings of cores at work timings vary more.",
    needs="ops at as many lanes as cores and at more, on a machine with SMT",
    advice="Measure and run with one thread per core where steadiness counts.",
    otherwise="Siblings do not make timings less steady here.",
)
def smt_variance(data: Evidence) -> Finding:
    """Scatter over visits with more lanes than cores against with one on each."""
    cores = data.machine.cores
    if not cores:
        return missing("the number of cores is not known")
    ops = ("barrier", "atomic_add", "critical_add", "atomic_fetch_add")
    # By the point without its lanes: those with one lane on a core, then those with siblings.
    groups: dict[object, tuple[list[Measured], list[Measured]]] = defaultdict(lambda: ([], []))
    for s in data.measured(ops, backend=on_cpu):
        if s.point.lanes * 2 > cores and not s.imported:
            groups[_but_lanes(s.point)][s.point.lanes > cores].append(s)
    pairs = Pairs()
    for without, with_siblings in groups.values():
        for over, under in product(with_siblings, without):
            a, b = _scatter(over), _scatter(under)
            if a and b:
                pairs.found.append(Pair(over, under, Ratio(Interval(a / b))))
    if 0 < len(pairs.found) < 6:
        return Finding(cannot_tell, note=f"{len(pairs.found)} pairs are too few to compare scatter")
    return above(pairs, 1.2, "scatter with siblings over without")


_strided = {"backend": on_cpu, "placement": "strided", "base_offset": 0, "lanes": at_least(2)}

omp_padding = row(
    points("atomic_add", **_strided).in_one_line().above(1.2, "cells in one line over cells apart"),
    origin(f"{primitives}, V-A5", "false-sharing", "false-sharing"),
    statement="Data that different threads update should lie at least a cache line apart.",
    needs="atomic_add on strided cells nearer and farther than a line, 2 lanes or more",
    advice="Pad what different threads write to a cache line each.",
    otherwise="Padding gains nothing here; leave arrays dense.",
)

omp_flush_padding = row(
    on_cpus("fence_between_adds fence_between_stores", base_offset=0, lanes=at_least(2))
    .in_one_line("repeat")
    .above(1.2, "flush with cells in one line over apart"),
    origin(f"{primitives}, V-A4 and V-A5", "paper", "false-sharing"),
    statement="A flush costs little unless the threads' data share cache lines.",
    needs="fence_between_adds or fence_between_stores, strides below and above a line, 2 lanes",
    advice="Pad data around flushes; a flush then costs a few nanoseconds.",
    otherwise="False sharing does not make flushes slower here.",
)


@claim(
    origin(f"{primitives}, V-A2", "false-sharing", "false-sharing"),
    statement="At equal element stride 4-byte types suffer more from false sharing than 8-byte types.",
    needs="atomic_add at strides below a line for types of both widths, 2 lanes or more",
    advice="Count padding in bytes; small types need more elements of it.",
    otherwise="Types of 4 bytes suffer no more than those of 8 here.",
)
def omp_small_types(data: Evidence) -> Finding:
    """Cells of 4 bytes against cells of 8 at the same stride in elements, where lines are shared."""
    line = data.machine.line_bytes or 64
    points = data.measured("atomic_add", **_strided, stride=lambda n: n and n * 4 < line)
    pairs = data.between(points, "type", ("int32", "uint64"), ("float", "double"))
    return above(pairs, 1.05, "4-byte over 8-byte cells")


smt_no_false_sharing = row(
    on_cpus("atomic_add", affinity="smt", lanes=2, base_offset=0, placement="strided")
    .in_one_line()
    .within(0.8, 1.25, "siblings in one line over apart"),
    origin(f"{primitives}, V-A2", "false-sharing", "false-sharing"),
    statement="SMT siblings suffer no false sharing between them.",
    needs="atomic_add on strided cells, 2 lanes, affinity smt, on a machine with SMT",
    advice="Threads that must share lines belong on siblings of one core.",
    otherwise="Pad between siblings too.",
)


def _by_size(found: list[Row]) -> Finding:
    """The size holds for the machine: it is the largest over ops, bases and files."""
    asked = [(row, row.over_apart[64]) for row in sizing(found) if 64 in row.over_apart]
    at_64 = [(row, r) for row, r in asked if isinstance(r, Ratio)]
    size, note = size_of_all(found), size_sentence(found)
    if not at_64:
        return Finding(cannot_tell, note=note) if asked else missing(note)
    row, worst = max(at_64, key=lambda at: at[1].value)
    pairs = Pairs([Pair(row.first, row.first, r) for row, r in at_64])

    def decide(of: Pairs) -> str:
        if any(verdict(p.ratio) is Verdict.slower for p in of.found):
            return fails
        return holds if size.enough and size.enough <= 64 else cannot_tell

    return Finding(
        decide(pairs),
        worst.interval,
        f"64 B apart over cells apart, worst ({row.where})",
        len(at_64),
        (min(r.value for _, r in at_64), worst.value),
        [id for row, _ in at_64 for id in row.points],
        pairs.doubts,
        note,
        compared=pairs,
        decide=decide,
    )


@claim(
    origin(belief, "false-sharing", "false-sharing"),
    statement="Padding to 64 bytes is enough.",
    needs="ops on cells 64 bytes apart and farther, 2 lanes or more",
    advice="Pad to 64 bytes.",
    otherwise="Pad to more than 64 bytes.",
)
def belief_padding_64(data: Evidence) -> Finding:
    """Cells 64 bytes apart against cells pages apart: by the study where there are its points."""
    if sharing := rows(data.campaign):
        return _by_size(sharing.rows)
    points = data.measured(
        ("atomic_add", "atomic_write", "plain_add", "fence_between_stores"), **_strided
    )
    far = [s for s in points if s.point.stride_bytes >= 128]
    widest = max((s.point.stride_bytes for s in far), default=0)
    pairs = data.pairs(
        [s for s in points if s.point.stride_bytes == 64],
        [s for s in far if s.point.stride_bytes == widest or widest < 4096],
        ("stride",),
    )
    return every(pairs, 0.0, 1.1, "64 B apart over far apart")
