"""The worker posix where the system refuses what Linux has beside POSIX: a sandbox, a C library told to do without."""

import ctypes
import errno
import json
import os
import struct
import subprocess

import pytest
from conftest import driver_path

#: membarrier and eventfd2, by architecture: the numbers of system calls, and what the kernel calls the architecture.
CALLS = {"x86_64": (0xC000003E, {"membarrier": 324, "eventfd2": 290}),
         "aarch64": (0xC00000B7, {"membarrier": 283, "eventfd2": 19})}


def worker():
    path = driver_path().parent / "syncmeter-posix"
    if not os.access(path, os.X_OK):
        pytest.skip("no syncmeter-posix was built here")
    return path


def refusing(call):
    """For a child, before it runs its program: from now on the kernel answers this call with EPERM (seccomp(2))."""
    machine = os.uname().machine
    if machine not in CALLS:
        pytest.skip(f"the number of {call} on {machine} is not known here")
    architecture, numbers = CALLS[machine]
    # A classic BPF program: load the architecture, load the number, refuse or allow.
    program = [(0x20, 0, 0, 4), (0x15, 0, 3, architecture), (0x20, 0, 0, 0), (0x15, 0, 1, numbers[call]),
               (0x06, 0, 0, 0x00050000 | errno.EPERM), (0x06, 0, 0, 0x7FFF0000)]
    code = b"".join(struct.pack("HBBI", *step) for step in program)
    held = ctypes.create_string_buffer(code)
    filter_ = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program), ctypes.addressof(held)))
    libc = ctypes.CDLL(None, use_errno=True)

    def refuse():
        if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, filter_, 0, 0) != 0:
            os._exit(99)

    refuse.keeps = held  # the program is read when it is called
    return refuse


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
