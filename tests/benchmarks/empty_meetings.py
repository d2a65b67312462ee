#!/usr/bin/env python3
"""Barriers and regions without work: what `advise` calls their mechanism, by the probe's stamps in a program that has
nothing else, beside what `run` measures of the same, in turn. Prints both of each turn, and how often the mechanism, the
same with the program's lateness, and the program with nothing timed are inside of the interval of `run`, and of what the
report says of `run` measured again: where the threads of a process are, and its memory, no process tells of another. A
turn counts where the threads are as far from each other in the `run` before it as in the one behind it.

empty_meetings.py BIN [--turns 10] [--threads 2] [--calls 100000] [--every N] [--processes 3] [--keep FOLDER]: BIN holds
syncmeter, syncmeter-omp and libsyncmeter-probe.so; needs g++. FOLDER gets the results files of `run`, and what was timed
in each process as lines of JSON.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
from typing import NamedTuple

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent / "analysis"))

from syncmeter_analysis.relate.campaign import read_campaign  # noqa: E402
from syncmeter_analysis.relate.repetition import repetition  # noqa: E402
from syncmeter_analysis.relate.visit_pairs import kind_of  # noqa: E402

OPS = {"barrier": "barrier", "region": "parallel_region"}
#: How `run` places threads of a team by default, and how these wait.
PLACED = {"OMP_PROC_BIND": "close", "OMP_PLACES": "threads", "OMP_WAIT_POLICY": "active", "OMP_DYNAMIC": "false"}


def by_run(binaries, folder, threads, kept=None):
    """Of each op its headline as the report has it, with the ratio within which 9 of 10 land that are measured again,
    where that is known. Its results file may be `kept`."""
    file = folder / "run.jsonl"
    file.unlink(missing_ok=True)
    subprocess.run([binaries / "syncmeter", "run", "--backend", "omp", "--op", ",".join(OPS.values()), "--threads", str(threads), "--wait",
                    "active", "--output", file], check=False, capture_output=True, env=os.environ | {"SYNCMETER_REPORT": "off"})
    if kept:
        shutil.copy(file, kept)
    campaign = read_campaign([str(file)])
    reaches = repetition(campaign)
    return {each.point.op: Measurement(each.cost.low, each.cost.value, each.cost.high, reaches[kind_of(each)], each.hop_ns)
            for each in campaign.points.values() if each.usable and each.cost and each.point.lanes == threads and kind_of(each) in reaches}


class Measurement(NamedTuple):
    low: float
    cost: float
    high: float
    reach: float
    hop_ns: float | None

    def has(self, ns):
        return self.low <= ns <= self.high

    def may_be_again(self, ns):
        return 1 / self.reach <= ns / self.cost <= self.reach

    def is_placed_as(self, other):
        return not self.hop_ns or not other.hop_ns or max(self.hop_ns, other.hop_ns) < 1.5 * min(self.hop_ns, other.hop_ns)


def by_probe(binaries, folder, program, what, threads, calls, every):
    """What was timed of each site and thread."""
    counts = folder / f"counts-{len(list(folder.iterdir()))}"
    counts.mkdir()
    probe = {"LD_PRELOAD": str(binaries / "libsyncmeter-probe.so"), "SYNCMETER_PROBE_FOLDER": str(counts), "SYNCMETER_PROBE_EVERY": f"{every},0"}
    subprocess.run([program, str(threads), str(calls), "0", what], check=True, capture_output=True, env=os.environ | PLACED | probe)
    return [each for path in counts.glob("*.counts") for each in tables.read_times(path) if each.kind == what and each.timed > 1]


def of_one(times, what, clock_ns):
    """Of one meeting in ns, as `advise` adds them up without what the clock takes: its mechanism, and that with the
    lateness and a region's inside."""
    timed = sum(each.timed for each in times)
    looks = 2 if what == "region" else 1
    mechanism = sum(each.mechanism_ns + each.fork_ns / each.threads for each in times) / timed - looks * clock_ns
    of_thread = [(each.lateness_ns + each.inside_ns) / (each.threads if what == "region" else 1) for each in times]
    return mechanism, mechanism + sum(of_thread) / timed - (looks - 1) * clock_ns


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--turns", type=int, default=10)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--every", type=int, default=20, help="of so many meetings one is timed: to look at the clock takes longer than some")
    parser.add_argument("--processes", type=int, default=3, help="of the program, timed and plain, in a turn")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER")
    arguments = parser.parse_args()
    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)
    binaries = arguments.bin.resolve()
    os.environ["SYNCMETER_BIN"] = str(binaries)
    sys.path.insert(0, str(HERE.parent / "probe"))
    global tables
    import tables
    inside = {what: [] for what in OPS}
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        program = folder / "lock_rates"
        subprocess.run(["g++", "-std=c++20", "-O2", "-fopenmp", "-pthread", HERE / "lock_rates.cpp", "-o", program], check=True)
        print("| of | run: ns | again within | mechanism: ns | over run | with lateness: ns | over run | plain: ns | over run |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
        clock = subprocess.run([program, "1", "100000", "0", "clock"], check=True, text=True, capture_output=True).stdout
        clock_ns = float(clock) * 1e9
        words = [str(arguments.threads), str(arguments.calls), "0"]
        kept = [arguments.keep and arguments.keep / f"run-{turn}.jsonl" for turn in range(arguments.turns + 1)]
        before = by_run(binaries, folder, arguments.threads, kept[0])
        for turn in range(arguments.turns):
            found = {}
            for what in OPS:
                timed = [by_probe(binaries, folder, program, what, arguments.threads, arguments.calls, arguments.every)
                         for _ in range(arguments.processes)]
                plain = [subprocess.run([program, *words, what], check=True, text=True, capture_output=True, env=os.environ | PLACED).stdout
                         for _ in range(arguments.processes)]
                plain_ns = [float(text.split()[0]) / arguments.calls * 1e9 for text in plain]
                seen = [of_one(times, what, clock_ns) for times in timed]
                found[what] = [*map(statistics.median, zip(*seen, strict=True)), statistics.median(plain_ns)]
                if arguments.keep:
                    with open(arguments.keep / "processes.jsonl", "a", encoding="utf-8") as file:
                        rows = [[dataclasses.asdict(each) for each in times] for times in timed]
                        file.write(json.dumps({"turn": turn, "what": what, "timed": rows, "plain_ns": plain_ns}) + "\n")
            after = by_run(binaries, folder, arguments.threads, kept[turn + 1])
            for what, op in OPS.items():
                by = before.get(op)
                if by is None or op not in after or not by.is_placed_as(after[op]):
                    continue
                values = found[what]
                cells = [f"{ns:.0f}{'' if by.has(ns) else ' (outside)'} | {ns / by.cost:.2f}" for ns in values]
                print(f"| {what} | {by.cost:.0f} ({by.low:.0f} to {by.high:.0f}) | {100 * (by.reach - 1):.0f} % | {' | '.join(cells)} |", flush=True)
                runs = after[op].cost
                inside[what].append([(by.has(ns), by.may_be_again(ns), ns / by.cost) for ns in [*values, runs]])
            before = after
    parts = ["mechanism", "with lateness", "plain", "the next run"]
    for what, turns in inside.items():
        for part, hits in zip(parts, zip(*turns, strict=True), strict=False):
            print(f"{what}: {part} inside the interval of run in {sum(hit[0] for hit in hits)} of {len(hits)} turns, of it measured again in "
                  f"{sum(hit[1] for hit in hits)}; median ratio {statistics.median(hit[2] for hit in hits):.2f}")


main()
