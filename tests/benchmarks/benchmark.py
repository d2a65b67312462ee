"""How fast and how good syncmeter is on this machine: run by hand, on an otherwise idle machine.

  python3 tests/benchmarks/benchmark.py BIN [speed] [memory] [repeat] [headline] [planted] [accuracy]

BIN holds `syncmeter` and its workers. Nothing here asserts; it prints what was found beside what is
promised (speed: quick within 20 s, paper within 60 s, 70 % inside timed loops; memory: 100 MiB;
repeat: CV over 15 campaigns and how often an interval holds their median; headline: CV of what the
table shows first over 12 quick campaigns, on a busy host at most 3 % on one lane and strided, 8 %
shared, in the median over ops, and twice that in 9 of 10; planted: one-lane costs within 3 % in 90 %
of the ops while another process spins on the same unit; accuracy: against twin.cpp, an independent
measurement by rdtscp, interleaved with ours).
"""

import csv
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
# The twin's name of a primitive, ours, its type, lanes, and what is promised.
TWINS = [
    ("lock_add", "atomic_add", "int32", 1, "5 %"),
    ("xadd", "atomic_fetch_add", "int32", 1, "5 %"),
    ("cas_loop", "atomic_max_hold", "int32", 1, "5 %"),
    ("double_add", "atomic_add", "double", 1, "5 %"),
    ("lock_or", "fence", None, 1, "5 %"),
    ("load", "plain_read", "int32", 1, "0.05 ns"),
    ("store", "plain_write", "int32", 1, "0.05 ns"),
    ("barrier", "barrier", None, 2, "5 %"),
]


def campaign(binaries, folder, *options):
    """One campaign: its rows as the CSV export has them, its `end` line and its wall time in s."""
    results = folder / f"{time.monotonic_ns()}.jsonl"
    table = results.with_suffix(".csv")
    begin = time.monotonic()
    subprocess.run([binaries / "syncmeter", "run", "--output", results, "--csv", table, *options],
                   check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall_s = time.monotonic() - begin
    with open(table, encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["headline"] == "true"]
    return rows, json.loads(results.read_text(encoding="utf-8").splitlines()[-1]), wall_s


def speed(binaries, folder):
    print("study     points  wall s  inside timed loops and probes")
    for study in ("quick", "paper", "control"):
        rows, end, wall_s = campaign(binaries, folder, "--study", study)
        print(f"{study:8}  {len(rows):6}  {wall_s:6.1f}  {100 * end['timed_ns'] / end['wall_ns']:.0f} %")


def peak_kib(pid):
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def memory(binaries, folder):
    driver = subprocess.Popen([binaries / "syncmeter", "run", "--output", folder / "memory.jsonl"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peaks = {}
    while driver.poll() is None:
        children = pathlib.Path(f"/proc/{driver.pid}/task/{driver.pid}/children")
        pids = [driver.pid, *map(int, children.read_text(encoding="utf-8").split())] if children.exists() else []
        for pid in pids:
            peaks[pid] = max(peaks.get(pid, 0), peak_kib(pid))
        time.sleep(0.05)
    print(f"driver and workers, sum of peak resident sizes: {sum(peaks.values()) / 1024:.0f} MiB (promised: 100)")


def repeat(binaries, folder, campaigns=15):
    """Uncontended and contended points over whole campaigns, each in its headline state."""
    found = {}
    for _ in range(campaigns):
        rows, _, _ = campaign(binaries, folder, "--op", "atomic_add,atomic_fetch_add,atomic_exchange,critical_add,"
                              "barrier,plain_read,plain_write,fence", "--type", "int32,double")
        for row in rows:
            if row["cost_ns"]:
                name = (row["op"], row["type"], row["placement"], row["lanes"])
                found.setdefault(name, []).append(row)
    print("op                type    placement  lanes  state             median ns    CV  held  of")
    for name, rows in found.items():
        for state, same in by_state(rows).items():
            costs = [float(r["cost_ns"]) for r in same]
            middle = statistics.median(costs)
            held = sum(float(r["cost_low_ns"] or "-inf") <= middle <= float(r["cost_high_ns"] or "inf") for r in same)
            spread = 100 * statistics.stdev(costs) / statistics.mean(costs) if len(costs) > 1 else float("nan")
            op, kind, placement, lanes = name
            print(f"{op:16}  {kind:6}  {placement:9}  {lanes:>5}  {state:15}  {middle:9.4f}  {spread:5.2f} %  {held:3}  {len(same):2}")


def headline(binaries, folder, campaigns=12):
    """How much the first row of each point moves from campaign to campaign, whatever its state."""
    axes = ("backend", "op", "type", "order", "placement")
    found, quiet = {}, 0
    for _ in range(campaigns):
        for row in campaign(binaries, folder)[0]:
            lanes = "one lane" if row["lanes"] == "1" else row["placement"]
            if row["cost_ns"] and lanes in ("one lane", "strided", "shared") and not row["measured_as"]:
                found.setdefault((lanes, *(row[axis] for axis in axes)), []).append(row)
                quiet += row["status"] == "ok"
    print("lanes     unit    points  median CV  CV of 9 in 10")
    for kind in ("one lane", "strided", "shared"):
        for unit, column in (("ns", "cost_ns"), ("cycles", "cost_cycles")):
            costs = [[float(row[column]) for row in rows if row[column]]
                     for (lanes, *_), rows in found.items() if lanes == kind]
            spreads = sorted(100 * statistics.stdev(of_point) / statistics.mean(of_point)
                             for of_point in costs if len(of_point) > 1)
            print(f"{kind:8}  {unit:6}  {len(spreads):6}  {statistics.median(spreads):7.1f} %  "
                  f"{spreads[int(0.9 * (len(spreads) - 1))]:11.1f} %")
    print(f"quiet headlines: {quiet} of {sum(map(len, found.values()))}")


def planted(binaries, folder, campaigns=20):
    """One-lane costs while another process spins on the same processing unit, against those without it."""
    unit = max(os.sched_getaffinity(0))
    options = ("--cpus", str(unit), "--layout", "shared")

    def costs():
        rows = campaign(binaries, folder, *options)[0]
        return {(r["backend"], r["op"], r["type"], r["order"]): float(r["cost_ns"]) for r in rows if r["cost_ns"]}

    quiet = [costs() for _ in range(5)]
    truth = {name: statistics.median(q[name] for q in quiet if name in q) for name in quiet[0]}
    spinning = subprocess.Popen([sys.executable, "-c", f"import os\nos.sched_setaffinity(0, {{{unit}}})\nwhile True: pass"])
    try:
        loaded = [costs() for _ in range(campaigns)]
    finally:
        spinning.kill()
        spinning.wait()
    shares = []
    for found in loaded:
        off = [abs(found[name] / cost - 1) for name, cost in truth.items() if name in found and cost > 0]
        shares.append(sum(one <= 0.03 for one in off) / len(off))
    print(f"{len(truth)} ops on unit {unit}, {campaigns} campaigns under load: in the median campaign "
          f"{100 * statistics.median(shares):.0f} % of the ops within 3 % of their cost without it, "
          f"in the worst {100 * min(shares):.0f} %")


def by_state(rows):
    """Rows of one point from several campaigns by placement state and quiet. A campaign names a state by
    its hop, 103 ns here and 108 there; hops are of one state up to a gap of 1.5, as in a campaign."""
    def hop(row):
        return float(match[1]) if (match := re.match(r"hop ([0-9.]+) ns", row["state"])) else 0.0

    groups, previous, first = {}, 0.0, 0.0
    for row in sorted(rows, key=hop):
        if hop(row) >= 1.5 * previous:
            first = hop(row)
        previous = hop(row)
        busy = "busy" in row["state"] or row["status"] == "busy"
        name = (f"hop {first:.0f}+ ns, " if first else "") + ("busy" if busy else "quiet")
        groups.setdefault(name, []).append(row)
    return groups


def accuracy(binaries, folder, rounds=9):
    twin = folder / "twin"
    subprocess.run(["g++", "-std=c++20", "-O2", "-fopenmp", HERE / "twin.cpp", "-o", twin], check=True)
    worker = subprocess.Popen([binaries / "syncmeter-omp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                              env=os.environ | {"OMP_WAIT_POLICY": "active"})

    def ours(op, kind, lanes):
        point = {"backend": "omp", "op": op, "lanes": lanes, "affinity": "close", "wait": "active",
                 "order": "relaxed" if op.startswith("atomic") else "unordered"}
        if kind:
            point |= {"type": kind, "placement": "shared"}
        worker.stdin.write(json.dumps({"kind": "measure", "id": 1, "point": point, "pus": list(range(lanes)),
                                       "visit": 1, "options": {"max_time_ns": 1e8}}) + "\n")
        worker.stdin.flush()
        while (answer := json.loads(worker.stdout.readline()))["kind"] == "accepted":
            pass
        quiet = [e for e in answer["estimates"] if not e["busy"]]
        return quiet[0]["cost_ns"]["value"] if quiet else None

    print("primitive    twin ns   ours ns   ratio  difference ns  promised  pairs")
    for name, op, kind, lanes, promised in TWINS:
        pairs = []
        for _ in range(rounds):
            mine = ours(op, kind, lanes)
            # The worker's idle threads spin: they must not share the twin's cores.
            os.kill(worker.pid, 19)
            made = subprocess.run([twin, name, "0.1"], capture_output=True, text=True, check=True,
                                  env=os.environ | {"OMP_WAIT_POLICY": "active"})
            os.kill(worker.pid, 18)
            its = json.loads(made.stdout)
            if mine and its["quiet"]:
                pairs.append((its["ns"], mine))
        if not pairs:
            print(f"{name:10}  no quiet pair")
            continue
        its, mine = (statistics.median(p[i] for p in pairs) for i in (0, 1))
        ratio = statistics.median(p[1] / p[0] for p in pairs)
        print(f"{name:10}  {its:8.4f}  {mine:8.4f}  {ratio:6.3f}  {mine - its:13.4f}  {promised:>8}  {len(pairs)}")
    worker.stdin.close()
    worker.wait()


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    binaries = pathlib.Path(sys.argv[1]).resolve()
    parts = {"speed": speed, "memory": memory, "repeat": repeat, "headline": headline, "planted": planted, "accuracy": accuracy}
    with tempfile.TemporaryDirectory() as folder:
        for part in sys.argv[2:] or parts:
            print(f"\n{part}")
            parts[part](binaries, pathlib.Path(folder))


if __name__ == "__main__":
    main()
