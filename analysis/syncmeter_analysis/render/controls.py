"""Controls against what is known of them beforehand: a row for each."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator

from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.relation import Ratio, ratio
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Cell

Row = list[Cell]

_verdicts = {
    True: ("as expected", "good"),
    False: ("not as expected", "bad"),
    None: ("cannot tell", "unclear"),
}


def _row(what: str, expected: str, found: str, good: bool | None, points: list[Measured]) -> Row:
    verdict, kind = _verdicts[good]
    ids = [s.id for s in points]
    return [Cell(what), Cell(expected), Cell(found, ids), Cell(verdict, kind=kind)]


def _span(values: list[float], decimals: int) -> str:
    return f"{min(values):.{decimals}f} to {max(values):.{decimals}f}"


# A 95 % interval of an empty op leaves 0 out with a chance of 5 %. So many of a table's that do are no
# chance where even fewer than one table in ten would have them: one of two, three of 20, nine of 100.
_resolved_by_chance, _least_chance = 0.05, 0.1


def _chance_of(resolved: int, points: int) -> float:
    """That so many empty ops or more are resolved by chance."""
    p = _resolved_by_chance
    return math.fsum(
        math.comb(points, k) * p**k * (1 - p) ** (points - k) for k in range(resolved, points + 1)
    )


def _nothing(backend: str, points: list[Measured]) -> Row:
    all_points = len(points)
    resolved = sum(s.status not in ("not_resolved", "elided") for s in points)
    good = _chance_of(resolved, all_points) >= _least_chance
    found = f"{all_points - resolved} of {all_points} not resolved"
    return _row(f"an empty op ({backend})", "not resolved", found, good, points)


def _factor(s: Measured) -> int:
    """How many multiplies the op is."""
    return int(s.point.op.rsplit("_", 1)[1])


def _multiplies(backend: str, points: list[Measured]) -> Iterator[Row]:
    """k multiplies against k times one: the one is of the same type and as many lanes."""
    ones = {(s.point.type, s.point.lanes): s for s in points if _factor(s) == 1 and s.usable}
    for k in sorted({_factor(s) for s in points} - {0, 1}):
        members = [s for s in points if _factor(s) == k]
        pairs = [(s, ones.get((s.point.type, s.point.lanes))) for s in members]
        times = [r.value for s, one in pairs if one and isinstance(r := ratio(s, one), Ratio)]
        if times:
            good = all(0.9 < x / k < 1.1 for x in times)
            what, found = f"{k} planted multiplies ({backend})", f"{_span(times, 2)} times"
            yield _row(what, f"{k} times one", found, good, members)


def _multiply_cycles(backend: str, points: list[Measured]) -> Iterator[Row]:
    """One multiply of 32 bits waits three cycles for the one before, on every x86-64 CPU of today."""
    found = [
        (s, s.cycles.value / _factor(s))
        for s in points
        if s.device is None and s.status == "ok" and s.cycles is not None
        if s.point.type == "int32"
    ]
    if not found:
        return
    each = [cycles for _, cycles in found]
    good: bool | None = all(abs(cycles - 3) < 0.15 for cycles in each)
    # An older CPU takes four or five, but none a part of one.
    if not good and all(abs(cycles - round(cycles)) < 0.05 for cycles in each):
        good = None
    what, times = f"a dependent multiply of int32 ({backend})", f"{_span(each, 2)} cycles"
    yield _row(what, "3 cycles", times, good, [s for s, _ in found])


def _additions(backend: str, points: list[Measured]) -> Iterator[Row]:
    for s in points:
        if s.point.op == "control_fadd" and s.cycles is not None and s.point.lanes == 32:
            what, cycles = f"a dependent FADD {s.point.type} ({backend})", s.cycles.value
            good = abs(cycles - 4) < 0.1 if s.point.type in ("", "float") else None
            yield _row(what, "4 cycles", f"{cycles:.3f} cycles", good, [s])


def _latencies(campaign: Campaign) -> Iterator[Row]:
    """Latencies of GPUs that are known: __syncthreads by its warps, and a shuffle."""
    timed = [(s, s.cycles.value) for s in campaign.measured if s.cycles is not None]
    barriers = [
        # 22 to 24 + 2 (W - 1) from V100 to Ada, 14 + 2 (W - 1) on H200.
        (s, cycles - 2 * (s.point.lanes // 32 - 1))
        for s, cycles in timed
        if (s.point.backend, s.point.op, s.point.blocks) == ("cuda", "barrier", 1)
        if s.point.lanes >= 32
    ]
    shuffles = [
        (s, cycles)
        for s, cycles in timed
        if s.point.op.startswith("shuffle_") and (s.point.blocks, s.point.lanes) == (1, 32)
        if s.point.type in ("", "int32")
    ]
    of_warps = " + 2 (W - 1)"
    for what, expected, more, bounds, found in (
        ("__syncthreads of W warps", "14 to 24", of_warps, (13.0, 25.0), barriers),
        ("a dependent shuffle", "23 to 26", "", (22.5, 26.5), shuffles),
    ):
        if found:
            each = [cycles for _, cycles in found]
            good = bounds[0] <= min(each) and max(each) <= bounds[1]
            cycles = f"{_span(each, 1)}{more} cycles"
            yield _row(
                f"{what} (cuda)", f"{expected}{more} cycles", cycles, good, [s for s, _ in found]
            )


def control_rows(campaign: Campaign) -> list[Row]:
    """A row for each control; the `kind` of its last cell says whether it is as expected."""
    points = [s for s in campaign.points.values() if not s.measured_as]
    by_backend: dict[str, list[Measured]] = defaultdict(list)
    for s in points:
        if s.family == "control":
            by_backend[s.point.backend].append(s)
    rows: list[Row] = []
    for backend, found in by_backend.items():
        if nothing := [s for s in found if s.point.op == "control_aa"]:
            rows.append(_nothing(backend, nothing))
        multiplies = [s for s in found if re.fullmatch(r"control_multiply_\d+", s.point.op)]
        rows += _multiplies(backend, multiplies)
        if campaign.machine.architecture == "x86_64":
            rows += _multiply_cycles(backend, multiplies)
        rows += _additions(backend, found)
    rows += _latencies(campaign)
    if checked := [s for s in points if s.additive is not None]:
        unlike = [s for s in checked if not s.additive]
        adds = len(checked) - len(unlike)
        found_at = f"at {adds} of {len(checked)} points"
        good = adds >= 0.9 * len(checked)
        rows.append(_row("2 and 4 ops", "cost 2 and 4 times one", found_at, good, unlike))
    return rows
