"""Words the cards of a page: the advice, the ratio with its interval, and both costs as bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from syncmeter_analysis.conclude.conclusion import Conclusion, Cost, Grade, Kind, Subject
from syncmeter_analysis.voice import numbers
from syncmeter_analysis.voice.sentences import label, only_if, values_of
from syncmeter_analysis.voice.words import has, say


@dataclass(frozen=True)
class Bar:
    """One side of a comparison. `share` is 1 for the slower side."""

    name: str
    cost: str
    share: float


@dataclass(frozen=True)
class Card:
    """`verb` and `text` are the advice. `more` are its conditions, `points` its evidence, `link` is the
    section with more."""

    verb: str
    text: str
    effect: str = ""
    ci: str = ""
    where: str = ""
    bars: Sequence[Bar] = ()
    more: Sequence[str] = ()
    points: Sequence[str] = ()
    link: str = ""


def card_of(study: str, c: Conclusion) -> Card:
    """Returns the card of a conclusion that has an effect, a reference and both costs."""
    values = values_of(study, c)
    names = (f"{study}.{c.cause}.{c.remedy}", f"{study}.cards.{c.question}_{c.kind}")
    name = next(filter(has, names), f"cards.{c.kind}")
    advice = say(name, **values).partition(": ")[0]
    verb, _, text = advice.partition(" ")
    effect = say("cards.slower" if c.kind is Kind.avoid else "cards.faster", **values)
    return Card(
        verb,
        text,
        effect,
        _interval(c),
        _where(study, c),
        _bars(c, str(values["reference"]), str(values["name"])),
        only_if(study, c),
        c.evidence,
        study,
    )


def _where(study: str, c: Conclusion) -> str:
    """Returns the situation with its threads."""
    where = label(study, c)
    if c.question != "claim" and c.situation.threads > 1 and not c.situation.blocks:
        where = say("cards.threads", threads=c.situation.threads, where=where)
    return where


def _interval(c: Conclusion) -> str:
    e = c.effect
    if c.grade is Grade.rough or e is None or e.low is None or e.high is None:
        return ""
    return say("cards.ci", low=numbers.factor(e.low), high=numbers.factor(e.high))


def _bars(c: Conclusion, reference: str, subject: str) -> list[Bar]:
    sides: list[tuple[str, Subject | None]] = [(reference, c.reference), (subject, c.subjects[0])]
    costs = [(name, cost) for name, side in sides if (cost := c.cost_of(side))]
    longest = max(cost.ns for _, cost in costs)
    bars = []
    for name, cost in costs:
        bars.append(Bar(name, _duration(cost), cost.ns / longest))
    return bars


#: Each unit with its least cost in ns.
_units = ((1e7, 1e6, "ms"), (1e4, 1e3, "us"), (0.0, 1.0, "ns"))


def _duration(cost: Cost) -> str:
    """`242 ns`, `16.0 us`, `1.04 ms`: the digits in tables."""
    scale, unit = next((scale, unit) for least, scale, unit in _units if cost.ns >= least)
    ends = [None if end is None else end / scale for end in (cost.low, cost.high)]
    return f"{numbers.cost(cost.ns / scale, *ends)} {unit}"
