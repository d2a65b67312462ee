"""Campaigns that are killed at random, resumed, and checked: `trials.py kill_storm` makes any number.

Each is met by up to three kills at random moments, is then resumed to its end, and must have lost nothing.
"""

import os
import random
import signal
import time

from short_campaign import Flaw, Trial, in_pool

#: What a kill may meet, and with which signals in turn. Workers lead groups of their own.
KILLS = {
    "driver KILL": ("driver", [signal.SIGKILL]),
    "driver TERM": ("driver", [signal.SIGTERM]),
    "driver INT": ("driver", [signal.SIGINT]),
    "driver INT twice": ("driver", [signal.SIGINT, signal.SIGINT]),
    "driver HUP": ("driver", [signal.SIGHUP]),
    "driver PIPE": ("driver", [signal.SIGPIPE]),
    "driver STOP, CONT": ("driver", [signal.SIGSTOP, signal.SIGCONT]),
    "group KILL": ("group", [signal.SIGKILL]),
    "group INT": ("group", [signal.SIGINT]),
    "group TERM twice": ("group", [signal.SIGTERM, signal.SIGTERM]),
    "worker KILL": ("worker", [signal.SIGKILL]),
    "worker SEGV": ("worker", [signal.SIGSEGV]),
    "worker STOP, CONT": ("worker", [signal.SIGSTOP, signal.SIGCONT]),
    "all TERM": ("all", [signal.SIGTERM]),
    "all KILL": ("all", [signal.SIGKILL]),
}
#: A campaign may have come to its end before it was met: 0, and 1 with a visit that a worker's end cost.
ENDED = {0, 1}


def send(trial, process, whom, number):
    """Whether anybody was there to get it."""
    if whom == "driver":
        targets = [process.pid]
    elif whom == "group":
        os.killpg(process.pid, number)  # not reaped yet: the group is there
        return process.poll() is None
    else:
        targets = trial.processes("syncmeter-omp" if whom == "worker" else "")
    for pid in targets:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass
    return bool(targets)


def kill_once(trial, arguments, kill, moments):
    """Runs what `arguments` say, kills on the way; whether the kill met anybody."""
    whom, numbers = KILLS[kill]
    before = trial.text()
    process = trial.start(*arguments)
    met = False
    for number, moment in zip(numbers, moments):
        time.sleep(moment)
        met = process.poll() is None and send(trial, process, whom, number) or met
    status = trial.wait(process)
    err = trial.printed("err")
    expected = ENDED | {128 + number for number in numbers if whom != "worker"}
    if status not in expected | ({2} if whom == "worker" else set()):
        raise Flaw("other", f"status {status}: {err[-600:]}")
    trial.check_alone()
    trial.check(before, err)
    return met


def undisturbed_s(programs, home):
    """How long a campaign takes that nobody kills."""
    trial = Trial(programs, home, ".jsonl")
    begun = time.monotonic()
    trial.call(*trial.begin())
    return time.monotonic() - begun


def storm(programs, home, seed, latest_s):
    """One campaign: which kills met it, and what the last of them broke, None for nothing."""
    chance = random.Random(seed)
    trial = Trial(programs, home, chance.choice([".jsonl", ".jsonl", ".jsonl.zst"]))
    struck = []
    try:
        for _ in range(chance.randint(1, 3)):
            kill = chance.choice(list(KILLS))
            arguments = trial.go_on() if trial.text() else trial.begin()
            moments = [chance.uniform(0, latest_s), chance.choice([0, chance.uniform(0, latest_s)])]
            if kill_once(trial, arguments, kill, moments):
                struck.append(kill)
        trial.finish()
        trial.check_alone()
    except Flaw as flaw:
        return struck, f"{' | '.join([*struck, kill])}: {flaw}"
    return struck, None


def trials(programs, home, seeds, jobs):
    latest_s = undisturbed_s(programs, home / "undisturbed")
    return in_pool(jobs, seeds, lambda seed: storm(programs, home / str(seed), seed, latest_s))
