"""Controls against what is known of them beforehand: a row for each."""

from __future__ import annotations

import math
from collections import defaultdict

from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.relation import Ratio, ratio
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Cell


def _row(
    what: str, expected: str, found: str, good: bool | None, points: list[Measured]
) -> list[Cell]:
    verdict = {True: "as expected", False: "not as expected", None: "cannot tell"}[good]
    return [
        Cell(what),
        Cell(expected),
        Cell(found, [s.id for s in points]),
        Cell(verdict, kind={True: "good", False: "bad", None: "unclear"}[good]),
    ]


# A 95 % interval of an empty op leaves 0 out with a chance of 5 %. So many of a table's that do are no
# chance where even fewer than one table in ten would have them: one of two, three of 20, nine of 100.
_resolved_by_chance, _least_chance = 0.05, 0.1


def _chance_of(resolved: int, points: int) -> float:
    """That so many empty ops or more are resolved by chance."""
    p = _resolved_by_chance
    return math.fsum(
        math.comb(points, k) * p**k * (1 - p) ** (points - k) for k in range(resolved, points + 1)
    )


def _nothing(backend: str, points: list[Measured]) -> list[Cell]:
    resolved = [s for s in points if s.status not in ("not_resolved", "elided")]
    good = _chance_of(len(resolved), len(points)) >= _least_chance
    return _row(
        f"an empty op ({backend})",
        "not resolved",
        f"{len(points) - len(resolved)} of {len(points)} not resolved",
        good,
        points,
    )


def _multiplies(backend: str, points: list[Measured]) -> list[list[Cell]]:
    """k multiplies against k times one: the one is of the same type and as many lanes."""
    ones = {
        (s.point.type, s.point.lanes): s for s in points if s.point.op.endswith("_1") and s.usable
    }
    groups: dict[str, list[Measured]] = defaultdict(list)
    for s in points:
        groups[s.point.op.rsplit("_", 1)[1]].append(s)
    rows = []
    for k, members in sorted(groups.items(), key=lambda g: int(g[0])):
        if not k.isdigit() or int(k) < 2:
            continue
        times = []
        for s in members:
            one = ones.get((s.point.type, s.point.lanes))
            if one and isinstance(r := ratio(s, one), Ratio):
                times.append(r.value)
        if times:
            good = all(0.9 < x / int(k) < 1.1 for x in times)
            rows.append(
                _row(
                    f"{k} planted multiplies ({backend})",
                    f"{k} times one",
                    f"{min(times):.2f} to {max(times):.2f} times",
                    good,
                    members,
                )
            )
    return rows


def _multiply_cycles(backend: str, points: list[Measured]) -> list[list[Cell]]:
    """One multiply of 32 bits waits three cycles for the one before, on every x86-64 CPU of today."""
    found = [
        (s, s.cycles.value / int(s.point.op.rsplit("_", 1)[1]))
        for s in points
        if s.device is None and s.status == "ok" and s.cycles is not None
        if s.point.type == "int32"
    ]
    if not found:
        return []
    each = [cycles for _, cycles in found]
    good: bool | None = all(abs(cycles - 3) < 0.15 for cycles in each)
    # An older CPU takes four or five, but none a part of one.
    if not good and all(abs(cycles - round(cycles)) < 0.05 for cycles in each):
        good = None
    return [
        _row(
            f"a dependent multiply of int32 ({backend})",
            "3 cycles",
            f"{min(each):.2f} to {max(each):.2f} cycles",
            good,
            [s for s, _ in found],
        )
    ]


def _latencies(campaign: Campaign) -> list[list[Cell]]:
    """Latencies of GPUs that are known: __syncthreads by its warps, and a shuffle."""
    rows = []
    barriers = [
        s
        for s in campaign.measured
        if s.point.backend == "cuda" and s.point.op == "barrier" and s.point.blocks == 1
        if s.cycles is not None and s.point.lanes >= 32
    ]
    if barriers:
        # 22 to 24 + 2 (W - 1) from V100 to Ada, 14 + 2 (W - 1) on H200.
        least = [s.cycles.value - 2 * (s.point.lanes // 32 - 1) for s in barriers if s.cycles]
        good = min(least) >= 13 and max(least) <= 25
        found = f"{min(least):.1f} to {max(least):.1f} + 2 (W - 1) cycles"
        rows.append(
            _row(
                "__syncthreads of W warps (cuda)",
                "14 to 24 + 2 (W - 1) cycles",
                found,
                good,
                barriers,
            )
        )
    shuffles = [
        s
        for s in campaign.measured
        if s.point.op.startswith("shuffle_") and (s.point.blocks, s.point.lanes) == (1, 32)
        if s.cycles is not None and s.point.type in ("", "int32")
    ]
    if shuffles:
        cycles = [s.cycles.value for s in shuffles if s.cycles]
        rows.append(
            _row(
                "a dependent shuffle (cuda)",
                "23 to 26 cycles",
                f"{min(cycles):.1f} to {max(cycles):.1f} cycles",
                min(cycles) >= 22.5 and max(cycles) <= 26.5,
                shuffles,
            )
        )
    return rows


def control_rows(campaign: Campaign) -> list[list[Cell]]:
    """A row for each control; the `kind` of its last cell says whether it is as expected."""
    points = [s for s in campaign.points.values() if s.family == "control" and not s.measured_as]
    rows: list[list[Cell]] = []
    by_backend: dict[str, list[Measured]] = defaultdict(list)
    for s in points:
        by_backend[s.point.backend].append(s)
    for backend, found in by_backend.items():
        nothing = [s for s in found if s.point.op == "control_aa"]
        if nothing:
            rows.append(_nothing(backend, nothing))
        multiplies = [s for s in found if s.point.op.startswith("control_multiply_")]
        rows += _multiplies(backend, multiplies)
        if campaign.machine.architecture == "x86_64":
            rows += _multiply_cycles(backend, multiplies)
        for s in found:
            if s.point.op == "control_fadd" and s.cycles is not None and s.point.lanes == 32:
                rows.append(
                    _row(
                        f"a dependent FADD {s.point.type} ({backend})",
                        "4 cycles",
                        f"{s.cycles.value:.3f} cycles",
                        abs(s.cycles.value - 4) < 0.1 if s.point.type in ("", "float") else None,
                        [s],
                    )
                )
    rows += _latencies(campaign)
    checked = [s for s in campaign.points.values() if s.additive is not None and not s.measured_as]
    if checked:
        adds = sum(bool(s.additive) for s in checked)
        rows.append(
            _row(
                "2 and 4 ops",
                "cost 2 and 4 times one",
                f"at {adds} of {len(checked)} points",
                adds >= 0.9 * len(checked),
                [s for s in checked if not s.additive],
            )
        )
    return rows
