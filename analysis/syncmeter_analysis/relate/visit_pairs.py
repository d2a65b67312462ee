"""Which visits of two campaigns are compared at a point: in ns or in cycles, in a placement state that
both have, of cores that were quiet where enough visits found them so, else the least of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, median, median_low, variance

from syncmeter_analysis.relate.relation import NotComparable, common_states
from syncmeter_analysis.relate.stats import scatter_of_median
from syncmeter_analysis.relate.summary import Measured, State, enough_rounds

#: Of lanes that meet nobody the fifth of the visits that cost least: a neighbour on the core only adds.
_least_share = 0.2
#: Standard deviation of that fifth of n values, over one of the lower half / sqrt(n): 95 % of such
#: ratios of quiet campaigns lie within their intervals with it.
_least_scatter_of = 1.5
#: The quarter of fewer visits that is farthest out is too much of what is known.
_enough_to_cut = 6
#: Fewer visits that were quiet do not say what lanes cost without a neighbour on a core.
enough_quiet = 2
#: Of several lanes that meet the fastest is compared where its visits scatter so many times less than
#: those of the slowest: loads and stores, which wait for nobody, take longer beside a neighbour only.
_times_calmer = 2.0
#: Kinds of points, that scatter by causes of their own.
kinds = ("inside the GPU", "launches", "one thread", "threads apart", "threads that meet")


def kind_of(s: Measured) -> str:
    """One of `kinds`."""
    if s.on_gpu:
        return kinds[1] if is_launch(s) else kinds[0]
    if s.hop_ns > 0:
        return kinds[4]
    return kinds[2] if s.point.lanes == 1 else kinds[3]


@dataclass(frozen=True)
class VisitPair:
    """The logarithms of both sides' visits, in ns or in cycles, in a state that both have. `least`:
    the visits that cost least are compared, not those in the middle. `costs_ns` of both, where the
    values are no times. `beside`: in how many of the two campaigns a neighbour shared the core of a
    lone lane."""

    old: Measured
    new: Measured
    values: tuple[list[float], list[float]]
    state: State | None
    in_cycles: bool
    least: bool = False
    costs_ns: tuple[float, float] | None = None
    beside: int = 0

    @property
    def family(self) -> tuple[object, ...]:
        s, p = self.new, self.new.point
        meets = s.hop_ns > 0, self.state is not None and self.state.hop_ns > 0
        # The host launches in many ways, of which each scatters in its own.
        alike = p.op if s.family == "launch" else s.family
        return s.on_gpu, alike, meets, self.in_cycles, self.least, p.lanes > 1, p.blocks > 1

    @property
    def kind(self) -> tuple[str, bool, int]:
        """Points of one kind differ alike from campaign to campaign; blocks on several SMs of a GPU
        meet in its memory, and differ more than one does, as lone lanes do beside a neighbour."""
        return kind_of(self.new), self.new.point.blocks > 1, self.beside

    @property
    def beside_neighbours(self) -> bool:
        """Lanes of a CPU that were quiet too seldom to be compared so in one of the campaigns."""
        return self.in_cycles and not _both_quiet(self.old, self.new)

    def difference(self) -> float:
        old, new = (self.location(values) for values in self.values)
        return new - old

    def location(self, values: Sequence[float]) -> float:
        # One visit in a hundred of a lone lane is far below the others.
        if self.least and self.new.point.lanes == 1 and not self.beside:
            return median_low(values)
        return _lower_fifth(values) if self.least else median(values)

    def spread(self, values: Sequence[float]) -> tuple[float, int]:
        """Variance and its degrees of freedom; (0, 0) of one value."""
        if not self.least:
            return _spread_without_tails(values)
        used = sorted(values)[: max(2, (len(values) + 1) // 2)]
        return (variance(used), len(used) - 1) if len(used) > 1 else (0.0, 0)

    def error_factor(self) -> float:
        """The variance of the difference of both locations over that of a visit."""
        return sum(
            (_least_scatter_of if self.least else scatter_of_median(len(v))) ** 2 / len(v)
            for v in self.values
        )


def _spread_without_tails(values: Sequence[float]) -> tuple[float, int]:
    """The variance of normal values that scatter as these do without the quarter which is farthest
    from their median, which a median does not feel; and its degrees of freedom. Of few all count."""
    if len(values) < _enough_to_cut:
        return (variance(values), len(values) - 1) if len(values) > 1 else (0.0, 0)
    middle = median(values)
    kept = sorted(values, key=lambda x: abs(x - middle))[: len(values) - len(values) // 4]
    share = len(kept) / len(values)
    # The variance of a normal distribution that is cut off at +-z (Johnson, Kotz, Balakrishnan 1994,
    # Continuous univariate distributions 1, section 13.10.1).
    z = NormalDist().inv_cdf((1 + share) / 2)
    return variance(kept) / (1 - 2 * z * NormalDist().pdf(z) / share), len(kept) - 1


def _lower_fifth(values: Sequence[float]) -> float:
    ascending = sorted(values)
    at = min(max(_least_share * (len(ascending) + 1) - 1, 0.0), len(ascending) - 1.0)
    low = math.floor(at)
    above = ascending[min(low + 1, len(ascending) - 1)]
    return ascending[low] + (at - low) * (above - ascending[low])


def is_launch(s: Measured) -> bool:
    """What the host launches on a GPU."""
    return s.on_gpu and s.family == "launch"


def _was_quiet(s: Measured) -> bool:
    """Enough visits found the cores without a neighbour to say what the point costs there."""
    return len(s.quiet_cycles) >= enough_quiet


def _both_quiet(old: Measured, new: Measured) -> bool:
    return _was_quiet(old) and _was_quiet(new)


def neighbour_stayed(points: Sequence[Measured]) -> bool:
    """A neighbour shared the core throughout a campaign: most of its lone lanes were hardly ever quiet,
    and the few visits that seem so are not."""
    lone = [s for s in points if s.point.lanes == 1 and s.cycles_by_visit and not s.on_gpu]
    return 2 * sum(map(_was_quiet, lone)) < len(lone)


def pair_of(
    old: Measured,
    new: Measured,
    in_cycles: bool,
    per_hop: bool,
    stayed: tuple[bool, bool],
) -> VisitPair | NotComparable:
    if not (old.usable and new.usable):
        return NotComparable("not resolved")
    if is_launch(old) and is_launch(new):
        undisturbed = _undisturbed_costs(old), _undisturbed_costs(new)
        if min(map(len, undisturbed)):
            return VisitPair(old, new, _logs_of(undisturbed), None, False)
    if old.hop_ns > 0 or new.hop_ns > 0 or old.on_gpu or new.on_gpu:
        state: State | None = None
        states = (old.state, new.state)
        if not (old.on_gpu or new.on_gpu):
            common = common_states(new, old)
            met = min(old.hop_ns, new.hop_ns) > 0 and old.state.busy == new.state.busy
            if common is None and per_hop and met:
                in_hops = [[ns / s.hop_ns for ns in s.visit_costs(s.state)] for s in (old, new)]
                values, costs_ns = _logs_of(in_hops), _headlines(old, new)
                return VisitPair(old, new, values, None, False, costs_ns=costs_ns)
            if common is None:
                return NotComparable("seen in different placement states")
            states = common[1], common[0]
            state = common[0] if common[0].hop_ns > 0 else common[1]
        costs = old.visit_costs(states[0]), new.visit_costs(states[1])
        cycles = old.cycles_in(states[0]), new.cycles_in(states[1])
        known = in_cycles and min(map(len, cycles)) > 1 and not (old.on_gpu or new.on_gpu)
        in_ns = (median(costs[0]), median(costs[1])) if known else None
        if known and state is not None and state.busy:
            fastest = old.fastest_lane_cycles_in(states[0]), new.fastest_lane_cycles_in(states[1])
            if _much_calmer(fastest, cycles):
                return VisitPair(old, new, _logs_of(fastest), state, True, True, in_ns)
        return VisitPair(
            old, new, _logs_of(cycles if known else costs), state, known, costs_ns=in_ns
        )
    lone = new.point.lanes == 1
    if in_cycles and not lone and not _both_quiet(old, new):
        fastest = old.fastest_lane_cycles, new.fastest_lane_cycles
        if min(map(len, fastest)) > 1:
            return VisitPair(old, new, _logs_of(fastest), None, True, True, _headlines(old, new))
    least = old.least_cycles, new.least_cycles
    if in_cycles and min(map(len, least)) > 1:
        quiet = _was_quiet(old) and not stayed[0], _was_quiet(new) and not stayed[1]
        beside = quiet.count(False) if lone else 0
        if lone and not beside:
            least = old.quiet_cycles, new.quiet_cycles
        return VisitPair(old, new, _logs_of(least), None, True, lone, _headlines(old, new), beside)
    calm, busy = ((_costs_where(old, alike), _costs_where(new, alike)) for alike in (False, True))
    enough = min(map(len, calm))
    costs_alike = calm if enough >= min(2, min(map(len, busy))) and enough else busy
    if not min(map(len, costs_alike)):
        costs_alike = old.visit_costs(old.state), new.visit_costs(new.state)
    return VisitPair(old, new, _logs_of(costs_alike), State(0, costs_alike is busy), False)


def _costs_where(s: Measured, busy: bool) -> list[float]:
    """The cost of each visit while a probe was slow, or was not: that of most rounds."""
    found = []
    for states in s.by_visit.values():
        costs = [(rounds, ns) for state, (ns, rounds) in states.items() if state.busy == busy]
        found += [max(costs)[1]] if costs and max(costs)[1] > 0 else []
    return found


def _undisturbed_costs(s: Measured) -> list[float]:
    """The costs of visits to a launch, in rounds enough, while its thread had the core to itself; where
    fewer than two visits say that, of all visits, each in the state of most rounds."""
    quiet = [
        ns
        for states in s.by_visit.values()
        for state, (ns, rounds) in states.items()
        if not state.busy and ns > 0 and rounds >= enough_rounds
    ]
    if len(quiet) >= enough_quiet:
        return quiet
    costs = [max((rounds, ns) for ns, rounds in v.values())[1] for v in s.by_visit.values() if v]
    return [ns for ns in costs if ns > 0]


_OfBoth = tuple[list[float], list[float]]


def _much_calmer(fastest: _OfBoth, slowest: _OfBoth) -> bool:
    """Whether the visits of both campaigns scatter so much less by their fastest lane."""
    if min(map(len, fastest)) < 2:
        return False
    of_fastest, of_slowest = (
        sum(variance(logs) for logs in _logs_of(cycles)) for cycles in (fastest, slowest)
    )
    return _times_calmer**2 * of_fastest < of_slowest


def _headlines(old: Measured, new: Measured) -> tuple[float, float]:
    under, over = (s.cost.value if s.cost else math.nan for s in (old, new))
    return under, over


def _logs_of(sides: Sequence[Sequence[float]]) -> _OfBoth:
    old, new = ([math.log(x) for x in values] for values in sides)
    return old, new
