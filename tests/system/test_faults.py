"""A call of the driver or of the worker fails: what faults.py promises holds. All faults: faults.py BIN LIBRARY."""

import concurrent.futures
import os

import pytest

from conftest import driver_path
from faults import ERRORS, FOR_EVER, Fault, Faults

#: Each kind of call, early and late, and those that promises were once broken by.
SAMPLE = [
    Fault("run", "syncmeter", "write", "ENOSPC", 3), Fault("run", "syncmeter", "write", "EINTR", 6),
    Fault("resume", "syncmeter", "write", "EIO", 2), Fault("run", "syncmeter-omp", "write", "EIO", 3),
    Fault("run", "syncmeter", "read", "EIO", 1, FOR_EVER), Fault("run", "syncmeter", "read", "EIO", 140),
    Fault("run", "syncmeter-omp", "read", "EINTR", 100), Fault("run", "syncmeter", "open", "EMFILE", 20),
    Fault("run", "syncmeter-omp", "open", "EACCES", 150), Fault("packed", "syncmeter", "rename", "EACCES", 1),
    Fault("run", "syncmeter", "fdatasync", "EIO", 1), Fault("resume", "syncmeter", "ftruncate", "EIO", 1),
    Fault("run", "syncmeter", "flock", "EWOULDBLOCK", 1), Fault("run", "syncmeter", "poll", "EINTR", 2),
    Fault("run", "syncmeter", "read", "EINTR", 1, FOR_EVER), Fault("resume", "syncmeter", "read", "EINTR", 30, FOR_EVER),
    Fault("run", "syncmeter", "write", "EINTR", 4, FOR_EVER), Fault("run", "syncmeter", "write", "no bytes", 4, FOR_EVER),
    Fault("run", "syncmeter-omp", "write", "no bytes", 2, FOR_EVER),
    Fault("run", "syncmeter", "poll", "ENOMEM", 1, FOR_EVER), Fault("run", "syncmeter", "fork", "EAGAIN", 2),
    Fault("run", "syncmeter", "execve", "ENOMEM", 1), Fault("run", "syncmeter", "pipe", "EMFILE", 7),
    Fault("run", "syncmeter", "dup2", "EINTR", 5), Fault("run", "syncmeter", "malloc", "ENOMEM", 30_000),
    Fault("resume", "syncmeter", "malloc", "ENOMEM", 40_000, FOR_EVER), Fault("run", "syncmeter-omp", "malloc", "ENOMEM", 20_000),
    Fault("run", "syncmeter", "sched_setaffinity", "EPERM", 2), Fault("run", "syncmeter", "pthread_create", "EAGAIN", 1),
]

pytestmark = [
    pytest.mark.skipif("FAIL_CALL_LIBRARY" not in os.environ, reason="FAIL_CALL_LIBRARY is not set"),
    pytest.mark.skipif(not (driver_path().parent / "syncmeter-omp").exists(), reason="no OpenMP worker was built"),
]


@pytest.fixture(scope="module")
def attempts(tmp_path_factory):
    """What came of each fault. They mostly wait: three at a time."""
    faults = Faults(driver_path().parent, os.environ["FAIL_CALL_LIBRARY"], tmp_path_factory.mktemp("faults"))
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        yield {fault: pool.submit(faults.attempt, fault) for fault in SAMPLE}


@pytest.mark.parametrize("fault", SAMPLE, ids=str)
def test_a_call_that_fails_breaks_no_promise(attempts, fault):
    met, _ = attempts[fault].result(timeout=120)
    assert met, "no such call: the sample is out of date"


def test_every_kind_of_call_is_in_the_sample():
    assert {fault.call for fault in SAMPLE} == set(ERRORS)
