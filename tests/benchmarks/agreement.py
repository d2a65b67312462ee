"""How well campaigns of one study repeat on one machine: the share of points whose costs are all within 1 % of each
other, and the share that the scatter of rounds inside visits explains.

  python3 tests/benchmarks/agreement.py A.jsonl B.jsonl C.jsonl [--within 0.01] [--worst 10]

Costs are in cycles where a point has them, else in ns, of points that are `ok` in every file. Expected is what files
would show whose visits differ by nothing but their rounds: each visit's median has the error of its own 95 % interval,
and a point is the median of its visits. What agrees less than expected differs between visits or campaigns: a state of
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


def cost(states):
    """In cycles where there are any."""
    cycles = states[0]["cost_cycles"]
    return cycles["value"] or states[0]["cost_ns"]["value"]


def relative_errors(visits):
    """Standard error of each visit's median over its value, from its 95 % interval."""
    costs = [visit["cost_ns"] for visit in visits]
    return [(c["high"] - c["low"]) / (2 * 1.96 * abs(c["value"])) for c in costs if c["value"] != 0]


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
    if line["pairing"] == "insert":
        return f"fence between accesses, {point['scope']}, {grid}"
    return f"{line['family']} {point.get('placement', '')}, {grid}".replace(" ,", ",")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("files", nargs="+", metavar="FILE")
    options.add_argument("--within", type=float, default=0.01, metavar="SHARE")
    options.add_argument("--worst", type=int, default=10, metavar="N")
    chosen = options.parse_args()
    campaigns = [read(path) for path in chosen.files]
    kinds, worst = collections.defaultdict(list), []
    for name, line in campaigns[0][0].items():
        lines = [points.get(name) for points, _ in campaigns]
        if not all(other and other["status"] == "ok" for other in lines):
            continue
        costs = [cost(other["states"]) for other in lines]
        if min(costs) <= 0:
            continue
        distance = apart(costs)
        chance = expected([relative_errors(visits[name]) for _, visits in campaigns], chosen.within)
        kinds[kind_of(line)].append((distance <= chosen.within, chance))
        worst.append((distance, name, costs))
    rows = [("all", [pair for pairs in kinds.values() for pair in pairs])]
    rows += sorted(kinds.items(), key=lambda kind: -len(kind[1]))
    for kind, pairs in rows:
        if pairs:
            near, chance = (statistics.mean(column) for column in zip(*pairs))
            print(f"{kind:45} {len(pairs):5} points, within {chosen.within:.1%}: {near:6.1%}, expected {chance:6.1%}")
    for distance, name, costs in sorted(worst, reverse=True)[: chosen.worst]:
        point = json.loads(name)
        axes = [str(point[axis]) for axis in ("op", "type", "placement", "stride", "lanes", "blocks", "size", "scope")
                if axis in point]
        print(f"{distance:7.1%} {' '.join(axes)}: {', '.join(f'{value:.4g}' for value in costs)}")


if __name__ == "__main__":
    main()
