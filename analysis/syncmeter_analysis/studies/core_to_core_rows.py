"""The cost between pairs of PUs: a matrix for each op in the order of the topology, its classes, a pair
in both directions, and the machine from pass to pass."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

from syncmeter_analysis.record.point import Point, key_without
from syncmeter_analysis.record.topology import (
    Unit,
    in_topology_order,
    kinds_of,
    pair_class,
    pair_classes,
    units_of,
)
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.relation import NotComparable, Ratio, Verdict, ratio, verdict
from syncmeter_analysis.relate.states import gap_of_states
from syncmeter_analysis.relate.stats import median
from syncmeter_analysis.relate.summary import Measured

# The driver's limit; of a larger machine it measures a sample.
_most_pus_for_all_pairs = 128

_but_pus = key_without("pus")


@dataclass
class PairClass:
    """What the pairs of one class cost in both directions, ns; `pairs` of the machine, of which
    `measured` have a cost in at least one direction. `hops` are of the pair probe, ns."""

    name: str
    pairs: int = 0
    measured: int = 0
    costs: list[float] = field(default_factory=list)
    hops: list[float] = field(default_factory=list)
    points: list[str] = field(default_factory=list)

    @property
    def several_states(self) -> bool:
        return bool(self.hops) and max(self.hops) >= gap_of_states * min(self.hops)


@dataclass
class BothWays:
    """a to b over b to a, each inside a placement state that both ways saw; `apart` counts those that
    cannot be compared, by reason."""

    ratios: dict[tuple[int, int], Ratio] = field(default_factory=dict)
    apart: Counter[str] = field(default_factory=Counter)

    @staticmethod
    def share(r: Ratio) -> float:
        """By how much the slower direction exceeds the other."""
        return max(r.value, 1 / r.value) - 1

    @property
    def farthest(self) -> tuple[int, int]:
        return max(self.ratios, key=lambda pus: self.share(self.ratios[pus]))

    def count(self, *verdicts: Verdict) -> int:
        return sum(verdict(r) in verdicts for r in self.ratios.values())


@dataclass(frozen=True)
class Drift:
    """Of the `pairs` seen in each of several passes the least and the most, over passes, of the median
    over these pairs, ns."""

    pairs: int
    passes: int
    least_ns: float
    most_ns: float


@dataclass
class Matrix:
    """Points that differ in nothing but their pair of PUs: `what` without PUs, `units` every PU in
    topology order, `cells` by the PUs of first and second lane."""

    what: Point
    family: str
    units: list[int]
    places: dict[int, Unit]
    cells: dict[tuple[int, int], Measured]
    classes: list[PairClass]
    ways: BothWays
    drift: Drift | None

    @property
    def costs(self) -> list[float]:
        return [cost for s in self.cells.values() if (cost := cost_of(s)) is not None]

    @property
    def points(self) -> list[str]:
        return [s.id for s in self.cells.values()]

    @property
    def sampled(self) -> bool:
        """The driver measured some pairs of each class."""
        return len(self.units) > _most_pus_for_all_pairs


@dataclass
class CoreToCore:
    """All matrices; falsy without one. `one_node`: the machine has one NUMA node."""

    matrices: list[Matrix]
    one_node: bool = False

    def __bool__(self) -> bool:
        return bool(self.matrices)


def cost_of(s: Measured | None) -> float | None:
    return s.cost.value if s is not None and s.usable and s.cost is not None else None


def rows(campaign: Campaign) -> CoreToCore:
    """A matrix for each group of two points or more that differ in nothing but the two PUs that they
    name; only of files that say where their PUs sit."""
    places = _Places(units_of(file.campaign for file in campaign.files))
    groups: dict[object, list[Measured]] = defaultdict(list)
    for s in campaign.points.values():
        refused = s.status in ("unsupported", "elided")
        if len(s.point.pus) == 2 and not refused and all(pu in places.of for pu in s.point.pus):
            groups[_but_pus(s.point)].append(s)
    matrices = [_matrix(group, places) for group in groups.values() if len(group) > 1]
    machine = campaign.files[0].campaign.get("machine")
    nodes = machine.get("numa_nodes") if isinstance(machine, dict) else None
    homes = ("", "first", "second", "other")

    def order(m: Matrix) -> tuple[object, ...]:
        home = homes.index(m.what.home) if m.what.home in homes else len(homes)
        return m.what.backend, m.family, m.what.op, home, m.what.key

    return CoreToCore(sorted(matrices, key=order), nodes == 1)


def _matrix(group: list[Measured], places: _Places) -> Matrix:
    cells = {(s.point.pus[0], s.point.pus[1]): s for s in group}
    return Matrix(
        group[0].point.without("pus"),
        group[0].family,
        places.units,
        places.of,
        cells,
        _classes(cells, places),
        _both_ways(cells),
        _drift(group),
    )


class _Places:
    """Where the PUs of the machine sit, and how many of its pairs are of each class."""

    def __init__(self, places: dict[int, Unit]) -> None:
        self.of = places
        self.units = in_topology_order(places)
        self._several_kinds = len({place.get("kind", -1) for place in places.values()}) > 1

    @cached_property
    def pairs(self) -> Counter[tuple[int, str]]:
        """Found where a matrix asks for them: a large machine has 100,000."""
        return Counter(
            self.class_of(first, second) for first, second in combinations(self.units, 2)
        )

    def class_of(self, first: int, second: int) -> tuple[int, str]:
        """Its rank from the closest on, and its name."""
        a, b = self.of[first], self.of[second]
        name = pair_class(a, b)
        return pair_classes.index(name), name + kinds_of(a, b, self._several_kinds)


def _classes(cells: dict[tuple[int, int], Measured], places: _Places) -> list[PairClass]:
    """The classes that the machine has, the closest first."""
    found = {key: PairClass(key[1], pairs) for key, pairs in sorted(places.pairs.items())}
    measured: dict[tuple[int, str], set[frozenset[int]]] = defaultdict(set)
    for pus, s in cells.items():
        cost = cost_of(s)
        if cost is None or pus[0] == pus[1]:
            continue
        key = places.class_of(*pus)
        measured[key].add(frozenset(pus))
        found[key].costs.append(cost)
        found[key].points.append(s.id)
        if s.hop_ns > 0:
            found[key].hops.append(s.hop_ns)
    for key, seen in measured.items():
        found[key].measured = len(seen)
    return list(found.values())


def _both_ways(cells: dict[tuple[int, int], Measured]) -> BothWays:
    result = BothWays()
    for (first, second), there in sorted(cells.items(), key=lambda cell: cell[0]):
        back = cells.get((second, first))
        if first >= second or back is None:
            continue
        r = ratio(there, back)
        if isinstance(r, NotComparable):
            result.apart[r.why] += 1
        else:
            result.ratios[first, second] = r
    return result


def _drift(group: Iterable[Measured]) -> Drift | None:
    """None with fewer than two passes over most of the pairs. Only pairs that all of these passes saw
    count: a pass that was cut short saw other pairs, not another machine."""
    by_pass: dict[tuple[str, int], dict[str, float]] = defaultdict(dict)
    for s in group:
        for number, states in s.by_visit.items():
            cost, _ = max(states.values(), key=lambda seen: seen[1])
            if cost > 0:
                by_pass[s.source, number][s.point.key] = cost
    most = max((len(costs) for costs in by_pass.values()), default=0)
    passes = [costs for costs in by_pass.values() if 2 * len(costs) > most]
    common = set.intersection(*map(set, passes)) if len(passes) > 1 else set()
    if not common:
        return None
    medians = [median(costs[key] for key in common) for costs in passes]
    return Drift(len(common), len(passes), min(medians), max(medians))


def heat_of(cost: float, costs: list[float]) -> float:
    """Its place between the least and the most, on logarithms. Costs of one kind are not made to look
    different by a scale that their noise sets."""
    least = min(costs)
    return math.log(cost / least) / math.log(max(max(costs) / least, gap_of_states))
