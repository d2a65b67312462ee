#!/usr/bin/env python3
"""What the probe of `advise` costs a program that synchronizes so often: the table of docs/evidence/advise.md. Runs a program plain,
plain again, with its calls counted, and with them timed as `advise` times them, in turn; prints the median of the
ratios to plain with its 95 % interval, of wall time and of the CPU time of all threads, which other programs disturb
less. What plain again differs by is chance.

lock_rates.py BIN [--turns 7] [--seconds 1] [--threads 2] [--what own shared ...]: BIN holds libsyncmeter-probe.so; needs
g++.
"""

import argparse
import math
import os
import pathlib
import statistics
import subprocess
import tempfile

HERE = pathlib.Path(__file__).parent
NAMES = {"own": "a mutex each", "shared": "one mutex", "region": "regions", "barrier": "barriers", "critical": "critical",
         "chunk": "chunks"}

def run(program, words, environment):
    done = subprocess.run([program, *map(str, words)], env=os.environ | environment, check=True, capture_output=True, text=True)
    return [float(number) for number in done.stdout.split()]

def probed(folder, probe, every):
    return {"LD_PRELOAD": str(probe), "SYNCMETER_PROBE_FOLDER": folder, "SYNCMETER_PROBE_EVERY": every}

def middle(ratios):
    """The median, and the order statistics between which that of many more turns lies, 95 % sure; of fewer than nine, the least and the greatest."""
    ranked, n = sorted(ratios), len(ratios)
    left_out = max([k for k in range(n // 2) if sum(math.comb(n, i) for i in range(k + 1)) / 2**n <= 0.025], default=0)
    return f"{statistics.median(ranked):.3f} ({ranked[left_out]:.3f} to {ranked[n - 1 - left_out]:.3f})"

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--threads", type=int, default=2, help="beside one")
    parser.add_argument("--what", nargs="+", default=list(NAMES), choices=NAMES)
    arguments = parser.parse_args()
    probe = (arguments.bin / "libsyncmeter-probe.so").resolve()
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "lock_rates"
        subprocess.run(["g++", "-std=c++20", "-O2", "-fopenmp", "-pthread", HERE / "lock_rates.cpp", "-o", program], check=True)
        turn_s = min(run(program, [1, 1, 100_000_000, "own"], {})[1] for _ in range(3)) / 1e8
        print("| threads | what | calls a second of CPU time | plain again: wall | CPU | counted: wall | CPU | timed: wall | CPU |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
        for threads, what in [(1, "own")] * ("own" in arguments.what) + [(arguments.threads, what) for what in arguments.what]:
            for gap_s in (0, 1e-6, 1e-5):
                work = round(gap_s / turn_s)
                once_s = min(run(program, [threads, 100_000, work, what], {})[1] for _ in range(3)) / threads / 1e5
                calls = max(1000, round(arguments.seconds / once_s))
                # As `advise` chooses it: 100,000 looks a second and thread.
                every = math.ceil(max(1.0, 1 / once_s / 1e5))
                ratios = {"again": [], "count": [], "time": []}
                rates = []
                for turn in range(arguments.turns):
                    plain = run(program, [threads, calls, work, what], {})
                    rates.append(calls * threads / plain[1])
                    arms = [("again", None), ("count", 0), ("time", every)]
                    for arm, number in arms[turn % 3 :] + arms[: turn % 3]:
                        environment = {} if number is None else probed(folder, probe, f"{number},{number}")
                        other = run(program, [threads, calls, work, what], environment)
                        ratios[arm].append([b / a for a, b in zip(plain, other, strict=True)])
                cells = [middle(r) for arm in ratios.values() for r in zip(*arm, strict=True)]
                print(f"| {threads} | {NAMES[what]} | {statistics.median(rates):.2g} | {' | '.join(cells)} |", flush=True)

if __name__ == "__main__":
    main()
