"""A skipped test fails where CI=true, unless its reason names what a machine of CI need not have."""

import os
import subprocess
import sys

import pytest
from documents import ROOT

CASES = """
import pytest
def test_one(): pytest.skip({reason!r})
@pytest.mark.skipif(True, reason={reason!r})
def test_two(): pass
"""


@pytest.mark.parametrize("ci, reason, counts", [
    ("true", "every round was dropped", "1 failed, 1 error"), ("false", "every round was dropped", "2 skipped"),
    ("true", "there is no GPU", "2 skipped"),
])
def test_a_skip_without_a_good_reason_fails(tmp_path, ci, reason, counts):
    file = tmp_path / "test_cases.py"
    file.write_text(CASES.format(reason=reason), encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "skips", str(file)],
                          env=os.environ | {"CI": ci, "PYTHONPATH": str(ROOT / "tests")}, capture_output=True, text=True,
                          timeout=60, check=False)
    assert counts in done.stdout and reason in done.stdout, done.stdout
    assert ("test_cases.py: there is no GPU (2 tests)\n" in done.stdout) == (reason == "there is no GPU")
