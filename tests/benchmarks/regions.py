"""Regions, loops, reductions and tasks by syncmeter's worker and by programs that share no code with it, in turn on
the same PUs, the first that this may use: a short one (region_twin.cpp); EPCC's syncbench 4.0; regions after idle gaps;
loops around the work that pays for one.

  python3 tests/benchmarks/regions.py twin,epcc,gaps,even BIN [--threads 2,16] [--backend omp-llvm --compiler clang]

BIN holds the worker. epcc needs --epcc, the folder with the sources of EPCC's version 4.0: the median of 20 loops in a
process of its own for each figure, beside the median of five visits, each by a worker of its own as in a campaign.
--programs: a folder with what was compiled before, named as here. Nothing here asserts: it prints medians in ns, ratios
with their 95 % interval, and scatter (half of the range of the middle 80 % of processes over the median). Promised:
within 5 % of EPCC's, 3 % of the short program's, gaps within 10 %. What tells processes apart (10 to 20 %) takes about
200 of them for 3 %.
"""

import argparse
import itertools
import json
import math
import os
import pathlib
import random
import signal
import statistics
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).parent
TWIN_OPS = ("parallel_region", "for_static", "reduction_sum", "task_by_one")
#: Our op, and the length of syncbench's delay in us. It takes off the whole delay of SINGLE, which one thread has while
#: the others are on their way to the barrier behind it: without one it takes off none of what they hide.
EPCC_OPS = {"PARALLEL": ("parallel_region", 0.1), "FOR": ("for_static", 0.1), "PARALLEL_FOR": ("parallel_for", 0.1),
            "BARRIER": ("barrier", 0.1), "SINGLE": ("single", 0.1), "SINGLE, no delay": ("single", 0.001),
            "REDUCTION": ("reduction_sum", 0.1), "REDUCTION, no delay": ("reduction_sum", 0.001)}
COLUMNS = "theirs ns    ours ns  ratio  95 % interval  scatter of both   processes"
GAPS_US = (1, 10, 100, 1000, 10000)


class Worker:
    """A worker whose threads do not run while another program does. Each turn starts one, as it starts the programs: what
    libgomp's constructs cost differs between processes by more than within one."""

    def __init__(self, path, backend, pus, wait, options, binding):
        self.backend, self.pus, self.wait, self.options = backend, pus, wait, options
        self.process = subprocess.Popen([path / f"syncmeter-{backend}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=os.environ | binding | {"OMP_WAIT_POLICY": wait})

    def measure(self, op, lanes, seconds=0.1, **more):
        point = {"backend": self.backend, "op": op, "lanes": lanes, "affinity": "close", "wait": self.wait,
                 "order": "unordered"} | more
        request = {"kind": "measure", "id": 1, "point": point, "pus": self.pus[:lanes], "visit": 1,
                   "options": {"max_time_ns": seconds * 1e9} | self.options}
        self.process.send_signal(signal.SIGCONT)
        print(json.dumps(request), file=self.process.stdin, flush=True)
        while (answer := json.loads(self.process.stdout.readline()))["kind"] == "accepted":
            pass
        self.process.send_signal(signal.SIGSTOP)
        quiet = [e for e in answer["estimates"] if not e["busy"]] or answer["estimates"]
        return quiet[0]["cost_ns"]["value"] if quiet else None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGCONT)
        self.process.stdin.close()
        self.process.wait()


def scatter(costs):
    if len(costs) < 5:
        return float("nan")
    tenths = statistics.quantiles(costs, n=10)
    return 50 * (tenths[-1] - tenths[0]) / statistics.median(costs)


def ratio_of(theirs, ours):
    """Ours over theirs: the median of all quotients, as which process stands beside which is chance, and its 95 % interval
    by the ranks (Hodges and Lehmann). It takes processes to be independent: that those which follow each other cost alike
    (neighbours correlate by 0.2 to 0.5) is left out, so that it is too narrow by up to 1.2 to 1.7 times."""
    quotients = sorted(b / a for a, b in itertools.product(theirs, ours))
    n, m = len(theirs), len(ours)
    out = max(0, int(n * m / 2 - 1.96 * math.sqrt(n * m * (n + m + 1) / 12)))
    return statistics.median(quotients), quotients[out], quotients[-1 - out]


class Comparison:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.pus = sorted(os.sched_getaffinity(0))

    def worker(self, wait="active", places=None):
        return Worker(self.options.bin.resolve(), self.options.backend, self.pus, wait, self.options.request,
                      self.binding(places))

    def binding(self, places):
        """One thread to each of the first PUs, by the runtime: libgomp looks at that in each fork, 7 to 8 % of a region of
        two threads."""
        listed = ",".join(f"{{{pu}}}" for pu in self.pus[:places])
        return {"OMP_PLACES": listed, "OMP_PROC_BIND": "close"} if places else {}

    def compiled(self, name):
        if self.options.programs:
            return self.options.programs.resolve() / name
        path, epcc = self.folder / name, self.options.epcc
        flags = ["-O2", "-fopenmp", "-w"]
        if path.exists():
            return path
        if name == "syncbench":
            subprocess.run([self.options.compiler, *flags, epcc / "syncbench.c", epcc / "common.c", "-lm", "-o", path],
                           check=True)
            return path
        subprocess.run([self.options.compiler, *flags, "-std=c++20", HERE / f"{name}.cpp", "-lstdc++", "-lm", "-o", path],
                       check=True)
        return path

    def run(self, name, *arguments, wait="active", lanes=None, places=None):
        environment = os.environ | {"OMP_WAIT_POLICY": wait}
        if lanes:
            environment |= {"OMP_NUM_THREADS": str(lanes)}
        return subprocess.run([self.compiled(name), *map(str, arguments)], capture_output=True, text=True, check=True,
                              env=environment | self.binding(places)).stdout

    def turns(self):
        end = time.monotonic() + self.options.seconds
        for turn in itertools.count():
            if turn >= self.options.turns or turn and time.monotonic() > end:
                return
            yield turn

    def twin(self, lanes):
        print(f"{self.options.backend}, {lanes} threads, beside a short program\nconstruct            {COLUMNS}")
        found = {op: ([], []) for op in TWIN_OPS}
        for _ in self.turns():
            with self.worker() as worker:
                for op, (theirs, ours) in found.items():
                    theirs.append(float(self.run("region_twin", op, lanes, 0.02)))
                    ours.append(worker.measure(op, lanes, 0.02))
        for op, both in found.items():
            self.print_row(op, *both)

    @staticmethod
    def print_row(name, theirs, ours):
        theirs, ours = ([cost for cost in each if cost] for each in (theirs, ours))
        if not theirs or not ours:
            print(f"{name:19}  no estimate")
            return
        ratio, low, high = ratio_of(theirs, ours)
        print(f"{name:19}  {statistics.median(theirs):9.1f}  {statistics.median(ours):9.1f}  {ratio:5.3f}  "
              f"{low:6.3f}..{high:5.3f}  {scatter(theirs):6.1f} {scatter(ours):6.1f} %  {len(theirs):4} {len(ours):4}",
              flush=True)

    def of_syncbench(self, name, lanes, delay_us):
        places = None if self.options.unbound else lanes
        arguments = ["--measureonly", name.split(",")[0], "--delay-time", delay_us]
        for line in self.run("syncbench", *arguments, lanes=lanes, places=places).splitlines():
            if "median_ovrhd" in line:
                return float(line.split("=")[1].split()[0]) * 1e3
        return None

    def epcc(self, lanes):
        """A figure of ours is a median of --repetitions, each from a process of its own and spread over all turns, as a
        campaign has them: processes that follow each other cost alike for seconds."""
        theirs, visits = ({name: [] for name in EPCC_OPS} for _ in range(2))
        ops = {op for op, _ in EPCC_OPS.values()}
        places = None if self.options.unbound else lanes

        def visit():
            with self.worker(places=places) as worker:
                costs = {op: worker.measure(op, lanes, 0.02) for op in ops}
            for name, (op, _) in EPCC_OPS.items():
                visits[name].append(costs[op])

        for _ in self.turns():
            visit()
            for name, (_, delay_us) in EPCC_OPS.items():
                theirs[name].append(self.of_syncbench(name, lanes, delay_us))
            visit()
        print(f"{self.options.backend}, {lanes} threads, beside EPCC's syncbench: a process for each figure\n"
              f"construct            {COLUMNS}")
        for name, costs in visits.items():
            costs = [cost for cost in costs if cost]
            many = self.options.visits
            runs = len(costs) // many
            self.print_row(name, theirs[name], [statistics.median(costs[i::runs][:many]) for i in range(runs)])

    def gaps(self, lanes):
        for wait in ("active", "passive"):
            found = {gap: ([], [], []) for gap in GAPS_US}
            for _ in self.turns():
                with self.worker(wait) as worker:
                    for gap, costs in found.items():
                        seconds = max(0.06, gap * 30e-6)
                        made = self.run("region_twin", "gap", lanes, seconds, gap, wait=wait)
                        ours = worker.measure("region_after_gap", lanes, seconds, gap_us=gap)
                        for each, cost in zip(costs, (*map(float, made.split()), ours), strict=True):
                            each.append(cost)
            print(f"{self.options.backend}, {lanes} threads {wait}, a region after a gap: by a clock around each, and by loops "
                  f"with and without\ngap us               {COLUMNS}")
            for gap, (by_clock, by_loops, ours) in found.items():
                self.print_row(f"{gap} clock", by_clock, ours)
                self.print_row(f"{gap} loops", by_loops, ours)

    def even(self, lanes):
        """Serial work that takes as long in a region, and a loop with half and with twice as much."""
        measured, predicted, around = [], [], {0.5: [], 2: []}
        for _ in self.turns():
            with self.worker() as worker:
                if ours := worker.measure("parallel_for", lanes):
                    said = ours * lanes / (lanes - 1)
                    measured.append(float(self.run("region_twin", "even", lanes)))
                    predicted.append(said)
                    for times, loops in around.items():
                        _, alone, shared = self.run("region_twin", "at", lanes, said * times).split()
                        loops.append((float(alone), float(shared)))
        print(f"{self.options.backend}, {lanes} threads: serial work that takes as long in a region, and what is said of it\n"
              f"                     {COLUMNS}")
        self.print_row("even", measured, predicted)
        for times, loops in around.items():
            alone, shared = (statistics.median(each) for each in zip(*loops, strict=True))
            print(f"{times} times what is said: {alone:.0f} ns by one thread, {shared:.0f} in a region", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", type=lambda text: text.split(","))
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--threads", type=lambda text: [int(each) for each in text.split(",")], default=[2])
    parser.add_argument("--turns", type=int, default=11)
    parser.add_argument("--seconds", type=float, default=60, help="of turns, of each part and number of lanes")
    parser.add_argument("--backend", default="omp")
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("--epcc", type=pathlib.Path)
    parser.add_argument("--programs", type=pathlib.Path)
    parser.add_argument("--unbound", action="store_true", help="epcc: without OMP_PLACES, by which both are bound else")
    parser.add_argument("--repetitions", type=int, default=5, help="of a figure of ours beside epcc's")
    parser.add_argument("--request", type=json.loads, default={}, help="options of a request to the worker, as JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(options, pathlib.Path(folder))
        for part, lanes in itertools.product(options.parts, options.lanes):
            getattr(comparison, part)(lanes)


main()
