"""The workers under test, spoken to in their own protocol: every syncmeter-* worker in SYNCMETER_BIN, or
the one that SM_WORKER names."""

import json
import os
import pathlib
import subprocess

import pytest


def worker_paths():
    where = os.environ.get("SYNCMETER_BIN")
    if not where:
        pytest.exit("SYNCMETER_BIN is not set: it names the directory that holds the workers", returncode=2)
    pattern = "syncmeter-" + os.environ.get("SM_WORKER", "*")
    return sorted(path for path in pathlib.Path(where).glob(pattern) if os.access(path, os.X_OK) and path.name != "syncmeter-report")


#: Long enough for lanes to meet: of 20 visits to a lock that locks nothing, 10 us samples of unbound lanes failed none.
sample_ns = 1e5


def pus_for(lanes):
    """One allowed PU for each lane, as lanes that share one by turns seldom meet; where there are too few, unbound."""
    allowed = sorted(os.sched_getaffinity(0))
    return allowed[:lanes] if 2 <= lanes <= len(allowed) else [-1] * lanes


def capabilities_of(path):
    done = subprocess.run([path, "--capabilities"], capture_output=True, text=True, timeout=60, check=True,
                          env=os.environ | fallback_of(path))
    return json.loads(done.stdout)


def fallback_of(path):
    """OpenMP's target regions run on the host where there is no GPU and OpenMP is told so."""
    return {} if path.name != "syncmeter-omp-target" or pathlib.Path("/dev/nvidiactl").exists() else {"OMP_TARGET_OFFLOAD": "disabled"}


class Worker:
    """A worker's processes: one, and one for each number of lanes where threads are started once per process."""

    def __init__(self, path, capabilities, preload=None):
        self.path = path
        self.preload = {"LD_PRELOAD": preload} if preload else {}
        self.devices = {b["name"] for b in capabilities["backends"] if "device" in b}
        self.pools = {b["name"] for b in capabilities["backends"] if b.get("pool")}
        self.processes = {}
        # Open MPI 4.1's default (rdma) crashes in a compare-and-swap of 8 bytes of a rank with itself.
        self.mpi = {"OMPI_MCA_osc": "sm"}

    def process_for(self, request):
        threads = len(request.get("pus", [])) if request.get("point", {}).get("backend") in self.pools else 0
        if threads not in self.processes:
            pool = {"KOKKOS_NUM_THREADS": str(threads)} if threads else {}
            self.processes[threads] = subprocess.Popen(
                [self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                env=os.environ | {"OMP_WAIT_POLICY": "passive"} | self.mpi | pool | self.preload | fallback_of(self.path))
        return self.processes[threads]

    def ask(self, request, process=None):
        process = process or self.process_for(request)
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        while True:
            line = process.stdout.readline()
            assert line, f"the worker ended ({process.wait()}) over {request}"
            answer = json.loads(line)
            if answer["kind"] != "accepted":
                return answer

    def close(self):
        for process in self.processes.values():
            process.stdin.close()
            assert process.wait(timeout=10) == 0

    def measure(self, capability, placement, lanes, min_sample_ns=sample_ns):
        point = {"backend": capability["backend"], "op": capability["op"], "order": capability["order"],
                 "placement": placement, "lanes": lanes, "affinity": "none", "wait": "passive"}
        for axis in ("type", "scope", "flavour", "space"):
            if axis in capability:
                point[axis] = capability[axis]
        where = {"pus": pus_for(lanes)}
        if capability["backend"] in self.devices:
            # Two warps, and two blocks where those may meet.
            blocks = 2 if lanes > 1 and capability.get("scope") != "block" else 1
            point |= {"lanes": 64 if lanes > 1 else 32, "blocks": blocks, "wait": "active"}
            # Of which a thread of OpenMP is one. Of two threads each has but one other: four, where these have a PU each.
            if capability["backend"] == "omp-target" and capability["family"] in ("barrier", "critical"):
                on_host = "OMP_TARGET_OFFLOAD" in fallback_of(self.path) and len(os.sched_getaffinity(0)) < 4
                point["lanes"] = 1 if lanes == 1 else 2 if on_host else 4
            where = {"pus": [], "device": 0}
            if capability.get("some_lanes"):
                point["active"] = 5
        if capability.get("size_of"):
            point["size"] = capability.get("size", 4)
        if capability.get("arrives_late"):
            point["late_us"] = 20
        if capability.get("holds_lock"):
            point |= {"section_ns": 20, "think_ns": 20}
        if capability.get("has_work"):
            point["section_ns"] = 20
        if capability.get("after_gap"):
            point["gap_us"] = 20
        if capability.get("own_threads"):
            where["pus"] = [-1] * lanes
        if capability.get("reads_and_writes"):
            point["reads_per_write"] = 3
        if "size_of" in capability:
            point["size"] = capability.get("size", 1001)  # of what is built for any size: a multiple of little
        if placement == "strided":
            point["stride"] = 3  # neither 0 nor a line: lanes share lines, cells stay their own
        return self.ask({"kind": "measure", "id": 1, "point": point, **where, "visit": 1,
                         "options": {"max_time_ns": 1e6, "min_sample_ns": min_sample_ns,
                                     "additivity": capability.get("additivity", True)}})


@pytest.fixture(scope="session", params=worker_paths(), ids=lambda path: path.name)
def worker_path(request):
    return request.param


@pytest.fixture(scope="session")
def capabilities(worker_path):
    return capabilities_of(worker_path)


@pytest.fixture(scope="module")
def worker(worker_path, capabilities):
    problems = [f"{b['name']}: {b['problem']}" for b in capabilities["backends"] if b.get("problem")]
    if len(problems) == len(capabilities["backends"]):
        pytest.skip("; ".join(problems))
    running = Worker(worker_path, capabilities)
    yield running
    running.close()
