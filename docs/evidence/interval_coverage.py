#!/usr/bin/env python3
"""Coverage of intervals over repetitions, and verdicts on pairs of whole runs: tables of docs/evidence/intervals.md and
comparisons.md.

Needs Python only: `PYTHONPATH=analysis python3 docs/evidence/interval_coverage.py [FILES]`. With FILES, which `syncmeter ab
--command --output` wrote, the second table alone, of pairs drawn from these.
"""

import json
import math
import random
import sys
from functools import cache
from itertools import combinations_with_replacement
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


def coverage():
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


# Logarithms of the times of one run: the pairs of a program differ by those of two.
RUNS = (
    ("normal, 3 %", lambda rng: rng.gauss(0, 0.03)),
    ("normal, 10 %", lambda rng: rng.gauss(0, 0.1)),
    (
        "2 %, one in six delayed",
        lambda rng: rng.gauss(0, 0.02)
        + math.log1p(rng.expovariate(1 / 0.3)) * (rng.random() < 1 / 6),
    ),
    (
        "2 %, 30 % of them 1.3 times",
        lambda rng: rng.gauss(0, 0.02) + math.log(1.3) * (rng.random() < 0.3),
    ),
)


@cache
def means_left_out(n, alpha):
    """How many means of two of n values the interval of signed ranks leaves out on each side; -1: of
    so few values there is none."""
    ways = [1.0]
    for rank in range(1, n + 1):
        ways = [(a + b) / 2 for a, b in zip(ways + [0.0] * rank, [0.0] * rank + ways)]
    out, below = -1, ways[0]
    while below <= alpha / 2:
        out += 1
        below += ways[out + 1]
    return out


def signed_ranks(logs, alpha):
    out = means_left_out(len(logs), alpha)
    if out < 0:
        return -math.inf, math.inf
    means = sorted((a + b) / 2 for a, b in combinations_with_replacement(logs, 2))
    return means[out], means[-1 - out]


def order_statistics(logs, alpha):
    found = over_visits([math.exp(x) for x in logs], 1 - alpha)
    return math.log(found.low), math.log(found.high)


def also_student(logs, alpha):
    """Both have to say it."""
    low, high = order_statistics(logs, alpha)
    middle, n = median(logs), len(logs)
    half = scatter_of_median(n) * student_t(1 - alpha, n - 1) * stdev(logs) / math.sqrt(n)
    return min(low, middle - half), max(high, middle + half)


LOOKS = [8, 12, 18, 27, 41, 62]
RULES = (
    ("order statistics and Student's t, halves", also_student, lambda look: 0.5 ** (look + 1)),
    ("signed ranks, tenths", signed_ranks, lambda look: 0.1),
    ("order statistics, half, then tenths", order_statistics, lambda look: 0.1 if look else 0.5),
    ("**order statistics, tenths**", order_statistics, lambda look: 0.1),
)


def judged(draw, change, threshold, interval, share):
    """The verdict (1: slower, -1: faster, 0: the same, None) and the pairs that it took."""
    logs, margin = [], math.log1p(threshold)
    for look, pairs in enumerate(LOOKS):
        logs += [draw() + math.log1p(change) for _ in range(pairs - len(logs))]
        low, high = interval(logs, 0.05 * share(look))
        if low > margin or high < -margin:
            return (1 if low > margin else -1), pairs
        if -margin <= low and high <= margin:
            return 0, pairs
    return None, LOOKS[-1]


#: Of each: the change, the threshold, and the verdicts that are right (of no change: that are wrong).
CASES = (
    (0, 0.01, {1, -1}),
    (0.05, 0.01, {1}),
    (0.1, 0.01, {1}),
    (0.2, 0.01, {1}),
    (0, 0.1, {0}),
)


def programs(pairs_of, trials=1000):
    """What the looks of `syncmeter ab --command` say of programs whose pairs are drawn so."""
    print("\n| runs | rule | unchanged: alarms | 5 % | 10 % | 20 % slower | same within 10 % |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for name, draw in pairs_of:
        for rule, interval, share in RULES:
            rng, cells = random.Random(39), []
            for change, threshold, counted in CASES:
                verdicts = [
                    judged(lambda: draw(rng), change, threshold, interval, share)
                    for _ in range(trials)
                ]
                found = 100 * sum(verdict in counted for verdict, _ in verdicts) / trials
                pairs = sum(pairs for _, pairs in verdicts) / trials
                cells.append(f"{found:.0f} %, {pairs:.0f}" if cells else f"{found:.1f} %")
            print(f"| {name} | {rule} | " + " | ".join(cells) + " |", flush=True)


def pair_of(draw):
    return lambda rng: draw(rng) - draw(rng)


def measured(path):
    """Pairs drawn from those of a file, around their median, in either order."""
    with open(path) as file:
        a, b = (arm["runs"] for arm in json.load(file)["arms"])
    logs = [math.log(y["figure"] / x["figure"]) for x, y in zip(a, b)]
    middle = median(logs)
    return lambda rng: (rng.choice(logs) - middle) * rng.choice((1, -1))


if sys.argv[1:]:
    programs([(path, measured(path)) for path in sys.argv[1:]])
else:
    coverage()
    programs([(name, pair_of(draw)) for name, draw in RUNS])
