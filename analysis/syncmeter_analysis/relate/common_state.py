"""Several points side by side: the placement state that most of them have, and their costs in it."""

from __future__ import annotations

from collections.abc import Iterable

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.states import State, enough_visits
from syncmeter_analysis.relate.summary import Measured


def common_state(points: Iterable[Measured]) -> State | None:
    """The state in which most of these points have visits enough; of several the quiet one, then the
    nearest. None where no point has a state."""
    found = [s for s in points if s.usable]

    def rank(state: State) -> tuple[int, bool, float]:
        return sum(_in(s, state) is not None for s in found), not state.busy, -state.hop_ns

    return max(sorted({state for s in found for state in s.states}), key=rank, default=None)


def _in(s: Measured, state: State) -> Measured | None:
    """The point as it was found in this state, in visits enough to say."""
    alike = [each for each in (s, *s.other_states) if each.resolved and each.state.agrees(state)]
    best = max(alike, key=lambda each: each.visits, default=None)
    return best if best and best.visits >= min(enough_visits, s.visits) else None


def cost_in(s: Measured, state: State | None) -> Interval | None:
    """The cost of a point in this state, ns; None where it was not found there often enough. GPUs and
    imports have no states."""
    if not s.usable:
        return None
    if state is None or s.imported or s.device is not None or s.state.agrees(state):
        return s.cost
    there = _in(s, state)
    return there.cost if there else None
