"""Ratios of points of two campaigns, whose scatter is that of all visits to the same op.

Two to eight visits of one point say little of how its visits scatter; the points of one op together say
it well. So the variance of a point's logarithms is shrunk towards that of its op (of its family, where
the op has few visits), by as much as the variances of that group are alike: the moderated t of Smyth
(Linear models and empirical Bayes methods, 2004). See
docs/evidence/comparisons.md.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from statistics import NormalDist, median, variance

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.relation import NotComparable, Ratio, least_visits, ratio
from syncmeter_analysis.relate.stats import digamma, student_t, trigamma, trigamma_inverse
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.visit_pairs import (
    VisitPair,
    kind_of,
    kinds,
    neighbour_stayed,
    pair_of,
)

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
#: Points of a kind from which on their differences tell what two campaigns differ by.
_enough_points = 16
#: This share of normal values lies within so many standard deviations; of n of them that quantile says
#: as much of their variance as this share of them by their squares. Further in it would not see the
#: tails, further out fewer points may have changed.
_inner_share = 0.85
_inner_reach = NormalDist().inv_cdf((1 + _inner_share) / 2)
_inner_efficiency = 0.65


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


#: No more than this (standard deviation of the logarithm), and than so many times what a visit
#: scatters, is believed to be what two campaigns of one thing differ by: where all points of a kind
#: became slower, their differences say nothing of it.
_most_wander = dict(zip(kinds, (0.015, 0.10, 0.10, 0.08, 0.08), strict=True))
_most_over_visits = 3.0
#: But for points that were never quiet: a neighbour on the core stays for a whole campaign, and slows
#: what all lanes do by up to a half while their visits agree. Two standard deviations are that half.
_most_beside_neighbours = math.log(2) / 2


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
    stayed = neighbour_stayed(old_points), neighbour_stayed(new_points)
    found = [
        ratio(new, old)
        if old.imported or new.imported
        else pair_of(old, new, in_cycles, per_hop, stayed)
        for old, new in pairs
    ]
    by_op: _Groups = defaultdict(list)
    by_family: _Groups = defaultdict(list)
    for pair in found:
        if isinstance(pair, VisitPair):
            spreads = [pair.spread(values) for values in pair.values]
            by_op[*pair.family, pair.new.point.op] += spreads
            by_family[pair.family] += spreads
    prior = _priors(by_op, by_family)
    wanders = _wanders([pair for pair in found if isinstance(pair, VisitPair)])
    return [
        _ratio(p, prior(*p.family, op=p.new.point.op), wanders.get(p.kind))
        if isinstance(p, VisitPair)
        else p
        for p in found
    ]


def _wanders(pairs: Sequence[VisitPair]) -> dict[tuple[str, bool, int], tuple[float, float]]:
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


def _ratio(p: VisitPair, prior: tuple[float, float], wander: tuple[float, float] | None) -> Ratio:
    old, new = (p.location(values) for values in p.values)
    spreads = [p.spread(values) for values in p.values]
    visit, of_visit = moderated(prior, spreads)
    value = math.exp(new - old)
    interval, error, degrees = Interval(value), math.inf, 0.0
    launched = p.kind[0] == kinds[1]
    between, of_between = wander or (2 * _launches_wander**2 * launched, _most_prior)
    if wander:
        between, of_between = max(wander, (2 * wander_of_two(p.new) ** 2, _most_prior))
    fewest = min(map(len, p.values))
    # One visit may be of a mode that those of the other campaign were not in.
    if of_visit > 0 and fewest >= least_visits:
        visits = visit * p.error_factor()
        error = math.sqrt(visits + between)
        # Of a sum of two variances (Satterthwaite 1946).
        degrees = error**4 / (visits**2 / of_visit + between**2 / of_between)
        reach = min(student_t(0.95, degrees) * error, 700.0)
        interval = Interval(value, value * math.exp(-reach), value * math.exp(reach))
    under, over = p.costs_ns or (math.exp(old), math.exp(new))
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
