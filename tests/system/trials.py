"""Trials at random, in any number: trials.py KIND BIN N [--seed S] [--jobs J].

The `trials` of each of these modules gives for each seed what happened, which is counted, and the promise that was
broken or None. The status is 1 when one was.
"""

import argparse
import collections
import importlib
import pathlib
import resource
import sys
import tempfile

from short_campaign import copy_programs

MOST_MEMORY_BYTES = 1 << 30


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("kind", choices=["kill_storm", "lane_deaths", "hostile_workers", "random_commands"])
    options.add_argument("programs", type=pathlib.Path)
    options.add_argument("count", type=int)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--jobs", type=int, default=2)
    chosen = options.parse_args()
    table, broken = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        kind = importlib.import_module(chosen.kind)
        programs = copy_programs(chosen.programs, pathlib.Path(folder) / "bin", getattr(kind, "WORKER", "syncmeter-omp"))
        seeds = range(chosen.seed, chosen.seed + chosen.count)
        for seed, happened, flaw in kind.trials(programs, pathlib.Path(folder) / "home", seeds, chosen.jobs):
            table.update(happened)
            if flaw:
                broken += 1
                print(f"--seed {seed}: {flaw}", flush=True)
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
    print(*(f"{count:6} {what}" for what, count in sorted(table.items())), sep="\n")
    print(f"{chosen.count} trials, at most {largest >> 20} MiB, {broken} broken promises")
    return 1 if broken or largest > MOST_MEMORY_BYTES else 0


if __name__ == "__main__":
    sys.exit(main())
