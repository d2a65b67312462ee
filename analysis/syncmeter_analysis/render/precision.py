"""How far a repetition of a campaign would land: in the placement of threads that it met, and what was
seen of others."""

from __future__ import annotations

from statistics import median

from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.distance import places_met
from syncmeter_analysis.relate.repetition import repetition
from syncmeter_analysis.relate.summary import Measured, gap_of_states
from syncmeter_analysis.relate.visit_pairs import kind_of, kinds


def precision(campaign: Campaign) -> list[str]:
    """How far a repetition would land in the same placement, and which placements were met."""
    if campaign.machine.imported:
        return []
    reach = _reach(campaign)
    # Nothing places threads of a GPU elsewhere.
    again = _again if not all(s.on_gpu for s in campaign.measured) else "Measured again, 9 of 10"
    found = [f"{again} costs land {reach}."]
    return found * bool(reach) + _placements(campaign)


def _reach(campaign: Campaign) -> str:
    """`within 8.1 % for one thread, within 16 % where threads meet`: of each kind of points its own, as
    a range over all kinds says nothing of any."""
    reach = repetition(campaign).items()
    return ", ".join(f"{_within(ratio)} {_of_kind[kind]}" for kind, ratio in reach)


_again = "Measured again in the same placement, 9 of 10"


def precision_of(campaign: Campaign, s: Measured) -> list[str]:
    """The same of one point: how far its cost lands, and what it was in other placements."""
    if campaign.machine.imported or not s.usable or s.cost is None:
        return []
    kind = kind_of(s)
    reach = repetition(campaign).get(kind)
    found = [f"{_again} such costs ({_of_kind[kind]}) land {_within(reach)}."] if reach else []
    for other in s.other_states:
        if other.cost and other.resolved and 0 < s.hop_ns * gap_of_states < other.hop_ns:
            times = text.ratio(other.cost.value / s.cost.value)
            found.append(
                f"Threads were also {other.hop_ns:.0f} ns apart, not {s.hop_ns:.0f}: it cost "
                f"{times} times as much there."
            )
    return found


_places = (
    "inside the GPU",
    "for launches",
    "for one thread",
    "for threads that share nothing",
    "where threads meet",
)
_of_kind = dict(zip(kinds, _places, strict=True))


def _within(ratio: float) -> str:
    """`within 12 %`, `within a factor of 3.10`."""
    if ratio >= 2:
        return f"within a factor of {text.ratio(ratio)}"
    percent = 100 * (ratio - 1)
    return f"within {percent:.{1 if percent < 9.95 else 0}f} %"


#: Fewer points that were seen in a farther placement too say little of what it costs.
_least_far = 5


def _placements(campaign: Campaign) -> list[str]:
    """How far apart threads that meet were, and what that did to costs; a hypervisor moves them."""
    places = places_met(campaign.measured)
    if not places:
        return []
    if len(places) == 1:
        if not campaign.machine.hypervisor:
            return []
        met = [*places[0].all_hops, *_hops_at_start(campaign)]
        apart = f"{places[0].apart} throughout"
        if max(met) >= gap_of_states * min(met):
            span = f"{min(met):.0f} to {max(met):.0f} ns were met"
            apart = f"{places[0].apart} in the median ({span})"
        return [
            f"Threads that meet were {apart}, by the probe of each round. A virtual machine may put "
            "them elsewhere another time, and what they share then costs more or less."
        ]
    rounds = sum(place.rounds for place in places)
    shares = ", ".join(
        f"{place.hop_ns:.0f} ns in {100 * place.rounds / rounds:.0f} % of the rounds"
        for place in places
    )
    shared = [s for s in campaign.measured if s.hop_ns > 0 and not s.measured_as]
    far = [
        other.cost.value / s.cost.value
        for s in shared
        for other in s.other_states
        if s.cost and other.cost and other.resolved and other.hop_ns > gap_of_states * s.hop_ns
    ]
    costs = ""
    if len(far) >= _least_far and median(far) > 1:
        costs = f"; in a farther one shared costs were {text.ratio(median(far))} times as high"
    return [f"Threads that meet were seen in {len(places)} placements: {shares}{costs}."]


def _hops_at_start(campaign: Campaign) -> list[float]:
    """The hops that the probe before the first visit met, ns."""
    probes = [
        probe["hop_ns"]
        for file in campaign.files
        for probe in file.campaign.get("states") or ()
        if isinstance(probe, dict) and isinstance(probe.get("hop_ns"), list)
    ]
    return [hop for three in probes for hop in three if isinstance(hop, int | float) and hop > 0]
