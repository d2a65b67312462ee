"""A sandbox for a child of a test: the kernel refuses it one system call."""

import ctypes
import errno
import os
import struct

import pytest

#: By architecture: what the kernel calls it, and its numbers of system calls.
CALLS = {"x86_64": (0xC000003E, {"membarrier": 324, "eventfd2": 290, "perf_event_open": 298}),
         "aarch64": (0xC00000B7, {"membarrier": 283, "eventfd2": 19, "perf_event_open": 241})}


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
