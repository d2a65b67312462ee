"""The worker of MPI: its ranks are started, bound and ended together, and what goes wrong with them is named."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import time

import pytest

from conftest import receive, request_for_barrier, send, started, wait_until_gone

BIN = pathlib.Path(os.environ["SYNCMETER_BIN"])
WORKER = BIN / "syncmeter-mpi"

pytestmark = pytest.mark.skipif(not WORKER.exists(), reason="syncmeter-mpi is not built: CMake found no MPI")

HELLO = {"kind": "hello", "id": 1}


def ranks_started(ranks, **environment):
    return started(WORKER, KOKKOS_NUM_THREADS=str(ranks), OMP_WAIT_POLICY="passive", **environment)


def ranks_of(process):
    """The pids of its ranks: their command line ends with an address that has the pid of who started them."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = entry.read_bytes().decode(errors="replace").split("\0")
            if words[0] == str(WORKER) and f"syncmeter-mpi-{process.pid}-" in "".join(words[2:]):
                found.append(int(entry.parent.name))
    return sorted(found)


def test_ranks_are_on_the_pus_that_were_asked_for(tmp_path):
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < 2:
        pytest.skip("this machine grants one PU")
    pus = [allowed[1], allowed[0]]
    with ranks_started(2) as process:
        send(process, HELLO)
        assert receive(process)["runtime"]["mpi"]["ranks"] == 2
        send(process, request_for_barrier("mpi", pus))
        assert receive(process)["kind"] == "accepted"
        visit = receive(process)
        assert (visit["kind"], visit["pus_seen"]) == ("visit", pus), visit
        # The end of its input is the end of all.
        ranks = ranks_of(process)
        assert len(ranks) == 2
        process.stdin.close()
        assert process.wait(timeout=20) == 0
        wait_until_gone(ranks)


def test_capabilities_are_told_without_ranks():
    done = subprocess.run([WORKER, "--capabilities"], capture_output=True, text=True, timeout=60, check=True,
                          env=os.environ | {"SYNCMETER_MPIEXEC": "/nowhere/mpiexec"})
    (backend,) = json.loads(done.stdout)["backends"]
    assert backend["pool"] and "'/nowhere/mpiexec', which starts the ranks, is not there" in backend["problem"]


def test_without_a_launcher_it_says_so():
    with ranks_started(2, SYNCMETER_MPIEXEC="/nowhere/mpiexec") as process:
        assert process.wait(timeout=20) == 1
        assert "'/nowhere/mpiexec', which starts the ranks, is not there" in process.stderr.read()


def test_a_launcher_of_another_mpi_is_named(tmp_path):
    """It starts programs that do not find each other: each is a world of one rank."""
    launcher = tmp_path / "mpiexec"
    launcher.write_text('#!/bin/sh\nshift 2\n"$@" &\n"$@" &\nwait\n')
    launcher.chmod(0o755)
    with ranks_started(2, SYNCMETER_MPIEXEC=str(launcher)) as process:
        assert process.wait(timeout=60) == 1
        printed = process.stderr.read()
    assert f"{launcher} starts worlds of its own: 1 rank(s) in place of 2. It belongs to another MPI" in printed


def test_a_launcher_that_fails_is_named(tmp_path):
    with ranks_started(2, SYNCMETER_MPIEXEC="/bin/false") as process:
        assert process.wait(timeout=20) == 1
        assert "/bin/false ended with status 1 before its 2 rank(s) had started" in process.stderr.read()


@pytest.mark.parametrize("victim", [0, 1])
def test_a_rank_that_dies_in_a_visit_ends_the_worker_with_its_name(victim):
    with ranks_started(2) as process:
        send(process, HELLO)
        leader = receive(process)["pid"]
        ranks = ranks_of(process)
        assert len(ranks) == 2 and leader in ranks
        send(process, request_for_barrier("mpi", [-1, -1], max_time_ns=20e9))
        assert receive(process)["kind"] == "accepted"
        time.sleep(0.3)
        dies = leader if victim == 0 else next(pid for pid in ranks if pid != leader)
        os.kill(dies, signal.SIGKILL)
        assert process.wait(timeout=20) == 1
        assert f"rank {victim} (pid {dies}) died" in process.stderr.read()
        wait_until_gone(ranks)


def test_no_rank_outlives_who_started_it():
    with ranks_started(2) as process:
        send(process, HELLO)
        receive(process)
        ranks = ranks_of(process)
        assert len(ranks) == 2
        process.kill()
        process.wait()
        wait_until_gone(ranks)
