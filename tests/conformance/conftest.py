"""The workers under test: every syncmeter-* worker in SYNCMETER_BIN, spoken to in its own protocol."""

import json
import os
import pathlib
import subprocess

import pytest


def worker_paths():
    where = os.environ.get("SYNCMETER_BIN")
    if not where:
        pytest.exit("SYNCMETER_BIN is not set: it names the directory that holds the workers", returncode=2)
    return sorted(pathlib.Path(where).glob("syncmeter-*"))


def capabilities_of(path):
    done = subprocess.run([path, "--capabilities"], capture_output=True, text=True, timeout=60, check=True)
    return json.loads(done.stdout)


class Worker:
    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=os.environ | {"OMP_WAIT_POLICY": "passive"})

    def ask(self, request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        while True:
            line = self.process.stdout.readline()
            assert line, f"the worker ended ({self.process.wait()}) over {request}"
            answer = json.loads(line)
            if answer["kind"] != "accepted":
                return answer

    def measure(self, capability, placement, lanes):
        point = {"backend": capability["backend"], "op": capability["op"], "order": capability["order"],
                 "placement": placement, "lanes": lanes, "affinity": "none", "wait": "passive"}
        if "type" in capability:
            point["type"] = capability["type"]
        if placement == "strided":
            point["stride"] = 3  # neither 0 nor a line: lanes share lines, cells stay their own
        return self.ask({"kind": "measure", "id": 1, "point": point, "pus": [-1] * lanes, "visit": 1,
                         "options": {"max_time_ns": 1e6, "min_sample_ns": 1e4, "additivity": True}})


@pytest.fixture(scope="session", params=worker_paths(), ids=lambda path: path.name)
def worker_path(request):
    return request.param


@pytest.fixture(scope="session")
def capabilities(worker_path):
    return capabilities_of(worker_path)


@pytest.fixture(scope="module")
def worker(worker_path):
    running = Worker(worker_path)
    yield running
    running.process.stdin.close()
    assert running.process.wait(timeout=10) == 0
