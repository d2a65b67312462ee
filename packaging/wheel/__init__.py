"""syncmeter as pip installs it: this folder holds what any other prefix would (bin/, libexec/, lib/), and main() is the
command `syncmeter`."""

import os
import sys
from pathlib import Path


def main():
    report = Path(sys.argv[0]).absolute().with_name("syncmeter-report")
    if report.exists():  # PATH need not name the folder of an environment's commands
        os.environ.setdefault("SYNCMETER_REPORT", str(report))
    program = Path(__file__).with_name("bin") / "syncmeter"
    os.execv(program, [sys.argv[0], *sys.argv[1:]])
