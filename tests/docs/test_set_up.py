"""What the scripts install on request, by the compiler that is there: scripts/lib/setup.sh and build.sh with compilers
that only answer."""

import os
import subprocess

import pytest

from documents import ROOT

MKOFFLOAD = "/usr/lib/gcc/accel/nvptx-none/mkoffload"


@pytest.fixture
def tools(tmp_path):
    """A folder with g++-13, which has no offloading, g++-14, which has, another compiler, and a launcher of compilers."""
    def says(name, version, found):
        write(name, f'case $1 in -v) echo "{version}" >&2 ;; -print-prog-name=*) echo "{found}" ;; esac')

    def write(name, text):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)

    says("g++-13", "gcc version 13.2.0 (Debian 13.2.0-1)", "accel/nvptx-none/mkoffload")
    says("g++-14", "gcc version 14.2.0 (Debian 14.2.0-1)", MKOFFLOAD)
    says("clang++-99", "clang version 99.0.0", "accel/nvptx-none/mkoffload")
    write("launcher", 'exec "$@"')
    return tmp_path


def script(tools, compiler, command):
    """What the command prints beside the scripts' functions, and its messages."""
    text = f'''set -euo pipefail
        root=$1 script_name=run; . "$1/scripts/lib/setup.sh"; . "$1/scripts/lib/build.sh"
        for offloading in "${{needs_on_request[@]}}"; do [[ ${{offloading%%|*}} != omp_target ]] || break; done
        {command}'''
    return subprocess.run(["bash", "-c", text, "script", ROOT], capture_output=True, encoding="utf-8", check=False,
                          env=os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "CXX": compiler})


@pytest.mark.parametrize("compiler", ["g++-13", "launcher g++-13"])
def test_the_offloading_is_that_of_the_compiler_that_is_there(tools, compiler):
    done = script(tools, compiler, 'probe "$offloading"; of_missing 2; of_missing 3')
    assert done.returncode == 0, done.stderr
    assert "gcc-13-offload-nvptx" in done.stdout and "GCC_VERSION" not in done.stdout


def test_a_compiler_that_has_it_needs_nothing(tools):
    assert script(tools, "g++-14", 'probe "$offloading"; echo ${#missing[@]}').stdout == "0\n"


def test_another_compiler_is_refused_in_words(tools):
    done = script(tools, "clang++-99", 'probe "$offloading"')
    assert done.returncode == 2
    assert "SM_WITH=omp_target needs g++, and clang++-99 is another compiler: set CXX=g++-12" in done.stderr


def test_a_build_is_configured_anew_where_offloading_has_come(tools):
    for compiler in ("g++-14", "launcher g++-14"):
        assert MKOFFLOAD in script(tools, compiler, "other_tools").stdout.splitlines()
