"""How far apart threads that meet were. A hypervisor moves them from campaign to campaign, and what
they share costs more from farther away: what is found of them holds at the distance that was
measured."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from syncmeter_analysis.relate.relation import Ratio
from syncmeter_analysis.relate.summary import Measured, State, gap_of_states

#: Families whose threads wait for one another, whatever cells they have.
_joint = frozenset({"barrier", "critical", "handoff", "region", "worksharing", "tasking"})


def meet(s: Measured) -> bool:
    """Whether its threads write to one cell or wait for one another."""
    shared = s.hop_ns > 0 or s.point.placement == "shared" or s.family in _joint
    return s.point.lanes > 1 and not s.on_gpu and shared


def hops_of(points: Iterable[Measured], ratios: Iterable[object]) -> list[float]:
    """How far apart, ns, these points' threads that meet under a hypervisor were in each state."""
    moved = [s for s in points if s.on_hypervisor and meet(s)]
    states = [r.state for r in ratios if isinstance(r, Ratio) and r.state and r.state.hop_ns > 0]
    hops = [_hop_ns(moved, state) for state in states or {s.state for s in moved}]
    return [hop for hop in hops if hop > 0]


def are_alike(hops: Sequence[float]) -> bool:
    """Whether the gap of two placements lies between none of these."""
    return not hops or max(hops) < gap_of_states * min(hops)


def _hop_ns(points: Sequence[Measured], state: State) -> float:
    """The median of all teams of so many threads in the state, as tables and reasons have it."""
    of_teams = [
        each.team_hop_ns
        for s in points
        for each in (s, *s.other_states)
        if each.team_hop_ns > 0 and each.state.hop_ns > 0 and each.state.agrees(state)
    ]
    return median(of_teams) if of_teams else state.hop_ns


#: Placements with fewer sample pairs are rare.
_least_share = 0.05


@dataclass
class Place:
    """A placement: core-to-core latencies in ns, and rounds."""

    hops: list[float] = field(default_factory=list)
    rounds: int = 0

    @property
    def hop_ns(self) -> float:
        return median(self.hops)


def places_met(points: Iterable[Measured]) -> list[Place]:
    """Returns the placements behind the points, the nearest first."""
    places: dict[int, Place] = defaultdict(Place)
    for s in points:
        for state, n in s.states.items():
            if s.hop_ns > 0 and state.hop_ns > 0 and not s.measured_as:
                places[state.number].rounds += n
                places[state.number].hops.append(state.hop_ns)
    return sorted(places.values(), key=lambda place: place.hop_ns)


def common_places(points: Iterable[Measured]) -> list[Place]:
    """Returns the placements with enough sample pairs."""
    places = places_met(points)
    rounds = sum(place.rounds for place in places)
    return [place for place in places if place.rounds >= _least_share * rounds]
