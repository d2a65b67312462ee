#!/usr/bin/env python3
"""Barriers and regions without work: what `advise` calls their mechanism, by the probe's stamps in a program that has
nothing else, beside what `run` measures of the same, in turn. Prints both of each turn, whether the mechanism is inside
the interval of `run`, and the same for the whole time of a meeting, with the program's lateness.

empty_meetings.py BIN [--turns 10] [--threads 2] [--calls 100000] [--every N]: BIN holds syncmeter, syncmeter-omp and
libsyncmeter-probe.so; needs g++.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
OPS = {"barrier": "barrier", "region": "parallel_region"}
#: How `run` places threads of a team by default, and how these wait.
PLACED = {"OMP_PROC_BIND": "close", "OMP_PLACES": "threads", "OMP_WAIT_POLICY": "active", "OMP_DYNAMIC": "false"}


def by_run(binaries, folder, threads):
    """The interval of each op in ns, of the states of one file that of most rounds; none where it has none."""
    file = folder / "run.jsonl"
    file.unlink(missing_ok=True)
    subprocess.run([binaries / "syncmeter", "run", "--backend", "omp", "--op", ",".join(OPS.values()), "--lanes", str(threads), "--wait",
                    "active", "--output", file], check=False, capture_output=True, env=os.environ | {"SYNCMETER_REPORT": "off"})
    found = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["kind"] == "point" and record["point"]["lanes"] == threads:
            states = [state for state in record.get("states", []) if state["cost_ns"]["low"] is not None]
            if states:
                found[record["point"]["op"]] = max(states, key=lambda state: state["rounds"])["cost_ns"]
    return found


def by_probe(binaries, folder, program, what, threads, calls, every):
    """Of one meeting in ns, as `advise` adds them up: its mechanism, and that with the lateness and a region's inside."""
    counts = folder / f"counts-{len(list(folder.iterdir()))}"
    counts.mkdir()
    probe = {"LD_PRELOAD": str(binaries / "libsyncmeter-probe.so"), "SYNCMETER_PROBE_FOLDER": str(counts), "SYNCMETER_PROBE_EVERY": f"{every},0"}
    subprocess.run([program, str(threads), str(calls), "0", what], check=True, capture_output=True, env=os.environ | PLACED | probe)
    times = [each for path in counts.glob("*.counts") for each in tables.read_times(path) if each.kind == what and each.timed > 1]
    timed = sum(each.timed for each in times)
    mechanism = sum(each.mechanism_ns + each.fork_ns / each.threads for each in times) / timed
    of_thread = [(each.lateness_ns + each.inside_ns) / (each.threads if what == "region" else 1) for each in times]
    return mechanism, mechanism + sum(of_thread) / timed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--turns", type=int, default=10)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--every", type=int, default=20, help="of so many meetings one is timed: to look at the clock takes longer than some")
    arguments = parser.parse_args()
    binaries = arguments.bin.resolve()
    os.environ["SYNCMETER_BIN"] = str(binaries)
    sys.path.insert(0, str(HERE.parent / "probe"))
    global tables
    import tables
    inside = {(what, part): [] for what in OPS for part in ("mechanism", "whole")}
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        program = folder / "lock_rates"
        subprocess.run(["g++", "-std=c++20", "-O2", "-fopenmp", "-pthread", HERE / "lock_rates.cpp", "-o", program], check=True)
        print("| of | run: ns | mechanism: ns | over run | with lateness: ns | over run | plain: ns |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        words = [str(arguments.threads), str(arguments.calls), "0"]
        for _ in range(arguments.turns):
            costs = by_run(binaries, folder, arguments.threads)
            for what, op in OPS.items():
                if op not in costs:
                    continue
                low, cost, high = (costs[op][part] for part in ("low", "value", "high"))
                seen = [by_probe(binaries, folder, program, what, arguments.threads, arguments.calls, arguments.every) for _ in range(3)]
                plain = [subprocess.run([program, *words, what], check=True, text=True, capture_output=True, env=os.environ | PLACED).stdout
                         for _ in range(3)]
                plain_ns = statistics.median(float(text.split()[0]) for text in plain) / arguments.calls * 1e9
                cells = []
                for part, values in zip(("mechanism", "whole"), zip(*seen, strict=True), strict=True):
                    value = statistics.median(values)
                    inside[what, part].append(low <= value <= high)
                    cells += [f"{value:.0f}{'' if low <= value <= high else ' (outside)'}", f"{value / cost:.2f}"]
                print(f"| {what} | {cost:.0f} ({low:.0f} to {high:.0f}) | {' | '.join(cells)} | {plain_ns:.0f} |", flush=True)
    for (what, part), hits in inside.items():
        print(f"{what}: {part} inside the interval of run in {sum(hits)} of {len(hits)} turns")


main()
