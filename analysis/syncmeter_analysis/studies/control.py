"""Controls against what is known of them beforehand: a row for each, and by how much they missed."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.relation import Ratio, default_margin, ratio
from syncmeter_analysis.relate.stats import median
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.text import count, duration, listed
from syncmeter_analysis.studies.blocks import Block, Cell, Text, table

title = "Known costs"
order = -1

Row = list[Cell]


@dataclass(frozen=True)
class Miss:
    """By how much controls are not as expected: an empty op by ns, a known cost by its share. Infinite
    where nobody knows what that does to a cost."""

    ns: float = 0.0
    share: float = 0.0

    def __bool__(self) -> bool:
        return self.ns > 0 or self.share > 0

    def __str__(self) -> str:
        found = [duration(self.ns)] * (self.ns > 0) + [f"{100 * self.share:.1f} %"] * (
            self.share > 0
        )
        return " and ".join(found)

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


#: A row, and by how much the control missed where that is known.
Control = tuple[Row, Miss]
_unknown = Miss(math.inf, math.inf)

_verdicts = {
    True: ("as expected", "good"),
    False: ("not as expected", "bad"),
    None: ("cannot tell", "unclear"),
}


def _row(
    what: str,
    expected: str,
    found: str,
    good: bool | None,
    points: list[Measured],
    miss: Miss = _unknown,
) -> Control:
    verdict, kind = _verdicts[good]
    ids = [s.id for s in points]
    row = [Cell(what), Cell(expected), Cell(found, ids), Cell(verdict, kind=kind)]
    return row, miss if good is False else Miss()


def _span(values: list[float], decimals: int) -> str:
    low, high = (f"{value:.{decimals}f}" for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


# A 95 % interval of an empty op leaves 0 out with a chance of 5 %. So many of a table's that do are no
# chance where even fewer than one table in ten would have them: one of two, three of 20, nine of 100.
_resolved_by_chance, _least_chance = 0.05, 0.1


def _chance_of(resolved: int, points: int) -> float:
    """That so many empty ops or more are resolved by chance."""
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
    """k multiplies against k times one: the one is of the same type and as many lanes."""
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
    # An older CPU takes four or five, but none a part of one.
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
    by_backend: dict[str, list[Measured]] = defaultdict(list)
    for s in points:
        if s.family == "control":
            by_backend[s.point.backend].append(s)
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
    """The controls of a campaign, and the largest miss of those that are not as expected. The `kind` of
    a row's last cell says whether it is."""

    rows: list[Row]
    miss: Miss

    def __bool__(self) -> bool:
        return bool(self.rows)

    def of(self, kind: str) -> list[Row]:
        return [row for row in self.rows if row[-1].kind == kind]


def known_costs(campaign: Campaign) -> Known:
    """All controls of a campaign, whatever it was asked for."""
    found = _controls(campaign)
    ns, share = (max((getattr(m, of) for _, m in found), default=0.0) for of in ("ns", "share"))
    return Known([row for row, _ in found], Miss(ns, share))


def rows(campaign: Campaign) -> Known:
    """None of a campaign of another study: there they stand with what a report may be trusted for."""
    return known_costs(campaign) if campaign.asked("control") else Known([], Miss())


def answer(found: Known) -> list[str]:
    """Whether costs and ratios of this machine can be trusted, and what is not as expected."""
    good, bad, unclear = (found.of(kind) for kind in ("good", "bad", "unclear"))
    of_all = f"{len(good)} of {count(len(found.rows), 'known cost')}"
    seen = [f"{row[0].text} {row[2].text}" for row in good]
    what = f"came out as expected: {listed(seen, 2)}" if good else "came out as expected"
    if bad:
        sentences = [
            f"{row[0].text}: {row[2].text}, expected {row[1].text}: not as expected" for row in bad
        ]
        miss = (
            f"trust no difference up to {found.miss}" if _is_known(found.miss) else "trust no cost"
        )
        again = "stop other programs and run `syncmeter run --study control --visits 9`"
        sentences.insert(0, f"{miss} here, because {of_all} {what}; {again}")
    elif unclear and good:
        sentences = [
            f"cannot tell whether costs can be trusted: {len(unclear)} of "
            f"{count(len(found.rows), 'known cost')} cannot be judged; {len(good)} {what}"
        ]
    elif good:
        sentences = [f"trust costs and ratios within their intervals here, because {of_all} {what}"]
    else:
        sentences = [f"cannot tell whether costs can be trusted: none of {of_all[5:]} is judged"]
    return sentences + [
        f"{row[0].text}: {row[2].text}, expected {row[1].text}: cannot tell" for row in unclear
    ]


def _is_known(miss: Miss) -> bool:
    return math.isfinite(miss.ns) and math.isfinite(miss.share)


def text(found: Known) -> list[Block]:
    """What is known beforehand beside what was measured."""
    return [
        table("What is known beforehand", "control|expected|measured|", found.rows),
        Text("As expected: an empty op in as many tables of ten as chance allows, others by 10 %."),
    ]
