"""Concludes which of several measured alternatives to use in one situation."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from statistics import median

from syncmeter_analysis.conclude.conclusion import (
    Conclusion,
    Condition,
    Cost,
    Effect,
    Grade,
    Kind,
    Situation,
    Subject,
    evidence_of,
)
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.contest import Contest, contest
from syncmeter_analysis.relate.distance import are_alike, hops_of, meet
from syncmeter_analysis.relate.relation import NotComparable, Ratio, Verdict, ratio, verdict
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.text import ns_of

#: A gain up to this upper end is no reason to change.
near_to = 1.5

#: The least gain for own code, which hangs unless all blocks are resident.
least_gain_of_own = 1.25

#: A program with 9 times more work than cost is 90 % efficient.
times_the_cost = 9

#: Fewer alternatives with a cost cannot be compared.
least_compared = 2

#: Fewer equal alternatives do not show that any will do.
least_of_any = 3

Naming = Callable[[Measured], Subject]


def subject_of(s: Measured, variant: str = "") -> Subject:
    """Returns the primitive of the point."""
    return Subject(s.point.backend, s.point.op, variant, s.id)


def cost_of(s: Measured, name: Naming = subject_of) -> Cost | None:
    """Returns the cost of the point with its interval, or None."""
    return cost_from(name(s), s.cost) if s.usable and s.cost else None


def cost_from(subject: Subject, i: Interval) -> Cost:
    """Returns the cost with its bounds, if they are known."""
    low, high = (i.low, i.high) if i.bounded else (None, None)
    return Cost(subject, i.value, low, high)


def situation_of(s: Measured, work: str = "", **members: object) -> Situation:
    """Returns the situation in which the point was measured."""
    p = s.point
    found = Situation(
        threads=p.lanes,
        work=work or p.op,
        cpus=0 if s.on_gpu else len(s.pus),
        crowded=s.oversubscribed,
        hop_ns=s.hop_ns if s.on_hypervisor and meet(s) and s.hop_ns > 0 else None,
        blocks=p.blocks if s.on_gpu else 0,
        type=p.type,
        affinity=p.affinity,
        wait=p.wait,
    )
    return replace(found, **members)  # type: ignore[arg-type]


def situation_in(one: Contest, work: str, **members: object) -> Situation:
    """Returns the situation of compared points, with their core-to-core latency and file."""
    return situation_of(one.first, work, hop_ns=hop_of(one), file=one.source, **members)


def quotient(over: Measured, under: Measured) -> float:
    """Returns how many times the second cost the first cost is."""
    assert over.cost and under.cost
    return over.cost.value / under.cost.value


def effect_of(
    over: Measured, under: Measured, r: object = None, quantity: str = "speedup"
) -> Effect:
    """Returns the quotient of the two costs with the interval of their paired ratio."""
    r = ratio(over, under) if r is None else r
    return effect_from(quotient(over, under), r, quantity)


def effect_from(value: float, r: object, quantity: str = "speedup") -> Effect:
    """Returns the quotient of two costs with this ratio's interval, which is widened if it excludes the
    quotient."""
    if not isinstance(r, Ratio | Interval) or not r.bounded:
        return Effect(quantity, value)
    return Effect(quantity, value, min(r.low, value), max(r.high, value))


def gain_at_most(mine: Measured, others: Sequence[Measured]) -> tuple[Effect, Measured | None]:
    """Returns the largest possible gain of one of the others, and this one."""
    ratios = [(r, s) for s in others if isinstance(r := ratio(mine, s), Ratio) and r.bounded]
    if not others:
        return Effect("speedup", 1.0, 1.0, 1.0), None
    if len(ratios) < len(others):
        return Effect("speedup", quotient(mine, others[0])), others[0]
    r, s = max(ratios, key=lambda item: item[0].high)
    return effect_of(mine, s, r), s


def nearest_of(
    made: Conclusion, one: Contest, mine: Measured | None, name: Naming = subject_of
) -> list[Condition]:
    """Returns the fastest alternative to a default that is kept: how many times slower it is, or its
    cost if it is not shown to be slower."""
    if mine is None or made.kind is not Kind.keep or made.condition("small_gain"):
        return []
    own = name(mine).identity
    others = [s for s in one.points if s.usable and name(s).identity != own]
    if not others:
        return []
    rival = min(others, key=ns_of)
    if verdict(ratio(rival, mine)) is Verdict.slower:
        return [Condition("nearest", quotient(rival, mine), None, name(rival))]
    return [Condition("as_fast", ns_of(rival), None, name(rival))]


def uncertain(one: Contest, name: Naming = subject_of) -> Condition | None:
    """Returns the reason why the fastest is unknown, or None."""
    if one.below:
        return Condition("below_resolution", subject=name(one.below[0]))
    return Condition("one_repetition") if one.is_open else None


def problem(one: Contest, name: Naming = subject_of) -> Condition | None:
    """Returns the reason why nothing can be decided, or None."""
    compared = sum(s.usable and s.cost is not None for s in one.points)
    if not one.below and compared < least_compared:
        return Condition("no_cost")
    return uncertain(one, name)


def _problem(one: Contest, name: Naming) -> Condition | None:
    """Returns the same, with another reason for costs from different vCPU placements."""
    why, over = problem(one, name), list(one.over_best.values())
    is_apart = bool(over) and all(isinstance(r, NotComparable) for r in over)
    if why and why.name == "one_repetition" and is_apart:
        return Condition("other_placement")
    return why


def placements_of(one: Contest) -> list[Condition]:
    """Returns the range of core-to-core latencies if a hypervisor moved the threads between the
    comparisons."""
    hops = _hops_in(one)
    return [] if are_alike(hops) else [Condition("placements", min(hops), max(hops))]


def hop_of(one: Contest) -> float | None:
    """Returns the core-to-core latency in the compared states, or None if it varies."""
    hops = _hops_in(one)
    return median(hops) if hops and are_alike(hops) else None


def _hops_in(one: Contest) -> list[float]:
    """Returns the core-to-core latencies in the compared states, if a hypervisor may move threads."""
    moved = [s for s in one.points if s.on_hypervisor and meet(s)]
    return hops_of(moved, one.over_best.values()) if moved else []


def choose(
    points: Contest | Sequence[Measured],
    question: str,
    situation: Situation,
    mine: Measured | None = None,
    *,
    name: Naming = subject_of,
    allowed: Callable[[Measured], bool] = lambda s: True,
    least_gain: float = 1.0,
    conditions: Callable[[Measured], Iterable[Condition]] = lambda s: (),
    reason: Condition | None = None,
    next: Sequence[str] = (),
) -> Conclusion:
    """Decides between the default `mine` and the best alternative that is `allowed` and gains more than
    `least_gain`. `conditions` gives what a recommended alternative requires."""
    one = points if isinstance(points, Contest) else contest(points)
    if mine is not None and not (mine.usable and mine.cost):
        mine = None
    kind, subjects, effect, more = _decided(one, mine, name, allowed, least_gain)
    if kind is Kind.use or (mine is None and kind is not Kind.undecided):
        more += conditions(subjects[0])
    return concluded(
        kind,
        question,
        situation,
        subjects,
        mine,
        effect,
        name=name,
        conditions=(*more, *placements_of(one)),
        reason=reason,
        next=next,
    )


def concluded(
    kind: Kind,
    question: str,
    situation: Situation,
    subjects: Sequence[Measured],
    mine: Measured | None = None,
    effect: Effect | None = None,
    grade: Grade | None = None,
    *,
    name: Naming = subject_of,
    conditions: Sequence[Condition] = (),
    reason: Condition | None = None,
    shown: Sequence[Measured] = (),
    next: Sequence[str] = (),
) -> Conclusion:
    """Returns the conclusion with the costs of these points and of the `shown` points, each subject
    once. An effect with an interval is measured."""
    is_known = effect is not None and effect.high is not None
    by_subject = {name(s).identity: s for s in [*shown, *filter(None, [mine]), *subjects]}
    costs = tuple(c for s in by_subject.values() if (c := cost_of(s, name)))
    return Conclusion(
        kind,
        question,
        situation,
        tuple(map(name, subjects)),
        name(mine) if mine else None,
        effect,
        grade or (Grade.measured if is_known else Grade.unknown),
        costs,
        tuple(conditions),
        reason,
        evidence_of(costs),
        tuple(next),
    )


def undecided(
    s: Measured,
    question: str,
    situation: Situation,
    why: str,
    *,
    name: Naming = subject_of,
    next: Sequence[str] = (),
) -> Conclusion:
    """Returns the reason why a point alone decides nothing."""
    conditions = [Condition(why)]
    made = concluded(
        Kind.undecided, question, situation, [s], name=name, conditions=conditions, next=next
    )
    return replace(made, evidence=(s.id,))


def work_to_pay(s: Measured, question: str, situation: Situation, *next: str) -> Conclusion:
    """Computes the work that makes a program with this barrier or region 90 % efficient."""
    cost = cost_of(s)
    assert cost
    low, high = (end and times_the_cost * end for end in (cost.low, cost.high))
    value = times_the_cost * cost.ns
    return threshold(question, situation, subject_of(s), value, low, high, costs=[cost], next=next)


def with_conditions(made: Conclusion, *conditions: Condition) -> Conclusion:
    """Returns the conclusion with more conditions."""
    return replace(made, conditions=(*made.conditions, *conditions))


_Decided = tuple[Kind, list[Measured], Effect | None, list[Condition]]


def _decided(
    one: Contest,
    mine: Measured | None,
    name: Naming,
    allowed: Callable[[Measured], bool],
    least_gain: float,
) -> _Decided:
    """Returns the kind, the subjects, the effect over the default, and reasons for `undecided`."""
    leaders = [s for s in one.leaders if allowed(s)]
    if why := _problem(one, name):
        return Kind.undecided, [s for s in (mine or one.best,) if s], None, [why]
    if not leaders:
        return (*kept(one, mine, []), []) if mine else (Kind.undecided, [], None, [])
    if mine is None:
        near = [s for s in leaders if one.is_near(s)] or leaders
        return (Kind.any if len(near) > 1 else Kind.use), near[:1], None, []
    if any(s is mine for s in leaders):
        return *kept(one, mine, [s for s in leaders if s is not mine]), []
    choice = next((s for s in leaders if one.is_near(s)), leaders[0])
    r = ratio(mine, choice)
    effect = effect_of(mine, choice, r)
    if verdict(r) is not Verdict.slower:
        return Kind.undecided, [choice, mine], effect, []
    if (effect.low or 0.0) < least_gain:
        small = Condition("small_gain", effect.value, least_gain, name(choice))
        return Kind.keep, [mine], effect, [small]
    return Kind.use, [choice], effect, []


def kept(
    one: Contest,
    mine: Measured,
    rivals: Sequence[Measured],
    name: Callable[[Measured], Hashable] = id,
) -> tuple[Kind, list[Measured], Effect]:
    """Returns `any` if most alternatives, counted by name, are equal, and `undecided` if the default
    may lose too much."""
    effect, rival = gain_at_most(mine, rivals)
    if effect.high is None or effect.high > near_to:
        return Kind.undecided, [s for s in (mine, rival) if s], effect
    compared = {name(s) for s in one.points if s.usable}
    leaders = set(map(name, one.leaders))
    if all(map(one.is_near, one.leaders)) and len(leaders) >= max(least_of_any, len(compared) / 2):
        return Kind.any, [mine], effect
    return Kind.keep, [mine], effect


def threshold(
    question: str,
    situation: Situation,
    subject: Subject,
    value: float,
    low: float | None = None,
    high: float | None = None,
    *,
    kind: Kind = Kind.use,
    costs: Sequence[Cost] = (),
    reference: Subject | None = None,
    conditions: Sequence[Condition] = (),
    grade: Grade = Grade.predicted,
    next: Sequence[str] = (),
) -> Conclusion:
    """Returns a conclusion with a time, a size or a distance from which the advice is valid.
    `predicted` means that it is computed from the costs."""
    return Conclusion(
        kind=kind,
        question=question,
        situation=situation,
        subjects=(subject,),
        reference=reference,
        effect=Effect("threshold", value, low, high),
        grade=grade,
        costs=tuple(costs),
        conditions=tuple(conditions),
        evidence=evidence_of(costs),
        next=tuple(next),
    )
