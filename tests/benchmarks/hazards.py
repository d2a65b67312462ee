"""What `syncmeter advise` predicts for each program of examples/hazards, and what its fix brings: docs/evidence/advise.md's table.

  python3 tests/benchmarks/hazards.py BIN [--programs FOLDER] [--compiler g++] [--turns 7] [--budget 20]
                                      [--within S] [--only NAME ...]
  python3 tests/benchmarks/hazards.py --build FOLDER [--compiler g++]

BIN holds the driver, the library that counts and the workers. In each turn the slow program runs, then the fixed one,
and then `advise` on the slow one, so that a state of the machine meets all three. --build compiles the programs into a
folder, and --programs takes them from there: on a machine without a compiler. Calls of `advise` have shorter budgets
where all would take longer than --within. Progress is printed on standard error, and why a saving was withheld. Nothing
here asserts.
"""

import argparse
import collections
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

#: How much longer those run that take a few hundredths of a second as they are.
TIMES = 15
SOURCES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "hazards"
#: With it three turns of twelve programs take 25 minutes at most, where single runs are short beside it.
USUAL_S = 41
#: Below this `advise` runs each program a few times only.
LEAST_BUDGET_S = 3
#: How far beyond the predicted range a saving may lie and still be as predicted.
TOLERANCE = 0.15


def names(folder):
    return sorted(path.name.removesuffix("-fixed") for path in folder.glob("*-fixed"))


def build(folder, compiler):
    folder.mkdir(parents=True, exist_ok=True)
    for source in SOURCES.glob("*.cpp"):
        for program, options in ((source.stem, []), (f"{source.stem}-fixed", ["-DFIXED"])):
            subprocess.run([compiler, "-std=c++20", "-O2", "-g", "-fopenmp", "-pthread", f"-DTIMES={TIMES}", *options, source, "-o", folder / program],
                           check=True)


def run(program):
    """Its wall time in s, and what it printed."""
    begin = time.monotonic()
    done = subprocess.run([program], check=True, capture_output=True)
    return time.monotonic() - begin, done.stdout


class Budget:
    """Of calls of `advise`: the seconds that were given, or what is left for each of the remaining ones."""

    def __init__(self, each_s, within_s, calls):
        self.each_s, self.left = each_s, calls
        self.end = time.monotonic() + within_s

    def next(self, other_runs_s):
        """For a call that such runs come before, as they do before each."""
        left_s = (self.end - time.monotonic() + other_runs_s) / self.left - other_runs_s
        self.left -= 1
        # About a quarter comes on top: the runs that are sampled and timed, and prices.
        return max(LEAST_BUDGET_S, min(self.each_s, left_s / 1.25))


def ranked(report):
    """Returns all causes in the order of the screen, with the members of a record `advice`."""
    found = []
    for cause in report["causes"]:
        if cause["conclusion"] is None:
            found.append(next(advice for advice in report["advice"] if advice["rank"] == cause["advice"]))
            continue
        conclusion = report["conclusions"][cause["conclusion"]]
        run_s, effect, saves = conclusion["reference"]["wall_s"], conclusion["effect"], None
        if effect and effect["after_s"]:
            best_s, worst_s = effect["after_s"]
            saves = {"low": run_s - worst_s, "high": run_s - best_s}
        kind = "estimate" if conclusion["grade"] == "predicted" else "bound"
        found.append({"rule": conclusion["cause"], "saves_s": saves, "run_s": run_s, "kind": kind})
    return found


def advise(binaries, program, budget_s, settings=None, kept=None):
    """The header and the advice of one call in this environment, the first one first; its file is `kept`, if named."""
    with tempfile.TemporaryDirectory() as folder:
        file = kept or pathlib.Path(folder) / "advice.jsonl"
        subprocess.run([binaries / "syncmeter", "advise", "--budget", f"{budget_s:.1f}s", "--json", file, "--", program], check=True,
                       capture_output=True, env=os.environ | (settings or {}))
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        report = subprocess.run([binaries / "syncmeter-report", "advise", "--format", "json", file], check=True, capture_output=True)
    return lines[0], ranked(json.loads(report.stdout))


def held(saving, predicted, kind):
    """Whether the fix brought what was predicted; a bound is held from above alone."""
    low = predicted["low"] - TOLERANCE * abs(predicted["low"]) if kind == "estimate" else -float("inf")
    return low <= saving <= predicted["high"] + TOLERANCE * abs(predicted["high"])


def seconds(values):
    low, high = (f"{value:.2g}" for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def row(name, binaries, programs, turns, budget):
    slow, fixed, first, predicted, withheld, right = [], [], collections.Counter(), [], 0, 0
    for turn in range(turns):
        begin = time.monotonic()
        (slow_s, printed), (fixed_s, same) = run(programs / name), run(programs / f"{name}-fixed")
        if printed != same:
            sys.exit(f"{name}: the fixed program prints {same!r}, and the slow one {printed!r}")
        slow.append(slow_s)
        fixed.append(fixed_s)
        header, advices = advise(binaries, programs / name, budget.next(slow_s + fixed_s))
        print(f"{name}, turn {turn + 1} of {turns}: {time.monotonic() - begin:.0f} s{', withheld: ' if header['withheld'] else ''}"
              f"{header['withheld'] or ''}", file=sys.stderr, flush=True)
        # A load or store with many samples has a sentence, and no advice.
        memory = any("a load or store of memory" in note for note in header["notes"])
        first[advices[0]["rule"] if advices else "memory, by samples" if memory else "nothing"] += 1
        if not advices:
            continue
        if advices[0]["saves_s"] is None:
            withheld += 1
            continue
        predicted.append((advices[0]["saves_s"], advices[0]["kind"]))
        right += held(slow_s - fixed_s, *predicted[-1])
    rules = ", ".join(rule if times == turns else f"{rule} ({times} of {turns})" for rule, times in first.most_common())
    kinds = " or ".join(sorted({kind for _, kind in predicted}))
    high = f"{seconds([saves['high'] for saves, _ in predicted])}" if predicted else ""
    text = {"": "none", "estimate": f"{seconds([saves['low'] for saves, _ in predicted])}, {high}" if predicted else ""}.get(kinds, f"at most {high}")
    savings = [s - f for s, f in zip(slow, fixed, strict=True)]
    return (f"| `{name}.cpp` | {rules} | {statistics.median(slow):.2g} | {text} | {seconds(savings)}, "
            f"median {statistics.median(savings):.2g} | {right} of {len(predicted)}{f', {withheld} withheld' if withheld else ''} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries", nargs="?", type=pathlib.Path, metavar="BIN")
    parser.add_argument("--build", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--programs", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--budget", type=float, default=20, metavar="S", help="of advise: pairs of runs that say what counting costs")
    parser.add_argument("--within", type=float, metavar="S", help=f"of all programs and turns together; default: {USUAL_S} for each of each")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    given = parser.parse_args()
    if given.build:
        build(given.build, given.compiler)
        return
    if not given.binaries:
        parser.error("BIN is missing")
    with tempfile.TemporaryDirectory() as folder:
        programs = given.programs or pathlib.Path(folder)
        if not given.programs:
            build(programs, given.compiler)
        print("| program | what is found first | s | predicted to save, s | the fix saves, s | as predicted |")
        print("| --- | --- | --- | --- | --- | --- |")
        chosen = given.only or names(programs)
        calls = len(chosen) * given.turns
        budget = Budget(given.budget, given.within or USUAL_S * calls, calls)
        for name in chosen:
            print(row(name, given.binaries.resolve(), programs.resolve(), given.turns, budget), flush=True)


if __name__ == "__main__":
    main()
