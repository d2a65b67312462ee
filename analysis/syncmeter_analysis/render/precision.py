"""How far a repetition of a run would land: in the placement of threads that it met, and in others."""

from __future__ import annotations

from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.repetition import repetition
from syncmeter_analysis.relate.summary import Measured, gap_of_states
from syncmeter_analysis.relate.visit_pairs import kind_of, kinds

_names = ("inside the GPU", "launches", "one thread", "threads without shared data", "shared data")
_of_kind = dict(zip(kinds, _names, strict=True))


def precision(campaign: Campaign) -> list[tuple[str, str]]:
    """Returns how far 9 of 10 repeated costs land, for each kind of configuration."""
    if campaign.machine.imported:
        return []
    reach = repetition(campaign).items()
    return [(f"9 of 10 repeated costs, {_of_kind[kind]}", _within(ratio)) for kind, ratio in reach]


def precision_of(campaign: Campaign, s: Measured) -> list[str]:
    """Returns how far the cost of a configuration lands, and its cost in other placements."""
    if campaign.machine.imported or not s.usable or s.cost is None:
        return []
    kind = kind_of(s)
    reach = repetition(campaign).get(kind)
    found = [f"9 of 10 repeated costs ({_of_kind[kind]}) land {_within(reach)}."] if reach else []
    for other in s.other_states:
        if other.cost and other.resolved and 0 < s.hop_ns * gap_of_states < other.hop_ns:
            times = text.ratio(other.cost.value / s.cost.value)
            latency = f"core-to-core latency {other.hop_ns:.0f} ns instead of {s.hop_ns:.0f} ns"
            found.append(f"In another vCPU placement ({latency}) it takes {times}x as long.")
    return found


def _within(ratio: float) -> str:
    """`within 12 %`, `within a factor of 3.10`."""
    if ratio >= 2:
        return f"within a factor of {text.ratio(ratio)}"
    share = ratio - 1
    return f"within {text.percent(share, 1 if share < 0.0995 else 0)}"
