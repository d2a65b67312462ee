#!/usr/bin/env python3
"""False alarms and power of `compare`: the tables of docs/estimates.md.

Needs Python and `syncmeter` (on PATH, or in the folder SYNCMETER_BIN): `PYTHONPATH=analysis python3
scripts/compare_power.py FILES`, campaigns of one machine with nothing changed between them. Every pair is compared as it
is, then with one point at a time made slower in the second.
"""

import argparse
import random
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import combinations
from statistics import median

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.campaign import read_campaign
from syncmeter_analysis.relate.compare import compare_points
from syncmeter_analysis.relate.relation import Verdict


def slower(s, factor):
    """The point with all of its visits so many times as long."""
    def scaled(i):
        return i and Interval(i.value * factor, i.low * factor, i.high * factor)
    return replace(s, cost=scaled(s.cost), cycles=scaled(s.cycles), least_cycles=tuple(c * factor for c in s.least_cycles),
                   by_visit={n: {state: (ns * factor, rounds) for state, (ns, rounds) in states.items()}
                             for n, states in s.by_visit.items()})


def kind(s):
    if s.on_gpu:
        return "launch" if s.family == "launch" else "inside the GPU"
    if s.hop_ns > 0:
        return "lanes that meet"
    return "one lane" if s.point.lanes == 1 else "separate cells"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--planted", type=int, default=20, help="points of each pair that are made slower, one by one")
    parser.add_argument("--factors", default="1.1,1.3,2")
    options = parser.parse_args()
    random.seed(1)
    campaigns = [read_campaign([path]).points for path in options.files]
    factors = [float(text) for text in options.factors.split(",")]
    alarms, compared, named, found, detectable = 0, 0, Counter(), defaultdict(Counter), defaultdict(list)
    pairs = list(combinations(campaigns, 2))
    for old, new in pairs:
        points = {key: (old[key], new[key]) for key in new if key in old}

        def judged(points):
            # What shares its measurement with another is compared at the first.
            differences = compare_points(list(points.values()), ("old", "new"), 0.05, in_cycles=True).differences
            return {d.new.point.key: d for d in differences}

        found_here = judged(points)
        wrong = [d for d in found_here.values() if d.verdict in (Verdict.slower, Verdict.faster)]
        alarms, compared = alarms + bool(wrong), compared + len(found_here)
        named.update(d.new.point.op for d in wrong)
        for d in found_here.values():
            detectable[kind(d.new)].append(d.detectable)
        for key in random.sample(sorted(found_here), min(options.planted, len(found_here))):
            for factor in factors:
                planted = points | {key: (points[key][0], slower(points[key][1], factor))}
                says = judged(planted)[key].verdict
                found[kind(points[key][1]), factor][says is Verdict.slower] += 1
    print(f"{len(pairs)} pairs, {compared} points compared; something differs in {alarms} pairs", dict(named) or "")
    print("\n| points | slower by | found | of | detectable (median) |\n| --- | --- | ---: | ---: | ---: |")
    for (what, factor), counts in sorted(found.items()):
        print(f"| {what} | {factor:g} times | {100 * counts[True] / counts.total():.0f} % | {counts.total()} | "
              f"{median(detectable[what]):.3g} |")


main()
