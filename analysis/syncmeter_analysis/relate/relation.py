"""How two points relate: their ratio inside a common placement state, and what it says.

The one definition of ratio, margin and verdict, for studies, claims, figures and comparisons alike.
A quotient of the headline costs of two placements is never taken.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.stats import (
    error_of_median_log,
    exp_or_infinity,
    median,
    over_visits,
    quotient,
    ratio_of_pairs,
    student_t,
    student_t_tail,
    welch,
)
from syncmeter_analysis.relate.summary import Measured, State, cost_in

#: Costs with a smaller difference are the same: a ratio within 1 / (1 + margin) .. 1 + margin.
default_margin = 0.05

#: What a neighbour on the core adds to most ops of a lone lane.
usual_of_neighbours = 0.15

#: Visits in common from which on two points of one campaign are compared visit by visit.
_enough_pairs = 3

#: Fewer visits have no scatter from visit to visit.
least_visits = 2


class Verdict(Enum):
    """What a ratio says of the cost above the line; the value is how it is written."""

    slower = "slower"
    faster = "faster"
    same = "the same"
    cannot_tell = "cannot tell"
    not_comparable = "not comparable"


@dataclass(frozen=True, slots=True)
class NotComparable:
    """There is no ratio, and why."""

    why: str

    def times(self, _: float) -> NotComparable:
        """As of a ratio: of several ops there is none either."""
        return self


@dataclass(frozen=True, slots=True)
class Ratio:
    """A cost over another, with its 95 % interval (infinite bounds: nothing is known of the scatter).

    `visits` pairs of visits when `paired`, else the visits of the side that has fewer. `over_ns` and
    `under_ns` are the costs in the common state, as tables have them where they do, `state` that of the
    side which names one (None for GPUs and imports). `error` is the standard error of the logarithm,
    with `degrees` of freedom of Student's t. `identical`: both points are one measurement; `in_cycles`:
    a ratio of cycles, the costs beside it are in ns all the same. `wander`: the standard deviation of
    the logarithm that two campaigns differ by beyond their visits, where their points say it; part of
    `error`. `beside_neighbour`: of a lone lane whose core a neighbour shared in a campaign, which may
    be all of the difference. `imported`: one of the points is; its interval may be of anything.
    """

    interval: Interval
    visits: int = 0
    state: State | None = None
    over_ns: float = math.nan
    under_ns: float = math.nan
    error: float = math.inf
    degrees: float = 0.0
    paired: bool = False
    identical: bool = False
    in_cycles: bool = False
    wander: float | None = None
    beside_neighbour: bool = False
    imported: bool = False

    @property
    def value(self) -> float:
        return self.interval.value

    @property
    def low(self) -> float:
        return self.interval.low

    @property
    def high(self) -> float:
        return self.interval.high

    @property
    def bounded(self) -> bool:
        return self.interval.bounded

    def times(self, factor: float) -> Ratio:
        """Of `factor` ops over one, or for each of `factor` lanes; `factor` > 0."""
        return replace(self, interval=self.interval.scaled(factor), over_ns=self.over_ns * factor)

    def at(self, confidence: float) -> Interval:
        """The interval at another confidence, by the quantiles of t."""
        i = self.interval
        if not self.bounded or not self.degrees or self.identical:
            return i
        wider = student_t(confidence, self.degrees) / student_t(0.95, self.degrees)
        low = i.value * (i.low / i.value) ** wider if i.low > 0 else 0.0
        return Interval(i.value, low, i.value * exp_or_infinity(wider * math.log(i.high / i.value)))

    def margin_of_null(self, margin: float) -> float:
        """What Holm's test counts as no difference. Few neighbours add as much as the margin allows
        for, which the interval has to lie beyond."""
        if self.wander is not None:
            return 0.0
        return min(margin, usual_of_neighbours) if self.beside_neighbour else margin

    def p(self, margin: float = default_margin) -> float:
        """Two-sided probability of so large a difference where the true one is within the margin; where
        what campaigns differ by is part of the error, where there is none: a margin stands for what
        is not known of the error."""
        if self.identical or not math.isfinite(self.error):
            return 1.0
        beyond = max(0.0, abs(math.log(self.value)) - math.log1p(self.margin_of_null(margin)))
        return min(1.0, 2 * student_t_tail(beyond / self.error, self.degrees))


def common_states(over: Measured, under: Measured) -> tuple[State, State] | None:
    """The state that both saw in most visits, as each side names it: first by visits in common, then
    by visits at all, quiet before busy, then by rounds."""

    def rank(states: tuple[State, State]) -> tuple[int, int, bool, int]:
        a, b = states
        together = len(_paired_costs(over, under, a, b))
        least = min(len(over.visit_costs(a)), len(under.visit_costs(b)))
        return together, least, not a.busy, min(over.states[a], under.states[b])

    shared = [
        (a, b)
        for a in sorted(over.states)
        for b in sorted(under.states)
        if a.agrees(b) and over.visit_costs(a) and under.visit_costs(b)
    ]
    return max(shared, key=rank) if shared else None


def _alone(*points: Measured) -> bool:
    """Of one lane each: there is nothing between lanes that a placement could change."""
    return all(s.point.lanes == 1 for s in points)


def _width(r: Ratio) -> float:
    """How far the bounds lie apart, on logarithms."""
    return math.log(r.high / r.low) if r.bounded and r.low > 0 else math.inf


def _paired_costs(over: Measured, under: Measured, a: State, b: State) -> list[tuple[float, float]]:
    """Costs by visit number that both points have in the two states."""
    if over.source != under.source:
        return []
    above, below = over.costs_by_visit(a), under.costs_by_visit(b)
    return [(cost, below[number]) for number, cost in above.items() if number in below]


def paired_visits(over: Measured, under: Measured) -> int:
    """How many visits by number both have in the state that they are compared in."""
    states = common_states(over, under)
    return len(_paired_costs(over, under, *states)) if states else 0


def _error(over: Sequence[float], under: Sequence[float]) -> tuple[float, float]:
    """Standard error and degrees of freedom of the quotient of two independent sets of visits."""
    errors = [error_of_median_log(over), error_of_median_log(under)]
    return welch(errors, [len(over), len(under)])


def ratio(over: Measured, under: Measured) -> Ratio | NotComparable:
    """`over` in units of `under`, of one campaign or of two.

    Inside a placement state that both saw: from visits paired by number where both have three or
    more in one file, else from the visits of each side in that state. GPUs and imports have no
    states: the quotient of their estimates. So it is of lone lanes, which are in no
    particular place, where no pass saw both quiet and their estimates are known better.
    """
    if not (over.usable and under.usable) or over.cost is None or under.cost is None:
        return NotComparable("not resolved")
    if over.measured_at == under.measured_at:
        one = Interval(1.0, 1.0, 1.0)
        cost = over.cost.value
        known = over.visits, over.state, cost, cost, 0.0, 0.0, True, True
        return Ratio(one, *known, imported=over.imported)
    without_states = any(s.imported or s.device is not None for s in (over, under))
    states = None if without_states else common_states(over, under)
    if states is None and not without_states and not _alone(over, under):
        return NotComparable("seen in different placement states")
    of_estimates = _of_estimates(over, under, over.cost, under.cost)
    if states is None:
        return of_estimates
    in_state = _in_state(over, under, *states)
    # Passes in which both were quiet may be few, although each was quiet often enough.
    quiet = _alone(over, under) and not (over.state.busy or under.state.busy) and states[0].busy
    return min(in_state, of_estimates, key=_width) if quiet else in_state


def _of_estimates(over: Measured, under: Measured, above: Interval, below: Interval) -> Ratio:
    error, degrees = math.inf, 0.0
    imported = over.imported or under.imported
    if not imported:
        error, degrees = _error(over.visit_costs(over.state), under.visit_costs(under.state))
    visits = min(over.visits, under.visits)
    costs = above.value, below.value
    return Ratio(quotient(above, below), visits, None, *costs, error, degrees, imported=imported)


def _in_state(over: Measured, under: Measured, a: State, b: State) -> Ratio:
    state = a if a.hop_ns > 0 else b
    pairs = _paired_costs(over, under, a, b)
    if len(pairs) >= _enough_pairs:
        r = ratio_by_visit(pairs, state)
        above, below = cost_in(over, a), cost_in(under, b)
        over_ns = above.value if above else r.over_ns
        under_ns = below.value if below else r.under_ns
        return replace(r, over_ns=over_ns, under_ns=under_ns)
    costs, others = over.visit_costs(a), under.visit_costs(b)
    above, below = over_visits(costs), over_visits(others)
    visits = min(len(costs), len(others))
    value = quotient(above, below)
    return Ratio(value, visits, state, above.value, below.value, *_error(costs, others))


def ratio_by_visit(pairs: Sequence[tuple[float, float]], state: State | None) -> Ratio:
    """The ratio over visits that have both costs, in this state."""
    ratios = [over / under for over, under in pairs]
    above, below = (median(costs) for costs in zip(*pairs, strict=True))
    error = error_of_median_log(ratios)
    value = ratio_of_pairs(ratios)
    return Ratio(value, len(pairs), state, above, below, error, len(pairs) - 1, True)


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


def verdict_of(i: Interval, margin: float = default_margin) -> Verdict:
    """Slower or faster where the interval is wholly beyond the margin, the same where it is wholly
    within (two one-sided tests: Schuirmann 1987); an interval that straddles a bound cannot tell."""
    if not i.bounded:
        return Verdict.cannot_tell
    least, most = 1 / (1 + margin), 1 + margin
    if i.low > most:
        return Verdict.slower
    if i.high < least:
        return Verdict.faster
    return Verdict.same if least <= i.low and i.high <= most else Verdict.cannot_tell


def verdict(r: Ratio | NotComparable, margin: float = default_margin) -> Verdict:
    """What the ratio says of the point above the line."""
    if isinstance(r, NotComparable):
        return Verdict.not_comparable
    return verdict_of(r.interval, margin)


# In simulated campaigns of 5 to 15 visits 75 to 85 of 100 report such a change: the scatter of the
# campaign that is asked about is itself an estimate.
found_in = 0.9


def detectable(r: Ratio, margin: float = default_margin, comparisons: int = 1) -> float:
    """The smallest true change, as a ratio above 1, that a comparison like this one resolves beyond the
    margin in about 80 of 100 cases, as one of so many (Bonferroni); infinite where nothing is known
    of the scatter."""
    if r.identical:
        return 1 + margin
    if not (r.bounded and r.low > 0 and math.isfinite(r.error)):
        return math.inf
    one, many = (student_t(1 - 0.05 / n, r.degrees) * r.error for n in (1, comparisons))
    one = max(one, math.log(r.value / r.low), math.log(r.high / r.value))
    # Half of the estimates of such a change lie below it, so that it is found as often only.
    often = student_t(2 * found_in - 1, r.degrees) * r.error
    half = max(math.log1p(margin) + one, math.log1p(r.margin_of_null(margin)) + many) + often
    return exp_or_infinity(half)
