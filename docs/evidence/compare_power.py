#!/usr/bin/env python3
"""False alarms and power of `compare`, and the distance of a second run: tables of docs/evidence/comparisons.md and
intervals.md.

Needs Python and `syncmeter` (on PATH, or in the folder SYNCMETER_BIN): `PYTHONPATH=analysis python3
docs/evidence/compare_power.py FILES`, results files of one machine with nothing changed between them. The program compares
every pair, then every pair with one configuration made slower in the second file.
"""

import argparse
import random
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import combinations, permutations
from statistics import median

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.campaign import read_campaign
from syncmeter_analysis.relate.pairings import pairs_of_points
from syncmeter_analysis.relate.relation import Verdict
from syncmeter_analysis.relate.repetition import repetition
from syncmeter_analysis.relate.visit_pairs import kind_of


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
    ranges = [repetition(campaign) for campaign in campaigns]
    for found in ranges:
        for what, ratio in found.items():
            reach[what].append(ratio)
    for (first, within), (second, _) in permutations(zip(campaigns, ranges), 2):
        for key, a in first.points.items():
            b = second.points.get(key)
            if b is not None and a.usable and b.usable and same_place(a, b) and kind_of(a) in within:
                apart = max(a.cost.value, b.cost.value) / min(a.cost.value, b.cost.value)
                inside[kind_of(a)][apart <= within[kind_of(a)]] += 1
    print("\n| points | a repetition lands within (median) | it did | of |\n| --- | ---: | ---: | ---: |")
    for what, counts in inside.items():
        print(f"| {what} | {100 * (median(reach[what]) - 1):.1f} % | {100 * counts[True] / counts.total():.0f} % | "
              f"{counts.total()} |")


#: What a gate once passed: (the case, what is slower, so many times, visits that are kept of each point or all).
CASES = (
    ("critical_add ten times slower", ("critical_add",), 10, None),
    ("a launch twice as slow", ("additional_launch",), 2, None),
    ("two visits, a barrier five times slower", ("barrier",), 5, 2),
    ("nothing is slower", (), 1, None),
)


def fewer(s, visits):
    """The point as it was measured in the first visits alone."""
    kept = sorted(s.by_visit)[:visits]
    return replace(s, by_visit={n: s.by_visit[n] for n in kept}, cycles_by_visit=s.cycles_by_visit[:visits])


def compared(old, new):
    """Of two campaigns' points, by key; those that both have."""
    return pairs_of_points([(old[key], new[key]) for key in new if key in old], ("old", "new"), 0.05, in_cycles=True)


def case(old, new, ops, factor, visits):
    """The comparison with these ops planted slower, and the points that are neither found slower nor named as blind."""
    if visits:
        old, new = ({key: fewer(s, visits) for key, s in points.items()} for points in (old, new))
    planted = {key for key, s in new.items() if s.point.op in ops and s.usable and key in old}
    c = compared(old, {key: slower(s, factor) if key in planted else s for key, s in new.items()})
    named = {d.new.point.key for d in (*c.slower, *c.blind)} | {a.point.key for a in c.apart}
    compared_at = {s.measured_as or key for key, s in new.items() if key in planted}
    return c, compared_at - named


def cases(campaigns):
    """The table of what such gates say now."""
    print("\n| case | pairs | status 0, 1, 3 | planted points missed unsaid |\n| --- | ---: | --- | ---: |")
    for name, ops, factor, visits in CASES:
        statuses, missed = Counter(), 0
        for old, new in combinations(campaigns, 2):
            if ops and not any(s.point.op in ops for s in new.values()):
                continue
            c, unsaid = case(old, new, ops, factor, visits)
            statuses[c.status] += 1
            missed += len(unsaid)
        if statuses:
            print(f"| {name} | {statuses.total()} | {statuses[0]}, {statuses[1]}, {statuses[3]} | {missed} |")


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
    alarms, judged_points, named, found, detectable = 0, 0, Counter(), defaultdict(Counter), defaultdict(list)
    pairs = list(combinations(campaigns, 2))
    for old, new in pairs:
        points = {key: (old[key], new[key]) for key in new if key in old}

        def judged(points):
            # What shares its measurement with another is compared at the first.
            (before, after) = ({key: pair[side] for key, pair in points.items()} for side in (0, 1))
            return {d.new.point.key: d for d in compared(before, after).compared}

        found_here = judged(points)
        wrong = [d for d in found_here.values() if d.verdict in (Verdict.slower, Verdict.faster)]
        alarms, judged_points = alarms + bool(wrong), judged_points + len(found_here)
        named.update(d.new.point.op for d in wrong)
        for d in found_here.values():
            detectable[kind_of(d.new)].append(d.detectable)
        for key in random.sample(sorted(found_here), min(options.planted, len(found_here))):
            for factor in factors:
                planted = points | {key: (points[key][0], slower(points[key][1], factor))}
                says = judged(planted)[key].verdict
                found[kind_of(points[key][1]), factor][says is Verdict.slower] += 1
    print(f"{len(pairs)} pairs, {judged_points} points compared; something differs in {alarms} pairs", dict(named) or "")
    print("\n| points | slower by | found | of | detectable (median) |\n| --- | --- | ---: | ---: | ---: |")
    for (what, factor), counts in sorted(found.items()):
        print(f"| {what} | {factor:g} times | {100 * counts[True] / counts.total():.0f} % | {counts.total()} | "
              f"{median(detectable[what]):.3g} |")
    coverage(read)
    cases(campaigns)


if __name__ == "__main__":
    main()
