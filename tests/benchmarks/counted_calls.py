#!/usr/bin/env python3
"""What counting a call of OpenMP takes within one process: counted_calls.cpp has bursts of calls that the preloaded probe
counts beside bursts of the same calls past it. Prints the ns of a call past the probe and what counting adds, medians of
processes, each the median of its bursts, and both of a process without the probe. With --more also what a region takes
longer in which one thread has so many turns of a loop more.

counted_calls.py BIN [--processes 9] [--bursts 60] [--threads 2] [--work 0 3000] [--more 0 10 20]: BIN holds
libsyncmeter-probe.so; needs g++.
"""

import argparse
import collections
import os
import pathlib
import statistics
import subprocess
import tempfile

from lock_rates import middle

HERE = pathlib.Path(__file__).parent
PLACED = {"OMP_PROC_BIND": "close", "OMP_WAIT_POLICY": "active"}


def by_what(program, words, environment):
    """The medians of a process: ns of a call, what the other one adds, and its ratio, by what is called."""
    done = subprocess.run([program, *map(str, words)], env=os.environ | PLACED | environment, check=True, capture_output=True, text=True)
    bursts = collections.defaultdict(list)
    for what, one, other in map(str.split, done.stdout.splitlines()):
        bursts[what].append((float(one), float(other) - float(one), float(other) / float(one)))
    return {what: [statistics.median(part) for part in zip(*all_of_it, strict=True)] for what, all_of_it in bursts.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--processes", type=int, default=9)
    parser.add_argument("--bursts", type=int, default=60)
    parser.add_argument("--calls", type=int, default=1000, help="of a burst")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--work", type=int, nargs="+", default=[0, 3000])
    parser.add_argument("--more", type=int, nargs="*", default=[])
    arguments = parser.parse_args()
    whats = ["region", "barrier", "critical", *(f"{who}+{turns}" for turns in arguments.more for who in ("first", "others"))]
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "counted_calls"
        subprocess.run(["g++", "-std=c++20", "-O2", "-fopenmp", HERE / "counted_calls.cpp", "-o", program, "-ldl"], check=True)
        probe = {"LD_PRELOAD": str((arguments.bin / "libsyncmeter-probe.so").resolve()), "SYNCMETER_PROBE_FOLDER": folder}
        print("| what | work | without the probe: ns | past it: ns | adds: ns | times as long |")
        print("| --- | --- | --- | --- | --- | --- |")
        for work in arguments.work:
            words = [arguments.threads, work, arguments.bursts, arguments.calls, *whats]
            runs = [(by_what(program, words, {}), by_what(program, words, probe)) for _ in range(arguments.processes)]
            for what in whats:
                loaded = [with_probe[what] for _, with_probe in runs]
                cells = [middle([without[what][0] for without, _ in runs]), *map(middle, zip(*loaded, strict=True))]
                print(f"| {what} | {work} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
