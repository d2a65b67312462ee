"""The driver `syncmeter`, which estimates the points of a file that does not hold its estimates."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from syncmeter_analysis.record.errors import Unusable, printable

_environment = "SYNCMETER_BIN"
#: scripts/run builds in the first, `cmake -B build` in the second.
_builds = ("build/release", "build")
_standard_input = "/dev/stdin"


def find_driver() -> str | None:
    """Returns the driver beside this command, in the folder SYNCMETER_BIN, in the clone of this
    package, or in an absolute folder of PATH."""
    clone = Path(__file__).resolve().parents[3]
    folders = [
        os.path.dirname(os.path.realpath(sys.argv[0])),
        os.environ.get(_environment, ""),
        *(str(clone / build / "bin") for build in _builds),
        *filter(os.path.isabs, os.environ.get("PATH", os.defpath).split(os.pathsep)),
    ]
    found = (shutil.which("syncmeter", path=folder) for folder in filter(None, folders))
    return next(filter(None, found), None)


def point_lines(path: str, visits: Iterable[bytes]) -> tuple[list[bytes], list[str]]:
    """The lines of points that the driver makes of a file's lines, and what it says of those that it
    left out.

    Raises Unusable where there is no driver, or it does not end well.
    """
    driver = find_driver()
    if driver is None:
        raise Unusable(
            f"{path} has no estimates: an older version wrote it, or its campaign was cut off; "
            f"`syncmeter show --complete {path}` adds them (syncmeter is neither beside this "
            f"command nor on PATH, nor does {_environment} name its folder)"
        )
    command = [driver, "show", "--points", _standard_input]
    try:
        done = subprocess.run(command, input=b"".join(visits), capture_output=True, check=False)
    except OSError as error:
        raise Unusable(f"{path}: {driver} cannot be run ({error.strerror})") from error
    written = map(printable, done.stderr.decode(errors="replace").splitlines())
    complaints = [text.removeprefix(f"syncmeter: {_standard_input}: ") for text in written]
    if done.returncode != 0:
        why = complaints[-1] if complaints else f"status {done.returncode}"
        raise Unusable(f"{path}: {driver} cannot estimate its points: {why}")
    return done.stdout.splitlines(), complaints
