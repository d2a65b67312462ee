#!/usr/bin/env python3
"""Fleets made of measured files, with and without planted slow nodes: the figures of docs/evidence/fleet.md.

Needs Python and `syncmeter` (on PATH, or in the folder SYNCMETER_BIN): `PYTHONPATH=analysis python3
docs/evidence/fleet_simulation.py A.jsonl B.jsonl`, two campaigns of one machine, one after the other. With `--write DIR` the
nodes' files are written there.
"""

import argparse
import json
import math
import random
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

from syncmeter_analysis.record.text_file import text_of
from syncmeter_analysis.relate.fleet import fleet_of
from syncmeter_analysis.relate.node import read_node

TIMES = ("cost_ns", "host_cost_ns", "cost_cycles")


def visits_of(path):
    """The campaign's first line, its workers' lines, and of each point its visits without and with raw rounds."""
    first, *rest = text_of(Path(path)).splitlines()
    others, visits = [], defaultdict(list)
    for text in rest:
        line = json.loads(text)
        # A raw round is most of a line, and copied as it is.
        rounds = json.dumps(line.pop("rounds"), separators=(",", ":")).encode() if line.get("rounds") else b""
        if rounds:
            line["rounds"] = []
        if line["kind"] == "visit":
            visits[json.dumps(line["point"], sort_keys=True)].append((line, rounds))
        elif line["kind"] == "worker":
            others.append(line)
    return json.loads(first), others, visits


def middle_of(visits):
    costs = sorted(e["cost_ns"]["value"] for line, _ in visits for e in line["estimates"][:1])
    return math.log(costs[len(costs) // 2]) if costs and costs[0] > 0 else None


def scatters(a, b, least):
    """How far apart the two campaigns are at each point, as a standard deviation of logarithms, and at least so far."""
    found = {}
    for key, visits in a.items():
        one, other = middle_of(visits), middle_of(b.get(key, []))
        found[key] = max(least, abs(one - other) / math.sqrt(2) if None not in (one, other) else 0)
    return found


def scaled(line, factor):
    """The visit with its costs times this."""
    def times(e, name):
        return {end: v * factor if isinstance(v, (int, float)) else v for end, v in e[name].items()}
    return {**line, "estimates": [{**e, **{name: times(e, name) for name in TIMES if e.get(name)}}
                                  for e in line["estimates"]]}


def made(rng, a, b, scatter, node_scatter, slow, share):
    """Visits of one node: drawn again from both campaigns, around a cost of its own at every point, times a factor of
    the node; of a slow one a `share` of the points times `slow`."""
    node = rng.gauss(0, node_scatter)
    for key, visits in a.items():
        pool = [v for v in (visits, b.get(key)) if v]
        chosen = rng.choice(pool)
        own = node + rng.gauss(0, scatter[key]) + (math.log(slow) if rng.random() < share else 0)
        for number, (line, rounds) in enumerate(rng.choices(chosen, k=len(visits)), 1):
            yield {**scaled(line, math.exp(own)), "visit": number}, rounds


def fleet(options, sources, seed, planted, path=None):
    """The nodes, and the names of the planted ones."""
    (first, workers, a), (_, _, b) = sources
    rng, scatter = random.Random(seed), scatters(a, b, options.wander)
    slow = set(rng.sample(range(options.nodes), round(planted * options.nodes)))
    for i in range(options.nodes):
        host = f"node{i:04}"
        line = {**first, "machine": {**first["machine"], "host": host}}
        visits = made(rng, a, b, scatter, options.scatter, options.by, options.share if i in slow else 0)
        with TemporaryDirectory() as beside:
            out = (path or Path(beside)) / f"{host}.jsonl"
            write(out, [(line, b""), *((w, b"") for w in workers), *visits])
            if not path:
                yield read_node(str(out)), host if i in slow else ""


def write(path, lines):
    with open(path, "wb") as out:
        for each, rounds in lines:
            text = json.dumps(each, separators=(",", ":")).encode()
            out.write(text.replace(b'"rounds":[]', b'"rounds":' + rounds) if rounds else text)
            out.write(b"\n")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("file", nargs=2)
    options.add_argument("--nodes", type=int, default=100)
    options.add_argument("--trials", type=int, default=10)
    options.add_argument("--scatter", type=float, default=0.005, help="of the nodes, as a standard deviation")
    options.add_argument("--wander", type=float, default=0, help="least of a point from campaign to campaign")
    options.add_argument("--slow", type=float, default=0.05, help="share of nodes that are slow")
    options.add_argument("--by", type=float, default=1.05, help="how many times slower they are")
    options.add_argument("--share", type=float, default=1.0, help="of their points")
    options.add_argument("--write", metavar="DIR")
    options = options.parse_args()
    sources = [visits_of(path) for path in options.file]
    if options.write:
        list(fleet(options, sources, 1, options.slow, Path(options.write)))
        return
    for planted in (0, options.slow):
        wrong = wrong_points = found = there = alarms = 0
        for seed in range(options.trials):
            nodes, names = zip(*fleet(options, sources, seed, planted))
            (group,) = fleet_of(nodes).groups
            slow = set(filter(None, names))
            differ = {group.names[i] for i in group.differing}
            there, found, wrong = there + len(slow), found + len(differ & slow), wrong + len(differ - slow)
            alarms += bool(differ - slow)
            wrong_points += sum(group.names[odd.node] not in slow for p in group.points for odd in p.odd)
        print(f"{options.trials} fleets of {options.nodes} nodes, {planted:.0%} of them {options.by} times slower at "
              f"{options.share:.0%} of {len(group.points)} points: {found} of {there} found; {wrong} others named "
              f"in {alarms} fleets, at {wrong_points} points", flush=True)


if __name__ == "__main__":
    main()
