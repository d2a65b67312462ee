"""What every golden test has: the real driver alone in a folder with a made-up worker, and patterns.

A pattern file holds the expected text. {number}, {text} and {path} in it stand for any number, any text
and any file name; runs of blanks match runs of blanks; everything else is literal.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
PLACEHOLDERS = {
    "{number}": r"[0-9]+(?:\.[0-9]+)?(?:e[-+][0-9]+)?",
    "{text}": r".*\S",
    "{path}": r"\S+",
}


def as_expression(line):
    parts = re.split(r"(\{(?:number|text|path)\}|\s+)", line.rstrip())
    return "".join(PLACEHOLDERS.get(part) or (r"\s+" if part.isspace() else re.escape(part)) for part in parts)


def assert_matches(text, name):
    """Every line of `text` fits the line of the same number in expected/NAME."""
    expected = (HERE / "expected" / name).read_text(encoding="utf-8").splitlines()
    lines = text.splitlines()
    for number, (line, pattern) in enumerate(zip(lines, expected), start=1):
        assert re.fullmatch(as_expression(pattern), line.rstrip()), (
            f"{name}, line {number}:\n  expected {pattern!r}\n  printed  {line!r}"
        )
    assert len(lines) == len(expected), f"{name}: {len(expected)} lines expected, {len(lines)} printed:\n{text}"


class Driver:
    """A copy of the driver beside nothing but the worker of the test."""

    def __init__(self, home):
        where = os.environ.get("SYNCMETER_BIN")
        if not where:
            pytest.exit("SYNCMETER_BIN is not set: it names the directory that holds `syncmeter`", returncode=2)
        self.home = home
        self.bin = home / "bin"
        self.bin.mkdir()
        shutil.copy2(pathlib.Path(where).resolve() / "syncmeter", self.bin / "syncmeter")
        self.environment = {**os.environ, "PATH": "/usr/bin:/bin", "SYNCMETER_REPORT": "off"}

    def add_program(self, name, script):
        """A Python script beside the driver."""
        program = self.bin / name
        program.write_text(f"#!{sys.executable}\n{script}", encoding="utf-8")
        program.chmod(0o755)

    def run(self, *arguments, status):
        """The driver, ended with this status."""
        done = subprocess.run(
            [self.bin / "syncmeter", *arguments], cwd=self.home, env=self.environment,
            stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=60, check=False,
        )
        assert done.returncode == status, f"{arguments}: status {done.returncode}: {done.stderr}"
        return done

    def complaint(self, *arguments):
        """The one line on standard error of what ends with status 0."""
        done = self.run(*arguments, status=0)
        assert done.stderr.startswith("syncmeter: ") and done.stderr.count("\n") == 1, done.stderr
        return done.stderr.strip()

    def add_worker(self, name, capabilities):
        """A worker that can say what it can measure, and nothing else."""
        self.add_program(f"syncmeter-{name}", f"print({json.dumps(capabilities)!r})\n")

    def __call__(self, *arguments, status=0):
        """Standard output; the exit status must be `status`, and standard error empty with 0."""
        done = self.run(*arguments, status=status)
        if status == 0:
            assert done.stderr == ""
        return done.stdout

    def mistake(self, *arguments):
        """The one line on standard error of a wrong usage."""
        done = self.run(*arguments, status=2)
        assert done.stdout == "", arguments
        assert done.stderr.startswith("syncmeter: ") and done.stderr.count("\n") == 1, done.stderr
        return done.stderr.strip()


@pytest.fixture
def driver(tmp_path):
    return Driver(tmp_path)
