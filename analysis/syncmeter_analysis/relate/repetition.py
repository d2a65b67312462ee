"""How far a repetition lands: headline costs of a second campaign from those of this one.

What the visits of one campaign tell is found by drawing visits anew (the bootstrap: Efron, Bootstrap
methods, 1979), whatever their distribution. What no campaign can tell of itself, as all of its visits
had it in common, is a constant; docs/estimates.md has where it was measured.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Sequence
from statistics import NormalDist, median

from syncmeter_analysis.record.machine import Machine
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.scatter import kind_of, kinds, wander_of_two
from syncmeter_analysis.relate.stats import student_t
from syncmeter_analysis.relate.summary import Measured

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
#: Differences that are drawn of each point, and that are used of all of a kind.
_draws = 32
_most_used = 400


def repetition(campaign: Campaign, share: float = 0.9) -> dict[str, float]:
    """How far this share of the headline costs of a second campaign would land from those of this one,
    in the same placement: by kind of points, as a ratio above 1; without kinds whose scatter is not
    known."""
    drawn: dict[str, list[tuple[float, float]]] = defaultdict(list)
    degrees: dict[str, int] = defaultdict(int)
    rng = random.Random(1)
    for s in campaign.points.values():
        costs = s.visit_costs(s.state) if s.usable else []
        if len(costs) > 1:
            kind, wander = kind_of(s), _wander_of(s, campaign.machine)
            drawn[kind] += [(each, wander) for each in _drawn_differences(costs, rng)]
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
        return _launches_wander if s.family == "launch" else _gpu_wanders
    fixed = machine.turbo == "off" and not machine.hypervisor
    clock = _clock_is_fixed if fixed else _clock_wanders
    return math.hypot(clock, wander_of_two(s))


def _drawn_differences(costs: Sequence[float], rng: random.Random) -> list[float]:
    """Distances between medians of so many visits that were drawn from these, as logarithms."""
    logs, n = [math.log(cost) for cost in costs], len(costs)
    too_wide = _two_drawn_too_wide if n == 2 else _drawn_too_wide
    medians = [median(rng.choices(logs, k=n)) for _ in range(2 * _draws)]
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
