"""Which nodes of a run differ: every point over the nodes inside one placement state, and every node
over all its points. docs/evidence/fleet.md states the rule and its error rates.

All is in logarithms of costs. What nodes of one kind differ by anyhow is estimated from the nodes
themselves, so robustly that those that differ do not hide behind it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from math import exp, inf, isfinite, log, log1p, sqrt
from statistics import NormalDist, quantiles

from syncmeter_analysis.record.point import Point
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.node import LeftOut, Node, StateCost, odd_facts
from syncmeter_analysis.relate.pairings import contended_threshold
from syncmeter_analysis.relate.pairs import Outcome, default_sees
from syncmeter_analysis.relate.pairs import alpha as alpha_of_all
from syncmeter_analysis.relate.relation import found_in
from syncmeter_analysis.relate.stats import exp_or_infinity, holm, median, student_t, student_t_tail
from syncmeter_analysis.relate.summary import State, gap_of_states

#: Points and nodes are two families of tests, and share what may go wrong.
alpha = alpha_of_all / 2

#: Differences up to this, as a ratio of costs, count as none.
default_threshold = 0.02

#: Among fewer nodes an odd node cannot be found.
fewest_nodes = 3

#: Of fewer points a node is not judged as a whole.
_fewest_points = 5

#: A spread of logarithms below this is not believed: devices that count whole cycles can agree exactly.
_least_spread = 0.001

_mad_to_sigma = 1.4826

#: Costs of single points have such tails from campaign to campaign, as Student's t of so many degrees.
_tails_of_points = 4.0

#: The error of the quartiles of n normal values is this times sigma / sqrt(n).
_errors_of_quartiles = (1.36, 1.2533, 1.36)


@dataclass(frozen=True)
class Odd:
    """A node beyond the others at one point: `ratio` to the median over nodes, Holm's adjusted p."""

    node: int
    ratio: float
    p: float


@dataclass
class FleetPoint:
    """A point over the nodes that have it in one placement state (`state`; None where none has a hop
    or is busy). `median_ns` over them, `spread` the standard deviation of logarithms between
    them, `low` and `high` the lowest and the highest ratio to the median; nodes `elsewhere` have it in
    other states only. `failed` names nodes at which it gave a wrong result or never ended, or was too
    slow to be measured, where most nodes measured it."""

    point: Point
    gpu: bool
    state: State | None
    median_ns: float
    spread: float
    low: float
    high: float
    ratios: dict[int, float]
    elsewhere: tuple[int, ...]
    odd: list[Odd] = field(default_factory=list)
    failed: dict[int, str] = field(default_factory=dict)

    def beyond(self) -> list[int]:
        """Returns the nodes that failed or differ at the point, the largest difference first."""
        odd = sorted(self.odd, key=lambda o: (o.p, -abs(o.ratio - 1)))
        return [*self.failed, *(o.node for o in odd)]


@dataclass(frozen=True)
class Whole:
    """A node over all its points of a part ('CPU' or 'GPU'): the quartiles and the median of its ratios
    to the medians over nodes; `p` is Holm's adjusted p of the most telling of the three.
    `detectable` is the smallest change of all these points, as a ratio above 1, at which the node
    would have been named in about 80 of 100 cases."""

    node: int
    part: str
    points: int
    quartiles: tuple[float, float, float]
    p: float
    differs: bool
    detectable: float = inf


@dataclass
class Group:
    """The nodes of one kind (CPU and GPU model). `names` are theirs, by number; `missing` counts the
    points which most nodes have and this one lacks; `facts` are by number those in which a node is not
    like most."""

    kind: str
    nodes: list[Node]
    names: list[str]
    points: list[FleetPoint] = field(default_factory=list)
    wholes: list[Whole] = field(default_factory=list)
    missing: Counter[int] = field(default_factory=Counter)
    facts: dict[int, list[str]] = field(default_factory=dict)

    @property
    def judged(self) -> bool:
        return len(self.nodes) >= fewest_nodes and bool(self.points)

    @property
    def unjudged(self) -> list[int]:
        """Nodes that have no point in one state with two others."""
        known = {i for point in self.points for i in point.ratios}
        return [i for i in range(len(self.nodes)) if i not in known]

    def outcomes(self, sees: float) -> list[Outcome]:
        """Returns the answer for each node, by the largest difference."""
        found = dict.fromkeys(range(len(self.nodes)), Outcome.unchanged)
        found |= dict.fromkeys(self.blind(sees), Outcome.not_sensitive)
        found |= dict.fromkeys(self.unjudged, Outcome.not_comparable)
        ratios: dict[int, list[float]] = defaultdict(list)
        for point in self.points:
            for odd in point.odd:
                ratios[odd.node].append(log(odd.ratio))
        # Whole nodes count more than single points.
        ratios |= {w.node: [log(w.quartiles[1])] for w in self.wholes if w.differs}
        for i, logs in ratios.items():
            is_slower = max(logs, key=abs) > 0
            found[i] = Outcome.slower if is_slower else Outcome.faster
        found |= {i: Outcome.broken for point in self.points for i in point.failed}
        return list(found.values())

    def in_order(self) -> list[FleetPoint]:
        """Returns the points at which nodes differ, by their number, then the largest spread first."""
        return sorted(self.points, key=lambda p: (-len(p.beyond()), -p.spread))

    @property
    def tests(self) -> int:
        """Returns the number of comparisons that the correction counts."""
        return sum(len(point.ratios) for point in self.points) + 3 * len(self.wholes)

    @property
    def differing(self) -> list[int]:
        """The numbers of the nodes that differ as a whole, at a point, or failed at one."""
        found = {whole.node for whole in self.wholes if whole.differs}
        for point in self.points:
            found.update(odd.node for odd in point.odd)
            found.update(point.failed)
        return sorted(found)

    def blind(self, sees: float) -> list[int]:
        """Nodes that would not have been named had all points of a part of them changed by `sees`, as
        those are which have fewer than half as many of its points as is usual (the median over
        nodes); none where the group is not judged at all."""
        if not self.judged:
            return []
        parts = grouped(self.wholes, lambda whole: whole.part)
        seen: Counter[int] = Counter()
        for wholes in parts.values():
            usual = median(w.points for w in wholes)
            seen.update(
                w.node for w in wholes if w.detectable <= 1 + sees and 2 * w.points >= usual
            )
        return [i for i in range(len(self.nodes)) if seen[i] < max(1, len(parts))]


@dataclass
class Fleet:
    """All files of a run. `left_out` were not usable. A node that is slower by `sees` at all of its
    points is to be named."""

    groups: list[Group]
    left_out: list[LeftOut]
    threshold: float
    sees: float = default_sees
    blind_is_fine: bool = False

    @property
    def status(self) -> int:
        """Exit status, as of a comparison: 1 some nodes differ; 2 no group could be judged; 3 no node
        is known to differ, but a file was left out, a node could not be judged or was blind."""
        if any(group.differing for group in self.groups):
            return 1
        if not any(group.judged for group in self.groups):
            return 2
        doubt = self.left_out or any(
            not g.judged or g.unjudged or g.blind(self.sees) for g in self.groups
        )
        return 3 if doubt and not self.blind_is_fine else 0


def fleet_of(found: Iterable[Node | LeftOut], threshold: float = default_threshold) -> Fleet:
    """Judges the nodes. Differences up to `threshold` count as none."""
    every = list(found)
    nodes = [one for one in every if isinstance(one, Node)]
    points = {key: point for node in nodes for key, point in node.points.items()}
    kinds = grouped(nodes, lambda node: node.kind)
    groups = [
        _group(kind, nodes, points, threshold)
        for kind, nodes in sorted(kinds.items(), key=lambda item: -len(item[1]))
    ]
    return Fleet(groups, [one for one in every if isinstance(one, LeftOut)], threshold)


def _group(kind: str, nodes: list[Node], points: dict[str, Point], threshold: float) -> Group:
    hosts = Counter(node.host for node in nodes)
    names = [node.host if node.host and hosts[node.host] == 1 else node.path for node in nodes]
    group = Group(kind, nodes, names, facts=odd_facts(nodes))
    if len(nodes) < fewest_nodes:
        return group
    errors: list[dict[int, float]] = []
    keys = dict.fromkeys(key for n in nodes for key in n.costs)
    measured = {points[key].key for key in keys}
    failed = (key for n in nodes for key in n.failed if key not in measured)
    for key in (*keys, *dict.fromkeys(failed)):
        point, own = _point_over_nodes(points[key], key, nodes)
        if not point.ratios and not point.failed:
            continue
        group.points.append(point)
        errors.append(own)
        if 2 * len(point.ratios) > len(nodes):
            group.missing.update(
                i for i, n in enumerate(nodes) if key not in n.costs and i not in point.failed
            )
    _judge_points(group, errors, threshold)
    _judge_wholes(group, errors, threshold)
    return group


def _common_state(every: Sequence[StateCost]) -> State:
    """The state in which most nodes have the point; of several the quiet one, then the nearest."""
    if not every:
        return State()
    bounds = class_bounds(s.hop_ns for s in every)
    found = grouped(every, lambda s: (s.busy, bisect_right(bounds, s.hop_ns)))
    busy, number = max(found, key=lambda which: (len(found[which]), not which[0], -which[1]))
    known = [s.hop_ns for s in found[busy, number] if s.hop_ns > 0]
    return State(number, busy, median(known) if known else 0.0)


def class_bounds(values: Iterable[float]) -> list[float]:
    """Upper bounds between classes of hops, as the driver finds them: cuts where neighbours are a gap
    of states apart.

    Both parts must keep 2 % of all values; stray values, near which (within gap^(1/4)) lie fewer than
    half of that, are no neighbours. Returns the geometric middle of each cut.
    """
    ascending = sorted(v for v in values if v > 0 and isfinite(v))
    reach, least = gap_of_states**0.25, 0.02 * len(ascending)
    dense = [
        v
        for v in ascending
        if bisect_right(ascending, v * reach) - bisect_left(ascending, v / reach) >= least / 2
    ]
    cuts = (sqrt(a * b) for a, b in pairwise(dense) if b >= gap_of_states * a)
    below = ((cut, bisect_right(ascending, cut)) for cut in cuts)
    return [cut for cut, n in below if min(n, len(ascending) - n) >= least]


def _point_over_nodes(
    point: Point, key: str, nodes: Sequence[Node]
) -> tuple[FleetPoint, dict[int, float]]:
    """The point, and the standard error of each node's own cost; without ratios where fewer than three
    nodes have it in one state."""
    own = {i: n.costs[key] for i, n in enumerate(nodes) if key in n.costs}
    state = _common_state([s for states in own.values() for s in states])
    fitting = {
        i: [s for s in states if State(0, s.busy, s.hop_ns).agrees(state)]
        for i, states in own.items()
    }
    chosen = {i: max(states, key=lambda s: s.visits) for i, states in fitting.items() if states}
    if len(chosen) < fewest_nodes:
        chosen = {}
    # A point near its time limit is too slow on many a node of a fleet of equals.
    usual = bool(chosen) and 2 * len(own) > len(nodes)
    middle = median(s.log_ns for s in chosen.values()) if chosen else inf
    away = {i: s.log_ns - middle for i, s in chosen.items()}
    errors = {i: s.error for i, s in chosen.items()}
    found = FleetPoint(
        point,
        any(key in n.gpu for n in nodes),
        state if state.busy or state.hop_ns > 0 else None,
        exp(middle),
        spread_of_point(list(away.values()), list(errors.values())) if chosen else inf,
        exp(min(away.values(), default=0.0)),
        exp(max(away.values(), default=0.0)),
        {i: exp(x) for i, x in away.items()},
        tuple(i for i, states in fitting.items() if not states),
        failed={
            i: why
            for i, n in enumerate(nodes)
            if (why := n.failed.get(point.key) or (usual and n.too_slow.get(point.key)))
        },
    )
    return found, errors


def _judge_points(group: Group, errors: Sequence[dict[int, float]], threshold: float) -> None:
    found: list[tuple[FleetPoint, int, float]] = []
    tests = 0
    for point, own in zip(group.points, errors, strict=True):
        wanders = point.state is not None and point.state.hop_ns > 0
        margin = log1p(max(threshold, contended_threshold) if wanders else threshold)
        typical = typical_error(own.values())
        degrees = min(_tails_of_points, degrees_of(len(own)))
        for i, ratio in point.ratios.items():
            tests += 1
            away = abs(log(ratio))
            if away > margin:
                p = probability(away, scale_of(point.spread, own[i], typical), degrees)
                if p < alpha:
                    found.append((point, i, p))
    # Holm's factor counts all tests: those not listed have larger probabilities than any here.
    adjusted = holm([*(p for *_, p in found), *[1.0] * (tests - len(found))])
    for (point, i, _), p in zip(found, adjusted, strict=False):
        if p < alpha:
            point.odd.append(Odd(i, point.ratios[i], p))


def _judge_wholes(group: Group, errors: Sequence[dict[int, float]], threshold: float) -> None:
    """Each node's quartiles and median over its points against those of the other nodes."""
    found: list[tuple[Whole, list[tuple[float, float]], float, float]] = []
    for part in ("CPU", "GPU"):
        of_node: dict[int, list[float]] = defaultdict(list)
        of_visits: dict[int, list[float]] = defaultdict(list)
        for point, own in zip(group.points, errors, strict=True):
            if point.gpu == (part == "GPU"):
                for i, ratio in point.ratios.items():
                    of_node[i].append(log(ratio))
                    of_visits[i].append(own[i])
        of_node = {i: a for i, a in of_node.items() if len(a) >= _fewest_points}
        if len(of_node) < fewest_nodes:
            continue
        values = {i: quantiles(a, method="inclusive") for i, a in of_node.items()}
        tests: dict[int, list[tuple[float, float]]] = {i: [] for i in of_node}
        scales = dict.fromkeys(of_node, 0.0)
        degrees = degrees_of(len(of_node))
        for which, factor in enumerate(_errors_of_quartiles):
            column = [v[which] for v in values.values()]
            middle = median(column)
            scatter = {
                i: factor * typical_error(of_visits[i]) / sqrt(len(a)) for i, a in of_node.items()
            }
            typical = median(scatter.values())
            spread = max(deviation(column), _least_spread)
            for i, v in values.items():
                away = abs(v[which] - middle)
                scale = scale_of(spread, scatter[i], typical)
                scales[i] = max(scales[i], scale)
                tests[i].append((away, probability(away, scale, degrees)))
        for i, v in values.items():
            low, mid, high = map(exp, v)
            whole = Whole(i, part, len(of_node[i]), (low, mid, high), 1.0, False)
            found.append((whole, tests[i], scales[i], degrees))
    adjusted = holm([p for _, of_one, *_ in found for _, p in of_one])
    for n, (whole, of_one, scale, degrees) in enumerate(found):
        ps = zip(of_one, adjusted[3 * n : 3 * n + 3], strict=True)
        p = min((p for (size, _), p in ps if size > log1p(threshold)), default=1.0)
        least = detectable(scale, degrees, len(adjusted), threshold)
        group.wholes.append(replace(whole, p=p, differs=p < alpha, detectable=least))


def detectable(scale: float, degrees: float, tests: int, threshold: float) -> float:
    """The smallest change, as a ratio above 1, that is named in about 80 of 100 cases as one of so
    many tests (Bonferroni)."""
    reach = student_t(1 - alpha / tests, degrees) + student_t(2 * found_in - 1, degrees)
    return exp_or_infinity(max(log1p(threshold), scale * reach))


def deviation(away: Sequence[float]) -> float:
    """The standard deviation of normal values, from the median of distances to their median."""
    middle = median(away)
    return _mad_to_sigma * median(abs(x - middle) for x in away)


@lru_cache(maxsize=1024)
def _normal_width(n: int, cut: int) -> float:
    """The expected width of n standard normal values without the `cut` at either end (Blom 1958)."""
    return -2 * NormalDist().inv_cdf((cut + 0.625) / (n + 0.25))


def spread_of_point(away: Sequence[float], errors: Sequence[float]) -> float:
    """What costs of a point differ by between nodes, as a standard deviation.

    The median of distances does not see a second state that less than half of the nodes are in; the
    range without a tenth at either end does. Nor can it be less than what the files' own visits
    scatter by.
    """
    n, cut = len(away), max(1, len(away) // 10)
    ordered = sorted(away)
    width = (ordered[n - 1 - cut] - ordered[cut]) / _normal_width(n, cut) if n > 2 * cut + 1 else 0
    return max(deviation(away), width, typical_error(errors), _least_spread)


def typical_error(errors: Iterable[float]) -> float:
    known = [e for e in errors if isfinite(e)]
    return median(known) if known else 0.0


def scale_of(spread: float, error: float, typical: float) -> float:
    """A node whose own scatter is wider than that of most is judged by its own."""
    return sqrt(spread**2 + max(0.0, error**2 - typical**2))


def probability(distance: float, scale: float, degrees: float) -> float:
    """Two-sided; 1 where no correction could leave it, which saves a second for many nodes."""
    if not isfinite(scale) or distance < 2 * scale:
        return 1.0
    return min(1.0, 2 * student_t_tail(distance / scale, degrees))


def degrees_of(n: int) -> float:
    """Of the median distance of n values: by simulation Student's t of (n - 1) / 2 degrees is as far or
    a little farther out at 5, 1 and 0.1 %, from 3 values on."""
    return max(1.0, (n - 1) / 2)
