"""Placement states: their identity is their hop, which means the same in every file."""

from __future__ import annotations

from dataclasses import dataclass

#: Hops this far apart in ratio are of two placement states; the driver's `state_gap`.
gap_of_states = 1.5

#: Fewer rounds than this in a visit say too little of its cost; so many visits make an interval, and a
#: point with fewer needs all of them.
enough_rounds = 5
enough_visits = 3


@dataclass(frozen=True, order=True, slots=True)
class State:
    """Where the lanes of a point were: `hop_ns` between them (0: no pair probe), and whether a quiet
    probe was slow.

    `number` is the class in the state's own file and orders the states of one point; between
    points use `agrees`.
    """

    number: int = 0
    busy: bool = False
    hop_ns: float = 0.0

    def agrees(self, other: State) -> bool:
        """The same state, of whatever points and files: hops less than the gap apart, and both busy
        or both quiet. A state without a hop is in no particular place and goes with every one."""
        if self.busy != other.busy:
            return False
        if self.hop_ns <= 0 or other.hop_ns <= 0:
            return True
        smaller, larger = sorted((self.hop_ns, other.hop_ns))
        return larger < gap_of_states * smaller

    def __str__(self) -> str:
        busy = "busy" if self.busy else "quiet"
        return f"hop {self.hop_ns:.0f} ns, {busy}" if self.hop_ns > 0 else busy
