"""Chooses the conclusions for the cards of a page."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from syncmeter_analysis.conclude.conclusion import Conclusion, Grade, Kind
from syncmeter_analysis.conclude.recommend import identity_of
from syncmeter_analysis.relate.op_groups import is_own_code

#: Cards of a page.
most_cards = 3

#: A study, or `claims`, with a conclusion.
Named = tuple[str, Conclusion]


def chosen(found: Iterable[Named]) -> list[Named]:
    """Returns the measured gains whose lower ends are the largest. Gains in spite of other work come
    last, and each comparison comes once."""
    able = [named for named in found if _is_gain(named[1])]
    able.sort(key=lambda named: (_is_disturbed(named[1]), -(_low(named[1]))))
    kept: dict[Hashable, Named] = {}
    for named in able:
        kept.setdefault(_comparison(named[1]), named)
    return list(kept.values())[:most_cards]


def _is_gain(c: Conclusion) -> bool:
    both = c.cost_of(c.reference) and c.subjects and c.cost_of(c.subjects[0])
    is_advice = c.kind in (Kind.use, Kind.avoid) and c.grade is Grade.measured
    return bool(is_advice and both) and _low(c) > 1 and not _is_unknown(c)


def _is_unknown(c: Conclusion) -> bool:
    """Returns whether the advice is to avoid what no reader has: code that is in no library."""
    return c.kind is Kind.avoid and is_own_code(c.subjects[0].op)


def _low(c: Conclusion) -> float:
    return (c.effect.low or 0.0) if c.effect else 0.0


def _is_disturbed(c: Conclusion) -> bool:
    return c.condition("disturbed") is not None


def _comparison(c: Conclusion) -> Hashable:
    """Names both sides."""
    return frozenset(identity_of(s) for s in (c.subjects[0], c.reference) if s)
