"""Turns judged claims into conclusions: what a reader may do because a claim is true or false here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from math import inf, isfinite

from syncmeter_analysis.claims import judged as judged_on
from syncmeter_analysis.claims.claim import Claim, fails, far, holds, not_measured
from syncmeter_analysis.conclude.choice import cost_of, situation_of, subject_of
from syncmeter_analysis.conclude.conclusion import (
    Conclusion,
    Condition,
    Cost,
    Effect,
    Grade,
    Kind,
    Situation,
    Subject,
)
from syncmeter_analysis.conclude.finding import Finding
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.evidence import Evidence, Pair, Pairs, busy_doubt
from syncmeter_analysis.relate.known_costs import known_costs
from syncmeter_analysis.relate.op_groups import spins
from syncmeter_analysis.relate.relation import Verdict, verdict_of
from syncmeter_analysis.relate.repetition import Repeats
from syncmeter_analysis.relate.summary import Measured

Judged = Sequence[tuple[Claim, Finding]]

#: A control missed by as much as the costs differ. Fewer than 19 of 20 repeats would decide alike.
hidden_doubt, changes_doubt = "hidden", "changes"

#: Threads of one warp in one block.
_warp = 32

#: Operations whose size changes the access pattern and not the amount of work.
_by_pattern = ("branch_", "load_")


def judged_with_doubts(campaign: Campaign) -> list[tuple[Claim, Finding]]:
    """Judges all claims. Adds doubts if a control missed by as much as the costs differ, or if a repeat
    may decide otherwise."""
    judged = judged_on(Evidence(campaign))
    parts = [part for _, f in judged for part in f.named_parts.values()]
    repeats = Repeats(p for part in parts for p in part.compared.found)
    miss = known_costs(campaign).miss
    all_hidden = bool(miss and miss.doubts_all(campaign))

    def hidden(f: Finding) -> bool:
        if not miss or f.verdict == not_measured:
            return False
        r = f.example.ratio if f.example else None
        return (
            all_hidden or r is None or not isfinite(r.over_ns) or miss.hides(r.over_ns, r.under_ns)
        )

    def changes(f: Finding) -> bool:
        decided = f.decide if f.verdict in (holds, fails) else None
        if decided is None:
            return False
        return _was_visited_once(f) or not repeats.decide_alike(f.compared, decided)

    def doubted(f: Finding) -> Finding:
        if f.parts:
            parts = {op: doubted(part) for op, part in f.parts.items()}
            doubts = dict.fromkeys(doubt for part in parts.values() for doubt in part.doubts)
            return replace(f, parts=parts, doubts=list(doubts))
        more = [hidden_doubt] * hidden(f) + [changes_doubt] * changes(f)
        return replace(f, doubts=more + f.doubts)

    return [(claim, doubted(f)) for claim, f in judged]


def _was_visited_once(f: Finding) -> bool:
    """Returns whether the scatter of the costs is unknown. Imported costs have none."""
    if f.example is None or f.example.over.imported or f.effect is None:
        return False
    # Several pairs have a range as effect, with bounds even if no pair has bounds.
    return not (f.effect.bounded and f.example.ratio.bounded)


def conclusions_of(
    campaign: Campaign, judged: Judged, studies: Iterable[tuple[str, Conclusion]] = ()
) -> list[Conclusion]:
    """Returns what follows from claims with sound evidence, or with evidence that other work
    disturbed. Leaves out claims that repeat the advice of these studies."""
    slow = [(study, point) for study, c in studies if (point := _slow_point(c))]
    return [
        c
        for claim, f in judged
        for c in _Advice(campaign, claim, f).conclusions()
        if not any(study == claim.figure and point in c.evidence for study, point in slow)
    ]


def _slow_point(c: Conclusion) -> str:
    """Returns the point that the reader should change, or ''."""
    slow = {Kind.use: c.reference, Kind.avoid: next(iter(c.subjects), None)}.get(c.kind)
    cost = c.cost_of(slow)
    return cost.subject.point if cost else ""


@dataclass
class _Advice:
    """The conclusions of one claim. A mixed claim has one for each verdict."""

    campaign: Campaign
    claim: Claim
    finding: Finding

    def conclusions(self) -> Iterator[Conclusion]:
        claim, named = self.claim, self.finding.named_parts
        for verdict, kind, name in (
            (holds, claim.if_true, "holds"),
            (fails, claim.if_false, "fails"),
        ):
            parts = self._parts(verdict)
            disturbed = not parts and claim.usual not in self.finding.parts
            if disturbed:
                alike = [f for f in named.values() if f.verdict == verdict]
                parts = [f for f in alike if f.doubts == [busy_doubt]]
            if kind is None or not parts:
                continue
            shown = [self._concluded(f, kind, name) for f in parts]
            found = [c for c in shown if c and (not disturbed or _least_effect(c) > 1)]
            if not found:
                continue
            least = min(found, key=_least_effect)
            others = [c for c in found if c is not least]
            is_some = len(found) < (1 if claim.usual in named else len(named))
            more = [Condition("some")] * is_some
            more += [Condition("disturbed")] * disturbed
            yield replace(
                least,
                subjects=tuple(s for c in (least, *others) for s in c.subjects),
                conditions=(*least.conditions, *more),
                evidence=tuple(dict.fromkeys(id for f in parts for id in f.points)),
            )

    def _parts(self, verdict: str) -> list[Finding]:
        """Returns the sound parts, or the usual operation if its largest launch has this verdict."""
        usual = self.claim.usual
        if usual not in self.finding.parts:
            return self.finding.sound(verdict)
        f = self.finding.parts[usual]
        most = max(map(_threads, f.compared.found), default=0)
        pairs = Pairs([p for p in f.compared.found if _threads(p) == most])
        if f.doubts or f.decide is None or not pairs or f.decide(pairs) != verdict:
            return []
        return [replace(f, verdict=verdict, points=pairs.ids, compared=pairs)]

    @cached_property
    def _of_grids(self) -> set[str]:
        """Operations that were measured with several blocks."""
        found = self.campaign.points.values()
        return {s.point.op for s in found if s.point.on_gpu and s.point.blocks > 1 and s.usable}

    def _is_usual(self, p: Pair) -> bool:
        """Returns whether users have this launch: no single warp if a grid was measured."""
        sides = (p.over, p.under)
        small = any(s.on_gpu and s.point.blocks * s.point.lanes <= _warp for s in sides)
        return not (small and any(s.point.op in self._of_grids for s in sides))

    def _concluded(self, f: Finding, kind: Kind, name: str) -> Conclusion | None:
        """Returns the conclusion of one part, or None if no pair of usual launches shows it."""
        found = [p for p in f.compared.found if f.decide and f.decide(Pairs([p])) == f.verdict]
        usual = [p for p in found or filter(None, [f.example]) if self._is_usual(p)]
        if f.compared.found and not usual:
            return None
        conditions = map(Condition, self.claim.conditions if name == "holds" else ())
        bare = Conclusion(
            kind,
            "claim",
            self._situation(f),
            conditions=tuple(conditions),
            evidence=tuple(f.points),
            cause=self.claim.id,
            remedy=name,
        )
        largest = max(map(_threads, usual), default=0)
        near = [p for p in usual if _threads(p) == largest]
        pair = min(near, key=lambda p: far(p.ratio.value, 1.0), default=None)
        costs = costs_of(pair) if pair else ()
        return self._of_pair(bare, pair, *costs) if pair and costs else bare

    def _of_pair(self, bare: Conclusion, pair: Pair, over: Cost, under: Cost) -> Conclusion | None:
        r = pair.ratio
        is_slower = r.value >= 1
        slow, fast = (over, under) if is_slower else (under, over)
        low, high = (r.low, r.high) if is_slower else (_inverse(r.high), _inverse(r.low))
        value = slow.ns / fast.ns
        ends = (min(low, value), max(high, value)) if r.bounded else (None, None)
        if bare.kind in (Kind.use, Kind.avoid) and r.bounded and low <= 1:
            return None
        # A host may take CPUs away from spinning threads.
        if bare.kind is Kind.use and self.campaign.machine.hypervisor and spins(fast.subject.op):
            return None
        subject, reference = fast.subject, slow.subject
        quantity = "speedup"
        if bare.kind is Kind.avoid:
            subject, reference, quantity = reference, subject, "slowdown"
        elif bare.kind is not Kind.use:
            subject = reference = over.subject
        measured = Grade.measured if is_same_work(pair) else Grade.predicted
        strides = [s.point.stride_bytes for s in (pair.over, pair.under)]
        return replace(
            bare,
            situation=replace(self._situation_of(pair.over), stride_bytes=max(strides) or None),
            subjects=(subject,),
            reference=reference,
            effect=Effect(quantity, value, *ends),
            grade=measured if r.bounded else Grade.unknown,
            costs=(over, under),
        )

    def _situation(self, f: Finding) -> Situation:
        points = (s for s in self.campaign.points.values() if s.id in f.points[:1])
        first = next(points, None)
        return self._situation_of(first) if first else Situation(1, "cpu_one")

    def _situation_of(self, s: Measured) -> Situation:
        work = "gpu" if s.on_gpu else "cpu" if s.point.lanes > 1 else "cpu_one"
        several = len(self.campaign.files) > 1
        return situation_of(s, work, size=s.point.size or None, file=s.source if several else "")


def _inverse(x: float) -> float:
    return 1 / x if x > 0 else inf


def _threads(p: Pair) -> int:
    return max(s.point.blocks * s.point.lanes for s in (p.over, p.under))


def _least_effect(c: Conclusion) -> float:
    """Returns the lower end of the effect."""
    e = c.effect
    return (e.low if e.low is not None else 1.0) if e else 1.0


def is_same_work(pair: Pair) -> bool:
    """Returns whether both sides do the same work with as many threads."""
    a, b = pair.over.point, pair.under.point
    same_size = a.size == b.size or pair.each or a.op.startswith(_by_pattern)
    threads = {(p.blocks * p.lanes, p.active) for p in (a, b)}
    return same_size and len(threads) == 1


def costs_of(pair: Pair) -> tuple[Cost, Cost] | tuple[()]:
    """Returns the costs of both sides, as tables have them if these are the same within the margin, or
    nothing."""
    r, sides = pair.ratio, (pair.over, pair.under)
    costs = r.over_ns, r.under_ns
    if pair.over is pair.under or not all(isfinite(ns) and ns > 0 for ns in costs):
        return ()
    names = _subjects(pair)
    over, under = (
        cost if not pair.each and (cost := _table_cost(s, ns, name)) else Cost(name, ns)
        for s, ns, name in zip(sides, costs, names, strict=True)
    )
    return over, under


def _table_cost(s: Measured, ns: float, name: Subject) -> Cost | None:
    found = cost_of(s, lambda _: name)
    if found and verdict_of(Interval(ns, ns, ns).scaled(1 / found.ns)) is Verdict.same:
        return found
    return None


#: Axes in the subject, and computed axes.
_named = ("backend", "op", "stride_bytes", "waves", "others")


def _subjects(pair: Pair) -> list[Subject]:
    """Names both sides by their operations, or by the axes in which one operation differs."""
    sides = pair.over, pair.under
    a, b = (s.point for s in sides)
    apart = []
    if (a.backend, a.op) == (b.backend, b.op):
        axes = (x.name for x in fields(a) if x.name not in _named)
        apart = [axis for axis in axes if getattr(a, axis) != getattr(b, axis)]
    return [subject_of(s, "/".join(str(getattr(s.point, axis)) for axis in apart)) for s in sides]
