#!/usr/bin/env python3
"""How often intervals over visits hold the median that they are about: the table of docs/estimates.md.

Needs Python only: `PYTHONPATH=analysis python3 scripts/interval_coverage.py`.
"""

import math
import random
from statistics import NormalDist, median

from syncmeter_analysis.relate.stats import student_t
from syncmeter_analysis.relate.stats import over_visits, scatter_of_median, stdev

TRIALS = 10_000
COUNTS = range(2, 11)


def student(values):
    n, middle = len(values), median(values)
    half = scatter_of_median(n) * student_t(0.95, n - 1) * stdev(values) / math.sqrt(n)
    return middle - half, middle + half


def student_on_logarithms(values):
    low, high = student([math.log(x) for x in values])
    return math.exp(low), math.exp(high)


def extremes(values):
    return min(values), max(values)


def chosen(values):
    found = over_visits(values)
    return found.low, found.high


def two_states(rng, share, ratio):
    return (1.0 if rng.random() < share else ratio) * math.exp(rng.gauss(0, 0.03))


def middle_of(share):
    """The median of two states that do not overlap, where the lower has more than half."""
    return math.exp(0.03 * NormalDist().inv_cdf(0.5 / share))


SHAPES = (
    ("normal, 10 %", lambda rng: rng.gauss(1, 0.1), 1.0),
    *(
        (f"log-normal, sigma {s}", lambda rng, s=s: math.exp(rng.gauss(0, s)), 1.0)
        for s in (0.1, 0.5, 1.0)
    ),
    *(
        (
            f"two states, {share:.0%} and {ratio} times",
            lambda rng, a=share, b=ratio: two_states(rng, a, b),
            middle_of(share),
        )
        for share, ratio in ((0.7, 1.5), (0.7, 3), (0.7, 10), (0.9, 3))
    ),
)
CANDIDATES = (student, student_on_logarithms, extremes, chosen)

print("| visits of | interval | " + " | ".join(map(str, COUNTS)) + " |")
print("| --- | --- |" + " ---: |" * len(COUNTS))
for name, draw, truth in SHAPES:
    for candidate in CANDIDATES:
        rng, shares = random.Random(16), []
        for n in COUNTS:
            held = 0
            for _ in range(TRIALS):
                low, high = candidate([abs(draw(rng)) for _ in range(n)])
                held += low <= truth <= high
            shares.append(f"{100 * held / TRIALS:.0f}")
        print(
            f"| {name} | {candidate.__name__.replace('_', ' ')} | " + " | ".join(shares) + " |",
            flush=True,
        )
