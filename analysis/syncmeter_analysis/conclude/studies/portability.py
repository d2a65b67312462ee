"""Concludes the study `portability`: where a portable API is slower than the native API."""

from __future__ import annotations

from collections.abc import Iterator

from syncmeter_analysis.conclude import references
from syncmeter_analysis.conclude.choice import effect_from, situation_of, subject_of
from syncmeter_analysis.conclude.conclusion import (
    Conclusion,
    Condition,
    Cost,
    Grade,
    Kind,
    Subject,
    evidence_of,
)
from syncmeter_analysis.conclude.studies.regions import choose_way, forks, reduction_ops
from syncmeter_analysis.record.point import native_of
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest
from syncmeter_analysis.relate.portability import Row, Side, sides_of
from syncmeter_analysis.relate.relation import Verdict

#: Of the slower configurations the table has at most so many, the slowest first.
most_rows = 10


def rows(campaign: Campaign) -> list[Side | Contest]:
    """Returns a side for each portable backend, then the ways to fork and join if a portable way is
    among them."""
    return [*sides_of(campaign), *(one for one in forks(campaign) if _has_portable(one))]


def _has_portable(one: Contest) -> bool:
    return any(s.usable and s.point.backend in native_of for s in one.points)


def conclude(campaign: Campaign) -> list[Conclusion]:
    """Returns for each portable backend how often it is slower, then the slowest configurations and how
    to start threads."""
    found = [c for each in rows(campaign) for c in _of(each)]
    return sorted(found, key=lambda c: c.question != "overhead")


def _of(each: Side | Contest) -> Iterator[Conclusion]:
    if isinstance(each, Contest):
        reduces = each.first.point.op in reduction_ops
        work = "reduction" if reduces else "fork"
        yield choose_way(each, work, references.portable_forks, each.source)
        return
    if each.rows:
        yield _overhead(each)
        slower = [row for row in each.rows if row.difference.verdict is Verdict.slower]
        slower.sort(key=lambda row: -row.difference.ratio.value)
        yield from map(_slower, slower[:most_rows])


def _overhead(side: Side) -> Conclusion:
    counts = {v: side.count(v) for v in Verdict}
    all_ = len(side.rows)
    found = [Condition("as_fast", counts[Verdict.same], all_)]
    names = (("slower", Verdict.slower), ("faster", Verdict.faster), ("open", Verdict.cannot_tell))
    found += [Condition(name, n, all_) for name, v in names if (n := counts[v])]
    if missing := sum(map(len, side.missing.values())):
        found.append(Condition("no_ratio", missing))
    kind = Kind.any if 2 * counts[Verdict.same] > all_ else Kind.undecided
    kind = Kind.use if counts[Verdict.slower] else kind
    portable = Subject(side.other, "api", side.other)
    row = max(side.rows, key=lambda row: row.other.point.lanes)
    evidence = tuple(id for row in side.rows for id in (row.native.id, row.other.id))
    return Conclusion(
        kind=kind,
        question="overhead",
        situation=situation_of(row.other, "overhead", affinity="", type="", wait=""),
        subjects=(Subject(side.native, "api", side.native),),
        reference=portable,
        grade=Grade.measured,
        conditions=tuple(found),
        evidence=tuple(dict.fromkeys(evidence)),
        next=("advise_program",),
    )


def _slower(row: Row) -> Conclusion:
    """Returns the ratio of the costs in the common placement."""
    r = row.difference.ratio
    portable, native = subject_of(row.other), subject_of(row.native)
    codes = [code for code in row.codes if code]
    same = Condition("same_code" if len(set(codes)) == 1 else "other_code")
    costs = (Cost(portable, r.over_ns), Cost(native, r.under_ns))
    work = "on_gpu" if row.other.on_gpu else "on_cpu"
    return Conclusion(
        kind=Kind.use,
        question="native",
        situation=situation_of(row.other, work),
        subjects=(native,),
        reference=portable,
        effect=effect_from(r.over_ns / r.under_ns, r),
        grade=Grade.measured,
        costs=costs,
        conditions=(same,) if len(codes) > 1 else (),
        evidence=evidence_of(costs),
    )
