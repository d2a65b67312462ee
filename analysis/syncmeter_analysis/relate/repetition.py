"""How far a repetition lands: headline costs of a second campaign from those of this one, and whether
it would decide the same of a comparison.

What the visits of one campaign tell is found by drawing visits anew (the bootstrap: Efron, Bootstrap
methods, 1979), whatever their distribution. What no campaign can tell of itself, as all of its visits
had it in common, is a constant; docs/evidence/comparisons.md has where it was measured.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from statistics import NormalDist, median

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.record.machine import Machine
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.evidence import Pair, Pairs
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.relation import Ratio
from syncmeter_analysis.relate.scatter import enough_degrees, moderated, prior_of, wander_of_two
from syncmeter_analysis.relate.stats import student_t
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.visit_pairs import kind_of, kinds

#: Standard deviation of the logarithm from campaign to campaign beyond the visits: the clock of CPUs,
#: which stays for minutes where it is, unless it is fixed; what differs inside a GPU; and whatever a
#: process that launches keeps.
_clock_wanders = 0.03
_clock_is_fixed = 0.001
_gpu_wanders = 0.003
_launches_wander = 0.04
#: 9 of 10 differences of medians of n visits that were drawn anew stay within so many times what
#: those of n new visits do: 1.08 to 1.22 times for 3 to 20 normal values, 0.69 times for two.
_drawn_too_wide = 1.15
_two_drawn_too_wide = 0.69
#: Differences that are drawn of a point, that are enough for all of a kind, and that are used of these.
_draws = 32
_enough_drawn = 4096
_most_used = 400
#: Repeats that are drawn of a comparison, and the share of them that has to decide as the campaign did:
#: of 30 repeats one or two may decide otherwise than a card, and hardly one than an answer that names
#: what to take.
_repeats = 200
_share_alike = 19 / 20
share_alike_of_answers = 99 / 100
#: Drawing ends where all have decided alike, as so seldom they would were that share only just true.
_by_chance = 1 / 100
#: Logarithm of the largest factor by which a ratio is moved, and the least value of chi squared: beyond
#: these numbers have no meaning, and floats an end.
_farthest, _least_chi_squared = 50.0, 1e-9
#: 95 % of normal values lie within so many standard deviations.
_of_95_percent = NormalDist().inv_cdf(0.975)


def repetition(campaign: Campaign, share: float = 0.9) -> dict[str, float]:
    """How far this share of the headline costs of a second campaign would land from those of this one,
    in the same placement: by kind of points, as a ratio above 1; without kinds whose scatter is not
    known."""
    known = [
        (kind_of(s), _wander_of(s, campaign.machine), costs)
        for s in campaign.points.values()
        if s.usable and len(costs := s.visit_costs(s.state)) > 1
    ]
    points = Counter(kind for kind, *_ in known)
    drawn: dict[str, list[tuple[float, float]]] = defaultdict(list)
    degrees: dict[str, int] = defaultdict(int)
    rng = random.Random(1)
    for kind, wander, costs in known:
        draws = min(_draws, math.ceil(_enough_drawn / points[kind]))
        drawn[kind] += [(each, wander) for each in _drawn_differences(costs, draws, rng)]
        degrees[kind] += len(costs) - 1
    # The visits of few points may all lie closer together than those of a repetition.
    normal = NormalDist().inv_cdf((1 + share) / 2)
    few = {kind: student_t(share, n) / normal for kind, n in degrees.items()}
    return {
        kind: math.exp(_reach_of(drawn[kind], share) * few[kind]) for kind in kinds if drawn[kind]
    }


def _wander_of(s: Measured, machine: Machine) -> float:
    """Standard deviation of the logarithm of its cost between campaigns, beyond what visits tell."""
    if s.on_gpu:
        return _wander_but_for_clock(s)
    fixed = machine.turbo == "off" and not machine.hypervisor
    clock = _clock_is_fixed if fixed else _clock_wanders
    return math.hypot(clock, _wander_but_for_clock(s))


def _wander_but_for_clock(s: Measured) -> float:
    """The same of its ratio to another point, which the clock of a CPU slows as well."""
    if s.on_gpu:
        return _launches_wander if s.family == "launch" else _gpu_wanders
    return wander_of_two(s)


def _drawn_differences(costs: Sequence[float], draws: int, rng: random.Random) -> list[float]:
    """So many distances between medians of as many visits drawn from these, as logarithms."""
    logs, n = [math.log(cost) for cost in costs], len(costs)
    too_wide = _two_drawn_too_wide if n == 2 else _drawn_too_wide
    medians = [median(rng.choices(logs, k=n)) for _ in range(2 * draws)]
    return [abs(a - b) / too_wide for a, b in zip(medians[::2], medians[1::2], strict=True)]


def _reach_of(drawn: Sequence[tuple[float, float]], share: float) -> float:
    """What this share of differences of logarithms stays within, each of them one that was drawn and
    the difference of two normal values of its `wander`: by bisection, of a sample."""
    used = sorted(drawn)[:: max(1, len(drawn) // _most_used)]
    normal = NormalDist()
    low, high = 0.0, 20.0
    while high - low > 1e-4:
        middle = (low + high) / 2
        within = 0.0
        for difference, wander in used:
            sigma = math.sqrt(2) * wander
            within += normal.cdf((middle - difference) / sigma)
            within -= normal.cdf((-middle - difference) / sigma)
        low, high = (middle, high) if within < share * len(used) else (low, middle)
    return high


class Repeats:
    """What repeats of a campaign would decide of the comparisons that were made in it.

    In a repeat visits are drawn anew, and a point lies where campaigns place it beyond their visits.
    The few visits of one pair say little of their scatter, so that its variance is shrunk towards that
    of all pairs of its kind (relate/scatter.py), where these are enough.
    """

    def __init__(self, pairs: Iterable[Pair]) -> None:
        by_kind = grouped((p for p in pairs if _scatter_is_known(p.ratio)), _kind_of)
        self._priors = {
            kind: prior_of([(p.ratio.error**2, p.ratio.degrees) for p in alike])
            for kind, alike in by_kind.items()
            if sum(p.ratio.degrees for p in alike) >= enough_degrees
        }

    def decide_alike(
        self, pairs: Pairs, decide: Callable[[Pairs], str], share: float = _share_alike
    ) -> bool:
        """Whether 19 of 20, or this share, would decide the same of these pairs."""
        rng, decided = random.Random(1), decide(pairs)
        anew = [self._anew(p) for p in pairs.found]
        others = 0
        for drawn in range(1, _repeats + 1):
            away: dict[str, float] = {}
            others += decide(_Repeat(pairs, [a.draw(away, rng) for a in anew])) != decided
            if others > (1 - share) * _repeats:
                return False
            if not others and share**drawn < _by_chance:
                break
        return True

    def _anew(self, p: Pair) -> _Anew:
        r = p.ratio
        if not _scatter_is_known(r):
            # One visit to a GPU has its interval over rounds.
            bounded = r.bounded and r.low > 0
            half = math.log(r.high / r.low) / 2 if bounded else 0.0
            return _Anew(p, (half / _of_95_percent) ** 2)
        prior = self._priors.get(_kind_of(p), (0.0, 0.0))
        return _Anew(p, *moderated(prior, [(r.error**2, r.degrees)]))


class _Anew:
    """A pair whose visits are drawn anew, by this variance of the logarithm of its ratio; without
    degrees of freedom its interval stays as wide as it is."""

    def __init__(self, pair: Pair, variance: float, degrees: float = 0.0) -> None:
        self._variance, self._degrees = variance, degrees
        self._of_repeat, self._error = pair.ratio.degrees, pair.ratio.error
        self._ends = [
            (s.id, math.sqrt(2) * _wander_but_for_clock(s)) for s in (pair.over, pair.under)
        ]

    def draw(self, away: dict[str, float], rng: random.Random) -> _Drawn:
        """Draws a repeat; how far points lie away there is kept in `away`, by their names."""
        variance, wider = self._variance, 1.0
        if self._degrees:
            # What the variance may be in truth, and what the visits of the repeat show of it.
            variance *= self._degrees / _chi_squared(self._degrees, rng)
            shown = variance * _chi_squared(self._of_repeat, rng) / self._of_repeat
            wider = math.sqrt(shown) / self._error
        moved = rng.gauss(0, math.sqrt(2 * variance))
        for id, wander in self._ends:
            if id not in away:
                away[id] = rng.gauss(0, wander)
        (over, _), (under, _) = self._ends
        return _factor(moved + away[over] - away[under]), wider


#: The ratio of a pair in a repeat: how many times that of the campaign it is, and how many times as
#: wide its interval.
_Drawn = tuple[float, float]


def _moved(p: Pair, factor: float, wider: float) -> Pair:
    r = p.ratio
    interval = _as_wide(r.interval, wider).scaled(factor)
    error, over_ns = r.error * wider, r.over_ns * factor
    return replace(p, ratio=replace(r, interval=interval, error=error, over_ns=over_ns))


class _Repeat(Pairs):
    """Pairs as another campaign may have them. Most decisions go by the typical ratio, which is of the
    values alone where there are many: pairs are made for the others."""

    def __init__(self, pairs: Pairs, drawn: Sequence[_Drawn]) -> None:
        self.without, self.measurements = pairs.without, pairs.measurements
        self._drawn = list(zip(pairs.found, drawn, strict=True))

    @property
    def values(self) -> list[float]:
        return [p.ratio.value * factor for p, (factor, _) in self._drawn]

    @cached_property
    def found(self) -> list[Pair]:  # type: ignore[override]
        return [_moved(p, *drawn) for p, drawn in self._drawn]


def _kind_of(p: Pair) -> str:
    """Few comparisons are made of one kind of points of a CPU, and their scatter is alike enough."""
    return kind_of(p.over) if p.over.on_gpu else "on the CPU"


def _scatter_is_known(r: Ratio) -> bool:
    return r.bounded and r.low > 0 and math.isfinite(r.error) and r.error > 0 and r.degrees > 0


def _chi_squared(degrees: float, rng: random.Random) -> float:
    return max(rng.gammavariate(degrees / 2, 2), _least_chi_squared)


def _as_wide(i: Interval, times: float) -> Interval:
    """The interval so many times as wide, on logarithms."""
    if times == 1:
        return i
    low, high = (i.value * _factor(times * math.log(x / i.value)) for x in (i.low, i.high))
    return Interval(i.value, low, high)


def _factor(logarithm: float) -> float:
    return math.exp(max(-_farthest, min(logarithm, _farthest)))
