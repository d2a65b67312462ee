"""How well campaigns of one study repeat on one machine: the share of points whose costs are all within 1 % of each
other, and the share that the scatter of rounds inside visits explains.

  python3 tests/benchmarks/agreement.py A.jsonl B.jsonl C.jsonl [--within 0.01] [--worst 10]

Costs and their intervals are in cycles where a point has them in every file, else in ns, of points that are `ok` in
every file; points of which a file has no visit with an interval are left out and counted. Expected is what
files would show whose visits differ by nothing but their rounds: each visit's median has the error of its own 95 %
interval, and a point is the median of its visits. What agrees less than expected differs between visits or campaigns: a state of
the machine, other addresses, another number of repetitions. Nothing here asserts.
"""

import argparse
import collections
import json
import random
import statistics

DRAWS = 200


def read(path):
    """By point: its line of the file, and the lines of its visits."""
    points, visits = {}, collections.defaultdict(list)
    with open(path, encoding="utf-8") as file:
        for text in file:
            line = json.loads(text)
            name = json.dumps(line.get("point"), sort_keys=True)
            if line["kind"] == "point":
                points[name] = line
            elif line["kind"] == "visit" and line.get("estimates"):
                visits[name].append(line["estimates"][0])
    return points, visits


def unit_of(lines):
    """The cost that all of a point's lines have: in cycles, else in ns."""
    in_cycles = all(line["states"][0].get("cost_cycles", {}).get("value") for line in lines)
    return "cost_cycles" if in_cycles else "cost_ns"


def relative_errors(visits, unit):
    """Standard error of each visit's median over its value, from its 95 % interval; a visit without one has none."""
    costs = [visit.get(unit) or {} for visit in visits]
    return [(c["high"] - c["low"]) / (2 * 1.96 * abs(c["value"])) for c in costs
            if c.get("value") and None not in (c.get("low"), c.get("high"))]


def apart(costs):
    return (max(costs) - min(costs)) / statistics.median(costs)


def expected(of_files, within):
    """The chance that campaigns lie as near as that by the errors of their visits alone."""
    draw = random.Random(1)
    near = 0
    for _ in range(DRAWS):
        medians = [statistics.median(draw.gauss(1, error) for error in errors) for errors in of_files]
        near += apart(medians) <= within
    return near / DRAWS


def kind_of(line):
    """What points are counted together: a fence between accesses by its scope, the others by family and grid."""
    point = line["point"]
    grid = "one block" if point.get("blocks", 1) == 1 else "many blocks"
    if line.get("pairing") == "insert":
        return f"fence between accesses, {point.get('scope', '')}, {grid}"
    return f"{line['family']} {point.get('placement', '')}, {grid}".replace(" ,", ",")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("files", nargs="+", metavar="FILE")
    options.add_argument("--within", type=float, default=0.01, metavar="SHARE")
    options.add_argument("--worst", type=int, default=10, metavar="N")
    chosen = options.parse_args()
    campaigns = [read(path) for path in chosen.files]
    kinds, worst, left_out = collections.defaultdict(list), [], 0
    for name, line in campaigns[0][0].items():
        lines = [points.get(name) for points, _ in campaigns]
        if not all(other and other["status"] == "ok" for other in lines):
            continue
        unit = unit_of(lines)
        costs = [other["states"][0][unit]["value"] for other in lines]
        if min(costs) <= 0:
            continue
        errors = [relative_errors(visits[name], unit) for _, visits in campaigns]
        if not all(errors):
            left_out += 1
            continue
        distance = apart(costs)
        chance = expected(errors, chosen.within)
        kinds[kind_of(line)].append((distance <= chosen.within, chance))
        worst.append((distance, name, costs))
    rows = [("all", [pair for pairs in kinds.values() for pair in pairs])]
    rows += sorted(kinds.items(), key=lambda kind: -len(kind[1]))
    for kind, pairs in rows:
        if pairs:
            near, chance = (statistics.mean(column) for column in zip(*pairs))
            print(f"{kind:45} {len(pairs):5} points, within {chosen.within:.1%}: {near:6.1%}, expected {chance:6.1%}")
    if left_out:
        print(f"{left_out} points without a visit's interval in some file: left out")
    for distance, name, costs in sorted(worst, reverse=True)[: chosen.worst]:
        point = json.loads(name)
        axes = [str(point[axis]) for axis in ("op", "type", "placement", "stride", "lanes", "blocks", "size", "scope")
                if axis in point]
        print(f"{distance:7.1%} {' '.join(axes)}: {', '.join(f'{value:.4g}' for value in costs)}")


if __name__ == "__main__":
    main()
