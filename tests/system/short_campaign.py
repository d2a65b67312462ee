"""A campaign of the real driver and the real OpenMP worker that takes a third of a second, and what must hold of its
file whatever happened to it. For the trials of test_faults.py and test_at_random.py.
"""

import concurrent.futures
import ctypes
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import uuid

#: The driver's statuses; a signal that it caught is 128 and its number.
DOCUMENTED = {0, 1, 2, 3, 4, *(128 + number for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM))}
DEADLINE_S = 20
VISITS = 2
OPTIONS = ["--backend", "omp", "--op", "atomic_add", "--type", "int32", "--threads", "1", "--repetitions", str(VISITS),
           "--max-time", "5ms", "--min-sample", "20us"]
#: What a process has in its environment when a trial started it.
MARK = "SYNCMETER_TRIAL"


def in_pool(jobs, seeds, attempt):
    """(seed, what happened, the promise that was broken or None) of each; `attempt` gives the last two."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        yield from ((seed, *end) for seed, end in zip(seeds, pool.map(attempt, seeds)))


def copy_programs(source, folder, worker="syncmeter-omp"):
    """The driver and one worker: campaigns ask every worker that they find what it can measure."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("syncmeter", worker, f"{worker}.census.json"):
        shutil.copy(pathlib.Path(source) / name, folder / name)
    return folder


class Buffer(ctypes.Structure):
    """ZSTD_inBuffer and ZSTD_outBuffer."""
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t), ("at", ctypes.c_size_t)]


def unpacked(data):
    """The text of frames, the last of which may lack its end; by the library that the driver has, as `zstd` need not be there."""
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_createDCtx.restype = ctypes.c_void_p
    library.ZSTD_decompressStream.restype = ctypes.c_size_t
    context = ctypes.c_void_p(library.ZSTD_createDCtx())
    source, text = Buffer(data, len(data), 0), b""
    room = ctypes.create_string_buffer(1 << 17)
    while True:
        target = Buffer(ctypes.cast(room, ctypes.c_char_p), len(room), 0)
        status = library.ZSTD_decompressStream(context, ctypes.byref(target), ctypes.byref(source))
        text += room.raw[:target.at]
        if library.ZSTD_isError(ctypes.c_size_t(status)) or (source.at == source.size and target.at < target.size):
            break
    library.ZSTD_freeDCtx(context)
    return text


def whole_lines(text):
    return text[:text.rfind("\n") + 1].splitlines(keepends=True)


def visits_done(err):
    """How many visits the driver said to be in the file."""
    return max((int(number) for number in re.findall(r"^(\d+) of \d+ visits", err, re.MULTILINE)), default=0)


class Flaw(Exception):
    """A promise that was not kept: which, and how. lost: lines that were there; doubled: a visit that is there twice; orphan: a
    process that outlives its campaign; hang: a campaign that does not end; other: the rest (a status, an unreadable file)."""

    def __init__(self, kind, text):
        super().__init__(f"{kind}: {text}")
        self.kind = kind


class Trial:
    """One results file in a folder of its own."""

    def __init__(self, programs, home, suffix=".jsonl"):
        self.driver = pathlib.Path(programs) / "syncmeter"
        self.home = pathlib.Path(home)
        self.home.mkdir(parents=True)
        self.file = self.home / f"results{suffix}"
        self.mark = uuid.uuid4().hex
        self.environment = {**os.environ, "PATH": "/usr/bin:/bin", "SYNCMETER_REPORT": "off", MARK: self.mark}

    def start(self, *arguments, environment=None):
        # Into files: whoever is left over and holds a pipe open would make us wait for its end.
        with open(self.home / "out", "w+b") as out, open(self.home / "err", "w+b") as err:
            return subprocess.Popen([self.driver, *map(str, arguments)], env={**self.environment, **(environment or {})},
                                    cwd=self.home, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True)

    def wait(self, process, within=DEADLINE_S):
        """The status, as a shell has it."""
        try:
            status = process.wait(timeout=within)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise Flaw("hang", f"no end within {within} s; standard error: {self.printed('err')[-600:]}") from None
        return status if status >= 0 else 128 - status

    def printed(self, stream):
        return (self.home / stream).read_text(encoding="utf-8", errors="replace")

    def call(self, *arguments, **how):
        status = self.wait(self.start(*arguments, **how))
        return status, self.printed("out"), self.printed("err")

    def begin(self):
        return ["run", *OPTIONS, "--output", self.file]

    def go_on(self):
        return ["run", "--resume", self.file, "--retry"]

    def text(self):
        """What can be read of the file; without the end of a frame that was cut."""
        if not self.file.exists():
            return ""
        if self.file.suffix != ".zst":
            return self.file.read_text(encoding="utf-8")
        return unpacked(self.file.read_bytes()).decode("utf-8")

    def check(self, before="", printed=""):
        """After whatever happened: nothing that was whole is lost, and the file is read. Whether a campaign began."""
        text = self.text()
        lines = whole_lines(text)
        if lines[:len(whole_lines(before))] != whole_lines(before):
            raise Flaw("lost", "lines that were whole")
        try:
            kinds = [json.loads(line)["kind"] for line in lines]
        except ValueError as error:
            raise Flaw("other", f"a whole line is not JSON: {error}") from None
        if kinds.count("visit") < visits_done(printed):
            raise Flaw("lost", f"{visits_done(printed)} visits were said to be done, {kinds.count('visit')} are in the file")
        status, _, err = self.call("show", self.file)
        # 1 where a point failed, as run has it.
        if (status not in (0, 1)) if kinds else (status != 2):
            raise Flaw("other", f"show: status {status} with {len(kinds)} whole lines: {err}")
        if text and not kinds:
            raise Flaw("other", "the file holds half a line, which neither --resume nor --output takes")
        return bool(kinds)

    def finish(self):
        """Resumes to the end, or begins anew where nothing had begun. Every visit is then there once."""
        before = self.text()
        arguments = self.go_on() if before else self.begin()
        status, _, err = self.call(*arguments)
        if status != 0:
            raise Flaw("other", f"{arguments[1]}: status {status}: {err}")
        self.check(before, err)
        self.check_complete()

    def check_complete(self):
        lines = [json.loads(line) for line in whole_lines(self.text())]
        good = [line["key"] for line in lines if line["kind"] == "visit" and line["status"] not in ("failed", "timeout")]
        if len(good) != len(set(good)):
            raise Flaw("doubled", "a visit")
        if len(good) < VISITS or lines[-1]["kind"] != "end" or lines[-1]["reason"] != "complete":
            raise Flaw("other", f"not complete: {len(good)} good visits, last line {lines[-1]}")

    def check_alone(self, within=5.0):
        """No process of this trial outlives it by more than a moment."""
        end = time.monotonic() + within
        while (left := self.processes()) and time.monotonic() < end:
            time.sleep(0.02)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        if left:
            raise Flaw("orphan", f"processes {left}")

    def processes(self, name=""):
        """Those of this trial, by their mark; of one program."""
        mine = f"{MARK}={self.mark}".encode()
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if mine in (folder / "environ").read_bytes().split(b"\0"):
                    if name in ("", (folder / "comm").read_text().strip()):
                        found.append(int(folder.name))
            except OSError:
                pass  # another user's, or gone meanwhile
        return found
