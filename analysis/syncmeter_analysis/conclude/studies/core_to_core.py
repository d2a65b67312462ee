"""Concludes the study `core-to-core`: which CPUs are near to each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncmeter_analysis.conclude.choice import cost_from, effect_from, situation_of
from syncmeter_analysis.conclude.conclusion import (
    Conclusion,
    Condition,
    Effect,
    Grade,
    Kind,
    Subject,
)
from syncmeter_analysis.conclude.studies.pairs import Matrix, PairClass, rows
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.stats import median, median_interval, quotient
from syncmeter_analysis.relate.summary import gap_of_states
from syncmeter_analysis.relate.text import ns_of

#: If pairs cost the same, 95 % CIs include the median, except some by chance.
_including = 0.9

#: The class names for CPUs with a common part begin with it (record/topology.py).
_shared = "same "


def conclude(campaign: Campaign) -> list[Conclusion]:
    """Returns for each operation which CPUs threads that share data should use."""
    return [c for matrix in rows(campaign) if matrix.costs for c in _of(matrix)]


def _of(matrix: Matrix) -> Iterator[Conclusion]:
    classes = [c for c in matrix.classes if c.costs]
    near, far = classes[0], classes[-1]
    least, most = min(matrix.costs), max(matrix.costs)
    if sum(c.measured for c in classes) == 1:
        yield _concluded(matrix, Kind.nothing_to_gain, near, far, None, classes)
    elif len(classes) == 1:
        kind = Kind.any if most < gap_of_states * least else Kind.undecided
        yield _concluded(matrix, kind, near, far, Effect("speedup", most / least), classes)
    elif any(c.several_states for c in classes) and most >= gap_of_states * least:
        yield _concluded(matrix, Kind.undecided, near, far, None, classes)
    else:
        over = quotient(median_interval(far.costs), median_interval(near.costs))
        value = median(far.costs) / median(near.costs)
        effect = effect_from(value, over)
        use = value >= gap_of_states and near.name.startswith(_shared)
        yield _concluded(matrix, Kind.use if use else Kind.keep, near, far, effect, classes)


def _concluded(
    matrix: Matrix,
    kind: Kind,
    near: PairClass,
    far: PairClass,
    effect: Effect | None,
    classes: Sequence[PairClass],
) -> Conclusion:
    s = near.found[0]
    subject, reference = _cpus(matrix, near), _cpus(matrix, far)
    shown = {c.name: c for c in (far, near)}.values()
    costs = [cost_from(_cpus(matrix, c), median_interval(c.costs)) for c in shown]
    situation = situation_of(s, matrix.what.op, affinity="", hop_ns=None)
    return Conclusion(
        kind=kind,
        question="near" if kind is Kind.use else "alike",
        situation=situation,
        subjects=(subject,),
        reference=reference if kind is Kind.use else subject,
        effect=effect,
        grade=Grade.measured,
        costs=tuple(costs),
        conditions=tuple(_conditions(kind, classes)),
        evidence=tuple(x.id for c in classes for x in c.found),
        next=("advise_program",),
    )


def _conditions(kind: Kind, classes: Sequence[PairClass]) -> Iterator[Condition]:
    moved = [hop for c in classes if c.several_states for hop in c.hops]
    if moved:
        yield Condition("placements", min(moved), max(moved))
    if kind is Kind.any:
        fastest, slowest = (f(classes[0].found, key=ns_of) for f in (min, max))
        yield Condition("pairs", ns_of(fastest), ns_of(slowest))
        if _within_scatter(classes[0]):
            yield Condition("within_scatter")


def _cpus(matrix: Matrix, c: PairClass) -> Subject:
    return Subject(matrix.what.backend, "cpus", c.name)


def _within_scatter(c: PairClass) -> bool:
    """Returns whether the pairs of a class differ no more than their scatter."""
    middle, intervals = median(c.costs), [s.cost for s in c.found if s.cost]
    including = sum(i.low <= middle <= i.high for i in intervals)
    return all(i.bounded for i in intervals) and including >= _including * len(c.found)
