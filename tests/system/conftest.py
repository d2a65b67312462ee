"""What every system test has: the real driver, a fake worker on PATH, and the file that comes out.

SYNCMETER_BIN names the directory that holds `syncmeter`.
"""

import collections
import contextlib
import json
import os
import pathlib
import signal
import stat
import subprocess
import sys
import time

import pytest

HERE = pathlib.Path(__file__).parent


def driver_path():
    where = os.environ.get("SYNCMETER_BIN")
    if not where:
        pytest.exit("SYNCMETER_BIN is not set: it names the directory that holds `syncmeter`", returncode=2)
    path = pathlib.Path(where).resolve() / "syncmeter"
    if not os.access(path, os.X_OK):
        pytest.exit(f"there is no program {path}", returncode=2)
    return path


def install(script, path):
    """A Python script as a program of its own."""
    path.write_text(f"#!{sys.executable}\n" + script, encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)


def eventually(what, condition, within=20.0):
    """Waits until the condition holds; its value. Fails the test, naming `what`, when it never does."""
    end = time.monotonic() + within
    while not (value := condition()):
        assert time.monotonic() < end, f"not within {within} s: {what}"
        time.sleep(0.01)
    return value


#: How often a campaign of real lanes may be begun.
TRIES = 4


def is_alive(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except FileNotFoundError:
        return False
    return text.rsplit(")", 1)[1].split()[0] != "Z"


def wait_until_gone(pids):
    for pid in pids:
        eventually(f"process {pid} has ended", lambda: not is_alive(pid))


@contextlib.contextmanager
def started(worker, **environment):
    """A worker as a process, spoken to in its protocol; it is gone afterwards."""
    process = subprocess.Popen([worker], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=os.environ | environment)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(OSError):
                stream.close()


def send(process, request):
    process.stdin.write(json.dumps(request) + "\n")
    process.stdin.flush()


def receive(process):
    line = process.stdout.readline()
    assert line, process.stderr.read()
    return json.loads(line)


def request_for_barrier(backend, pus, max_time_ns=1e7):
    """A visit of lanes that yield while they wait: others use this machine too."""
    point = {"backend": backend, "op": "barrier", "order": "unordered", "lanes": len(pus), "wait": "passive"}
    return {"kind": "measure", "id": 2, "point": point, "pus": pus, "visit": 1, "options": {"max_time_ns": max_time_ns}}


class Campaign:
    """One results file, the fake worker that feeds it, and the driver."""

    def __init__(self, home):
        self.home = home
        self.bin = home / "bin"
        self.bin.mkdir()
        install((HERE / "fake_worker.py").read_text(encoding="utf-8"), self.bin / "syncmeter-fake")
        self.file = home / "results.jsonl"
        self.driver = driver_path()
        self.environment = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}", "FAKE_DIR": str(home),
                            "SYNCMETER_REPORT": "off"}
        self.behave()

    def behave(self, **behaviour):
        """What the worker does from now on; all that is not named is as a good worker does it."""
        (self.home / "behaviour.json").write_text(json.dumps(behaviour), encoding="utf-8")

    def arguments(self, *more, ops="atomic_add,atomic_read,plain_read", visits=2):
        """`run` on a few one-lane points of the fake backend."""
        return ["run", "--backend", "fake", "--op", ops, "--type", "int32", "--layout", "shared", "--threads", "1",
                "--order", "relaxed", "--repetitions", str(visits), "--seed", "7", "--output", str(self.file), *more]

    def start(self, *arguments, **how):
        return subprocess.Popen([self.driver, *arguments], env=self.environment, cwd=self.home, encoding="utf-8",
                                errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                start_new_session=True, **how)

    def call(self, *arguments, within=60, **how):
        """Runs the driver to its end: (status, stdout, stderr)."""
        process = self.start(*arguments, **how)
        try:
            out, err = process.communicate(timeout=within)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        return process.returncode, out, err

    def call_again(self, *arguments, **how):
        """`call` of a campaign of real lanes, begun anew where a visit was late: barriers of lanes that spin take seconds
        while others have the PUs. A worker that is always late is late each time."""
        for again in reversed(range(TRIES)):
            done = self.call(*arguments, **how)
            if done[0] != 1 or "did not answer within" not in done[2] or not again:
                return done
            self.file.unlink()

    def measure_until(self, enough, *arguments, deadline_s=150):
        """The lines of a campaign of real lanes, begun anew while `enough` does not hold of them: others may have the PUs
        for seconds, and then every round is dropped. Fails after the deadline."""
        end = time.monotonic() + deadline_s
        while True:
            status, out, err = self.call_again(*arguments, within=200)
            assert status == 0, err + out
            if enough(lines := self.lines()):
                return lines
            assert time.monotonic() < end, f"too few rounds were kept in each campaign of {deadline_s} s:\n{out}"
            self.file.unlink()

    def run(self, *more, **points):
        return self.call(*self.arguments(*more, **points))

    def resume(self, *more):
        return self.call("run", "--resume", str(self.file), *more)

    def lines(self, kind=None):
        """The whole lines of the results file; every one must be JSON."""
        text = self.file.read_text(encoding="utf-8") if self.file.exists() else ""
        found = [json.loads(line) for line in text.split("\n")[:-1]]
        return [line for line in found if kind in (None, line["kind"])]

    def visits(self):
        return self.lines("visit")

    def edit_campaign_line(self, change):
        """Rewrites the first line as `change` leaves it."""
        first, rest = self.file.read_text(encoding="utf-8").split("\n", 1)
        line = json.loads(first)
        change(line)
        self.file.write_text(json.dumps(line) + "\n" + rest, encoding="utf-8")

    def cut_at_visit(self, number):
        """The file as a kill leaves it before the visit with this index among its visits."""
        lines = self.file.read_text(encoding="utf-8").splitlines(keepends=True)
        visits = [at for at, line in enumerate(lines) if json.loads(line)["kind"] == "visit"]
        self.file.write_text("".join(lines[:visits[number]]), encoding="utf-8")

    def log(self, kind):
        """What the worker was asked, in order."""
        path = self.home / "log.jsonl"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        entries = [json.loads(line) for line in text.split("\n")[:-1]]
        return [entry for entry in entries if entry["kind"] == kind]


def keys(visits):
    """How often each visit is there."""
    return collections.Counter(visit["key"] for visit in visits)


@pytest.fixture
def campaign(tmp_path):
    return Campaign(tmp_path)
