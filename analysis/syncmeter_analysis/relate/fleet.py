"""Which nodes of a run differ: every point over the nodes inside one placement state, and every node
over all its points. docs/fleet.md states the rule and its error rates.

All is in logarithms of costs. What nodes of one kind differ by anyhow is estimated from the nodes
themselves, so robustly that those that differ do not hide behind it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import exp, inf, log, log1p, sqrt

from syncmeter_analysis.record.point import Point
from syncmeter_analysis.relate.compare import alpha as alpha_of_all
from syncmeter_analysis.relate.compare import contended_threshold
from syncmeter_analysis.relate.fleet_rule import (
    degrees_of,
    deviation,
    holm_of,
    least_spread,
    probability,
    quantile,
    scale_of,
    spread_of_point,
    typical_error,
)
from syncmeter_analysis.relate.node import LeftOut, Node, Seen, odd_facts
from syncmeter_analysis.relate.states import State, class_bounds
from syncmeter_analysis.relate.stats import holm, median

#: Points and nodes are two families of tests, and share what may go wrong.
alpha = alpha_of_all / 2

#: Differences up to this, as a ratio of costs, count as none.
default_threshold = 0.02

#: Of fewer nodes nobody can tell which one differs.
fewest_nodes = 3

#: Of fewer points nothing is said of a node as a whole.
_fewest_points = 5

#: Costs of single points have such tails from campaign to campaign, as Student's t of so many degrees.
_tails_of_points = 4.0

#: The error of a quartile and of a median of n normal values is this times sigma / sqrt(n).
_quantiles = ((0.25, 1.36), (0.5, 1.2533), (0.75, 1.36))


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
    other states only. `failed` names nodes at which it gave a wrong result or never ended."""

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


@dataclass(frozen=True)
class Whole:
    """A node over all its points of a part ('CPU' or 'GPU'): the quartiles and the median of its ratios
    to the medians over nodes; `p` is Holm's adjusted p of the most telling of the three."""

    node: int
    part: str
    points: int
    quartiles: tuple[float, float, float]
    p: float
    differs: bool


@dataclass
class Group:
    """The nodes of one kind (CPU and GPU model). `names` are theirs, by number; `missing` counts the
    points which most nodes have and this one lacks; `facts` in which a node is not like most."""

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

    @property
    def differing(self) -> list[int]:
        """The numbers of the nodes that differ as a whole, at a point, or failed at one."""
        found = {whole.node for whole in self.wholes if whole.differs}
        for point in self.points:
            found.update(odd.node for odd in point.odd)
            found.update(point.failed)
        return sorted(found)


@dataclass
class Fleet:
    """All files of a run. `left_out` were not usable."""

    groups: list[Group]
    left_out: list[LeftOut]
    threshold: float

    @property
    def status(self) -> int:
        """Exit status: 1 some nodes differ; else 2 where a file was left out or a node could not be
        judged; else 0."""
        if any(group.differing for group in self.groups):
            return 1
        doubt = self.left_out or any(not g.judged or g.unjudged for g in self.groups)
        return 2 if doubt or not self.groups else 0


def fleet_of(found: Iterable[Node | LeftOut], threshold: float = default_threshold) -> Fleet:
    """Judges the nodes. Differences up to `threshold` count as none."""
    left_out: list[LeftOut] = []
    kinds: dict[str, list[Node]] = defaultdict(list)
    points: dict[str, Point] = {}
    for one in found:
        if isinstance(one, LeftOut):
            left_out.append(one)
            continue
        points.update(one.points)
        kinds[one.kind].append(one)
    groups = [
        _group(kind, nodes, points, threshold)
        for kind, nodes in sorted(kinds.items(), key=lambda item: -len(item[1]))
    ]
    return Fleet(groups, left_out, threshold)


def _group(kind: str, nodes: list[Node], points: dict[str, Point], threshold: float) -> Group:
    hosts = Counter(node.host for node in nodes)
    names = [node.host if node.host and hosts[node.host] == 1 else node.path for node in nodes]
    group = Group(kind, nodes, names)
    by_path = odd_facts(nodes)
    group.facts = {i: by_path[n.path] for i, n in enumerate(nodes) if n.path in by_path}
    if len(nodes) < fewest_nodes:
        return group
    keys = dict.fromkeys(key for n in nodes for key in (*n.seen, *n.failed))
    errors: list[dict[int, float]] = []
    for key in keys:
        at = _point_over_nodes(points[key], key, nodes)
        if at is not None:
            group.points.append(at[0])
            errors.append(at[1])
            if 2 * len(at[0].ratios) > len(nodes):
                group.missing.update(
                    i for i, n in enumerate(nodes) if key not in n.seen and key not in n.failed
                )
    _judge_points(group, errors, threshold)
    _judge_wholes(group, errors, threshold)
    return group


def _common_state(seen: Iterable[Seen]) -> State:
    """The state in which most nodes have the point; of several the quiet one, then the nearest."""
    every = list(seen)
    if not every:
        return State()
    bounds = class_bounds(s.hop_ns for s in every)
    counts: Counter[tuple[int, bool]] = Counter()
    hops: dict[tuple[int, bool], list[float]] = defaultdict(list)
    for s in every:
        which = bisect_right(bounds, s.hop_ns), s.busy
        counts[which] += 1
        if s.hop_ns > 0:
            hops[which].append(s.hop_ns)
    number, busy = max(counts, key=lambda which: (counts[which], not which[1], -which[0]))
    found = hops[number, busy]
    return State(number, busy, median(found) if found else 0.0)


def _point_over_nodes(
    point: Point, key: str, nodes: Sequence[Node]
) -> tuple[FleetPoint, dict[int, float]] | None:
    """The point, and the standard error of each node's own cost; None where fewer than three nodes have
    it in one state and none failed."""
    state = _common_state(s for n in nodes for s in n.seen.get(key, ()))
    chosen: dict[int, Seen] = {}
    elsewhere = []
    for i, n in enumerate(nodes):
        own = n.seen.get(key)
        if own is None:
            continue
        fitting = [s for s in own if State(0, s.busy, s.hop_ns).agrees(state)]
        if fitting:
            chosen[i] = max(fitting, key=lambda s: s.visits)
        else:
            elsewhere.append(i)
    failed = {i: n.failed[key] for i, n in enumerate(nodes) if key in n.failed}
    if len(chosen) < fewest_nodes:
        if not failed:
            return None
        chosen = {}
    middle = median(s.log_ns for s in chosen.values()) if chosen else 0.0
    away = {i: s.log_ns - middle for i, s in chosen.items()}
    errors = {i: s.error for i, s in chosen.items()}
    found = FleetPoint(
        point,
        any(key in n.gpu for n in nodes),
        state if state.busy or state.hop_ns > 0 else None,
        exp(middle) if chosen else inf,
        spread_of_point(list(away.values()), list(errors.values())) if chosen else inf,
        exp(min(away.values(), default=0.0)),
        exp(max(away.values(), default=0.0)),
        {i: exp(x) for i, x in away.items()},
        tuple(elsewhere),
        failed=failed,
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
    for (point, i, _), p in zip(found, holm_of([p for _, _, p in found], tests), strict=True):
        if p < alpha:
            point.odd.append(Odd(i, point.ratios[i], p))


def _judge_wholes(group: Group, errors: Sequence[dict[int, float]], threshold: float) -> None:
    """Each node's quartiles and median over its points against those of the other nodes."""
    found: list[tuple[Whole, list[tuple[float, float]]]] = []
    for part in ("CPU", "GPU"):
        of_node: dict[int, list[float]] = defaultdict(list)
        of_visits: dict[int, list[float]] = defaultdict(list)
        for point, own in zip(group.points, errors, strict=True):
            if point.gpu == (part == "GPU"):
                for i, ratio in point.ratios.items():
                    of_node[i].append(log(ratio))
                    of_visits[i].append(own[i])
        of_node = {i: sorted(a) for i, a in of_node.items() if len(a) >= _fewest_points}
        if len(of_node) < fewest_nodes:
            continue
        values = {i: [quantile(a, q) for q, _ in _quantiles] for i, a in of_node.items()}
        tests: dict[int, list[tuple[float, float]]] = {i: [] for i in of_node}
        degrees = degrees_of(len(of_node))
        for which, (_, factor) in enumerate(_quantiles):
            column = [v[which] for v in values.values()]
            middle = median(column)
            scatter = {
                i: factor * typical_error(of_visits[i]) / sqrt(len(a)) for i, a in of_node.items()
            }
            typical = median(scatter.values())
            spread = max(deviation(column), least_spread)
            for i, v in values.items():
                away = abs(v[which] - middle)
                p = probability(away, scale_of(spread, scatter[i], typical), degrees)
                tests[i].append((away, p))
        for i, v in values.items():
            low, mid, high = map(exp, v)
            whole = Whole(i, part, len(of_node[i]), (low, mid, high), 1.0, False)
            found.append((whole, tests[i]))
    adjusted = holm([p for _, of_one in found for _, p in of_one])
    for n, (whole, of_one) in enumerate(found):
        told = [
            p
            for (size, _), p in zip(of_one, adjusted[3 * n : 3 * n + 3], strict=True)
            if size > log1p(threshold)
        ]
        p = min(told, default=1.0)
        group.wholes.append(
            Whole(whole.node, whole.part, whole.points, whole.quartiles, p, p < alpha)
        )
