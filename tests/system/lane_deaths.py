"""Lanes that are processes, killed at random: `trials.py lane_deaths` makes any number.

Each campaign loses up to three of them, one worker's after the other's. Every death is named, the campaign comes to its end,
and a resume measures what the deaths have cost.
"""

import json
import os
import pathlib
import random
import signal
import time

from short_campaign import Flaw, Trial, in_pool, whole_lines

WORKER = "syncmeter-posix-shared"
#: Teams of one and two lanes in random order: most visits end one team and start another.
OPTIONS = ["--backend", "posix-shared", "--op", "barrier,lock_add,futex_handoff", "--type", "int32", "--threads", "1,2",
           "--repetitions", "3", "--max-time", "5ms", "--min-sample", "20us"]
VISITS = 18
DEATH = "a process of the team died"


def state_and_parent(pid):
    text = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    state, parent = text.rsplit(")", 1)[1].split()[:2]
    return state, int(parent)


def lanes_by_worker(trial):
    """worker -> its lanes, of those that run now."""
    found = {}
    processes = trial.processes(WORKER[:15])
    for pid in processes:
        try:
            _, parent = state_and_parent(pid)
        except OSError:
            continue  # gone meanwhile
        if parent in processes:
            found.setdefault(parent, []).append(pid)
    return found


def kill_lane(pid):
    """Whether it died of that: one that has ended already, and is waited for, takes the signal too."""
    try:
        os.kill(pid, signal.SIGSTOP)
        while (state := state_and_parent(pid)[0]) not in "TZX":
            time.sleep(0.0005)
        os.kill(pid, signal.SIGKILL)
    except OSError:
        return False
    return state == "T"


def kill_lanes(trial, process, chance, most):
    """Kills so many lanes at random moments while the campaign runs: the workers that lost one."""
    workers = []
    while len(workers) < most and process.poll() is None:
        time.sleep(chance.uniform(0, 0.15))
        of_others = {worker: lanes for worker, lanes in lanes_by_worker(trial).items() if worker not in workers}
        if not of_others:
            continue
        worker = chance.choice(list(of_others))
        if kill_lane(chance.choice(of_others[worker])):
            workers.append(worker)
    return workers


def check_named(trial, workers):
    printed = trial.printed("err").splitlines()
    reasons = [json.loads(line).get("reason", "") for line in whole_lines(trial.text())]
    for worker in workers:
        if not any(f"(pid {worker})" in text and DEATH in text for text in [*printed, *reasons]):
            raise Flaw("other", f"nothing names the death of a lane of worker {worker}: {printed[-5:]}")


def check_measured(trial):
    """Every visit was measured in the end; noisy points have been given further ones."""
    lines = [json.loads(line) for line in whole_lines(trial.text())]
    measured = {line["key"] for line in lines if line["kind"] == "visit" and line["status"] not in ("failed", "timeout")}
    if len(measured) < VISITS:
        raise Flaw("lost", f"{len(measured)} of {VISITS} visits were measured")


def deaths(programs, home, seed):
    chance = random.Random(seed)
    trial = Trial(programs, home)
    workers = []
    try:
        process = trial.start("run", *OPTIONS, "--output", trial.file)
        workers = kill_lanes(trial, process, chance, chance.randint(1, 3))
        status = trial.wait(process)
        if status not in (0, 1):
            raise Flaw("other", f"status {status}: {trial.printed('err')[-600:]}")
        err = trial.printed("err")
        trial.check_alone()
        check_named(trial, workers)
        trial.check("", err)
        trial.finish()
        check_measured(trial)
    except Flaw as flaw:
        return ["a lane's death"] * len(workers), str(flaw)
    return ["a lane's death"] * len(workers), None


def trials(programs, home, seeds, jobs):
    return in_pool(jobs, seeds, lambda seed: deaths(programs, home / str(seed), seed))
