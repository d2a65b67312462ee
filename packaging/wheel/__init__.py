"""syncmeter as pip installs it: this folder holds what any other prefix would (bin/, libexec/, lib/), and main() is the
command `syncmeter`. `syncmeter build cuda` builds the worker that needs the user's CUDA Toolkit, in the user's cache."""

import ctypes
import math
import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

PREFIX = Path(__file__).parent
#: What a worker takes to compile, in minutes of one core.
MINUTES = {"cuda": 24}


def build_folder(backend):
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "syncmeter" / version("syncmeter") / backend


def refuse(problem):
    print(f"syncmeter: build: {problem}", file=sys.stderr)
    return 2


def build(words):
    if len(words) != 1 or words[0] not in MINUTES:
        given = f"'{' '.join(words)}' cannot be built" if words else "no backend given"
        return refuse(f"{given}; allowed: {', '.join(MINUTES)}. Other backends need a clone of syncmeter (scripts/run)")
    (backend,) = words
    nvcc = os.environ.get("CUDACXX") or shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if not nvcc:
        return refuse("nvcc is not on PATH; install the CUDA Toolkit 12 or newer, or name its nvcc in CUDACXX")
    cmake = shutil.which("cmake")
    if not cmake:
        return refuse("cmake is not on PATH; install CMake 3.25 or newer (`pip install cmake ninja`)")
    if not (os.environ.get("CXX") or shutil.which("c++")):
        return refuse("c++ is not on PATH; install g++ 11 or newer, or name a compiler in CXX")
    folder = build_folder(backend)
    cores = len(os.sched_getaffinity(0))
    minutes = max(2, math.ceil(MINUTES[backend] / cores))
    print(f"Building syncmeter-{backend} in {folder} by {nvcc}: about {minutes} minutes on {cores} cores", flush=True)
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    environment = {**os.environ, "CUDACXX": nvcc}
    for command in (
        [cmake, "-S", PREFIX / "share/syncmeter/sources", "-B", folder, *generator, "-DCMAKE_BUILD_TYPE=Release",
         f"-DSM_BACKENDS={backend}"],
        [cmake, "--build", folder, "--parallel", str(cores), "--target", f"syncmeter-{backend}"],
    ):
        if status := subprocess.run(command, env=environment).returncode:
            print(f"syncmeter: build: cmake ended with status {status}; its messages are above", file=sys.stderr)
            return 1
    for path in folder.iterdir():
        if path.name not in ("bin", "lib"):  # it takes ten times the place of the worker
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    # What the compiler made of the loops, as every build keeps it; without a disassembler it is not known.
    subprocess.run([PREFIX / "bin/syncmeter", "census", "--backend", backend, "--save"], stdout=subprocess.DEVNULL,
                   env={**os.environ, "PATH": f"{os.environ.get('PATH', os.defpath)}:{Path(nvcc).parent}:{folder / 'bin'}"})
    print(f"Built: {folder / 'bin' / f'syncmeter-{backend}'}; `syncmeter run --backend {backend}` uses it")
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
        sys.exit(build(words[1:]))
    if words[:1] == ["run"]:
        warn_of_openmp()
    report = Path(sys.argv[0]).absolute().with_name("syncmeter-report")
    if report.exists():  # PATH need not name the folder of an environment's commands
        os.environ.setdefault("SYNCMETER_REPORT", str(report))
    built = [str(build_folder(backend) / "bin") for backend in MINUTES]
    os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", os.defpath), *filter(os.path.isdir, built)])
    os.execv(PREFIX / "bin/syncmeter", [sys.argv[0], *words])
