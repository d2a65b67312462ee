"""MPI_Barrier by syncmeter and by a program of forty lines (mpi_twin.cpp), in turn on the same PUs.

  python3 tests/benchmarks/mpi_barrier.py BIN [RUNS] [MPICXX [MPIEXEC]]

BIN holds `syncmeter` and `syncmeter-mpi`; MPICXX and MPIEXEC (mpicxx, mpiexec) must be of the MPI that the
worker was built with. Nothing here asserts: it prints the costs of each run in ns, their medians and their
scatter from run to run. Promised: medians within 5 %, with less scatter than the twin's.
"""

import csv
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
#: As the worker's own launcher has it: ranks bind themselves, may be root's, and may be as many as there are PUs.
ENVIRONMENT = {"OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_hwloc_base_use_hwthreads_as_cpus": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "PRTE_MCA_hwloc_default_binding_policy": "none", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}


def by_twin(twin, launcher, pus):
    """The median of eleven loops of one process each rank."""
    done = subprocess.run([launcher, "-n", str(len(pus)), twin, ",".join(map(str, pus)), "11"], check=True, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL, env=os.environ | ENVIRONMENT)
    return statistics.median(map(float, done.stdout.split()))


def by_syncmeter(binaries, folder, launcher):
    table = folder / "costs.csv"
    subprocess.run([binaries / "syncmeter", "run", "--backend", "mpi", "--op", "barrier", "--threads", "2", "--repetitions", "3",
                    "--output", folder / "costs.jsonl", "--force", "--csv", table], check=False, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, env=os.environ | {"SYNCMETER_MPIEXEC": launcher, "SYNCMETER_REPORT": "off"})
    with open(table, encoding="utf-8") as file:
        (row,) = [row for row in csv.DictReader(file) if row["headline"] == "true" and row["lanes"] == "2"]
    (folder / "costs.jsonl").unlink(missing_ok=True)
    return float(row["cost_ns"]), [int(pu) for pu in row["pus"].replace(",", " ").split()]


def scatter(costs):
    return 100 * statistics.stdev(costs) / statistics.mean(costs)


def main():
    binaries = pathlib.Path(sys.argv[1]).resolve()
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    compiler, launcher = (sys.argv[3:] + ["mpicxx", "mpiexec"][len(sys.argv) - 3:])[:2]
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        twin = folder / "mpi_twin"
        subprocess.run([compiler, "-O2", HERE / "mpi_twin.cpp", "-o", twin], check=True)
        ours, theirs = [], []
        for _ in range(runs):
            cost, pus = by_syncmeter(binaries, folder, launcher)
            ours.append(cost)
            theirs.append(by_twin(twin, launcher, pus))
            print(f"syncmeter {cost:8.1f}  twin {theirs[-1]:8.1f}  ratio {cost / theirs[-1]:.3f}", flush=True)
    ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
    print(f"medians {statistics.median(ours):.1f} and {statistics.median(theirs):.1f}; ratio in the median {ratio:.3f}; "
          f"scatter {scatter(ours):.1f} and {scatter(theirs):.1f} %")


main()
