"""The worker of MPI: its ranks are started, bound and ended together, and what goes wrong with them is named."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import time

import pytest

BIN = pathlib.Path(os.environ["SYNCMETER_BIN"])
WORKER = BIN / "syncmeter-mpi"

pytestmark = pytest.mark.skipif(not WORKER.exists(), reason="syncmeter-mpi is not built: CMake found no MPI")

HELLO = {"kind": "hello", "id": 1}


@contextlib.contextmanager
def started(ranks, **environment):
    """A worker of so many ranks, which is gone afterwards. They yield while they wait: others use this machine too."""
    process = subprocess.Popen([WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=os.environ | {"KOKKOS_NUM_THREADS": str(ranks), "OMP_WAIT_POLICY": "passive"} | environment)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(OSError):
                stream.close()


def say(process, request):
    process.stdin.write(json.dumps(request) + "\n")
    process.stdin.flush()


def hear(process):
    line = process.stdout.readline()
    assert line, process.stderr.read()
    return json.loads(line)


def measure(op, pus, max_time_ns=1e7):
    point = {"backend": "mpi", "op": op, "order": "unordered", "lanes": len(pus), "wait": "passive"}
    return {"kind": "measure", "id": 2, "point": point, "pus": pus, "visit": 1, "options": {"max_time_ns": max_time_ns}}


def ranks_of(process):
    """The pids of its ranks: their command line ends with an address that has the pid of who started them."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = entry.read_bytes().decode(errors="replace").split("\0")
            if words[0] == str(WORKER) and f"syncmeter-mpi-{process.pid}-" in "".join(words[2:]):
                found.append(int(entry.parent.name))
    return sorted(found)


def gone(pids, within=20):
    deadline = time.monotonic() + within
    while any(pathlib.Path(f"/proc/{pid}/fd").exists() for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not any(pathlib.Path(f"/proc/{pid}/fd").exists() for pid in pids)


def test_ranks_are_on_the_pus_that_were_asked_for(tmp_path):
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < 2:
        pytest.skip("this machine grants one PU")
    pus = [allowed[1], allowed[0]]
    with started(2) as process:
        say(process, HELLO)
        assert hear(process)["runtime"]["mpi"]["ranks"] == 2
        say(process, measure("barrier", pus))
        assert hear(process)["kind"] == "accepted"
        visit = hear(process)
        assert (visit["kind"], visit["pus_seen"]) == ("visit", pus), visit
        # The end of its input is the end of all.
        ranks = ranks_of(process)
        assert len(ranks) == 2
        process.stdin.close()
        assert process.wait(timeout=20) == 0
        assert gone(ranks)


def test_capabilities_are_told_without_ranks():
    done = subprocess.run([WORKER, "--capabilities"], capture_output=True, text=True, timeout=60, check=True,
                          env=os.environ | {"SYNCMETER_MPIEXEC": "/nowhere/mpiexec"})
    (backend,) = json.loads(done.stdout)["backends"]
    assert backend["pool"] and "'/nowhere/mpiexec', which starts the ranks, is not there" in backend["problem"]


def test_without_a_launcher_it_says_so():
    with started(2, SYNCMETER_MPIEXEC="/nowhere/mpiexec") as process:
        assert process.wait(timeout=20) == 1
        assert "'/nowhere/mpiexec', which starts the ranks, is not there" in process.stderr.read()


def test_a_launcher_of_another_mpi_is_named(tmp_path):
    """It starts programs that do not find each other: each is a world of one rank."""
    launcher = tmp_path / "mpiexec"
    launcher.write_text('#!/bin/sh\nshift 2\n"$@" &\n"$@" &\nwait\n')
    launcher.chmod(0o755)
    with started(2, SYNCMETER_MPIEXEC=str(launcher)) as process:
        assert process.wait(timeout=60) == 1
        told = process.stderr.read()
    assert f"{launcher} starts worlds of its own: 1 rank(s) in place of 2. It belongs to another MPI" in told


def test_a_launcher_that_fails_is_named(tmp_path):
    with started(2, SYNCMETER_MPIEXEC="/bin/false") as process:
        assert process.wait(timeout=20) == 1
        assert "/bin/false ended with status 1 before its 2 rank(s) had started" in process.stderr.read()


@pytest.mark.parametrize("victim", [0, 1])
def test_a_rank_that_dies_in_a_visit_ends_the_worker_with_its_name(victim):
    with started(2) as process:
        say(process, HELLO)
        leader = hear(process)["pid"]
        ranks = ranks_of(process)
        assert len(ranks) == 2 and leader in ranks
        say(process, measure("barrier", [-1, -1], max_time_ns=20e9))
        assert hear(process)["kind"] == "accepted"
        time.sleep(0.3)
        dies = leader if victim == 0 else next(pid for pid in ranks if pid != leader)
        os.kill(dies, signal.SIGKILL)
        assert process.wait(timeout=20) == 1
        assert f"rank {victim} (pid {dies}) died" in process.stderr.read()
        assert gone(ranks)


def test_no_rank_outlives_who_started_it():
    with started(2) as process:
        say(process, HELLO)
        hear(process)
        ranks = ranks_of(process)
        assert len(ranks) == 2
        process.kill()
        process.wait()
        assert gone(ranks)
