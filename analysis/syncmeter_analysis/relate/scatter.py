"""Ratios of points of two campaigns, whose scatter is that of all visits to the same op.

Two to eight visits of one point say little of how its visits scatter; the points of one op together say
it well. So the variance of a point's logarithms is shrunk towards that of its op (of its family, where
the op has few visits), by as much as the variances of that group are alike: the moderated t of Smyth
(Linear models and empirical Bayes methods, 2004). docs/estimates.md has what was found with it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist, median, median_low, variance

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.relation import NotComparable, Ratio, common_states, ratio
from syncmeter_analysis.relate.stats import (
    digamma,
    scatter_of_median,
    student_t,
    trigamma,
    trigamma_inverse,
)
from syncmeter_analysis.relate.summary import Measured, State, enough_rounds

#: Degrees of freedom from which on an op says by itself how its visits scatter: fewer do not say how
#: much alike its points are, and the prior then counts as one or two visits.
enough_degrees = 40
#: A prior counts at most as so many visits: no group is so much alike that a point's own say nothing.
_most_prior = 200.0
#: The least standard deviation of a logarithm that is believed, a tenth of the default threshold:
#: devices count whole cycles, and visits that agree more closely do not say that the next will.
_least_scatter = 0.005
#: Standard deviation of the logarithm between campaigns of what the host launches on a GPU, beyond that
#: of their visits: ten campaigns of an H200, where the clocks of both change from process to process.
_launches_wander = 0.07
#: The same of two lanes that meet, of a lock and of anything else, in cycles: eight campaigns of two
#: quiet vCPUs. How two lanes take turns stays for a campaign, and its visits agree; of sixteen lanes
#: they differ as campaigns do.
_two_at_a_lock_wander = 0.13
_two_meet_wander = 0.06
#: Of lanes that meet nobody the fifth of the visits that cost least: a neighbour on the core only adds.
_least_share = 0.2
#: Standard deviation of that fifth of n values, over one of the lower half / sqrt(n): 95 % of such
#: ratios of quiet campaigns lie within their intervals with it.
_least_scatter_of = 1.5
#: The quarter of fewer visits that is farthest out is too much of what is known.
_enough_to_cut = 6
#: Fewer visits that were quiet do not say what lanes cost without a neighbour on a core.
enough_quiet = 2
#: Points of a kind from which on their differences tell what two campaigns differ by.
_enough_points = 16
#: This share of normal values lies within so many standard deviations; of n of them that quantile says
#: as much of their variance as this share of them by their squares. Further in it would not see the
#: tails, further out fewer points may have changed.
_inner_share = 0.85
_inner_reach = NormalDist().inv_cdf((1 + _inner_share) / 2)
_inner_efficiency = 0.65
#: Of several lanes that meet the fastest is compared where its visits scatter so many times less than
#: those of the slowest: loads and stores, which wait for nobody, take longer beside a neighbour only.
_times_calmer = 2.0


@dataclass(frozen=True)
class _Pair:
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


def _is_launch(s: Measured) -> bool:
    """What the host launches on a GPU."""
    return s.on_gpu and s.family == "launch"


def _was_quiet(s: Measured) -> bool:
    """Enough visits found the cores without a neighbour to say what the point costs there."""
    return len(s.quiet_cycles) >= enough_quiet


def _both_quiet(old: Measured, new: Measured) -> bool:
    return _was_quiet(old) and _was_quiet(new)


def _neighbour_stayed(points: Sequence[Measured]) -> bool:
    """A neighbour shared the core throughout a campaign: most of its lone lanes were hardly ever quiet,
    and the few visits that seem so are not."""
    lone = [s for s in points if s.point.lanes == 1 and s.cycles_by_visit and not s.on_gpu]
    return 2 * sum(map(_was_quiet, lone)) < len(lone)


def _pair(
    old: Measured,
    new: Measured,
    in_cycles: bool,
    per_hop: bool,
    stayed: tuple[bool, bool],
) -> _Pair | NotComparable:
    if not (old.usable and new.usable):
        return NotComparable("not resolved")
    if _is_launch(old) and _is_launch(new):
        undisturbed = _undisturbed_costs(old), _undisturbed_costs(new)
        if min(map(len, undisturbed)):
            return _Pair(old, new, _logs_of(undisturbed), None, False)
    if old.hop_ns > 0 or new.hop_ns > 0 or old.on_gpu or new.on_gpu:
        state: State | None = None
        states = (old.state, new.state)
        if not (old.on_gpu or new.on_gpu):
            common = common_states(new, old)
            met = min(old.hop_ns, new.hop_ns) > 0 and old.state.busy == new.state.busy
            if common is None and per_hop and met:
                in_hops = _costs_per_hop(old, new)
                return _Pair(old, new, in_hops, None, False, costs_ns=_headlines(old, new))
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
                return _Pair(old, new, _logs_of(fastest), state, True, True, in_ns)
        return _Pair(old, new, _logs_of(cycles if known else costs), state, known, costs_ns=in_ns)
    lone = new.point.lanes == 1
    if in_cycles and not lone and not _both_quiet(old, new):
        fastest = old.fastest_lane_cycles, new.fastest_lane_cycles
        if min(map(len, fastest)) > 1:
            return _Pair(old, new, _logs_of(fastest), None, True, True, _headlines(old, new))
    least = old.least_cycles, new.least_cycles
    if in_cycles and min(map(len, least)) > 1:
        quiet = _was_quiet(old) and not stayed[0], _was_quiet(new) and not stayed[1]
        beside = quiet.count(False) if lone else 0
        if lone and not beside:
            least = old.quiet_cycles, new.quiet_cycles
        return _Pair(old, new, _logs_of(least), None, True, lone, _headlines(old, new), beside)
    calm, busy = ((_costs_where(old, alike), _costs_where(new, alike)) for alike in (False, True))
    enough = min(map(len, calm))
    costs_alike = calm if enough >= min(2, min(map(len, busy))) and enough else busy
    if not min(map(len, costs_alike)):
        costs_alike = old.visit_costs(old.state), new.visit_costs(new.state)
    return _Pair(old, new, _logs_of(costs_alike), State(0, costs_alike is busy), False)


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


def _costs_per_hop(old: Measured, new: Measured) -> tuple[list[float], list[float]]:
    a, b = ([cost / s.hop_ns for cost in s.visit_costs(s.state)] for s in (old, new))
    return _logs(a), _logs(b)


def _logs_of(sides: tuple[Sequence[float], Sequence[float]]) -> tuple[list[float], list[float]]:
    return _logs(sides[0]), _logs(sides[1])


def _logs(values: Sequence[float]) -> list[float]:
    return [math.log(x) for x in values]


def prior_of(spreads: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Degrees of freedom and variance that this group of variances, each with its own degrees, is alike
    in (Smyth 2004, section 6.2); (0, 0) for fewer than three."""
    known = [(max(v, _least_scatter**2), d) for v, d in spreads if d]
    if len(known) < 3:
        return 0.0, 0.0
    logs = [math.log(v) - digamma(d / 2) + math.log(d / 2) for v, d in known]
    middle = math.fsum(logs) / len(logs)
    beyond = variance(logs) - math.fsum(trigamma(d / 2) for _, d in known) / len(known)
    if beyond <= 0:
        return _most_prior, math.exp(middle)
    degrees = 2 * trigamma_inverse(beyond)
    shift = digamma(degrees / 2) - math.log(degrees / 2)
    return min(degrees, _most_prior), math.exp(middle + shift)


_Groups = dict[tuple[object, ...], list[tuple[float, int]]]


def _priors(by_op: _Groups, by_family: _Groups) -> Callable[..., tuple[float, float]]:
    """What the visits to an op are alike in, or those to its family where they are few."""
    of_family = {family: prior_of(spreads) for family, spreads in by_family.items()}
    of_op = {
        key: prior_of(spreads)
        for key, spreads in by_op.items()
        if sum(degrees for _, degrees in spreads) >= enough_degrees
    }
    return lambda *family, op: of_op.get((*family, op)) or of_family[family]


#: Kinds of points, that scatter by causes of their own.
kinds = ("inside the GPU", "launches", "one thread", "threads apart", "threads that meet")


#: No more than this (standard deviation of the logarithm), and than so many times what a visit
#: scatters, is believed to be what two campaigns of one thing differ by: where all points of a kind
#: became slower, their differences say nothing of it.
_most_wander = dict(zip(kinds, (0.015, 0.10, 0.10, 0.08, 0.08), strict=True))
_most_over_visits = 3.0
#: But for points that were never quiet: a neighbour on the core stays for a whole campaign, and slows
#: what all lanes do by up to a half while their visits agree. Two standard deviations are that half.
_most_beside_neighbours = math.log(2) / 2


def kind_of(s: Measured) -> str:
    """One of `kinds`."""
    if s.on_gpu:
        return kinds[1] if _is_launch(s) else kinds[0]
    if s.hop_ns > 0:
        return kinds[4]
    return kinds[2] if s.point.lanes == 1 else kinds[3]


def wander_of_two(s: Measured) -> float:
    """Standard deviation of the logarithm between campaigns of what two lanes do where they meet,
    beyond that of their visits; 0 of other points."""
    if kind_of(s) != kinds[4] or s.point.lanes != 2:
        return 0.0
    return _two_at_a_lock_wander if s.family == "critical" else _two_meet_wander


def ratios_of_campaigns(
    pairs: Sequence[tuple[Measured, Measured]], in_cycles: bool = False, per_hop: bool = False
) -> list[Ratio | NotComparable]:
    """New over old of each pair of points of two campaigns. `in_cycles`: of one kind of machine, so
    that CPU lanes are compared in cycles, whatever the clock was. `per_hop`: lanes that met in
    different placements are compared by their costs in hops."""
    old_points, new_points = ([pair[side] for pair in pairs] for side in (0, 1))
    stayed = _neighbour_stayed(old_points), _neighbour_stayed(new_points)
    found = [
        ratio(new, old)
        if old.imported or new.imported
        else _pair(old, new, in_cycles, per_hop, stayed)
        for old, new in pairs
    ]
    by_op: _Groups = defaultdict(list)
    by_family: _Groups = defaultdict(list)
    for pair in found:
        if isinstance(pair, _Pair):
            spreads = [pair.spread(values) for values in pair.values]
            by_op[*pair.family, pair.new.point.op] += spreads
            by_family[pair.family] += spreads
    prior = _priors(by_op, by_family)
    wanders = _wanders([pair for pair in found if isinstance(pair, _Pair)])
    return [
        _ratio(p, prior(*p.family, op=p.new.point.op), wanders.get(p.kind))
        if isinstance(p, _Pair)
        else p
        for p in found
    ]


def _wanders(pairs: Sequence[_Pair]) -> dict[tuple[str, bool, int], tuple[float, float]]:
    """The variance between two campaigns of one thing beyond that of their visits, with its degrees of
    freedom, by kind of points that has enough of them.

    From the differences of all points of the kind, as most of them have not changed (the empirical
    null of Efron 2004): by a quantile of their squares, so that one in seven may have changed by
    whatever it has. Around 0: what all have in common is part of it. What a neighbour adds in one of
    the campaigns differs too much from op to op to be learnt.
    """
    by_kind: dict[tuple[str, bool, int], list[tuple[float, float, float, bool]]] = defaultdict(list)
    for p in pairs:
        if p.beside == 1:
            continue
        visit, degrees = moderated((0.0, 0.0), [p.spread(values) for values in p.values])
        if degrees:
            error = visit * p.error_factor()
            by_kind[p.kind].append((p.difference() ** 2, error, visit, p.beside_neighbours))
    found = {}
    for kind, each in by_kind.items():
        if len(each) >= _enough_points:
            squares, of_visits, visits, beside = zip(*each, strict=True)
            of_all = sorted(squares)[int(_inner_share * len(squares))] / _inner_reach**2
            beyond = max(0.0, of_all - median(of_visits))
            most = min(_most_wander[kind[0]] ** 2, _most_over_visits**2 * median(visits))
            if 2 * sum(beside) > len(beside):
                most = _most_beside_neighbours**2
            found[kind] = min(beyond, most), _inner_efficiency * len(each)
    return found


def moderated(
    prior: tuple[float, float], spreads: Sequence[tuple[float, float]]
) -> tuple[float, float]:
    """The variance of a visit's logarithm, shrunk towards the prior, and its degrees of freedom."""
    degrees = prior[0] + sum(d for _, d in spreads)
    squares = prior[0] * prior[1] + math.fsum(v * d for v, d in spreads)
    return (max(squares / degrees, _least_scatter**2), degrees) if degrees > 0 else (0.0, 0.0)


def _ratio(p: _Pair, prior: tuple[float, float], wander: tuple[float, float] | None) -> Ratio:
    old, new = (p.location(values) for values in p.values)
    spreads = [p.spread(values) for values in p.values]
    visit, of_visit = moderated(prior, spreads)
    value = math.exp(new - old)
    interval, error, degrees = Interval(value), math.inf, 0.0
    launched = p.kind[0] == kinds[1]
    between, of_between = wander or (2 * _launches_wander**2 * launched, _most_prior)
    if wander:
        between, of_between = max(wander, (2 * wander_of_two(p.new) ** 2, _most_prior))
    if of_visit > 0:
        visits = visit * p.error_factor()
        error = math.sqrt(visits + between)
        # Of a sum of two variances (Satterthwaite 1946).
        degrees = error**4 / (visits**2 / of_visit + between**2 / of_between)
        reach = min(student_t(0.95, degrees) * error, 700.0)
        interval = Interval(value, value * math.exp(-reach), value * math.exp(reach))
    under, over = p.costs_ns or (math.exp(old), math.exp(new))
    fewest = min(map(len, p.values))
    return Ratio(
        interval,
        fewest,
        p.state,
        over,
        under,
        error,
        degrees,
        in_cycles=p.in_cycles,
        wander=math.sqrt(wander[0]) if wander else None,
        beside_neighbour=p.beside > 0 and not wander,
    )
