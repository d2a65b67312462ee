"""Regions, loops, reductions and tasks by syncmeter's worker and by programs that share no code with it, in turn on
the same PUs, the first that this may use: a short one (region_twin.cpp); EPCC's method and a bare loop in one process
(region_methods.cpp); EPCC's syncbench 4.0 itself; regions after idle gaps; loops around the work that pays for one.

  python3 tests/benchmarks/regions.py twin,methods,epcc,gaps,even BIN [--lanes 2,16] [--backend omp-llvm --compiler clang]

BIN holds the worker. epcc needs --epcc, the folder with the sources of EPCC's version 4.0: the median of 20 loops in a
process of its own for each figure, beside the median of five visits by a worker that is started for each turn.
--programs: a folder with what was compiled before, named as here. Nothing here asserts: it prints medians in ns, ratios,
and scatter (half of the range of the middle 80 % of turns over the median). Promised: within 5 % of EPCC's, 3 % of the
short program's, gaps within 10 %.
"""

import argparse
import itertools
import json
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
EPCC_OPS = {"PARALLEL": "parallel_region", "FOR": "for_static", "PARALLEL_FOR": "parallel_for", "BARRIER": "barrier",
            "SINGLE": "single", "REDUCTION": "reduction_sum"}
GAPS_US = (1, 10, 100, 1000, 10000)


class Worker:
    """A worker whose threads do not run while another program does. Each turn starts one, as it starts the programs: what
    libgomp's constructs cost differs between processes by more than within one."""

    def __init__(self, path, backend, pus, wait, options):
        self.backend, self.pus, self.wait, self.options = backend, pus, wait, options
        self.process = subprocess.Popen([path / f"syncmeter-{backend}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=os.environ | {"OMP_WAIT_POLICY": wait})

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


class Comparison:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.pus = sorted(os.sched_getaffinity(0))

    def worker(self, wait="active"):
        return Worker(self.options.bin.resolve(), self.options.backend, self.pus, wait, self.options.request)

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
        objects = []
        if name == "region_methods" and epcc:
            for source in ("syncbench", "common"):
                objects.append(self.folder / f"{source}.o")
                subprocess.run([self.options.compiler, *flags, "-Dmain=main_of_epcc", "-c", epcc / f"{source}.c",
                                "-o", objects[-1]], check=True)
        subprocess.run([self.options.compiler, *flags, "-std=c++20", *(["-DEPCC"] if objects else []),
                        HERE / f"{name}.cpp", *objects, "-lstdc++", "-lm", "-o", path], check=True)
        return path

    def run(self, name, *arguments, wait="active", lanes=None, places=None):
        environment = os.environ | {"OMP_WAIT_POLICY": wait}
        if lanes:
            environment |= {"OMP_NUM_THREADS": str(lanes)}
        if places:
            listed = ",".join(f"{{{pu}}}" for pu in self.pus[:places])
            environment |= {"OMP_PLACES": listed, "OMP_PROC_BIND": "close"}
        return subprocess.run([self.compiled(name), *map(str, arguments)], capture_output=True, text=True, check=True,
                              env=environment).stdout

    def turns(self):
        end = time.monotonic() + self.options.seconds
        for turn in itertools.count():
            if turn >= self.options.turns or turn and time.monotonic() > end:
                return
            yield turn

    def twin(self, lanes):
        print(f"{self.options.backend}, {lanes} threads, beside a short program\n"
              "construct           twin ns    ours ns  ratio  scatter of both  turns")
        found = {op: [] for op in TWIN_OPS}
        for _ in self.turns():
            with self.worker() as worker:
                for op in TWIN_OPS:
                    made, ours = float(self.run("region_twin", op, lanes, 0.1)), worker.measure(op, lanes)
                    if ours:
                        found[op].append((made, ours))
        for op, pairs in found.items():
            self.print_row(op, pairs)

    @staticmethod
    def print_row(name, pairs):
        if not pairs:
            print(f"{name:16}  no estimate")
            return
        theirs, ours = zip(*pairs, strict=True)
        ratio = statistics.median(b / a for a, b in pairs)
        print(f"{name:16}  {statistics.median(theirs):9.1f}  {statistics.median(ours):9.1f}  {ratio:5.3f}  "
              f"{scatter(theirs):6.1f} {scatter(ours):6.1f} %  {len(pairs):5}", flush=True)

    def methods(self, lanes):
        """All in one process, but for ours."""
        found, places = {}, lanes if self.options.bind == "openmp" else None
        for _ in self.turns():
            with self.worker() as worker:
                for line in self.run("region_methods", lanes, 0.6, 1000, places=places).splitlines():
                    op, *costs = line.split()
                    if ours := worker.measure(op, lanes):
                        found.setdefault(op, []).append((*map(float, costs), ours))
        print(f"{self.options.backend}, {lanes} threads: EPCC's method, bare [, EPCC's own functions] in one process; "
              "ours\nconstruct         method ns     bare ns  [theirs ns]      ours ns  bare/method  "
              "[method/theirs]  ours/bare  turns")
        for op, rows in found.items():
            medians = [statistics.median(each) for each in zip(*rows, strict=True)]
            ratios = [statistics.median(row[1] / row[0] for row in rows)]
            if len(medians) > 3:
                ratios.append(statistics.median(row[0] / row[2] for row in rows))
            ratios.append(statistics.median(row[-1] / row[1] for row in rows))
            print(f"{op:16}" + "".join(f"  {ns:10.1f}" for ns in medians) + "".join(f"  {r:10.3f}" for r in ratios)
                  + f"  {len(rows):5}", flush=True)

    def of_syncbench(self, name, lanes):
        places = None if self.options.bind == "none" else lanes
        for line in self.run("syncbench", "--measureonly", name, lanes=lanes, places=places).splitlines():
            if "median_ovrhd" in line:
                return float(line.split("=")[1].split()[0]) * 1e3
        return None

    def epcc(self, lanes):
        found = {name: ([], []) for name in EPCC_OPS}
        order = random.Random(1)
        for _ in self.turns():
            def theirs():
                for name in EPCC_OPS:
                    found[name][0].append(self.of_syncbench(name, lanes))

            def ours():
                visits = {op: [] for op in EPCC_OPS.values()}
                with self.worker() as worker:
                    for op in 5 * tuple(visits):  # as a campaign has them, spread
                        if cost := worker.measure(op, lanes, 0.02):
                            visits[op].append(cost)
                for name, op in EPCC_OPS.items():
                    found[name][1].append(statistics.median(visits[op]) if visits[op] else None)
            for each in order.sample((theirs, ours), 2):
                each()
        print(f"{self.options.backend}, {lanes} threads, beside EPCC's syncbench: a process for each figure\n"
              "construct         EPCC's ns    ours ns  ratio  scatter of both  turns; ratio of the medians")
        for name, (theirs, ours) in found.items():
            pairs = [(a, b) for a, b in zip(theirs, ours, strict=True) if a and b]
            self.print_row(name, pairs)
            if pairs:
                print(f"{'':16}  {statistics.median(b for _, b in pairs) / statistics.median(a for a, _ in pairs):.3f}")

    def gaps(self, lanes):
        print(f"{self.options.backend}, {lanes} threads, a region after a gap: by a clock around each, by loops with "
              "and without, ours\ngap            clock ns    loops ns     ours ns  ours/clock  ours/loops  turns")
        for wait in ("active", "passive"):
            found = {gap: [] for gap in GAPS_US}
            for _ in self.turns():
                with self.worker(wait) as worker:
                    for gap in GAPS_US:
                        seconds = max(0.15, gap * 100e-6)
                        made = self.run("region_twin", "gap", lanes, seconds, gap, wait=wait).split()
                        if ours := worker.measure("region_after_gap", lanes, seconds, gap_us=gap):
                            found[gap].append((*map(float, made), ours))
            for gap, rows in found.items():
                if not rows:
                    print(f"{gap:6} {wait}  no estimate")
                    continue
                medians = [statistics.median(each) for each in zip(*rows, strict=True)]
                ratios = [statistics.median(row[2] / row[i] for row in rows) for i in (0, 1)]
                print(f"{gap:6} {wait:7}" + "".join(f"  {ns:10.1f}" for ns in medians)
                      + "".join(f"  {ratio:10.3f}" for ratio in ratios) + f"  {len(rows):5}", flush=True)

    def even(self, lanes):
        """Serial work that takes as long in a region, and a loop with half and with twice as much."""
        found, around = [], {0.5: [], 2: []}
        for _ in self.turns():
            with self.worker() as worker:
                if ours := worker.measure("parallel_for", lanes):
                    said = ours * lanes / (lanes - 1)
                    found.append((float(self.run("region_twin", "even", lanes)), said))
                    for times, loops in around.items():
                        _, alone, shared = self.run("region_twin", "at", lanes, said * times).split()
                        loops.append((float(alone), float(shared)))
        print(f"{self.options.backend}, {lanes} threads: serial work that takes as long in a region, ns; said here\n"
              "                      even       said  ratio  scatter of both  turns")
        self.print_row("even", found)
        for times, loops in around.items():
            alone, shared = (statistics.median(each) for each in zip(*loops, strict=True))
            print(f"{times} times what is said: {alone:.0f} ns by one thread, {shared:.0f} in a region", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", type=lambda text: text.split(","))
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--lanes", type=lambda text: [int(each) for each in text.split(",")], default=[2])
    parser.add_argument("--turns", type=int, default=11)
    parser.add_argument("--seconds", type=float, default=60, help="of turns, of each part and number of lanes")
    parser.add_argument("--backend", default="omp")
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("--epcc", type=pathlib.Path)
    parser.add_argument("--programs", type=pathlib.Path)
    parser.add_argument("--bind", choices=["usual", "openmp", "none"], default="usual",
                        help="threads of programs: syncbench's by OMP_PLACES, others by themselves; "
                             "openmp: those of region_methods by OMP_PLACES too; none: syncbench's to nothing")
    parser.add_argument("--request", type=json.loads, default={}, help="options of a request to the worker, as JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(options, pathlib.Path(folder))
        for part, lanes in itertools.product(options.parts, options.lanes):
            getattr(comparison, part)(lanes)


main()
