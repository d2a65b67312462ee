"""Ranks the conclusions of all studies: what a reader should do first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log

from syncmeter_analysis.conclude.conclusion import Conclusion, Grade, Kind, Situation, Subject
from syncmeter_analysis.relate.op_groups import is_own_code

#: More recommendations are not read.
most_recommended = 5

#: Smaller gains of a disturbed run are no advice.
least_gain_in_noise = 1.5

#: Cards of a page.
most_cards = 3

_grades = tuple(Grade)
_ratios = ("speedup", "slowdown")
_cost = Kind.nothing_to_gain
_changes = (Kind.use, Kind.avoid, Kind.change)
_order = (*_changes, Kind.keep, Kind.any, Kind.nothing_to_gain)


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A conclusion and the name of its study, which knows the words."""

    study: str
    conclusion: Conclusion


@dataclass(frozen=True, slots=True)
class Recommendations:
    """The first recommendations, the best first. `further` counts the other decided conclusions that
    say something else, `undecided` the questions without a decision."""

    chosen: tuple[Recommendation, ...]
    further: int = 0
    undecided: int = 0


#: Each study with its conclusions.
Found = Sequence[tuple[str, Sequence[Conclusion]]]


def recommend(
    found: Found, most: int | None = most_recommended, is_disturbed: bool = False
) -> Recommendations:
    """Ranks the conclusions of these studies. A disturbed run keeps no small gain. A question
    decided for several thread counts counts with the most threads."""
    whole = [Recommendation(study, c) for study, conclusions in found for c in conclusions]
    most_threads: dict[object, Recommendation] = {}
    for r in whole:
        topic = _topic(r)
        most_threads[topic] = max(most_threads.get(topic, r), r, key=_scale)
    places = {id(r): place for place, r in enumerate(most_threads.values())}
    open_ = [r for r in most_threads.values() if r.conclusion.kind is Kind.undecided]
    decided = [r for r in most_threads.values() if r.conclusion.kind is not Kind.undecided]
    # A cost alone is no advice.
    decided = [r for r in decided if r.conclusion.effect or r.conclusion.kind is not _cost]
    least = least_gain_in_noise if is_disturbed else 1.0
    decided = [r for r in decided if (gain_of(r.conclusion) or least) >= least]
    kept: list[Recommendation] = []
    for r in sorted(decided, key=_foundation):
        if not any(_is_double(r, x) or _contradicts(r, x) for x in kept):
            kept.append(r)
    kept.sort(key=lambda r: (*_rank(r.conclusion), places[id(r)]))
    chosen = tuple(kept[:most])
    return Recommendations(chosen, len(kept) - len(chosen), len(open_))


def cards_of(found: Found) -> tuple[Recommendation, ...]:
    """Returns the recommendations for the cards of a page: the largest measured gains, those in spite
    of other work last."""
    able = [r for r in recommend(found, None).chosen if _is_card(r.conclusion)]
    able.sort(key=lambda r: r.conclusion.condition("disturbed") is not None)
    return tuple(able[:most_cards])


def _is_card(c: Conclusion) -> bool:
    """Returns whether both sides have costs. Nobody needs to avoid code that is in no library."""
    both = c.cost_of(c.reference) and c.subjects and c.cost_of(c.subjects[0])
    is_known = not (c.kind is Kind.avoid and is_own_code(c.subjects[0].op))
    return bool(both and gain_of(c) and c.grade is Grade.measured and is_known)


def gain_of(c: Conclusion) -> float | None:
    """Returns the lower end of a shown gain, as a ratio above 1, or None."""
    e = c.effect
    if c.kind not in _changes or e is None or e.quantity not in _ratios:
        return None
    return e.low if e.low is not None and e.low > 1 else None


def _rank(c: Conclusion) -> tuple[float, ...]:
    """Sorts changes with a shown gain by their gain, then thresholds, then the others by kind."""
    if (gain := gain_of(c)) is not None:
        return 0, -log(gain)
    return (1,) if _is_threshold(c) else (2, _order.index(c.kind))


def _foundation(r: Recommendation) -> tuple[float, ...]:
    """Sorts by how well the effect is known, then by the threads, then by the gain."""
    c = r.conclusion
    is_calm, threads = _scale(r)
    return _grades.index(c.grade), -is_calm, -threads, -log(gain_of(c) or 1)


def _is_threshold(c: Conclusion) -> bool:
    return c.effect is not None and c.effect.quantity == "threshold"


def _scale(r: Recommendation) -> tuple[bool, int]:
    """Prefers threads that have their own CPUs, then the most threads."""
    s = r.conclusion.situation
    return not s.crowded, s.threads * max(1, s.blocks)


def _without_scale(s: Situation) -> Situation:
    return replace(s, threads=1, blocks=0, cpus=0, crowded=False, hop_ns=None, affinity="", file="")


def _topic(r: Recommendation) -> tuple[object, ...]:
    """Returns the question. Several answers to a question have different subjects."""
    c = r.conclusion
    is_one_of_several = c.kind in (Kind.avoid, Kind.change) or _is_threshold(c)
    subject = _first(c) if is_one_of_several else None
    return r.study, c.question, identity_of(c.reference), _without_scale(c.situation), subject


def identity_of(subject: Subject | None) -> tuple[str, str, str] | None:
    """Names the subject. A critical section is the same with and without a name or the add in it."""
    if subject is None or not any(subject.identity):
        return None
    op = subject.op.removesuffix("_add").removesuffix("_named")
    return subject.backend, op, subject.variant


def _first(c: Conclusion) -> tuple[str, str, str] | None:
    return identity_of(next(iter(c.subjects), None))


def _pair(c: Conclusion) -> tuple[object, object] | None:
    """Returns the better and the worse choice, or twice the choice to keep."""
    first, reference = _first(c), identity_of(c.reference)
    if c.kind in (Kind.keep, Kind.any):
        mine = reference or first
        return (mine, mine) if mine else None
    pair = (reference, first) if c.kind is Kind.avoid else (first, reference)
    return pair if any(pair) else None


def _is_double(a: Recommendation, b: Recommendation) -> bool:
    """Returns whether both compare the same choices, or rest on the same points."""
    x, y = a.conclusion, b.conclusion
    if x.evidence and set(x.evidence) == set(y.evidence):
        return True
    if _is_threshold(x) or _is_threshold(y):
        return False
    return _pair(x) is not None and _pair(x) == _pair(y)


def _contradicts(a: Recommendation, b: Recommendation) -> bool:
    """Returns whether two answers for the same threads cannot both be right. A lock to keep does
    not contradict an atomic operation instead of the lock."""
    x, y = a.conclusion, b.conclusion
    if _threads(x.situation) != _threads(y.situation):
        return False
    one, other = _pair(x), _pair(y)
    if one and other and one[0] != one[1] and one == other[::-1]:
        return True
    if Kind.avoid in (x.kind, y.kind) and x.kind is not y.kind:
        bad, good = (x, y) if x.kind is Kind.avoid else (y, x)
        pair = _pair(good)
        return _first(bad) is not None and pair is not None and _first(bad) == pair[0]
    same = (a.study, x.question, x.situation) == (b.study, y.question, y.situation)
    return same and x.kind is not Kind.avoid and x.reference == y.reference and one != other


def _threads(s: Situation) -> tuple[object, ...]:
    return s.threads, s.blocks, s.devices, s.crowded
