"""What `syncmeter advise` counts in kernels whose counts are known by formulas, and whether it names the way that is faster.

  python3 tests/benchmarks/closed_kernels.py BIN PROGRAM [--ways] [--budget 60s] [--rounds 3]

BIN holds the driver, the patches and the CUDA worker; PROGRAM is tests/probe/closed_kernels.cu, built for the GPU of this
machine (nvcc -O2 -g -lineinfo -std=c++20 -arch=native). First all cases are counted, launched once each, with --ways by
each of the four ways; then `advise` looks at some cases at a time, each three times as often launched as it has them,
beside how long the GPU takes for each way. Prints a line for each case; nothing here asserts.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

WAYS = ("global", "warp", "block", "both")
#: Cases that one run of `advise` looks at: each must take a share of the program's time, and has up to twelve prices, one
#: for each second of the budget.
CASES_OF_A_RUN = 6
#: As `advise` has it: another way is worth a change from here on.
WORTH_IT = 1.2
#: What its sentences begin with, by way, the longest first.
SENTENCES = {"both": "to a copy of its block's in shared memory", "block": "Let each block add in its shared memory",
             "warp": "Let one thread of a warp add for all"}


def cases_of(program, *options):
    """What the program says of each case, by its name, in order."""
    done = subprocess.run([program, *options], check=True, capture_output=True, text=True)
    return {case["case"]: case for case in map(json.loads, done.stdout.splitlines())}


def advised(driver, budget, command):
    """The lines of what `advise` writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "advice.jsonl"
        subprocess.run([driver, "advise", "--budget", budget, "--json", path, "--", *command], check=True, capture_output=True)
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def counts_of_case(case):
    names = ("launches", "updates", "addresses", "hottest", "hottest_warps", "warp_addresses", "barriers")
    return (case["kernel"], *(case[name] for name in names))


def counts_of_kernel(kernel):
    """In shared memory a loop that tries again has more updates than its kernel does: they are left out."""
    warp_addresses = sum(each["warp_addresses"] for each in kernel["instructions"] if not each.get("shared_memory"))
    return (kernel["name"].split("::")[-1], kernel["launches"], kernel["updates"], kernel["addresses"], kernel["hottest"],
            kernel["hottest_warps"], warp_addresses, round(kernel["barriers"]))


def kernels_of_cases(cases, lines):
    """The kernel of each case whose counts are equal to those of its formula."""
    counted = {counts_of_kernel(line): line for line in lines if line["record"] == "kernel" and not line.get("at_least")}
    return {name: counted[counts_of_case(case)] for name, case in cases.items() if counts_of_case(case) in counted}


def way_of(text):
    return next((way for way, sentence in SENTENCES.items() if sentence in text), "no other way")


def count(driver, program, way, budget):
    cases = cases_of(program, "--way", way, "--launches", "1", "--counts")
    equal = kernels_of_cases(cases, advised(driver, budget, [program, "--way", way, "--launches", "1"]))
    print(f"{way}: counts of {len(equal)} of {len(cases)} cases equal", *(name for name in cases if name not in equal))


def look(driver, program, names, options):
    """A line for each of these cases."""
    how = ["--rounds", str(options.rounds), *names]
    times = {way: cases_of(program, "--way", way, "--times", *how) for way in WAYS}
    lines = advised(driver, options.budget, [program, *how])
    kernels = kernels_of_cases(cases_of(program, "--counts", *how), lines)
    busy = {line["id"]: line["device"]["busy_ns"]["sum"] * 1e-6 for line in lines if line["record"] == "call_site" and line.get("device")}
    advice = {line["sites"][0]: line for line in lines if line["record"] == "advice"}
    for name in names:
        taken = {way: times[way][name]["ms"] for way in WAYS if name in times[way]}
        best = min(taken, key=taken.get)
        ratio = taken["global"] / taken[best]
        kernel = kernels.get(name)
        if kernel is None:
            print(f"{name:20} counts differ")
            continue
        found = advice.get(kernel["site"])
        advice_text = f"{found['rule']}, {way_of(found['text'])}, at most {1000 * found['saves_s']['high']:.1f} ms" if found else "nothing"
        print(f"{name:20} {busy[kernel['site']]:8.1f} ms, at least {1000 * kernel.get('least_s', 0):8.1f} ms; best {best} "
              f"({ratio:.2f} times as fast{', worth it' if ratio >= WORTH_IT else ''}); said: {advice_text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--ways", action="store_true")
    parser.add_argument("--budget", default="60s")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    driver, program = options.bin / "syncmeter", os.path.abspath(options.program)
    for way in WAYS if options.ways else WAYS[:1]:
        count(driver, program, way, options.budget)
    names = list(cases_of(program, "--launches", "1"))
    for first in range(0, len(names), CASES_OF_A_RUN):
        look(driver, program, names[first:first + CASES_OF_A_RUN], options)


if __name__ == "__main__":
    main()
