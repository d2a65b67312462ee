"""Regions, loops, reductions and tasks by syncmeter's worker and by a short program (region_twin.cpp), in turn on
the same PUs; then constructs by it, by EPCC's method and bare (region_methods.cpp).

  python3 tests/benchmarks/regions.py BIN [ROUNDS [WORKER COMPILER [LANES]]]

BIN holds the worker (omp; omp-llvm with clang++). Nothing here asserts: it prints the medians in ns and of the ratios,
and the scatter of both. Promised: ratios within 3 % in the median.
"""

import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
OPS = ("parallel_region", "for_static", "reduction_sum", "task_by_one")


def by_worker(worker, backend, op, lanes):
    point = {"backend": backend, "op": op, "lanes": lanes, "affinity": "close", "wait": "active", "order": "unordered"}
    worker.stdin.write(json.dumps({"kind": "measure", "id": 1, "point": point, "pus": list(range(lanes)), "visit": 1,
                                   "options": {"max_time_ns": 1e8}}) + "\n")
    worker.stdin.flush()
    while (answer := json.loads(worker.stdout.readline()))["kind"] == "accepted":
        pass
    quiet = [e for e in answer["estimates"] if not e["busy"]] or answer["estimates"]
    return quiet[0]["cost_ns"]["value"] if quiet else None


def scatter(costs):
    return 100 * statistics.stdev(costs) / statistics.mean(costs) if len(costs) > 1 else float("nan")


def beside_the_twin(ours, program, rounds, many):
    print("construct        lanes   twin ns    ours ns  ratio  scatter of both")
    for lanes in (1, many):
        for op in OPS:
            pairs = []
            for _ in range(rounds):
                mine, made = ours(op, lanes), program(op, str(lanes), "0.1")
                if mine:
                    pairs.append((float(made), mine))
            if not pairs:
                print(f"{op:16} {lanes:5}  no estimate in {rounds} rounds")
                continue
            its, own = ([pair[i] for pair in pairs] for i in (0, 1))
            ratio = statistics.median(b / a for a, b in pairs)
            print(f"{op:16} {lanes:5}  {statistics.median(its):8.1f}  {statistics.median(own):9.1f}  {ratio:5.3f}  "
                  f"{scatter(its):.1f} and {scatter(own):.1f} %", flush=True)


def beside_the_methods(ours, program, rounds, lanes):
    found = {}
    for _ in range(rounds):
        for line in program(str(lanes), "1").splitlines():
            op, *both = line.split()
            if mine := ours(op, lanes):
                found.setdefault(op, []).append((*map(float, both), mine))
    print("construct        lanes  EPCC's ns    bare ns    ours ns  bare over EPCC's  ours over bare")
    for op, costs in found.items():
        medians = [statistics.median(each) for each in zip(*costs, strict=True)]
        over = [statistics.median(cost[i] / cost[i - 1] for cost in costs) for i in (1, 2)]
        print(f"{op:16} {lanes:5}" + "".join(f"  {ns:9.1f}" for ns in medians)
              + f"  {over[0]:16.3f}  {over[1]:14.3f}", flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    binaries = pathlib.Path(sys.argv[1]).resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 11
    backend, compiler = sys.argv[3:5] if len(sys.argv) > 4 else ("omp", "g++")
    lanes = int(sys.argv[5]) if len(sys.argv) > 5 else 2
    environment = os.environ | {"OMP_WAIT_POLICY": "active"}
    with tempfile.TemporaryDirectory() as folder:
        worker = subprocess.Popen([binaries / f"syncmeter-{backend}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  text=True, env=environment)

        def program(name):
            path = pathlib.Path(folder) / name
            subprocess.run([compiler, "-std=c++20", "-O2", "-fopenmp", HERE / f"{name}.cpp", "-o", path], check=True)

            def run(*arguments):
                # The worker's idle threads spin: they must not share the program's cores.
                os.kill(worker.pid, signal.SIGSTOP)
                made = subprocess.run([path, *arguments], capture_output=True, text=True, check=True, env=environment)
                os.kill(worker.pid, signal.SIGCONT)
                return made.stdout
            return run

        def ours(op, lanes):
            return by_worker(worker, backend, op, lanes)

        beside_the_twin(ours, program("region_twin"), rounds, lanes)
        beside_the_methods(ours, program("region_methods"), rounds, lanes)
        worker.stdin.close()
        worker.wait()


main()
