"""The worker of C++'s threads for AArch64: built by a cross compiler, and held to conformance under qemu-user."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LIBRARIES = pathlib.Path("/usr/lib/aarch64-linux-gnu")
QEMU = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
COMPILER = shutil.which("aarch64-linux-gnu-g++")
NEEDED = ("pkgconfig/hwloc.pc", "pkgconfig/fmt.pc", "pkgconfig/libzstd.pc", "libboost_program_options.so", "libc.so.6")

needs_qemu = pytest.mark.skipif(not (QEMU and COMPILER and shutil.which("ninja")),
                                reason="needs qemu-aarch64, aarch64-linux-gnu-g++ and ninja")
needs_libraries = pytest.mark.skipif(not all((LIBRARIES / name).exists() for name in NEEDED),
                                     reason="needs libhwloc-dev, libfmt-dev, libzstd-dev and libboost-program-options-dev of arm64")


@pytest.fixture(scope="module")
def workers(tmp_path_factory):
    """A folder with the worker as a script that has qemu run it."""
    build = tmp_path_factory.mktemp("aarch64")
    words = ["-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64", f"-DCMAKE_CXX_COMPILER={COMPILER}",
             "-DCMAKE_LIBRARY_ARCHITECTURE=aarch64-linux-gnu", "-DCMAKE_BUILD_TYPE=Release", "-DSM_TESTS=OFF", "-DSM_CUDA=OFF",
             "-DSM_MPI=OFF", "-DSM_LIBRARIES=OFF", "-DSM_KOKKOS=OFF", "-DSM_OMP_LLVM=OFF"]
    environment = os.environ | {"PKG_CONFIG_LIBDIR": f"{LIBRARIES}/pkgconfig:/usr/share/pkgconfig"}
    if shutil.which("ccache"):
        words.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    for command in (["cmake", "-S", SOURCE, "-B", build, "-G", "Ninja", *words], ["cmake", "--build", build, "--target", "syncmeter-std"]):
        done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=400, check=False, env=environment)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    folder = tmp_path_factory.mktemp("bin")
    script = folder / "syncmeter-std"
    script.write_text(f'#!/bin/sh\nexec {QEMU} {build}/bin/syncmeter-std "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return folder


@pytest.mark.skipif(not COMPILER, reason="needs aarch64-linux-gnu-g++")
def test_a_spin_loop_pauses_by_isb(tmp_path):
    """Most Arm cores ignore yield."""
    (tmp_path / "spin.cpp").write_text('#include "core/ops/spun_work.hpp"\n'
                                       "extern \"C\" void spin(volatile int* held) { while (*held) syncmeter::spin_pause(); }\n")
    subprocess.run([COMPILER, "-std=c++20", "-O3", f"-I{SOURCE}", "-c", "spin.cpp"], cwd=tmp_path, timeout=60, check=True)
    objdump = COMPILER.removesuffix("g++") + "objdump"
    shown = subprocess.run([objdump, "-d", "spin.o"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True).stdout
    instructions = {line.split("\t")[2].strip() for line in shown.splitlines() if line.count("\t") >= 2}
    assert "isb" in instructions and "yield" not in instructions, shown


@needs_qemu
@needs_libraries
def test_every_op_is_right_under_qemu(workers):
    conformance = SOURCE / "tests" / "conformance"
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."], cwd=conformance, capture_output=True,
                          encoding="utf-8", timeout=400, check=False, env=os.environ | {"SYNCMETER_BIN": str(workers), "SM_WORKER": "std"})
    assert done.returncode == 0, done.stdout[-5000:]
    assert " passed" in done.stdout
