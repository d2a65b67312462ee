#!/usr/bin/env python3
"""False alarms and power of `compare`, and how far a repetition lands: the tables of docs/estimates.md.

Needs Python and `syncmeter` (on PATH, or in the folder SYNCMETER_BIN): `PYTHONPATH=analysis python3
scripts/compare_power.py FILES`, campaigns of one machine with nothing changed between them. Every pair is compared as it
is, then with one point at a time made slower in the second.
"""

import argparse
import random
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import combinations, permutations
from statistics import median

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.campaign import read_campaign
from syncmeter_analysis.relate.compare import compare_points
from syncmeter_analysis.relate.relation import Verdict
from syncmeter_analysis.relate.scatter import kind_of, repetition


def slower(s, factor):
    """The point with all of its visits so many times as long."""
    def scaled(i):
        return i and Interval(i.value * factor, i.low * factor, i.high * factor)
    return replace(s, cost=scaled(s.cost), cycles=scaled(s.cycles), 
                   cycles_by_visit=[({of: c * factor for of, c in cycles.items()}, slow) for cycles, slow in s.cycles_by_visit],
                   by_visit={n: {state: (ns * factor, rounds) for state, (ns, rounds) in states.items()}
                             for n, states in s.by_visit.items()})


def same_place(a, b):
    """Both headlines are of one placement state, or of none."""
    return a.on_gpu or a.state.agrees(b.state)


def coverage(campaigns):
    """Of the headlines of each campaign those within what another one says of a repetition, by kind of points."""
    inside, reach = defaultdict(Counter), defaultdict(list)
    for first, second in permutations(campaigns, 2):
        said = repetition(first.points.values(), first.machine.hypervisor)
        for what, ratio in said.items():
            reach[what].append(ratio)
        for key, a in first.points.items():
            b = second.points.get(key)
            if b is not None and a.usable and b.usable and same_place(a, b) and kind_of(a) in said:
                apart = max(a.cost.value, b.cost.value) / min(a.cost.value, b.cost.value)
                inside[kind_of(a)][apart <= said[kind_of(a)]] += 1
    print("\n| points | a repetition lands within (median) | it did | of |\n| --- | ---: | ---: | ---: |")
    for what, counts in inside.items():
        print(f"| {what} | {100 * (median(reach[what]) - 1):.1f} % | {100 * counts[True] / counts.total():.0f} % | "
              f"{counts.total()} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--planted", type=int, default=20, help="points of each pair that are made slower, one by one")
    parser.add_argument("--factors", default="1.1,1.3,2")
    options = parser.parse_args()
    random.seed(1)
    read = [read_campaign([path]) for path in options.files]
    campaigns = [campaign.points for campaign in read]
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
            detectable[kind_of(d.new)].append(d.detectable)
        for key in random.sample(sorted(found_here), min(options.planted, len(found_here))):
            for factor in factors:
                planted = points | {key: (points[key][0], slower(points[key][1], factor))}
                says = judged(planted)[key].verdict
                found[kind_of(points[key][1]), factor][says is Verdict.slower] += 1
    print(f"{len(pairs)} pairs, {compared} points compared; something differs in {alarms} pairs", dict(named) or "")
    print("\n| points | slower by | found | of | detectable (median) |\n| --- | --- | ---: | ---: | ---: |")
    for (what, factor), counts in sorted(found.items()):
        print(f"| {what} | {factor:g} times | {100 * counts[True] / counts.total():.0f} % | {counts.total()} | "
              f"{median(detectable[what]):.3g} |")
    coverage(read)


main()
