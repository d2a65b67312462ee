"""Words claims: the statement, the verdict, and the evidence in one line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncmeter_analysis.conclude.finding import Finding, Note
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate import point_text
from syncmeter_analysis.voice import numbers
from syncmeter_analysis.voice.words import has, say


def statement(id: str) -> str:
    return say(f"claims.{id}.statement")


def verdict(name: str) -> str:
    """Returns the verdict for readers: `confirmed`."""
    return say(f"claims.verdicts.{name}")


def ratio(i: Interval) -> str:
    """`3.0 (2.9 to 3.1)`, or the value alone if the scatter is unknown."""
    if not i.bounded:
        return numbers.factor(i.value)
    low, high = numbers.factor(i.low), numbers.factor(i.high)
    return say("claims.ratio", value=numbers.factor(i.value), low=low, high=high)


def compared(id: str, f: Finding) -> str:
    """Names the two sides of the ratio: `a critical section over an atomic add`."""
    both = say(f"claims.{id}.over"), say(f"claims.{id}.under")
    text = say("claims.compared", over=both[0], under=both[1]) if all(both) else ""
    if f.worst is None:
        return text
    p = f.worst.over.point
    return say("claims.worst", compared=text, op=p.op, launch=point_text.launch(p))


def ratios(f: Finding) -> str:
    """Returns the ratio, the ends of a few ratios that differ, or the ratios of the parts."""
    if f.parts:
        return ", ".join(map(_part, f.parts.items()))
    if f.effect is None:
        return ""
    if f.ends is None:
        return ratio(f.effect)
    names = point_text.names_apart(*(p.over.point for p in f.ends))
    low, high = (numbers.factor(p.ratio.value) for p in f.ends)
    return say(
        "claims.ends", low=low, low_name=names[0], high=high, high_name=names[1], count=f.pairs
    )


def _part(item: tuple[str, Finding]) -> str:
    name, f = item
    text = say("claims.part", name=name, ratio=ratios(f))
    return say("claims.doubtful", text=text) if f.doubts else text


def notes(f: Finding) -> list[str]:
    """Returns the facts beside the ratio, or the reason why there is no ratio."""
    if f.effect is None and f.notes and all(n.name == "without" for n in f.notes) and not f.parts:
        return [say("claims.notes.no_ratio", facts=", ".join(map(_note, f.notes)))]
    return [_note(n) for n in f.notes]


def _note(n: Note) -> str:
    shown = ", ".join(map(ratio, n.ratios))
    return say(f"claims.notes.{n.name}", count=n.count, all=n.all, ratio=shown, why=n.why)


def doubts(f: Finding) -> list[str]:
    """Returns why the evidence is unreliable. Imported figures have reasons of their own."""
    return [say(f"claims.doubts.{d}") if has(f"claims.doubts.{d}") else d for d in f.doubts]


def evidence(id: str, f: Finding) -> str:
    """Returns the ratio, its pairs and further facts in one line."""
    facts = list(_facts(f))
    label = compared(id, f)
    if (f.effect is None and not f.parts) or not label:
        return "; ".join(facts)
    return say("claims.one_line", compared=label, facts="; ".join(facts))


def _facts(f: Finding) -> Iterator[str]:
    if f.parts:
        yield from _by_verdict(list(f.parts.items()))
    elif f.effect is not None:
        yield ratios(f)
        if f.pairs > 1 and f.range is not None and f.ends is None:
            low, high = map(numbers.factor, f.range)
            yield say("claims.pairs", count=f.pairs, low=low, high=high)
    yield from notes(f)


def _by_verdict(parts: Sequence[tuple[str, Finding]]) -> Iterator[str]:
    for name in dict.fromkeys(f.verdict for _, f in parts):
        alike = [_part(item) for item in parts if item[1].verdict == name]
        yield say("claims.by_verdict", verdict=verdict(name), parts=", ".join(alike))
