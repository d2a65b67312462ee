"""Points that differ only in their pair of CPUs: the cost of each pair, the classes of pairs, both
directions of a pair, and the machine from pass to pass."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
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
from syncmeter_analysis.relate import point_text
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.group import grouped, place_in
from syncmeter_analysis.relate.relation import (
    NotComparable,
    Ratio,
    Verdict,
    ratio,
    verdict,
)
from syncmeter_analysis.relate.stats import median
from syncmeter_analysis.relate.summary import Measured, gap_of_states
from syncmeter_analysis.relate.text import ns_of

_but_pus = key_without("pus")

#: The PUs of first and second lane.
Pair = tuple[int, int]


@dataclass
class PairClass:
    """What the pairs of one class cost in both directions; `pairs` of the machine, of which some have a
    cost in at least one direction."""

    name: str
    pairs: int
    found: list[Measured]

    @property
    def measured(self) -> int:
        return len({frozenset(s.point.pus) for s in self.found})

    @property
    def costs(self) -> list[float]:
        return list(map(ns_of, self.found))

    @property
    def hops(self) -> list[float]:
        """Of the pair probe, ns."""
        return [s.hop_ns for s in self.found if s.hop_ns > 0]

    @property
    def several_states(self) -> bool:
        return bool(self.hops) and max(self.hops) >= gap_of_states * min(self.hops)


@dataclass
class BothWays:
    """a to b over b to a, each inside a placement state that both ways saw."""

    over_back: dict[Pair, Ratio | NotComparable]

    @property
    def ratios(self) -> dict[Pair, Ratio]:
        return {pus: r for pus, r in self.over_back.items() if isinstance(r, Ratio)}

    @property
    def shares(self) -> dict[Pair, float]:
        """By how much the slower direction exceeds the other."""
        return {pus: max(r.value, 1 / r.value) - 1 for pus, r in self.ratios.items()}

    def count(self, *verdicts: Verdict) -> int:
        return sum(verdict(r) in verdicts for r in self.over_back.values())


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
    cells: dict[Pair, Measured]
    classes: list[PairClass]
    ways: BothWays
    drift: Drift | None

    @property
    def name(self) -> str:
        """`omp handoff`; with the home of the token's lines where it is not the usual one."""
        usual = ("lanes", "home") if self.what.home == "first" else ("lanes",)
        return point_text.short_name(self.what, usual)

    @property
    def measured(self) -> list[Measured]:
        return [s for s in self.cells.values() if s.usable]

    @property
    def costs(self) -> list[float]:
        return list(map(ns_of, self.measured))


def rows(campaign: Campaign) -> list[Matrix]:
    """A matrix for each group of two points or more that differ in nothing but the two PUs that they
    name; only of files that say where their PUs sit."""
    places = units_of(file.campaign for file in campaign.files)

    def belongs(s: Measured) -> bool:
        of_pair = len(s.point.pus) == 2 and all(pu in places for pu in s.point.pus)
        return of_pair and s.status not in ("unsupported", "elided")

    groups = grouped(filter(belongs, campaign.points.values()), lambda s: _but_pus(s.point))
    several = [group for group in groups.values() if len(group) > 1]
    if not several:
        return []
    class_of = _classes(places)
    # A large machine has 100,000 pairs.
    pairs = Counter(map(class_of, combinations(places, 2)))
    homes = ("", "first", "second", "other")

    def order(m: Matrix) -> tuple[object, ...]:
        home = place_in(homes, m.what.home)
        return m.what.backend, m.family, m.what.op, home, m.what.key

    return sorted((_matrix(of, places, pairs, class_of) for of in several), key=order)


#: The rank of a class of pairs from the closest on, and its name.
ClassKey = tuple[int, str]


def _classes(places: Mapping[int, Unit]) -> Callable[[Iterable[int]], ClassKey]:
    """What tells the class of two PUs of the machine."""
    several_kinds = len({place.get("kind", -1) for place in places.values()}) > 1

    def class_of(pair: Iterable[int]) -> ClassKey:
        a, b = (places[pu] for pu in pair)
        name = pair_class(a, b)
        return pair_classes.index(name), name + kinds_of(a, b, several_kinds)

    return class_of


def _matrix(
    group: list[Measured],
    places: dict[int, Unit],
    pairs: Mapping[ClassKey, int],
    class_of: Callable[[Iterable[int]], ClassKey],
) -> Matrix:
    cells = {(s.point.pus[0], s.point.pus[1]): s for s in group}
    apart = (s for (first, second), s in cells.items() if s.usable and first != second)
    by_class = grouped(apart, lambda s: class_of(s.point.pus))
    return Matrix(
        group[0].point.without("pus"),
        group[0].family,
        in_topology_order(places),
        places,
        cells,
        [PairClass(key[1], n, by_class.get(key, [])) for key, n in sorted(pairs.items())],
        BothWays(
            {
                (a, b): ratio(cells[a, b], cells[b, a])
                for a, b in sorted(cells)
                if a < b and (b, a) in cells
            }
        ),
        _drift(group),
    )


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
