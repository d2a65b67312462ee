"""`syncmeter advise --try`: what is tried follows from the advice, and a change that writes something else is
refused. That a trial is faster is a benchmark's to say."""

import os
import re
import subprocess
import time

import pytest
from test_advise import DRIVER, advise, hazard  # noqa: F401 (a fixture)


@pytest.fixture
def program(build):
    return build("team_size", "g++", "-O2", "-fopenmp")


def runs_out_of_budget(trial):
    """Trials are left out, or end early, for their time alone: on a busy machine each run takes several times as long."""
    refusal = trial["refusal"] or ""
    return (trial["verdict"] == "cannot_tell" and trial["pairs"] < 3) or "--budget has room for" in refusal \
        or "took all of --budget" in refusal


def fewer_threads_of(trials):
    return trials[next(settings for settings in trials if settings[0].startswith("OMP_NUM_THREADS="))]


def try_all_settings(program, advise, environment, budget_s=6, longest_s=170):  # noqa: F811
    """With three times the budget where some setting had no room, or its other output is not yet refused, and there is time
    for that: counting takes all of --budget, and trials as much again."""
    deadline = time.monotonic() + longest_s
    while True:
        found = advise(program, options=["--try"], budget=f"{budget_s}s", env=environment, timeout=longest_s)
        assert found.done.returncode == 0, found.text
        trials = {tuple(line["settings"]): line for line in found.lines if line["record"] == "trial"}
        budget_s *= 3
        has_time = time.monotonic() + 2 * budget_s < deadline
        is_judged = not any(map(runs_out_of_budget, trials.values())) and fewer_threads_of(trials)["verdict"] == "refused"
        if is_judged or not has_time:
            return found, trials


def test_settings_are_tried_and_one_that_changes_the_output_is_refused(program, advise):  # noqa: F811
    pus = len(os.sched_getaffinity(0))
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_"))}
    found, trials = try_all_settings(program, advise, {**environment, "OMP_NUM_THREADS": str(8 * pus)})
    assert found.advice and found.advice[0]["rule"] == "oversubscription", found.text
    fewer = fewer_threads_of(trials)
    assert fewer["verdict"] == "refused" and "ratio" not in fewer
    assert "writes something else" in fewer["refusal"], found.text
    sleeping = trials["OMP_WAIT_POLICY=passive",]
    assert sleeping["verdict"] != "refused" and sleeping["pairs"] >= 3, found.text
    assert sleeping["ratio"]["low"] <= sleeping["ratio"]["value"] <= sleeping["ratio"]["high"]
    words = " ".join(found.text.split())
    assert "Tried, each in turn with the program as it is:" in words
    # The barrier in each region may be said by itself.
    assert re.search("OMP_WAIT_POLICY=passive, for advice 1(?: and 2)?, oversubscription:", words)
    tried = found.advice[0]["tried"]
    assert tried["low"] <= tried["high"] and (found.advice[0]["proof"] == "tried") == any(
        trial["verdict"] == "faster" for trial in trials.values() if trial["advice"] == 1)


def test_what_has_no_room_is_left_out_in_words(program, advise):  # noqa: F811
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_"))}
    pus = len(os.sched_getaffinity(0))
    found = advise(program, options=["--try"], budget="1ms", env={**environment, "OMP_NUM_THREADS": str(8 * pus)})
    trials = [line for line in found.lines if line["record"] == "trial"]
    assert trials and all(trial["verdict"] == "refused" and trial["pairs"] == 0 for trial in trials), found.text
    assert all("--budget has room for none;" in trial["refusal"] for trial in trials)
    assert "Not tried: A trial takes 18 runs of" in " ".join(found.text.split())
    assert found.advice[0]["tried"] is None and found.advice[0]["proof"] == "calls"


@pytest.mark.slow
def test_a_barrier_that_spins_is_tried_and_writes_the_same(build, advise):  # noqa: F811
    found = advise(hazard(build, "sleeping_barrier"), options=["--try"], budget="6s")
    trials = [line for line in found.lines if line["record"] == "trial"]
    meets = [line["rank"] for line in found.advice if line["rule"] in ("sleeping", "barriers")]
    assert [trial["advice"] for trial in trials] == meets[:1], found.text
    for trial in trials:
        assert trial["settings"][-1] == "SYNCMETER_SWAP=barrier"
        assert trial["refusal"] is None or "--budget has room for none" in trial["refusal"], found.text


@pytest.mark.parametrize(("arguments", "words"), [
    (("--metric", "x", "--", "true"), "--metric and --check are for --try"),
    (("--try", "--static", "/bin/true"), "--static runs nothing"),
])
def test_wrong_usage(arguments, words):
    done = subprocess.run([DRIVER, "advise", *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60, check=False)
    assert done.returncode == 2 and words in " ".join(done.stderr.split())


def test_a_pipe_is_read_once(program):
    done = subprocess.run([DRIVER, "advise", "--try", "--", program], input="", capture_output=True,
                          text=True, timeout=60, check=False)
    assert done.returncode == 2 and "which can be read once" in " ".join(done.stderr.split())
