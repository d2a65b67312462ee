"""What `syncmeter advise` predicts for 27 changes of programs, and what each brings: a row for each.

  python3 tests/benchmarks/changes.py BIN --output FILE [--turns 7] [--runs 3] [--budget 6] [--within S]
                                      [--programs FOLDER] [--compiler g++] [--libomp FILE] [--keep FOLDER] [--only NAME ...]
  python3 tests/benchmarks/changes.py --table FILE

BIN holds the driver: of a build, of an installation, or of a virtual environment into which pip installed the wheel. A
change is a fix of the source (examples/hazards, examples/phases), a setting of OpenMP, or another lock or barrier that
is swapped in. In each turn `advise` looks at the program as it is, and then that and the changed one run in turn. A run
that takes ten times as long as the longest of the program as it is, and 10 s or more, is ended. Each turn of a change is
a line of FILE, and what FILE has is not run again: end it at any time, and call it anew; --programs keeps what it
compiles. With --within calls of `advise` have shorter budgets, and no change begins that would end later. The table is
printed at the end, also that of Ctrl-C, or with --table of what there is. Nothing here asserts. A saving is predicted by
the first advice, or for settings and swaps by all advice that they follow, or of lines that move by what is said of loads
and stores; as in hazards.py a bound holds from above alone. No sign is predicted of loads and stores, which may be work,
and where threads that slept are awake, which may take longer, as the advice says.
"""

import argparse
import collections
import dataclasses
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import hazards

PHASES = hazards.SOURCES.parent / "phases"
#: How often the phases run, so that they take about a second.
PHASES_TIMES = {"relaxation": 20, "radix_sort": 8}
#: Of loads and stores there is a sentence, and no advice.
MEMORY = "memory"
SAVED_BY_LINES = re.compile(r"a load or store of memory.* That saves between nothing and ([0-9.]+) (s|ms|us) of ")
#: Beyond this share of the time a change has a sign.
SIGN = 0.10
#: A run that takes so many times as long as the longest of the program as it is will not end, but for those below a time.
HOPELESS, LEAST_LIMIT_S = 10, 10
#: Before the program as it is has run once.
FIRST_LIMIT_S = 60
LIBOMP = next(iter(sorted(pathlib.Path("/usr/lib").glob("llvm-*/lib/libomp.so.5"), reverse=True)), None)


@dataclasses.dataclass
class Change:
    name: str
    before: str
    after: str
    before_settings: dict
    settings: dict
    rules: tuple = ()  #: that predict it; none: the first advice
    wakes: bool = False  #: threads that slept are awake, whatever the first advice is of


def find_swaps(binaries):
    """The library beside the driver, in the folder of workers, or where pip put both."""
    folders = [binaries, binaries.parent / "libexec/syncmeter", *binaries.parent.glob("lib/python*/site-packages/syncmeter/libexec/syncmeter")]
    found = [folder / "libsyncmeter-swaps.so" for folder in folders if (folder / "libsyncmeter-swaps.so").exists()]
    if not found:
        sys.exit(f"changes.py: there is no libsyncmeter-swaps.so for {binaries}; looked in {', '.join(map(str, folders))}")
    return str(found[0])


def changes(swaps, libomp):
    """All of them, those of one program as it is behind each other."""

    def swap(program, kind, rules):
        return Change(f"{program}: {kind} swapped in", program, program, {}, {"LD_PRELOAD": swaps, "SYNCMETER_SWAP": kind}, rules)

    found = []
    meetings = ("sleeping", "barriers")
    for source in sorted(hazards.SOURCES.glob("*.cpp")):
        name = source.stem
        found.append(Change(f"{name}: fixed", name, f"{name}-fixed", {}, {}, (MEMORY,) if name == "false_sharing" else ()))
        if name == "sleeping_barrier":
            found.append(swap(name, "barrier", meetings))
        if name == "contended_counter":
            found += [swap(name, kind, ("contended_lock",)) for kind in ("adaptive", "ttas", "mcs")]
        if name in ("inner_region", "small_tasks", "dynamic_chunk") and libomp:
            found.append(Change(f"{name}: libomp", name, name, {}, {"LD_PRELOAD": str(libomp)}, ("regions", "tasks", "chunks")))
        if name in ("inner_region", "barrier_storm"):
            found.append(Change(f"{name}, passive: OMP_WAIT_POLICY=active", name, name, {"OMP_WAIT_POLICY": "passive"},
                                {"OMP_WAIT_POLICY": "active"}, ("sleeping", "regions", "barriers")))
    for name in PHASES_TIMES:
        found.append(Change(f"{name}: condition to atomic barrier", name, f"{name}-atomic", {}, {}, wakes=True))
        found.append(Change(f"{name}: POSIX to atomic barrier", f"{name}-posix", f"{name}-atomic", {}, {}, meetings))
        found.append(swap(f"{name}-posix", "barrier", meetings))
    return found


def build(folder, compiler):
    if (folder / "radix_sort-atomic").exists():
        return
    hazards.build(folder, compiler)
    for name, times in PHASES_TIMES.items():
        for suffix, options in (("", []), ("-posix", ["-DPOSIX"]), ("-atomic", ["-DATOMIC"])):
            subprocess.run([compiler, "-std=c++20", "-O2", "-g", "-pthread", f"-DTIMES={times}", *options, PHASES / f"{name}.cpp",
                            "-o", folder / f"{name}{suffix}"], check=True)


class Refused(Exception):
    """Why a run does not count, in words that follow "the program as it is" or "the changed program"."""


def run(program, settings, longest_s):
    begin = time.monotonic()
    try:
        done = subprocess.run([program], capture_output=True, env=os.environ | settings, timeout=longest_s)
    except subprocess.TimeoutExpired:
        raise Refused(f"did not end within {longest_s:.3g} s") from None
    if done.returncode != 0:
        raise Refused(f"ended with status {done.returncode}")
    return time.monotonic() - begin, done.stdout


def predict(header, advices, rules):
    """(saves_s or None, kind, rules)"""
    if rules == (MEMORY,):
        savings = [match for note in header["notes"] if (match := SAVED_BY_LINES.search(note))]
        if not savings:
            return None, "none", MEMORY
        most = float(savings[0][1]) * {"s": 1, "ms": 1e-3, "us": 1e-6}[savings[0][2]]
        return {"low": 0, "high": most}, "bound", MEMORY
    chosen = [advice for advice in advices if advice["rule"] in rules] if rules else advices[:1]
    named = ", ".join(dict.fromkeys(advice["rule"] for advice in chosen))
    if not chosen or any(advice["saves_s"] is None for advice in chosen):
        return None, "withheld" if chosen else "none", named
    wall = max(advice["run_s"] for advice in chosen)
    saves = {end: min(wall, sum(advice["saves_s"][end] for advice in chosen)) for end in ("low", "high")}
    if any(advice["kind"] == "may_cost" for advice in chosen):
        return saves, "may_cost", named
    exact = not rules and chosen[0]["kind"] == "estimate"
    return saves, "estimate" if exact else "bound", named


def measure(change, programs, advised, runs, as_it_is_s):
    """One turn; `as_it_is_s` has the times of all runs of the program as it is, and gets these."""
    times, printed, refused = ([], []), set(), None
    for i in range(runs):
        for changed in ((False, True), (True, False))[i % 2]:
            program, settings = (change.after, change.settings) if changed else (change.before, change.before_settings)
            longest_s = max(LEAST_LIMIT_S, HOPELESS * max(as_it_is_s)) if as_it_is_s else FIRST_LIMIT_S
            try:
                seconds, text = run(programs / program, settings, longest_s)
            except Refused as why:
                refused = refused or f"{'the changed program' if changed else 'the program as it is'} {why}"
                break
            times[changed].append(seconds)
            printed.add(text)
            if not changed:
                as_it_is_s.append(seconds)
        if refused:
            break
    saves, kind, rules = predict(*advised, change.rules)
    return {"change": change.name, "before_s": times[0], "after_s": times[1], "same_output": len(printed) <= 1, "refused": refused,
            "predicted": saves, "kind": "may_cost" if saves and change.wakes else kind, "rules": rules, "withheld": advised[0]["withheld"]}


def whole_lines(file):
    """The bytes of a file that may have been cut short, up to the end of its last line."""
    content = file.read_bytes() if file.exists() else b""
    return content[:content.rfind(b"\n") + 1]


def lines_of(file):
    return [json.loads(line) for line in whole_lines(file).splitlines()]


def saving(line):
    return statistics.median(before - after for before, after in zip(line["before_s"], line["after_s"], strict=True))


def row(name, lines):
    refused = [line["refused"] for line in lines if line.get("refused")]
    notes = [f"{why} ({times} of {len(lines)} turns)" for why, times in collections.Counter(refused).items()]
    lines = [line for line in lines if not line.get("refused")]
    if not lines:
        return f"| {name} | | | | | | | | {', '.join(notes)} |", [], "", None
    before = statistics.median(statistics.median(line["before_s"]) for line in lines)
    savings = [saving(line) for line in lines]
    shares = [100 * -saving(line) / statistics.median(line["before_s"]) for line in lines]
    named = [line for line in lines if line["predicted"]]
    covered = [hazards.held(saving(line), line["predicted"], line["kind"]) for line in named]
    predicted = "none"
    if named:
        highs = hazards.seconds([line["predicted"]["high"] for line in named])
        lows = hazards.seconds([line["predicted"]["low"] for line in named])
        predicted = f"{lows}, {highs}" if named[0]["kind"] == "estimate" else f"at most {highs}"
    share = statistics.median(shares)
    low, high = (statistics.median(line["predicted"][end] for line in named) if named else 0 for end in ("low", "high"))
    has_sign = bool(named) and lines[-1]["rules"] != MEMORY and named[-1]["kind"] != "may_cost" and abs(share) > 100 * SIGN
    wrong = has_sign and (share < 0) != (low + high > 0)
    longer = share > 0 if named and named[-1]["kind"] == "may_cost" else None
    sign = "" if not has_sign else "both" if low < 0 < high else "wrong" if wrong else "right"
    notes += [f"{len(lines) - len(named)} not predicted"] * (len(named) < len(lines)) + ["writes something else"] * (not all(line["same_output"] for line in lines))
    return (f"| {name} | {lines[-1]['rules'] or 'nothing'} | {before:.2g} | {predicted} | {hazards.seconds(savings)} | "
            f"{share:+.0f} % ({min(shares):+.0f} to {max(shares):+.0f}) | {sum(covered)} of {len(covered)} | "
            f"{sign} | {', '.join(notes)} |"), covered, sign, longer


def table(lines):
    print("| change | advice | as it is, s | predicted to save, s | saved, s | time | covered, turns | sign | |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    mostly, predicted, signs, longers = 0, 0, [], []
    for name in dict.fromkeys(line["change"] for line in lines):
        text, covered, sign, longer = row(name, [line for line in lines if line["change"] == name])
        print(text)
        predicted += bool(covered)
        mostly += bool(covered) and 2 * sum(covered) > len(covered)
        signs += [sign] * bool(sign)
        longers += [longer] * (longer is not None)
    print(f"\nOf {predicted} changes that were predicted {mostly} were covered in most turns; "
          f"of {len(signs) - signs.count('both')} with a sign {signs.count('wrong')} had the wrong one, and {signs.count('both')} had both; of {len(longers)} that may take longer {sum(longers)} did.")
    turns = collections.Counter(line["change"] for line in lines)
    some = f"{min(turns.values())} to {max(turns.values())}" if turns else "no"
    print(f"{len(turns)} changes ran, in {some} turns each.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries", nargs="?", type=pathlib.Path, metavar="BIN")
    parser.add_argument("--output", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--table", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--programs", type=pathlib.Path, metavar="FOLDER", help="compiled there, unless they are")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--libomp", type=pathlib.Path, default=LIBOMP, metavar="FILE", help="put in the place of libgomp; default: %(default)s")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="where the files of advise stay")
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--runs", type=int, default=3, help="of each program in a turn")
    parser.add_argument("--budget", type=float, default=6, metavar="S", help="of advise: pairs of runs that say what counting costs")
    parser.add_argument("--within", type=float, metavar="S", help="of all changes and turns together; default: as long as they take")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="changes whose name has one of these in it")
    given = parser.parse_args()
    if given.table:
        table(lines_of(given.table))
        return
    if not given.binaries or not given.output:
        parser.error("BIN or --output is missing")
    binaries = given.binaries.resolve()
    chosen = [change for change in changes(find_swaps(binaries), given.libomp) if not given.only or any(word in change.name for word in given.only)]
    if given.keep:
        given.keep.mkdir(parents=True, exist_ok=True)
    whole = whole_lines(given.output)
    given.output.write_bytes(whole)
    try:
        with tempfile.TemporaryDirectory() as folder, given.output.open("a", encoding="utf-8") as file:
            programs = (given.programs or pathlib.Path(folder)).resolve()
            build(programs, given.compiler)
            run_turns(chosen, binaries, programs, given, {(line["change"], line["turn"]) for line in lines_of(given.output)}, file)
    except KeyboardInterrupt:
        print("ended by Ctrl-C", file=sys.stderr)
    table(lines_of(given.output))


def run_turns(chosen, binaries, programs, given, done, file):
    left = [(turn, change) for turn in range(given.turns) for change in chosen if (change.name, turn) not in done]
    calls = len({(turn, change.before, *change.before_settings) for turn, change in left})
    begin = time.monotonic()
    end = begin + (given.within or float("inf"))
    budget = hazards.Budget(given.budget, end - begin, calls)
    runs_s, advised, as_it_is_s, took_s = 0, {}, collections.defaultdict(list), {}
    for turn, change in left:
        key = change.before, *change.before_settings
        start = time.monotonic()
        # What it took before, or the mean of all that ran.
        usual_s = (start - begin) / max(1, len(took_s))
        if start + took_s.get(change.name, usual_s) > end:
            print(f"no time is left within {given.within:g} s for {change.name}, turn {turn + 1}", file=sys.stderr)
            return
        if (turn, key) not in advised:
            runs_each_s = runs_s / max(1, len(advised))
            kept = given.keep and given.keep / f"{'-'.join(key)}-{turn + 1}.jsonl"
            advised[turn, key] = hazards.advise(binaries, programs / change.before, budget.next(runs_each_s), change.before_settings, kept)
        after_advice = time.monotonic()
        line = measure(change, programs, advised[turn, key], given.runs, as_it_is_s[key]) | {"turn": turn}
        print(json.dumps(line), file=file, flush=True)
        runs_s += time.monotonic() - after_advice
        took_s[change.name] = time.monotonic() - start
        print(f"turn {turn + 1} of {given.turns}, {change.name}: {took_s[change.name]:.0f} s{', ' if line['refused'] else ''}{line['refused'] or ''}",
              file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
