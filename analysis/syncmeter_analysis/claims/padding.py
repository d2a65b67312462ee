"""Where the cells of different lanes lie: false sharing, as published and as believed."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Finding,
    above,
    cannot_tell,
    claim,
    every,
    fails,
    holds,
    missing,
    within,
)
from syncmeter_analysis.claims.sources import belief, primitives, run_false_sharing, run_paper
from syncmeter_analysis.relate.evidence import Evidence, Pair, on_cpu
from syncmeter_analysis.relate.relation import Ratio, Verdict, verdict
from syncmeter_analysis.studies.false_sharing import Row, rows, size_of_all, size_sentence, sizing


@claim(
    statement="Data that different threads update should lie at least a cache line apart.",
    source=f"{primitives}, V-A5",
    needs="atomic_add on strided cells nearer and farther than a line, 2 lanes or more",
    command=run_false_sharing,
    advice="Pad what different threads write to a cache line each.",
    otherwise="Padding gains nothing here; leave arrays dense.",
    figure="false-sharing",
)
def omp_padding(data: Evidence) -> Finding:
    """Cells of different lanes in one line against in lines of their own."""
    points = data.measured(
        "atomic_add", backend=on_cpu, placement="strided", base_offset=0, lanes=lambda n: n >= 2
    )
    line = data.machine.line_bytes or 64
    near = [s for s in points if 0 < s.point.stride_bytes < line]
    return above(
        data.pairs(near, [s for s in points if s.point.stride_bytes >= 2 * line], ("stride",)),
        1.2,
        "cells in one line over cells apart",
    )


@claim(
    statement="A flush costs little unless the threads' data share cache lines.",
    source=f"{primitives}, V-A4 and V-A5",
    needs="fence_between_adds or fence_between_stores, strides below and above a line, 2 lanes",
    command=run_paper,
    advice="Pad data around flushes; a flush then costs a few nanoseconds.",
    otherwise="False sharing does not make flushes slower here.",
    figure="false-sharing",
)
def omp_flush_padding(data: Evidence) -> Finding:
    """A flush between updates of cells in one line against of cells apart."""
    points = data.measured(
        ("fence_between_adds", "fence_between_stores"),
        backend=on_cpu,
        base_offset=0,
        lanes=lambda n: n >= 2,
    )
    line = data.machine.line_bytes or 64
    near = [s for s in points if 0 < s.point.stride_bytes < line]
    far = [s for s in points if s.point.stride_bytes >= 2 * line]
    return above(
        data.pairs(near, far, ("stride", "repeat")), 1.2, "flush with cells in one line over apart"
    )


@claim(
    statement="At equal element stride 4-byte types suffer more from false sharing than 8-byte types.",
    source=f"{primitives}, V-A2",
    needs="atomic_add at strides below a line for types of both widths, 2 lanes or more",
    command=run_false_sharing,
    advice="Count padding in bytes; small types need more elements of it.",
    otherwise="Types of 4 bytes suffer no more than those of 8 here.",
    figure="false-sharing",
)
def omp_small_types(data: Evidence) -> Finding:
    """Cells of 4 bytes against cells of 8 at the same stride in elements, where lines are shared."""
    line = data.machine.line_bytes or 64
    points = data.measured(
        "atomic_add",
        backend=on_cpu,
        placement="strided",
        base_offset=0,
        lanes=lambda n: n >= 2,
        stride=lambda n: n and n * 4 < line,
    )
    pairs = data.between(points, "type", ("int32", "uint64"), ("float", "double"))
    return above(pairs, 1.05, "4-byte over 8-byte cells")


@claim(
    statement="SMT siblings suffer no false sharing between them.",
    source=f"{primitives}, V-A2",
    needs="atomic_add on strided cells, 2 lanes, affinity smt, on a machine with SMT",
    command=run_false_sharing,
    advice="Threads that must share lines belong on siblings of one core.",
    otherwise="Pad between siblings too.",
    figure="false-sharing",
)
def smt_no_false_sharing(data: Evidence) -> Finding:
    """SMT siblings on one line against on lines of their own."""
    if data.machine.smt is False:
        return missing("this machine has no SMT")
    points = data.measured(
        "atomic_add", backend=on_cpu, affinity="smt", lanes=2, base_offset=0, placement="strided"
    )
    line = data.machine.line_bytes or 64
    near = [s for s in points if 0 < s.point.stride_bytes < line]
    far = [s for s in points if s.point.stride_bytes >= 2 * line]
    return within(data.pairs(near, far, ("stride",)), 0.8, 1.25, "siblings in one line over apart")


def _by_size(found: list[Row]) -> Finding:
    """The size holds for the machine: it is the largest over ops, bases and files."""
    asked = [(row, row.over_apart[64]) for row in sizing(found) if 64 in row.over_apart]
    at_64 = [(row, r) for row, r in asked if isinstance(r, Ratio)]
    size, note = size_of_all(found), size_sentence(found)
    if not at_64:
        return Finding(cannot_tell, note=note) if asked else missing(note)
    row, worst = max(at_64, key=lambda at: at[1].value)
    slower = any(verdict(r) is Verdict.slower for _, r in at_64)
    told = fails if slower else holds if size.enough and size.enough <= 64 else cannot_tell
    return Finding(
        told,
        worst.interval,
        f"64 B apart over cells apart, worst ({row.where})",
        len(at_64),
        (min(r.value for _, r in at_64), worst.value),
        [id for row, _ in at_64 for id in row.points],
        list(dict.fromkeys(d for row, r in at_64 for d in Pair(row.first, row.first, r).doubts)),
        note,
    )


@claim(
    statement="Padding to 64 bytes is enough.",
    source=belief,
    needs="ops on cells 64 bytes apart and farther, 2 lanes or more",
    command=run_false_sharing,
    advice="Pad to 64 bytes.",
    otherwise="Pad to more than 64 bytes; the table of false sharing says how far.",
    figure="false-sharing",
)
def belief_padding_64(data: Evidence) -> Finding:
    """Cells 64 bytes apart against cells pages apart: by the study where there are its points."""
    if sharing := rows(data.campaign):
        return _by_size(sharing.rows)
    points = data.measured(
        ("atomic_add", "atomic_write", "plain_add", "fence_between_stores"),
        backend=on_cpu,
        placement="strided",
        base_offset=0,
        lanes=lambda n: n >= 2,
    )
    far = [s for s in points if s.point.stride_bytes >= 128]
    widest = max((s.point.stride_bytes for s in far), default=0)
    pairs = data.pairs(
        [s for s in points if s.point.stride_bytes == 64],
        [s for s in far if s.point.stride_bytes == widest or widest < 4096],
        ("stride",),
    )
    return every(pairs, 0.0, 1.1, "64 B apart over far apart")
