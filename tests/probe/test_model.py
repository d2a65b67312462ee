"""The models of a contended lock end with status 0 in every form, print nothing, and refuse wrong arguments."""

import subprocess

import pytest
import tables

POSIX = tables.PROBE.with_name("lock-model")
OPENMP = tables.PROBE.with_name("lock-model-openmp")
LOCKS = [(POSIX, "mutex"), (POSIX, "spin"), *((OPENMP, lock) for lock in ("mutex", "spin", "omp_critical", "omp_lock"))]


def run(program, *arguments):
    if not program.exists():
        pytest.skip(f"this build has no {program.name}")
    return subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(("program", "lock"), LOCKS)
@pytest.mark.parametrize("change", ["none", "private", "atomic", "shards"])
def test_every_form_ends(program, lock, change):
    for lines in ("own", "0", "1", "64", "512"):
        for work in ("dependent", "independent"):
            done = run(program, f"lock={lock}", f"change={change}", f"lines={lines}", f"work={work}", "threads=3", "acquisitions=50",
                       "held=2", "iterations=3")
            assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), (lines, work)


def test_no_work_and_one_thread():
    assert run(POSIX, "threads=1", "acquisitions=1", "held=0", "iterations=0").returncode == 0


@pytest.mark.parametrize(("argument", "allowed"), [
    ("threads=0", "1 to 4096"), ("threads=4097", "1 to 4096"), ("threads=", "1 to 4096"), ("threads=2x", "1 to 4096"),
    ("acquisitions=0", "a whole number from 1"), ("held=-1", "a whole number from 0"), ("iterations=99999999999999999999", "a whole number"),
    ("change=own", "none, private, atomic, shards"), ("lines=2", "own, 0, 1, 64, 512"), ("work=some", "dependent, independent"),
    ("color=red", "threads, acquisitions"), ("threads", "NAME=VALUE"),
])
def test_wrong_arguments_are_refused(argument, allowed):
    done = run(POSIX, argument)
    assert (done.returncode, done.stdout) == (2, "")
    assert allowed in done.stderr and argument.partition("=")[0] in done.stderr


def test_locks_of_openmp_need_its_program():
    done = run(POSIX, "lock=omp_lock")
    assert done.returncode == 2 and "allowed: mutex, spin\n" in done.stderr


@pytest.mark.parametrize("limit", ["1", "2", "64"])
def test_a_thread_limit_leaves_the_same_work(limit, monkeypatch):
    monkeypatch.setenv("OMP_THREAD_LIMIT", limit)
    assert run(OPENMP, "lock=omp_critical", "threads=8", "acquisitions=101").returncode == 0
