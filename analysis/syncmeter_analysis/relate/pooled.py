"""One ratio of several pairs of points that differ in something which does not matter, such as the
type: visit by visit, all in one placement state."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from syncmeter_analysis.relate.relation import NotComparable, Ratio, ratio_by_visit
from syncmeter_analysis.relate.states import State
from syncmeter_analysis.relate.stats import median
from syncmeter_analysis.relate.summary import Measured

#: Over and under.
PairOfPoints = tuple[Measured, Measured]


def _cost_in(state: State, costs: dict[State, tuple[float, int]]) -> float | None:
    """A visit's cost in this state: of several estimates that agree with it, of most rounds."""
    fitting = [
        (rounds, cost) for s, (cost, rounds) in costs.items() if s.agrees(state) and cost > 0
    ]
    return max(fitting)[1] if fitting else None


def _costs_by_visit(
    pairs: Sequence[PairOfPoints], state: State
) -> dict[int, list[tuple[float, float]]]:
    """For each visit number, over and under of the pairs whose both points have it at this hop, both
    quiet, else both busy."""
    found: dict[int, list[tuple[float, float]]] = defaultdict(list)
    quiet_then_busy = replace(state, busy=False), replace(state, busy=True)
    for over, under in pairs:
        if not (over.usable and under.usable) or over.source != under.source:
            continue
        for number, costs in over.by_visit.items():
            others = under.by_visit.get(number, {})
            for alike in quiet_then_busy:
                a, b = _cost_in(alike, costs), _cost_in(alike, others)
                if a is not None and b is not None:
                    found[number].append((a, b))
                    break
    return found


def state_of_most(pairs: Sequence[PairOfPoints]) -> State | None:
    """The state in which most comparisons of these pairs can be made.

    Across states one layout would be compared with where a hypervisor had put the lanes.
    """

    def comparisons(state: State) -> int:
        return sum(map(len, _costs_by_visit(pairs, state).values()))

    found = sorted({replace(state, busy=False) for _, under in pairs for state in under.states})
    return max(found, key=comparisons, default=None)


def pooled_ratio(pairs: Sequence[PairOfPoints], state: State | None) -> Ratio | NotComparable:
    """The ratio over the visits that have both in this state; of each visit the median over pairs."""
    by_visit = _costs_by_visit(pairs, state) if state is not None else {}
    if not by_visit:
        return NotComparable("no visit has both in one placement state")
    ratios = [math.exp(median(math.log(a / b) for a, b in costs)) for costs in by_visit.values()]
    return replace(
        ratio_by_visit([(r, 1.0) for r in ratios], state),
        over_ns=median(median(a for a, _ in costs) for costs in by_visit.values()),
        under_ns=median(median(b for _, b in costs) for costs in by_visit.values()),
    )
