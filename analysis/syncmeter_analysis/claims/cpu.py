"""Published claims about OpenMP's primitives on CPUs and about the cells' places."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

from syncmeter_analysis.claims.claim import (
    above,
    against,
    at_least,
    below,
    cannot_tell,
    claim,
    every,
    fails,
    finding_of,
    holds,
    missing,
    on_cpus,
    points,
    row,
    within,
)
from syncmeter_analysis.claims.sources import belief, origin, primitives
from syncmeter_analysis.conclude.conclusion import Kind
from syncmeter_analysis.conclude.finding import Finding, Note
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.record.point import key_without
from syncmeter_analysis.relate.evidence import Evidence, Pair, Pairs, on_cpu, same_measurement
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.relation import Ratio, Verdict, verdict
from syncmeter_analysis.relate.stats import stdev
from syncmeter_analysis.relate.strides import Row, Size, size_of_all, sizing
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.false_sharing import rows

_but_lanes = key_without("lanes")


@claim(
    origin(f"{primitives}, V-A5 and Figure 1", "paper"),
    least_pus=5,
    if_true=Kind.keep,
    if_false=Kind.use,
)
def omp_barrier_lanes(data: Evidence) -> Finding:
    """A barrier among all threads against one among two."""
    barriers = data.measured("barrier", backend=on_cpu)
    over_two = data.ends(barriers, "lanes", 2)
    notes = [Note("over_two", ratios=(over_two.typical,))] if over_two else []
    many = data.ends(barriers, "lanes", 4)
    return below(many, 2.0, *notes)


@claim(
    origin(f"{primitives}, V-A5", "paper"),
    if_false=Kind.keep,
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
    return above(each or joined, 1.5)


omp_integer_add = row(
    on_cpus("atomic_add", lanes=at_least(2), order="relaxed")
    .between("type", ("float", "int32"), ("double", "uint64"))
    .above(1.1),
    origin(f"{primitives}, V-A2 and V-A5", "paper"),
    if_false=Kind.keep,
)

omp_atomic_over_critical = row(
    on_cpus("critical_add").over(on_cpus("atomic_add", order="relaxed"), "op", "order").above(1.1),
    origin(f"{primitives}, V-A3 and V-A5", "paper"),
    if_false=Kind.keep,
)


@claim(
    origin(f"{primitives}, V-A2 and V-A5", "paper"),
    if_true=Kind.any,
    if_false=Kind.use,
)
def omp_atomic_read_free(data: Evidence) -> Finding:
    """Of reads alone: an update that takes ten times as long does not make a read free."""
    plain = data.pairs(
        data.select("atomic_read", backend=on_cpu, order="relaxed"),
        data.measured("plain_read", backend=on_cpu),
        ("op", "order"),
    )
    if plain.without and not plain and set(plain.without) == {same_measurement}:
        return Finding(holds, notes=[Note("same_code")])
    return within(plain, 0.9, 1.1)


omp_affinity = row(
    on_cpus("barrier atomic_add atomic_read critical_add fence", lanes=at_least(2))
    .between("affinity", ("spread", "close"))
    .every(0.8, 1.25),
    origin(f"{primitives}, V-A (affinity was asked for there and never took effect)", "scaling"),
    if_true=Kind.keep,
    if_false=Kind.use,
)

omp_word_size = row(
    on_cpus("atomic_add atomic_fetch_add critical_add", placement="shared")
    .between("type", ("uint64", "int32"))
    .within(0.9, 1.1),
    origin(f"{primitives}, V-A2", "paper"),
    if_true=Kind.any,
    if_false=Kind.use,
)

omp_capture = row(
    against("atomic_fetch_add", "atomic_add", backend=on_cpu, order="relaxed").within(0.9, 1.1),
    origin(f"{primitives}, V-A2", "paper"),
    if_true=Kind.any,
    if_false=Kind.use,
)


def _scatter(s: Measured) -> float | None:
    costs = s.visit_costs(s.state)
    return stdev(costs) / s.cost.value if len(costs) >= 3 and s.cost and s.cost.value > 0 else None


@claim(
    origin(f"{primitives}, V-A1", "scaling"),
    needs_smt=True,
)
def smt_variance(data: Evidence) -> Finding:
    """Scatter over visits with more lanes than cores against with one on each."""
    cores = data.machine.cores
    if not cores:
        return missing(Note("unknown_cores"))
    ops = ("barrier", "atomic_add", "critical_add", "atomic_fetch_add")
    found = data.measured(ops, backend=on_cpu)
    points = [s for s in found if s.point.lanes * 2 > cores and not s.imported]
    pairs = Pairs()
    for alike in grouped(points, lambda s: _but_lanes(s.point)).values():
        for over, under in permutations(alike, 2):
            has_siblings = under.point.lanes <= cores < over.point.lanes
            if has_siblings and (a := _scatter(over)) and (b := _scatter(under)):
                pairs.found.append(Pair(over, under, Ratio(Interval(a / b))))
    if 0 < len(pairs.found) < 6:
        return Finding(cannot_tell, notes=[Note("few_pairs", len(pairs.found))])
    return above(pairs, 1.2)


_strided = {"backend": on_cpu, "placement": "strided", "base_offset": 0, "lanes": at_least(2)}

omp_padding = row(
    points("atomic_add", **_strided).in_one_line().above(1.2),
    origin(f"{primitives}, V-A5", "false-sharing", "false-sharing"),
    if_false=Kind.keep,
)

omp_flush_padding = row(
    on_cpus("fence_between_adds fence_between_stores", base_offset=0, lanes=at_least(2))
    .in_one_line("repeat")
    .above(1.2),
    origin(f"{primitives}, V-A4 and V-A5", "paper", "false-sharing"),
    if_false=Kind.keep,
)


@claim(
    origin(f"{primitives}, V-A2", "false-sharing", "false-sharing"),
    if_true=Kind.avoid,
)
def omp_small_types(data: Evidence) -> Finding:
    """Cells with 4 bytes against 8 at the same stride in elements, where lines are shared."""
    line = data.machine.line_bytes or 64
    points = data.measured("atomic_add", **_strided, stride=lambda n: n and n * 4 < line)
    pairs = data.between(points, "type", ("int32", "uint64"), ("float", "double"))
    return above(pairs, 1.05)


smt_no_false_sharing = row(
    on_cpus("atomic_add", affinity="smt", lanes=2, base_offset=0, placement="strided")
    .in_one_line()
    .within(0.8, 1.25),
    origin(f"{primitives}, V-A2", "false-sharing", "false-sharing"),
    if_true=Kind.any,
    if_false=Kind.use,
    needs_smt=True,
)


def _size_note(size: Size) -> Note:
    if size.enough:
        return Note("enough_bytes", size.enough)
    return Note("slower_bytes" if size.slower_at else "unknown_bytes", size.slower_at, why=size.why)


def _by_size(found: list[Row]) -> Finding:
    """The size holds for the machine: it is the largest over ops, bases and files."""
    asked = [(row, row.over_apart[64]) for row in sizing(found) if 64 in row.over_apart]
    at_64 = [(row, r) for row, r in asked if isinstance(r, Ratio)]
    size = size_of_all(found)
    notes = [_size_note(size)]
    if not at_64:
        return Finding(cannot_tell, notes=notes) if asked else missing(*notes)
    pairs = Pairs([Pair(row.first, row.first, r) for row, r in at_64])
    worst = pairs.largest

    def decide(of: Pairs) -> str:
        if any(verdict(p.ratio) is Verdict.slower for p in of.found):
            return fails
        return holds if size.enough and size.enough <= 64 else cannot_tell

    judged = finding_of(decide, worst.ratio.interval, pairs, notes, worst=worst)
    return replace(judged, points=[id for row, _ in at_64 for id in row.points], example=None)


@claim(
    origin(belief, "false-sharing", "false-sharing"),
    if_true=Kind.keep,
    if_false=Kind.use,
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
    return every(pairs, 0.0, 1.1)
