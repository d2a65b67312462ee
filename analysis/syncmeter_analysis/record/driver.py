"""The driver `syncmeter`, which estimates the points of a file that does not hold its estimates."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from syncmeter_analysis.record.errors import Unusable, printable
from syncmeter_analysis.record.text_file import text_of

_environment = "SYNCMETER_BIN"


def find_driver() -> str | None:
    """The driver beside this command, in the folder that SYNCMETER_BIN names, or on PATH."""
    folders = [os.path.dirname(os.path.realpath(sys.argv[0])), os.environ.get(_environment, "")]
    for folder in filter(None, folders):
        if found := shutil.which("syncmeter", path=folder):
            return found
    return shutil.which("syncmeter")


def point_lines(path: str, text: bytes | None = None) -> tuple[list[bytes], list[str]]:
    """The lines of points that the driver writes of the file, and what it says of lines left out.

    `text` is what the file holds, where it was read before. Raises Unusable where there is no driver,
    or it cannot use the file.
    """
    driver = find_driver()
    if driver is None:
        raise Unusable(
            f"{path} has no estimates: an older version wrote it, or its campaign was cut off; "
            f"`syncmeter show --complete {path}` adds them (syncmeter is neither beside this "
            f"command nor on PATH, nor does {_environment} name its folder)"
        )
    command = [driver, "show", "--points", "/dev/stdin"]
    given = text_of(Path(path)) if text is None else text
    try:
        done = subprocess.run(command, input=given, capture_output=True, check=False)
    except OSError as error:
        raise Unusable(f"{path}: {driver} cannot be run ({error.strerror})") from error
    lines = done.stderr.decode(errors="replace").splitlines()
    complaints = [printable(line) for line in lines if line.strip()]
    if done.returncode != 0:
        why = complaints[-1] if complaints else f"status {done.returncode}"
        raise Unusable(f"{path}: {driver} cannot estimate its points: {why}")
    return done.stdout.splitlines(), complaints
