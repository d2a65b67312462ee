"""The worker whose lanes are processes: they end with it, and one that dies is named."""

import contextlib
import os
import pathlib
import signal

import pytest
from conftest import driver_path, receive, request_for_barrier, send, started, wait_until_gone

WORKER = driver_path().parent / "syncmeter-posix-shared"
pytestmark = pytest.mark.skipif(not WORKER.exists(), reason="no syncmeter-posix-shared was built here")


@contextlib.contextmanager
def measured():
    """The worker after a visit of two lanes, and the pid of the lane that it forked."""
    with started(WORKER) as process:
        send(process, request_for_barrier("posix-shared", [-1, -1]))
        assert [receive(process)["kind"] for _ in range(2)] == ["accepted", "visit"]
        (lane,) = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="utf-8").split()
        yield process, int(lane)


def test_a_lane_that_dies_ends_the_worker_by_name():
    with measured() as (process, lane):
        os.kill(lane, signal.SIGKILL)
        assert process.wait(timeout=20) == 1
        assert process.stderr.read() == "a process of the team died: it was killed, or crashed\n"


def test_lanes_end_with_the_worker():
    with measured() as (process, lane):
        process.kill()
        wait_until_gone([lane])
    with measured() as (process, lane):
        process.stdin.close()
        assert process.wait(timeout=20) == 0
        wait_until_gone([lane])
