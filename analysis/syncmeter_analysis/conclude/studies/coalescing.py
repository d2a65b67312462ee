"""Concludes which addresses the threads in a warp should read (the study `coalescing`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from syncmeter_analysis.conclude.choice import (
    cost_from,
    effect_from,
    near_to,
    situation_of,
    subject_of,
)
from syncmeter_analysis.conclude.conclusion import (
    Conclusion,
    Condition,
    Grade,
    Kind,
    Subject,
    evidence_of,
)
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.coalescing import Level, PatternRow, line_bytes, rows
from syncmeter_analysis.relate.group import on_first_device
from syncmeter_analysis.relate.relation import Ratio, Verdict, verdict
from syncmeter_analysis.relate.summary import Measured


def conclude(campaign: Campaign) -> list[Conclusion]:
    """Returns for each level and pattern, at its slowest size, whether the coalesced load is faster.
    The largest gains come first. A broadcast has no words to bring closer."""
    found = rows(campaign)
    made = []
    for level in on_first_device(found.levels) if found else ():
        able = [
            (row.over.value, row)
            for row in (level.rows if level.coalesced else ())
            if row.pattern not in ("broadcast", "coalesced") and isinstance(row.over, Ratio)
        ]
        slowest = {row.pattern: row for _, row in sorted(able, key=lambda found: found[0])}
        of_level = [_pattern(level, row) for row in slowest.values()]
        made += sorted(of_level, key=lambda c: -(c.effect.value or 0.0) if c.effect else 0.0)
    return made


def _pattern(level: Level, row: PatternRow) -> Conclusion:
    """Compares the pattern that a program has with the coalesced load."""
    base, r = level.coalesced, row.over
    assert base and base.full and base.ns and row.full and row.ns and isinstance(r, Ratio)
    mine, best = _subject(row, row.full), _subject(base, base.full)
    ns = row.ns.value - base.ns.value if row.pattern == "random" else row.ns.value
    ns *= line_bytes / row.useful_bytes
    value = ns / base.ns.value
    effect = effect_from(value, r)
    subjects: tuple[Subject, ...] = (best,)
    if verdict(r) is Verdict.slower:
        kind = Kind.use
    elif effect.high is not None and effect.high <= near_to:
        kind, subjects = Kind.keep, (mine,)
    else:
        kind, subjects = Kind.undecided, (mine, best)
    ns_of_mine = replace(r.interval.scaled(base.ns.value), value=ns)
    costs = (cost_from(best, base.ns), cost_from(mine, ns_of_mine))
    return Conclusion(
        kind=kind,
        question="pattern",
        situation=situation_of(base.full, level.name),
        subjects=subjects,
        reference=mine,
        effect=effect,
        grade=Grade.measured if effect.high is not None else Grade.unknown,
        costs=costs,
        conditions=tuple(_conditions(row)),
        evidence=evidence_of(costs),
        next=("advise_program",),
    )


def _subject(row: PatternRow, s: Measured) -> Subject:
    return replace(subject_of(s), op=f"load_{row.pattern}", variant=str(row.size or ""))


def _conditions(row: PatternRow) -> Iterator[Condition]:
    if row.pattern == "random":
        yield Condition("without_indices")
    if row.pattern.endswith("_walk"):
        yield Condition("l1")
