"""Where CI=true a skipped test fails, unless its reason names something that a machine of CI need not have.

A plugin for pytest of tests/ and analysis/tests; tests/unit/main.cpp does the same for GoogleTest.
"""

import collections
import os
import re

import pytest

#: What reasons may say where CI=true, and what such a machine lacks.
ABSENT = {
    r"\bGPU|CUDA|cuda": "a GPU, and the programs that are built with CUDA",
    r"mpi\b.*not built|CMake found no MPI|no worker .*\bmpi\b": "MPI, which is installed on request",
    r"(libraries|kokkos)\b.*(not built|was not)|no worker .*\b(libraries|kokkos)\b|backend '(libraries|mpi|kokkos|cuda)'":
        "the libraries of backends that are built on request",
    r"^no Triton here|syncmeter-triton was not built": "Triton, a wheel of 200 MB for Linux",
    r"syncmeter-omp-target was (not built|built by )": "g++ 12 with its offloading, 100 MB",
    r"qemu-aarch64|(aarch64|riscv64)-linux-gnu|of (aarch64|arm64)": "another architecture's compiler, libraries and emulator",
    r"no (rustc|cargo)|librust": "Rust",
    r"no reframe on PATH|(zsh|man|groff) is not installed": "programs that a few users have",
    r"^SYNCMETER_PUBLISHED is not set": "tables that others published",
    r"^the super-user may write anywhere$": "a user other than root",
    r"^no other user to run as$": "root, who may make a set-user-id program of another user",
    r"is not known here$|^not x86-64$|^no filter of system calls": "this architecture's numbers of system calls, or seccomp",
    r"^this machine has the PUs of the file$|^the file is written for the PUs": "another number of PUs",
    r"^the sources are no clone": "git's history, in a copy of the sources",
    r"^no actionlint here": "actionlint, whose package fetches a program from GitHub",
    r"^the example is of omp$|^no worker of OpenMP's threads is asked for$|^no op of this worker needs several lanes$|^this worker has no backend of a CPU$": "nothing: the test is of other workers",
}


def may_be_skipped(reason):
    return os.environ.get("CI") != "true" or any(re.search(pattern, reason) for pattern in ABSENT)


def fail_if_skipped(report):
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2].removeprefix("Skipped: ")
        if not may_be_skipped(reason):
            report.outcome = "failed"
            report.longrepr = f"skipped, which fails where CI=true (tests/skips.py): {reason}"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    fail_if_skipped((yield).get_result())


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report():
    fail_if_skipped((yield).get_result())


def pytest_terminal_summary(terminalreporter):
    """Names what was skipped and why, a line for each file and reason: scripts/test shows these lines."""
    skipped = collections.Counter((report.nodeid.split("::")[0], report.longrepr[2].removeprefix("Skipped: "))
                                  for report in terminalreporter.stats.get("skipped", []))
    for (file, reason), tests in skipped.items():
        terminalreporter.write_line(f"skipped: {file}: {reason}" + f" ({tests} tests)" * (tests > 1))
