"""The worker posix where the system refuses what Linux has beside POSIX: a sandbox, a C library told to do without."""

import json
import os
import subprocess

import pytest
from conftest import driver_path
from refused_calls import refusing

def worker():
    path = driver_path().parent / "syncmeter-posix"
    if not os.access(path, os.X_OK):
        pytest.skip("no syncmeter-posix was built here")
    return path


def ops_of(path, **how):
    done = subprocess.run([path, "--capabilities"], capture_output=True, text=True, timeout=60, **how)
    if done.returncode == 99:
        pytest.skip("no filter of system calls can be set here")
    assert done.returncode == 0, done.stderr
    return {op["op"]: op for op in json.loads(done.stdout)["ops"]}


@pytest.mark.parametrize(("call", "lacks"), [("membarrier", "membarrier"), ("eventfd2", "eventfd_handoff")])
def test_what_a_sandbox_refuses_is_unsupported_with_the_reason(call, lacks):
    path = worker()
    everywhere, here = ops_of(path), ops_of(path, preexec_fn=refusing(call))
    assert not here[lacks]["supported"]
    assert "refuses" in here[lacks]["reason"] and "Operation not permitted" in here[lacks]["reason"]
    gone = {name for name, op in here.items() if op["supported"] != everywhere[name]["supported"]}
    assert gone == {lacks}


def test_without_a_registered_sequence_there_are_no_counters_of_cpus():
    path = worker()
    if not ops_of(path)["per_cpu_add"]["supported"]:
        pytest.skip(ops_of(path)["per_cpu_add"]["reason"])
    without = ops_of(path, env=os.environ | {"GLIBC_TUNABLES": "glibc.pthread.rseq=0"})
    assert not without["per_cpu_add"]["supported"]
    assert "restartable sequence" in without["per_cpu_add"]["reason"]
