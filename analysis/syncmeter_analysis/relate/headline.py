"""What a point's visits found in each placement state, and which state is shown first.

The rules are those of the driver (driver/results/point_states.cpp), so that report and table agree.
"""

from __future__ import annotations

from collections import Counter, defaultdict

from syncmeter_analysis.record.visit import Estimate, Visit
from syncmeter_analysis.relate.states import State, StateClasses
from syncmeter_analysis.relate.stats import median

#: Fewer rounds than this in a visit say too little to choose a state by; so many visits make an
#: interval, and a point with fewer needs all of them.
enough_rounds = 5
enough_visits = 3

ByState = dict[State, list[tuple[int, Estimate]]]


def by_state(visits: list[Visit], classes: StateClasses) -> ByState:
    """Each state of the point, nearest first, with its estimates and the index of the visit that each
    is of."""
    grouped: dict[tuple[int, bool], list[tuple[int, Estimate]]] = defaultdict(list)
    for i, visit in enumerate(visits):
        for e in visit.estimates:
            grouped[classes.of(e, visit.point.lanes), e.busy].append((i, e))
    found = {}
    for (number, busy), estimates in sorted(grouped.items(), key=lambda item: item[0]):
        hops = [e.hop_ns for _, e in estimates if e.hop_ns > 0]
        found[State(number, busy, median(hops) if hops else 0.0)] = estimates
    return found


def _solid(estimates: list[tuple[int, Estimate]]) -> int:
    return sum(e.rounds >= enough_rounds for _, e in estimates)


def _well_seen(states: ByState) -> list[State]:
    visits = {i for estimates in states.values() for i, _ in estimates}
    wanted = min(enough_visits, len(visits))
    return [state for state, estimates in states.items() if _solid(estimates) >= wanted]


class HeadlineRule:
    """Chooses the state that is shown first, so that it does not change with how often a state came:
    quiet before busy, then the nearest placement, among the states that three visits saw with enough
    rounds. Points of one family on the same PUs show the same placement where they can: the nearest
    that half of them saw."""

    def __init__(self) -> None:
        self._points: Counter[tuple[str, tuple[int, ...]]] = Counter()
        self._classes: dict[tuple[str, tuple[int, ...]], Counter[int]] = defaultdict(Counter)

    def add(self, visits: list[Visit], states: ByState) -> None:
        classes = {state.number for state in _well_seen(states)}
        if classes:
            self._points[_group(visits)] += 1
            self._classes[_group(visits)].update(classes)

    def of(self, visits: list[Visit], states: ByState) -> State:
        """Of a point that was added; `states` holds at least one."""
        points, classes = self._points[_group(visits)], self._classes[_group(visits)]
        common = next((number for number in sorted(classes) if 2 * classes[number] >= points), None)
        seen = _well_seen(states)
        if seen:
            return min(seen, key=lambda state: (state.busy, state.number != common, state.number))
        # No state is seen well: that of most visits, quiet before busy, then the larger share.
        return max(
            states,
            key=lambda state: (
                _solid(states[state]),
                not state.busy,
                sum(e.rounds for _, e in states[state]),
            ),
        )


def _group(visits: list[Visit]) -> tuple[str, tuple[int, ...]]:
    return next((v.family for v in visits if v.family), ""), visits[0].pus
