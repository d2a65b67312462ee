"""Compares controls with costs that are known beforehand, and finds by how much they missed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.relation import Ratio, default_margin, ratio
from syncmeter_analysis.relate.stats import median
from syncmeter_analysis.relate.summary import Measured


@dataclass(frozen=True)
class Miss:
    """The error in controls: ns for an empty op, a share for a known cost. It is infinite if its effect
    on costs is unknown."""

    ns: float = 0.0
    share: float = 0.0

    def __bool__(self) -> bool:
        return self.ns > 0 or self.share > 0

    def hides(self, over_ns: float, under_ns: float) -> bool:
        """Whether two costs may differ because of it, or be the same: each may be off by so much."""
        least, most = sorted((over_ns, under_ns))
        if not self:
            return False
        if most <= (1 + default_margin) * least:
            return not self.ns + self.share * least <= default_margin * least
        off = (1 + self.share) ** 2
        return not most - 2 * self.ns > off * least

    def doubts_all(self, campaign: Campaign) -> bool:
        """Whether it is more than the margin of a usual cost."""
        costs = [s.cost.value for s in campaign.measured if s.cost and s.family != "control"]
        usual = median(costs) if costs else 0.0
        return not self.ns + self.share * usual <= default_margin * usual


_unknown = Miss(math.inf, math.inf)

_kinds = {True: "good", False: "bad", None: "unclear"}
verdicts = {"good": "as expected", "bad": "not as expected", "unclear": "undecided"}


@dataclass(frozen=True)
class Control:
    """A control: what is expected and found, `kind` (a key of `verdicts`), ids of its points, and by
    how much it missed."""

    what: str
    expected: str
    found: str
    kind: str
    points: tuple[str, ...] = ()
    miss: Miss = Miss()


def _row(
    what: str,
    expected: str,
    found: str,
    good: bool | None,
    points: list[Measured],
    miss: Miss = _unknown,
) -> Control:
    ids = tuple(s.id for s in points)
    return Control(what, expected, found, _kinds[good], ids, miss if good is False else Miss())


def _span(values: list[float], decimals: int) -> str:
    low, high = (f"{value:.{decimals}f}" for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


# A 95 % interval excludes 0 by chance in 5 %. An empty op is resolved by more than chance if fewer
# than one table in ten would have as many such intervals: 1 in 2, 3 in 20, 9 in 100.
_resolved_by_chance, _least_chance = 0.05, 0.1


def _chance_of(resolved: int, points: int) -> float:
    """Returns the chance to resolve as many empty ops or more."""
    p = _resolved_by_chance
    return math.fsum(
        math.comb(points, k) * p**k * (1 - p) ** (points - k) for k in range(resolved, points + 1)
    )


def _nothing(backend: str, points: list[Measured]) -> Control:
    all_points = len(points)
    costs = [s.cost for s in points if s.status not in ("not_resolved", "elided")]
    resolved = len(costs)
    good = _chance_of(resolved, all_points) >= _least_chance
    found = f"{all_points - resolved} of {all_points} not resolved"
    known = all(cost is not None and cost.bounded for cost in costs)
    ns = max((max(abs(cost.low), abs(cost.high)) for cost in costs if cost), default=0.0)
    miss = Miss(ns=ns) if known else _unknown
    return _row(f"an empty op ({backend})", "not resolved", found, good, points, miss)


def _factor(s: Measured) -> int:
    """How many multiplies the op is."""
    return int(s.point.op.rsplit("_", 1)[1])


def _multiplies(backend: str, points: list[Measured]) -> Iterator[Control]:
    """Compares k multiplies with k times one multiply, by type and threads."""
    ones = {(s.point.type, s.point.lanes): s for s in points if _factor(s) == 1 and s.usable}
    for k in sorted({_factor(s) for s in points} - {0, 1}):
        members = [s for s in points if _factor(s) == k]
        pairs = [(s, ones.get((s.point.type, s.point.lanes))) for s in members]
        times = [r.value for s, one in pairs if one and isinstance(r := ratio(s, one), Ratio)]
        if times:
            good = all(0.9 < x / k < 1.1 for x in times)
            what, found = f"{k} planted multiplies ({backend})", f"{_span(times, 2)} times"
            miss = Miss(share=max(abs(x / k - 1) for x in times))
            yield _row(what, f"{k} times one", found, good, members, miss)


def _multiply_cycles(backend: str, points: list[Measured]) -> Iterator[Control]:
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
    # An older CPU takes four or five cycles, always a whole number.
    if not good and all(abs(cycles - round(cycles)) < 0.05 for cycles in each):
        good = None
    what, times = f"a dependent multiply of int32 ({backend})", f"{_span(each, 2)} cycles"
    miss = Miss(share=max(abs(cycles / 3 - 1) for cycles in each))
    yield _row(what, "3 cycles", times, good, [s for s, _ in found], miss)


def _additions(backend: str, points: list[Measured]) -> Iterator[Control]:
    for s in points:
        if s.point.op == "control_fadd" and s.cycles is not None and s.point.lanes == 32:
            what, cycles = f"a dependent FADD {s.point.type} ({backend})", s.cycles.value
            good = abs(cycles - 4) < 0.1 if s.point.type in ("", "float") else None
            miss = Miss(share=abs(cycles / 4 - 1))
            yield _row(what, "4 cycles", f"{cycles:.3f} cycles", good, [s], miss)


def _latencies(campaign: Campaign) -> Iterator[Control]:
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


def _controls(campaign: Campaign) -> list[Control]:
    points = [s for s in campaign.points.values() if not s.measured_as]
    controls = (s for s in points if s.family == "control")
    by_backend = grouped(controls, lambda s: s.point.backend)
    rows: list[Control] = []
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


@dataclass(frozen=True)
class Known:
    """The controls of a campaign, and the largest miss of those that are not as expected."""

    controls: list[Control]
    miss: Miss = Miss()

    def __bool__(self) -> bool:
        return bool(self.controls)

    def of(self, kind: str) -> list[Control]:
        return [each for each in self.controls if each.kind == kind]


def known_costs(campaign: Campaign) -> Known:
    """Returns all controls in a campaign."""
    found = _controls(campaign)
    ns, share = (max((getattr(c.miss, of) for c in found), default=0.0) for of in ("ns", "share"))
    return Known(found, Miss(ns, share))


def asked_costs(campaign: Campaign) -> Known:
    """Returns the controls if the campaign has the study `control`, otherwise none."""
    return known_costs(campaign) if campaign.asked("control") else Known([])
