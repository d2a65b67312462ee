"""syncmeter as pip installs it: this folder holds what any other prefix would (bin/, libexec/, lib/), and main() is the
command `syncmeter`. `syncmeter build cuda|kokkos` builds a worker that needs the user's CUDA Toolkit or Kokkos, in the
user's cache."""

import ctypes
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

PREFIX = Path(__file__).parent
#: What a worker takes to compile, in minutes of one core. Of Kokkos: three execution spaces; with CUDA it takes longer.
MINUTES = {"cuda": 24, "kokkos": 3}


def build_folder(backend):
    """Where the driver looks for the worker too (driver/workers/find_workers.cpp: the same rule there)."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", ""))
    key = (PREFIX / "share/syncmeter/sources/cache_key").read_text(encoding="utf-8").strip()
    return (cache if cache.is_absolute() else Path.home() / ".cache") / "syncmeter" / key / backend


class Refusal(Exception):
    """What the user has to install, or to write."""


def program(variable, *names):
    """What the environment names, else the first of these names that is on PATH; None where there is none."""
    named = shlex.split(os.environ.get(variable, "")) if variable else []
    return next(filter(None, map(shutil.which, named[:1] or names)), None)


def tools_for(backend):
    """cmake, and the environment that it is to run in."""
    environment = dict(os.environ)
    if backend == "cuda":
        nvcc = program("CUDACXX", "nvcc", f"{os.environ.get('CUDA_HOME') or '/usr/local/cuda'}/bin/nvcc")
        if not nvcc:
            raise Refusal("nvcc is not on PATH; install the CUDA Toolkit 12 or newer, or name its nvcc in CUDACXX")
        environment["CUDACXX"] = nvcc
        environment["PATH"] = f"{os.environ.get('PATH', os.defpath)}:{Path(nvcc).parent}"  # its disassembler
    cmake = program("", "cmake")
    if not cmake:
        raise Refusal("cmake is not on PATH; install CMake 3.25 or newer (`pip install cmake ninja`)")
    if not program("CXX", "c++", "g++", "clang++"):
        raise Refusal("c++ is not on PATH; install g++ 11 or newer, or name a compiler in CXX")
    if not (program("CMAKE_MAKE_PROGRAM", "ninja") or program("", "make")):
        raise Refusal("neither ninja nor make is on PATH; install one of them (`pip install ninja`)")
    return cmake, environment


def configure(cmake, environment, backend, folder):
    """Kokkos may have been built with CUDA: its worker has the rig of that backend then."""
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    done = subprocess.run(
        [cmake, "-S", PREFIX / "share/syncmeter/sources", "-B", folder, *generator, "-DCMAKE_BUILD_TYPE=Release",
         f"-DSM_WORKER={backend}"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode == 0:
        return
    lacking = re.search(rf"^-- ({backend}: .*so no backend.*)$", done.stdout, re.MULTILINE | re.IGNORECASE)
    if lacking:
        raise Refusal(lacking[1])
    print(done.stdout, file=sys.stderr)
    raise Refusal(f"cmake ended with status {done.returncode}; its messages are above")


def build(backend):
    cmake, environment = tools_for(backend)
    folder = build_folder(backend)
    cores = len(os.sched_getaffinity(0))
    minutes = max(2, math.ceil(MINUTES[backend] / cores))
    configure(cmake, environment, backend, folder)
    print(f"Building syncmeter-{backend} in {folder}: about {minutes} minutes on {cores} {'core' if cores == 1 else 'cores'}", flush=True)
    command = [cmake, "--build", folder, "--parallel", str(cores), "--target", "built"]
    if status := subprocess.run(command, env=environment).returncode:
        raise Refusal(f"cmake ended with status {status}; its messages are above")
    for path in folder.iterdir():
        if path.name not in ("bin", "lib"):  # it takes ten times the place of the worker
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    # What the compiler made of the loops, as every build keeps it; without a disassembler it is not known.
    subprocess.run([PREFIX / "bin/syncmeter", "census", "--backend", backend, "--save"], stdout=subprocess.DEVNULL, env=environment)
    print(f"Built: {folder / 'bin' / f'syncmeter-{backend}'}; `syncmeter run --backend {backend}` uses it")


def build_all(words):
    try:
        unknown = [word for word in words if word not in MINUTES]
        if unknown or not words:
            given = f"'{unknown[0]}' cannot be built" if unknown else "no backend given"
            raise Refusal(f"{given}; allowed: {', '.join(MINUTES)}. Other backends need a clone of syncmeter (scripts/run)")
        for backend in words:
            build(backend)
    except Refusal as refusal:
        print(f"syncmeter: build: {refusal}", file=sys.stderr)
        return 2
    return 0


def warn_of_openmp():
    try:
        ctypes.CDLL("libgomp.so.1")
    except OSError:
        print("syncmeter: libgomp.so.1 cannot be loaded, so the backend omp cannot be used; install it (Debian: libgomp1, "
              "Fedora: libgomp)", file=sys.stderr)


def main():
    words = sys.argv[1:]
    if words[:1] == ["build"]:
        sys.exit(build_all(words[1:]))
    if words[:1] == ["run"]:
        warn_of_openmp()
    report = Path(sys.argv[0]).absolute().with_name("syncmeter-report")
    if report.exists():  # PATH need not name the folder of an environment's commands
        os.environ.setdefault("SYNCMETER_REPORT", str(report))
    os.execv(PREFIX / "bin/syncmeter", [sys.argv[0], *words])
