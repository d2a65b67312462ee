"""Threads that take turns: `syncmeter advise` names what they wait for, and how often."""

import pytest
from tables import TRIES
from test_advise import advise  # noqa: F401 (a fixture)

#: The rule, the kind of call that waits, and what the text says of it.
TURNS = {
    "handoffs": ("handoffs", "cond_wait", "less than one of them works in the mean"),
    "ordered": ("ordered", "ordered", "threads come 20,000 times to an ordered part of a loop"),
    "yields": ("yields", "yield", "threads give up their processing unit"),
    "semaphores": ("handoffs", "sem_wait", "threads wait for a semaphore (sem_wait) 40,000 times"),
    "futexes": ("handoffs", "futex", "threads wait or wake others (futex)"),
    "broadcasts": ("broadcasts", "cond_wait", "(notify_all, pthread_cond_broadcast)"),
    "python": ("interpreter", "cond_wait", "threads wait"),
    "threads": ("threads", "create", "2,000 threads are started"),
}
#: Exact, however the threads come.
COUNTS = {"ordered": 20_000, "sem_wait": 40_000, "create": 2_000}


@pytest.mark.parametrize("name", TURNS)
def test_turns_are_named(name, advise, build):  # noqa: F811
    rule, kind, words = TURNS[name]
    for _ in range(TRIES):  # what others take from the two may hide how they wait for each other
        found = advise(build("turns", "g++", "-O2", "-fopenmp"), name)
        rules = {line["rule"]: line for line in found.advice}
        if rule in rules and words in " ".join(found.text.split()):
            break
    assert rule in rules, found.text
    assert words in " ".join(found.text.split())
    at = {site["id"]: site for site in found.sites}
    assert at[rules[rule]["sites"][0]]["kind"] == kind
    assert found.counts(kind) == COUNTS.get(kind, found.counts(kind))
    if rules[rule]["grade"] not in ("rough", "unknown"):
        # The timed run, or the longest plain run.
        timed, plain = ([run["wall_s"] for run in found.header["runs"] if run["arm"] in arms] for arms in (["time"], ["plain", "sample"]))
        assert rules[rule]["run_s"] in (timed[0], max(plain))
        assert rules[rule]["saves_s"]["low"] == 0
