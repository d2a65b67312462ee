"""Trials of a short campaign in which one call fails: faults.py BIN LIBRARY [--jobs N] [--only WORD].

BIN holds the programs, LIBRARY is the built fail_call.cpp. Each trial makes the n-th call of one kind, of the driver
or of the worker, fail once, or from there on; what must hold then is `attempt`. A table says how many were tried.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import errno
import json
import pathlib
import random
import struct
import sys
import tempfile

from short_campaign import DOCUMENTED, Flaw, Trial, copy_programs, whole_lines

#: Kinds of calls, and the errors that Linux gives for them.
ERRORS = {
    "write": ["ENOSPC", "EIO", "EINTR", "no bytes"], "read": ["EIO", "EINTR"], "open": ["EMFILE", "EACCES"], "rename": ["EACCES"],
    "fdatasync": ["EIO", "ENOSPC"], "ftruncate": ["EIO"], "flock": ["ENOLCK", "EWOULDBLOCK"], "poll": ["ENOMEM", "EINTR"],
    "fork": ["EAGAIN"], "execve": ["ENOMEM"], "pipe": ["EMFILE"], "dup2": ["EMFILE", "EINTR"], "malloc": ["ENOMEM"],
    "sched_setaffinity": ["EPERM", "EINVAL"], "pthread_create": ["EAGAIN"],
}
PROGRAMS = ("syncmeter", "syncmeter-omp")
#: A campaign from its first call, one that goes on in a torn file, and one in a torn compressed file with a table.
SCENARIOS = ("run", "resume", "packed")
FOR_EVER = 1 << 40
#: What is no error's name: the call does nothing and says so.
NO_ERROR = 0


@dataclasses.dataclass(frozen=True)
class Fault:
    scenario: str
    program: str
    call: str
    error: str
    at: int
    times: int = 1

    def __str__(self):
        more = "" if self.times == 1 else " and all later ones"
        return f"{self.scenario}: {self.program}: {self.call} number {self.at}{more}: {self.error}"


class Faults:
    """The programs, the library, and the torn files that campaigns go on in."""

    def __init__(self, programs, library, home):
        self.home = pathlib.Path(home)
        self.programs = copy_programs(programs, self.home / "bin")
        # LD_PRELOAD is a list: a name ends at a blank or a colon.
        self.library = self.home / "library.so"
        self.library.symlink_to(pathlib.Path(library).resolve())
        self.number = 0
        self.torn = {".jsonl": self._torn_text(), ".jsonl.zst": self._torn_packed()}

    def trial(self, suffix=".jsonl"):
        self.number += 1
        return Trial(self.programs, self.home / f"{self.number}", suffix)

    def _torn_text(self):
        trial = self.trial()
        status, _, err = trial.call(*trial.begin())
        assert status == 0, err
        lines = whole_lines(trial.text())
        first = next(i for i, line in enumerate(lines) if json.loads(line)["kind"] == "visit")
        return "".join([*lines[:first + 1], lines[0][:40]]).encode()

    def _torn_packed(self):
        trial = self.trial(".jsonl.zst")
        status, _, err = trial.call(*trial.begin())
        assert status == 0, err
        return trial.file.read_bytes()[:-20]

    def start(self, fault):
        """The trial, what it runs, and the environment that the fault comes by."""
        packed = fault.scenario == "packed"
        trial = self.trial(".jsonl.zst" if packed else ".jsonl")
        arguments = trial.begin()
        if fault.scenario != "run":
            trial.file.write_bytes(self.torn[".jsonl.zst" if packed else ".jsonl"])
            arguments = [*trial.go_on(), *(["--csv", "table.csv"] if packed else [])]
        counter = trial.home / "counter"
        counter.write_bytes(bytes(8))
        environment = {
            "LD_PRELOAD": str(self.library), "FAIL_PROGRAM": fault.program, "FAIL_CALL": fault.call, "FAIL_AT": str(fault.at),
            "FAIL_FOR": str(fault.times), "FAIL_ERRNO": str(getattr(errno, fault.error, NO_ERROR)), "FAIL_COUNTER": str(counter)}
        return trial, arguments, environment, counter

    def calls(self, scenario, program, call):
        """How many there are when none fails."""
        trial, arguments, environment, counter = self.start(Fault(scenario, program, call, "EIO", 0, 0))
        status, _, err = trial.call(*arguments, environment=environment)
        assert status == 0, err
        return struct.unpack("q", counter.read_bytes())[0]

    def attempt(self, fault):
        """Whether the fault was met, and the status. Raises Flaw when a promise was not kept: the campaign ends in time,
        with a documented status and a named error or complete; what its file had is in it; the file is shown; it is
        resumed to its end without the fault; no process is left."""
        trial, arguments, environment, counter = self.start(fault)
        before = trial.text()
        status, _, err = trial.call(*arguments, environment=environment)
        # hwloc does not check all of its own allocations: the file must then be as well as ever.
        in_a_library = fault.call == "malloc" and status in (134, 139) and "terminate" not in err
        if status not in DOCUMENTED and not in_a_library:
            raise Flaw("other", f"status {status}: {err[-600:]}")
        if status != 0 and not any(line.startswith("syncmeter: ") and len(line) > 20 for line in err.splitlines()):
            if '"status":"failed"' not in trial.text():
                raise Flaw("other", f"status {status}, and no error is named: {err[-600:]}")
        trial.check_alone()
        trial.check(before, err)
        if status == 0:
            trial.check_complete()
        try:
            trial.finish()
        except Flaw as flaw:
            # A PU that could not be bound to then, and can be now: another machine, by design.
            if fault.call != "sched_setaffinity" or "was measured with the allowed PUs" not in str(flaw):
                raise
        trial.check_alone()
        return struct.unpack("q", counter.read_bytes())[0] >= fault.at, status


def every_fault(faults):
    """The first calls of each kind, some drawn of those that come later, and failures that stay."""
    chance = random.Random(1)
    for scenario in SCENARIOS:
        # What begins alike needs no second look.
        first, more = (60, 15) if scenario == "run" else (15, 15)
        for program in PROGRAMS if scenario == "run" else PROGRAMS[:1]:
            for call, errors in ERRORS.items():
                count = faults.calls(scenario, program, call)
                numbers = list(range(1, min(count, first) + 1))
                numbers += sorted(chance.sample(range(first + 1, count + 1), min(more, max(0, count - first))))
                for i, at in enumerate(numbers):
                    # Each number meets one error; where calls are few, all of them.
                    for error in errors if len(numbers) <= 20 else [errors[i % len(errors)]]:
                        yield Fault(scenario, program, call, error, at)
                    if i % 8 == 0:
                        yield Fault(scenario, program, call, errors[0], at, FOR_EVER)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("programs", type=pathlib.Path)
    options.add_argument("library", type=pathlib.Path)
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--only", default="", help="faults whose text has this word")
    chosen = options.parse_args()
    table = collections.defaultdict(collections.Counter)
    broken = []
    with tempfile.TemporaryDirectory() as home:
        faults = Faults(chosen.programs, chosen.library, home)
        wanted = [fault for fault in every_fault(faults) if chosen.only in str(fault)]
        with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
            for fault, attempt in [(fault, pool.submit(faults.attempt, fault)) for fault in wanted]:
                row = table[fault.program, fault.call]
                row["tried"] += 1
                try:
                    met, status = attempt.result()
                    row["met"] += met
                    row[f"status {status}"] += 1
                except Flaw as flaw:
                    broken.append(fault)
                    row[f"broken: {flaw.kind}"] += 1
                    print(f"{fault}\n  {flaw}", flush=True)
    for (program, call), row in sorted(table.items()):
        print(f"{program:14} {call:18}", ", ".join(f"{name} {count}" for name, count in row.items()))
    print(f"{len(wanted)} faults, {len(broken)} broken promises")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
