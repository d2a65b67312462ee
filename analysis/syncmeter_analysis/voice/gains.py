"""Words the costs of a conclusion and its gain, with the digits that their intervals support."""

from __future__ import annotations

from syncmeter_analysis.conclude.conclusion import Conclusion, Cost, Grade, Kind
from syncmeter_analysis.relate.relation import default_margin
from syncmeter_analysis.voice import numbers
from syncmeter_analysis.voice.words import say, templates

#: A gain whose interval reaches farther than this share is printed as a range.
narrow = 0.1

#: A gain whose interval is wider than this factor has a lower limit only.
wide = 5.0


def ns_of(cost: Cost | None) -> str:
    """Returns the cost as the screen prints it."""
    return numbers.cost(cost.ns, cost.low, cost.high) if cost else say("common.not_measured")


def figure_of(study: str, c: Conclusion, cost: Cost | None) -> str:
    """Returns the cost in the unit of the conclusion's table: ns, or adds per ns."""
    adds = adds_of(study, c)
    if not (cost and adds):
        return ns_of(cost)
    all_adds = adds * c.situation.threads * max(1, c.situation.blocks)
    low, high = (all_adds / end if end else None for end in (cost.high, cost.low))
    return numbers.cost(all_adds / cost.ns, low, high)


def adds_of(study: str, c: Conclusion) -> int:
    """Returns the adds of each thread, or 0 if the table has ns."""
    tables = templates().get(study, {}).get("tables", {}).values()
    return next((t["adds"] for t in tables if "adds" in t and c.question in t["questions"]), 0)


def printed_ratio(c: Conclusion, study: str = "") -> float | None:
    """Returns the quotient as the screen prints both costs."""
    over, under = c.cost_of(c.reference), c.cost_of(next(iter(c.subjects), None))
    if (c.effect and c.effect.quantity == "slowdown") != bool(adds_of(study, c)):
        over, under = under, over
    return _shown(study, c, over) / _shown(study, c, under) if over and under else None


def _shown(study: str, c: Conclusion, cost: Cost) -> float:
    return float(figure_of(study, c, cost).replace(",", ""))


def width_of(c: Conclusion) -> float:
    """Returns the greater distance from an interval end to the effect, as a share."""
    e = c.effect
    return max(e.high / e.value, e.value / e.low) - 1 if e and e.value and e.low and e.high else 0.0


def bound_of(c: Conclusion) -> float | None:
    """Returns the upper end of the gain. Verdicts ignore gains within the margin."""
    high = c.effect.high if c.effect else None
    return None if high is None else max(high, 1 + default_margin)


def gain_of(study: str, c: Conclusion) -> str:
    """Returns the cell of the column `gain`."""
    e, ratio = c.effect, printed_ratio(c, study)
    if c.reference is None:
        return say("common.no_reference")
    if c.kind is Kind.undecided or e is None or ratio is None:
        return say("common.unknown_gain")
    if c.kind is Kind.use:
        return _gain(c, ratio)
    if c.condition("small_gain"):
        return say("common.small_gain")
    return say("common.unknown_gain" if e.high is None else "common.no_gain")


def _gain(c: Conclusion, ratio: float) -> str:
    """Returns `2.3`, `2.1-2.9`, `at least 2.6` if the interval is very wide, or in a poor run
    `~2`."""
    low, high = (c.effect.low, c.effect.high) if c.effect else (None, None)
    if c.grade is not Grade.rough and low and high and narrow < width_of(c) and high < wide * low:
        return say("common.gain_range", low=numbers.factor(low), high=numbers.factor(high))
    return ratio_of(c, ratio, "about_in_table")


def ratio_of(c: Conclusion, ratio: float, about: str = "about") -> str:
    """Returns the ratio in sentences."""
    low, high = (c.effect.low, c.effect.high) if c.effect else (None, None)
    is_rough = c.grade is Grade.rough
    if not is_rough and low and low > 1 and high and high >= wide * low:
        return say("common.at_least", value=numbers.factor_down(low, 2))
    return say(f"common.{about}", value=numbers.about(ratio)) if is_rough else numbers.factor(ratio)


def has_bound(c: Conclusion) -> bool:
    """Returns whether the screen may print how large a gain could be at most."""
    return c.grade is not Grade.rough and c.effect is not None and c.effect.high is not None
