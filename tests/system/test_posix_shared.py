"""The worker whose lanes are processes: they end with it, and one that dies is named."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import time

import pytest
from conftest import driver_path

WORKER = driver_path().parent / "syncmeter-posix-shared"
pytestmark = pytest.mark.skipif(not WORKER.exists(), reason="no syncmeter-posix-shared was built here")


@contextlib.contextmanager
def measured():
    """The worker after a visit of two lanes, and the pid of the lane that it forked."""
    process = subprocess.Popen([WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    point = {"backend": "posix-shared", "op": "barrier", "order": "unordered", "lanes": 2, "wait": "passive"}
    request = {"kind": "measure", "id": 1, "point": point, "pus": [-1, -1], "visit": 1, "options": {"max_time_ns": 1e7}}
    with process:
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            assert [json.loads(process.stdout.readline())["kind"] for _ in range(2)] == ["accepted", "visit"]
            (lane,) = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="utf-8").split()
            yield process, int(lane)
        finally:
            process.kill()


def gone(pid, within=20):
    """Whether it has ended; whoever inherits it may not have asked for its status yet."""
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        try:
            state = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
        except OSError:
            return True
        if state in "ZX":
            return True
        time.sleep(0.02)
    return False


def test_a_lane_that_dies_ends_the_worker_by_name():
    with measured() as (process, lane):
        os.kill(lane, signal.SIGKILL)
        assert process.wait(timeout=20) == 1
        assert process.stderr.read() == "a process that was a lane died: it was killed, or crashed\n"


def test_lanes_end_with_the_worker():
    with measured() as (process, lane):
        process.kill()
        assert gone(lane)
    with measured() as (process, lane):
        process.stdin.close()
        assert process.wait(timeout=20) == 0
        assert gone(lane)
