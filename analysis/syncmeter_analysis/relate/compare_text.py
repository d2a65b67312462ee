"""What a comparison shows of its points, and what it could not have shown, in words."""

from __future__ import annotations

from math import isfinite

from syncmeter_analysis.relate import point_text, text
from syncmeter_analysis.relate.compare import Comparison, Difference
from syncmeter_analysis.relate.relation import Verdict
from syncmeter_analysis.relate.text import percent

# A change so large that no one asks whether a larger one would have been seen.
_vast = 100.0


def verdict_text(d: Difference) -> str:
    """The verdict; of one that cannot tell the smallest change that would have been seen."""
    if d.verdict is not Verdict.cannot_tell:
        return str(d.verdict.value)
    if d.detectable >= _vast:
        return f"{d.verdict.value} (not even a change of {_vast:g} times)"
    return f"{d.verdict.value} (only a change above {text.ratio(d.detectable)} times)"


def undecided_text(c: Comparison) -> str:
    """What the comparison could have seen where it cannot tell: a sentence, or ''."""
    bounds = [d.detectable for d in c.undecided if d.detectable < _vast]
    blind = len(c.undecided) - len(bounds)
    parts = []
    if bounds:
        least, most = text.ratio(min(bounds)), text.ratio(max(bounds))
        spread = least if least == most else f"{least} to {most}"
        parts.append(
            f"for {len(bounds)} of {text.count(len(c.differences), 'point')} only changes above "
            f"{spread} times could have been seen"
        )
    if blind:
        parts.append(f"for {blind} not even a change of {_vast:g} times")
    return "; ".join(parts)


# More names are for --all.
_most_named = 5


def _named(names: list[str], everything: bool) -> str:
    shown = names if everything else names[:_most_named]
    more = f"; and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    return "; ".join(shown) + more


def broken_text(c: Comparison) -> str:
    """`1 point failed in new.jsonl alone`; '' without any."""
    if not c.broken:
        return ""
    return f"{text.count(len(c.broken), 'point')} failed in {c.names[1]} alone"


def broken_names(c: Comparison, everything: bool = False) -> str:
    """The same with the names of the points; '' without any."""
    names = [point_text.short_name(p.without("arm")) for p in c.broken]
    return f"{broken_text(c)}: {_named(names, everything)}" if names else ""


def lost_text(c: Comparison, everything: bool = False) -> str:
    """Which points the new campaign lacks though it was asked for them; '' without any."""
    if not c.lost:
        return ""
    names = [point_text.short_name(a.point) for a in c.lost]
    return (
        f"{text.count(len(names), 'point')} with a cost in {c.names[0]} "
        f"{'is' if len(names) == 1 else 'are'} missing in {c.names[1]}, which was asked for the same: "
        f"{_named(names, everything)}; --blind ignore accepts it"
    )


def blind_text(c: Comparison, everything: bool = False) -> str:
    """Which points could not have shown the change asked for, and what to do; '' without any."""
    if not c.blind and not c.blind_apart:
        return ""
    names = []
    for d in c.blind:
        above = [f"above {text.ratio(d.detectable)} times"] * isfinite(d.detectable)
        modes = [
            f"{modes} ns in {name}"
            for s, name in zip((d.old, d.new), c.names, strict=True)
            if (modes := text.in_modes(s))
        ]
        beside = ["another program shared its core"] * d.ratio.beside_neighbour
        why = "; ".join([*above, *beside, *modes])
        names.append(point_text.short_name(d.new.point) + (f" ({why})" if why else ""))
    names += [f"{point_text.short_name(a.point)} ({a.why})" for a in c.blind_apart]
    return (
        f"{text.count(len(names), 'point')} could not have shown a change of {percent(c.sees)}: "
        f"{_named(names, everything)}. {c.cures} tell; --blind ignore accepts it"
    )
