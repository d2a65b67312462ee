"""Locks held for a while: what all lanes get done, and how long each lane waits, by lock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from syncmeter_analysis.relate import contest_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, contests
from syncmeter_analysis.relate.relation import Ratio, ratio_by_visit
from syncmeter_analysis.relate.stats import holm
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Cell, Table, Text, table
from syncmeter_analysis.studies.cells import cost_of_sections, fairness, notes, rate, unfair_of

_suffix = "_held"

#: Threads whose sections take so many times as long as their own work wait for a lock that is always
#: held.
_busy_lock = 2

#: Work is measured at one clock, and may be done at a faster one.
_least_of_work = 0.5

#: Waits of two locks differ where chance would have it so less often, of all pairs together.
_least_p = 0.05


def situations(campaign: Campaign) -> list[Contest]:
    """All locks with so many lanes, so much work under the lock and so much between two sections, in
    this order; none where there is one lock only."""
    axes = "lanes", "section_ns", "think_ns", "affinity", "wait"
    return contests(campaign, _belongs, *axes, known=_possible)


def _belongs(s: Measured) -> bool:
    # A point that timed out has no family: its name tells.
    return s.point.op.endswith(_suffix) and not s.imported and s.status != "unsupported"


def _possible(s: Measured) -> Measured:
    """Without its cost where that is far less than the work of all lanes under the lock, which they do
    one after another: visits of a lock that sleeps scatter by more than that under load."""
    least = _least_of_work * s.point.lanes * s.point.section_ns
    return replace(s, status="interferes") if s.cost and s.cost.value < least else s


def lock_of(s: Measured) -> str:
    """`std mcs_lock`."""
    return f"{s.point.backend} {s.point.op.removesuffix(_suffix)}"


def held_answer(held: Sequence[Contest]) -> list[str]:
    """For each situation of several lanes which lock to take, and whose lanes wait longest."""
    several = [one for one in held if one.first.point.lanes > 1]
    alone = "locks held for a while: cannot tell: only one thread was measured"
    return [*map(held_sentence, several), *_waits_sentence(several)] or [alone] * bool(held)


def held_text(held: Sequence[Contest]) -> list[Block]:
    """One table of all situations, and what its columns are."""
    if not held:
        return []
    explained = Text(
        "inside and outside: ns of work under the lock and between two sections, of each lane. ns/op "
        "is of a section with all that, and two readings of the clock. Waits are from the call of lock "
        "until it is back, of each lane by its own clock: the median, the longest of 1000 (p99.9), and "
        "the longest of all; one lane's are the two readings."
    )
    return [_table(held), explained]


def _table(held: Sequence[Contest]) -> Table:
    columns = "lanes>|inside>|outside>|backend|lock|ns/op>|sections/s>|over fastest>|95 % interval>"
    columns += "|fair>|median wait>|p99.9 wait>|longest wait>|"
    rows = []
    for one in held:
        for s in one.points:
            p, crowded = s.point, "more lanes than PUs" if one.is_crowded else ""
            at = [p.lanes, p.section_ns, p.think_ns, p.backend]
            found = [*at, Cell(p.op.removesuffix(_suffix), [s.id]), formats.cost(s), rate(s)]
            found += [*one.fields(s), fairness(s)[0], *_waits(s)]
            rows.append([*found, notes(s, crowded, one.source)])
    return table("Locks held for a while", columns, rows, keys=5, spare=[8, 10])


def _waits(s: Measured) -> list[str]:
    w = s.lane_waits
    return ["", "", ""] if w is None else [formats.duration(t) for t in w[1:]]


def situation(one: Contest) -> str:
    """`2 threads 119 ns apart, 50 ns under the lock, 500 ns between`; whether PUs are too few."""
    p = one.first.point
    place = f"{one.threads_and_cpus}, {p.section_ns} ns under the lock"
    place += f", {p.think_ns} ns between" if p.think_ns else ""
    place += ", more threads than processing units" * one.is_crowded
    return place + (f" ({one.source})" if one.source else "")


def held_sentence(one: Contest) -> str:
    """The lock to take or to keep and why, and what others take."""
    but = unfair_of(one, lock_of)
    which = contest_text.sentence(
        one, situation(one), lock_of, cost_of_sections, why=_why(one), but=but
    )
    return which + _stalled(one)


def _why(one: Contest) -> str:
    """What the lock adds to the work under it; '' where it may be idle at times."""
    s = one.taken
    if s is None or s.cost is None:
        return ""
    p = s.point
    ns = s.cost.value / p.lanes - p.section_ns
    if ns <= 0 or s.cost.value < _busy_lock * (p.section_ns + p.think_ns):
        return ""
    return f"because it is handed on in {formats.duration(ns)}"


def _waits_sentence(held: Sequence[Contest]) -> list[str]:
    """The longest of 1000 waits with the two locks that differ most, if visits tell them apart: a
    lane that was preempted while it held the lock makes that of a visit 10000 times as long."""
    pairs = [
        (one, least, most)
        for one in held
        for least, most in combinations(sorted(filter(_has_waits, one.points), key=_p999), 2)
    ]
    ratios = [_ratio_of_waits(most, least) for _, least, most in pairs]
    adjusted = holm([r.p() for r in ratios])
    apart = [i for i, p in enumerate(adjusted) if p < _least_p and ratios[i].value > 1]
    if not apart:
        no_two = "the longest of 1000 waits: no difference between two locks could be shown"
        return [f"{no_two}, as visits to one lock differ too much"] * bool(pairs)
    one, least, most = pairs[max(apart, key=lambda i: _p999(pairs[i][2]) / _p999(pairs[i][1]))]
    return [
        f"{situation(one)}: the longest of 1000 waits takes {formats.duration(_p999(least))} with "
        f"{lock_of(least)}, {formats.duration(_p999(most))} with {lock_of(most)}"
    ]


def _has_waits(s: Measured) -> bool:
    return s.usable and bool(s.p999_wait_by_visit) and _p999(s) > 0


def _p999(s: Measured) -> float:
    return s.lane_waits.p999_ns if s.lane_waits else 0.0


def _ratio_of_waits(over: Measured, under: Measured) -> Ratio:
    """Of the visits that are known of both, by number."""
    waits = under.p999_wait_by_visit
    both = [(ns, waits[i]) for i, ns in over.p999_wait_by_visit.items() if i in waits]
    return ratio_by_visit(both or [(1.0, 1.0)], None)


def _stalled(one: Contest) -> str:
    stuck = [s for s in one.points if s.status in ("timeout", "too_slow")]
    names = ", ".join(f"{lock_of(s)} ({s.status})" for s in stuck)
    return f"; ran out of time: {names}" if stuck else ""
