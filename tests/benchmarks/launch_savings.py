"""What `syncmeter advise` says that other launches or fewer waits save, beside what they save: docs/evidence/advise.md's table.

  python3 tests/benchmarks/launch_savings.py BIN PROGRAM [--turns 5] [--budget 5s] [--only NAME ...]

BIN holds the driver, the probe and the CUDA worker; PROGRAM is launch_savings.cu, built for the GPU of this machine (nvcc
-O2 -g -lineinfo -std=c++20 -arch=native). In each turn the slow form runs, the other one, each of which says how long its
loop took, then `advise` on the slow one, and both forms once more. A line for each change has medians of the turns, and
in brackets the least and the greatest. Of the forms with nothing to gain there is what `advise` says. Nothing here asserts.
"""

import argparse
import os
import pathlib
import statistics
import subprocess

from closed_kernels import advised

#: The slow form, the other one, and the options of both.
CHANGES = {
    "graphs of 20": ("launches", "graphs", "--steps 100 --launches 100000 --of-graph 20"),
    "graphs of 100": ("launches", "graphs", "--steps 2000 --launches 40000 --of-graph 100"),
    "one wait of the device": ("device-waits", "launches", "--steps 1000 --launches 40000"),
    "one wait of longer kernels": ("device-waits", "launches", "--steps 10000 --launches 10000"),
    "one wait of the stream": ("stream-waits", "launches", "--steps 100 --launches 40000"),
    "one wait for an event": ("event-waits", "launches", "--steps 3500 --launches 20000"),
    "one copy": ("copies", "one-copy", "--steps 100 --launches 20000"),
    "no wait for copies": ("waits-for-copies", "asynchronous-copies", "--steps 1000 --launches 20000"),
}
#: What keeps the GPU busy, or cannot be judged.
NOTHING_TO_GAIN = {
    "overlapping-streams": "--steps 20000 --launches 20000",
    "asynchronous-copies": "--steps 5000 --launches 30000",
    "overlapping-copies": "--steps 5000 --launches 30000",
    "graphs-and-kernels": "--steps 1000 --launches 100000 --of-graph 20",
    "two processes": "--two-processes --steps 1000 --launches 40000",
}


def loop_s(command):
    """How long its loop took, and what the program printed."""
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stderr.split()[-1]), done.stdout


def advice_of_launches(lines):
    """On launches and waits there is one at most."""
    rules = ("launches", "synchronizations", "copies")
    return next((line for line in lines if line["record"] == "advice" and line["rule"] in rules), None)


def turn(driver, budget, slow, fixed):
    """What the change saved, and the advice on it: None where there was none."""
    saved = []
    lines = []
    for _ in range(2):
        (slow_s, printed), (fixed_s, same) = loop_s(slow), loop_s(fixed)
        if printed != same:
            raise SystemExit(f"{' '.join(fixed)} prints {same!r}, and not {printed!r}")
        saved.append(slow_s - fixed_s)
        lines = lines or advised(driver, budget, slow)
    return statistics.mean(saved), advice_of_launches(lines)


def range_text(values):
    return f"{statistics.median(values):.3f} ({min(values):.3f} to {max(values):.3f})"


def change(program, driver, name, turns, budget):
    slow_form, fixed_form, options = CHANGES[name]
    slow, fixed = ([program, form, *options.split()] for form in (slow_form, fixed_form))
    all_turns = [turn(driver, budget, slow, fixed) for _ in range(turns)]
    saves = [saved for saved, _ in all_turns]
    predicted = [found for _, found in all_turns if found is not None and found["saves_s"] is not None]
    if not predicted:
        return f"| {name} | nothing | {range_text(saves)} | |"
    low, high = (statistics.median(found["saves_s"][end] for found in predicted) for end in ("low", "high"))
    rules = ", ".join(sorted({found["rule"] for found in predicted}))
    if any(found["kind"] != "estimate" for found in predicted):
        return f"| {name} | {rules}: at most {high:.3f} | {range_text(saves)} | |"
    off = (low + high) / 2 / statistics.median(saves) - 1
    return f"| {name} | {rules}: {low:.3f} to {high:.3f} | {range_text(saves)} | {100 * off:+.0f} % |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--budget", default="5s")
    parser.add_argument("--only", nargs="+", metavar="NAME")
    options = parser.parse_args()
    driver, program = options.bin / "syncmeter", os.path.abspath(options.program)
    print("| change | said to save: s | saves: s | middle |\n| --- | --- | --- | ---: |")
    for name in CHANGES:
        if not options.only or name in options.only:
            print(change(program, driver, name, options.turns, options.budget), flush=True)
    for name, its_options in NOTHING_TO_GAIN.items():
        if options.only and name not in options.only:
            continue
        form = "device-waits" if name == "two processes" else name
        lines = advised(driver, options.budget, [program, form, *its_options.split()])
        found = advice_of_launches(lines)
        print(f"\n{name}: {found['text'] if found else 'no advice on launches or waits'}", *lines[0]["notes"], lines[0]["conclusion"] or "", sep="\n  ",
              flush=True)


if __name__ == "__main__":
    main()
