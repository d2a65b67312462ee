"""Ratios of points of two campaigns, whose scatter is that of all visits to the same op.

Two to eight visits of one point say little of how its visits scatter; the points of one op together say
it well. So the variance of a point's logarithms is shrunk towards that of its op (of its family, where
the op has few visits), by as much as the variances of that group are alike: the moderated t of Smyth
(Linear models and empirical Bayes methods, 2004). docs/estimates.md has what was found with it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median, variance

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.relation import NotComparable, Ratio, common_states, ratio
from syncmeter_analysis.relate.stats import (
    digamma,
    scatter_of_median,
    student_t,
    student_t_tail,
    trigamma,
    trigamma_inverse,
)
from syncmeter_analysis.relate.summary import Measured, State

#: Degrees of freedom from which on an op says by itself how its visits scatter.
_enough_degrees = 8
#: A prior counts at most as so many visits: no group is so much alike that a point's own say nothing.
_most_prior = 200.0
#: The least standard deviation of a logarithm that is believed: devices count whole cycles.
_least_scatter = 0.001
#: Standard deviation of the logarithm between campaigns of what the host launches on a GPU, beyond that
#: of their visits: ten campaigns of an H200, where the clocks of both change from process to process.
_launches_wander = 0.07
#: The same of a lone lane in ns: eight campaigns of 16 vCPUs, whose clock a hypervisor's other guests
#: set. Of lanes that meet, or work side by side, the visits of one campaign say it all.
_lone_wanders = 0.05
#: Of a lone lane the fifth of its visits that cost least: a neighbour on the core only adds.
_lone_share = 0.2
#: Standard deviation of that fifth of n values, over one of the lower half / sqrt(n): 95 % of such
#: ratios of quiet campaigns lie within their intervals with it.
_lone_scatter = 1.5


@dataclass(frozen=True)
class _Pair:
    """The logarithms of both sides' visits, in ns or in cycles, in a state that both have."""

    old: Measured
    new: Measured
    values: tuple[list[float], list[float]]
    state: State | None
    in_cycles: bool

    @property
    def lone(self) -> bool:
        return self.in_cycles and self.new.point.lanes == 1

    @property
    def family(self) -> tuple[object, ...]:
        s = self.new
        return s.on_gpu, s.family, self.state is not None and self.state.hop_ns > 0, self.lone

    def location(self, values: Sequence[float]) -> float:
        return _lower_fifth(values) if self.lone else median(values)

    def spread(self, values: Sequence[float]) -> tuple[float, int]:
        """Variance and its degrees of freedom; (0, 0) of one value."""
        used = sorted(values)[: max(2, (len(values) + 1) // 2)] if self.lone else values
        return (variance(used), len(used) - 1) if len(used) > 1 else (0.0, 0)

    def error_factor(self) -> float:
        """The variance of the difference of both locations over that of a visit."""
        return sum(
            (_lone_scatter if self.lone else scatter_of_median(len(v))) ** 2 / len(v)
            for v in self.values
        )


def _lower_fifth(values: Sequence[float]) -> float:
    ascending = sorted(values)
    at = min(max(_lone_share * (len(ascending) + 1) - 1, 0.0), len(ascending) - 1.0)
    low = math.floor(at)
    above = ascending[min(low + 1, len(ascending) - 1)]
    return ascending[low] + (at - low) * (above - ascending[low])


def _pair(old: Measured, new: Measured, in_cycles: bool) -> _Pair | NotComparable:
    if not (old.usable and new.usable):
        return NotComparable("not resolved")
    if old.hop_ns > 0 or new.hop_ns > 0 or old.on_gpu or new.on_gpu:
        state: State | None = None
        states = (old.state, new.state)
        if not (old.on_gpu or new.on_gpu):
            common = common_states(new, old)
            if common is None:
                return NotComparable("seen in different placement states")
            states = common[1], common[0]
            state = common[0] if common[0].hop_ns > 0 else common[1]
        costs = old.visit_costs(states[0]), new.visit_costs(states[1])
        return _Pair(old, new, (_logs(costs[0]), _logs(costs[1])), state, False)
    if in_cycles and min(len(old.least_cycles), len(new.least_cycles)) > 1:
        values = _logs(old.least_cycles), _logs(new.least_cycles)
        return _Pair(old, new, values, None, True)
    quiet, busy = ((_costs_where(old, alike), _costs_where(new, alike)) for alike in (False, True))
    enough = min(map(len, quiet))
    costs_alike = quiet if enough >= min(2, min(map(len, busy))) and enough else busy
    if not min(map(len, costs_alike)):
        costs_alike = old.visit_costs(old.state), new.visit_costs(new.state)
    logs = _logs(costs_alike[0]), _logs(costs_alike[1])
    return _Pair(old, new, logs, State(0, costs_alike is busy), False)


def _costs_where(s: Measured, busy: bool) -> list[float]:
    """The cost of each visit while a probe was slow, or was not: that of most rounds."""
    found = []
    for states in s.by_visit.values():
        costs = [(rounds, ns) for state, (ns, rounds) in states.items() if state.busy == busy]
        found += [max(costs)[1]] if costs and max(costs)[1] > 0 else []
    return found


def _logs(values: Sequence[float]) -> list[float]:
    return [math.log(x) for x in values]


def prior_of(spreads: Sequence[tuple[float, int]]) -> tuple[float, float]:
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
        if sum(degrees for _, degrees in spreads) >= _enough_degrees
    }
    return lambda *family, op: of_op.get((*family, op)) or of_family[family]


#: Kinds of points, that scatter by causes of their own.
kinds = ("inside the GPU", "launches", "one thread", "threads apart", "threads that meet")


def kind_of(s: Measured) -> str:
    """One of `kinds`."""
    if s.on_gpu:
        return kinds[1] if s.family == "launch" else kinds[0]
    if s.hop_ns > 0:
        return kinds[4]
    return kinds[2] if s.point.lanes == 1 else kinds[3]


def repetition(points: Iterable[Measured], virtual: bool, share: float = 0.9) -> dict[str, float]:
    """How far this share of the headline costs of a second campaign would land from these, in the same
    placement: by kind of points, as a ratio above 1; without kinds whose scatter is not known. On a
    `virtual` machine the clock of a lone lane is not its own."""
    visits = [(s, kind_of(s), _logs(s.visit_costs(s.state))) for s in points if s.usable]
    spreads = [(variance(v), len(v) - 1) if len(v) > 1 else (0.0, 0) for _, _, v in visits]
    by_op: _Groups = defaultdict(list)
    by_family: _Groups = defaultdict(list)
    for (s, kind, _), spread in zip(visits, spreads, strict=True):
        by_op[kind, s.family, s.point.op].append(spread)
        by_family[kind, s.family].append(spread)
    prior = _priors(by_op, by_family)
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for (s, kind, v), spread in zip(visits, spreads, strict=True):
        visit, degrees = _moderated(prior(kind, s.family, op=s.point.op), [spread])
        if degrees > 0:
            wander = _launches_wander if kind == kinds[1] else _lone_wanders * virtual
            wander *= kind in (kinds[1], kinds[2])
            error = 2 * visit * scatter_of_median(len(v)) ** 2 / len(v) + 2 * wander**2
            found[kind].append((math.sqrt(error), degrees))
    return {kind: math.exp(_reach_of(found[kind], share)) for kind in kinds if found[kind]}


_most_errors = 400


def _reach_of(errors: Sequence[tuple[float, float]], share: float) -> float:
    """What this share of so many differences of logarithms stay within: by bisection, of a sample."""
    errors = sorted(errors)[:: max(1, len(errors) // _most_errors)]
    low, high = 0.0, 20.0
    while high - low > 1e-5:
        middle = (low + high) / 2
        within = [1 - 2 * student_t_tail(middle / error, degrees) for error, degrees in errors]
        low, high = (middle, high) if math.fsum(within) < share * len(within) else (low, middle)
    return high


def ratios_of_campaigns(
    pairs: Sequence[tuple[Measured, Measured]], in_cycles: bool = False
) -> list[Ratio | NotComparable]:
    """New over old of each pair of points of two campaigns. `in_cycles`: of one kind of machine, so
    that CPU lanes that meet nobody are compared in cycles, whatever the clock was."""
    found = [
        ratio(new, old) if old.imported or new.imported else _pair(old, new, in_cycles)
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
    return [
        _ratio(p, prior(*p.family, op=p.new.point.op)) if isinstance(p, _Pair) else p for p in found
    ]


def _moderated(
    prior: tuple[float, float], spreads: Sequence[tuple[float, int]]
) -> tuple[float, float]:
    """The variance of a visit's logarithm, shrunk towards the prior, and its degrees of freedom."""
    degrees = prior[0] + sum(d for _, d in spreads)
    squares = prior[0] * prior[1] + math.fsum(v * d for v, d in spreads)
    return (max(squares / degrees, _least_scatter**2), degrees) if degrees > 0 else (0.0, 0.0)


def _ratio(p: _Pair, prior: tuple[float, float]) -> Ratio:
    old, new = (p.location(values) for values in p.values)
    spreads = [p.spread(values) for values in p.values]
    visit, degrees = _moderated(prior, spreads)
    value = math.exp(new - old)
    interval, error = Interval(value), math.inf
    if degrees > 0:
        launched = p.new.on_gpu and p.new.family == "launch"
        wander = 2 * _launches_wander**2 if launched else 0.0
        error = math.sqrt(visit * p.error_factor() + wander)
        reach = min(student_t(0.95, degrees) * error, 700.0)
        interval = Interval(value, value * math.exp(-reach), value * math.exp(reach))
    over, under = math.exp(new), math.exp(old)
    if p.in_cycles:
        over, under = (s.cost.value if s.cost else math.nan for s in (p.new, p.old))
    visits = min(map(len, p.values))
    return Ratio(interval, visits, p.state, over, under, error, degrees, in_cycles=p.in_cycles)
