"""What a comparison could have seen where it cannot tell."""

from __future__ import annotations

from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.compare import Comparison, Difference
from syncmeter_analysis.relate.relation import Verdict

# A change so large that no one asks whether a larger one would have been seen.
_vast = 100.0


def verdict_text(d: Difference) -> str:
    """The verdict; of one that cannot tell the smallest change that would have been seen."""
    if d.verdict is not Verdict.cannot_tell:
        return str(d.verdict.value)
    if d.detectable >= _vast:
        return f"{d.verdict.value} (not even a change of {_vast:g} times)"
    return f"{d.verdict.value} (only a change above {text.ratio(d.detectable)} times)"


def seen_changes(c: Comparison) -> str:
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
