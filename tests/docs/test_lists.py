"""The lists of tests are whole: none is left out, and each planted bug fits the sources."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from documents import ROOT


def test_each_file_of_tests_of_the_analysis_is_run_by_one_test():
    build = Path(os.environ["SYNCMETER_BIN"]).parent
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", "-L", "^analysis$"], capture_output=True,
                           text=True, timeout=60, check=True).stdout
    tests = json.loads(shown)["tests"]
    if not tests:
        pytest.skip("the packages of the analysis are not here")
    files = [Path(word).name for test in tests for word in test["command"] if word.endswith(".py")]
    assert sorted(files) == sorted(path.name for path in (ROOT / "analysis/tests").glob("test_*.py"))


def test_each_planted_bug_has_its_name_its_place_and_a_test_that_can_notice_it():
    done = subprocess.run([ROOT / "scripts/mutate", "--list"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
