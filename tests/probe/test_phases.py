"""The programs of examples/phases: whichever barrier a macro chooses, the threads meet as often and the result is the
same, and `syncmeter advise` counts so of the one that sleeps."""

import pytest
from test_advise import advise  # noqa: F401 (a fixture)

#: How often the threads of each program meet.
MEETINGS = {"relaxation": 4_000, "radix_sort": 500 * (2 * 4 + 1)}
#: What may come as often as threads have to wait, or is no call.
OTHER = {"create", "join", "atomic", "memory", "cond_wait", "yield"}
#: What each barrier of two threads calls for one meeting; threads that wait long may also yield, or wake too early.
CALLS = {(): {"mutex_lock": 2, "signal": 1}, ("-DPOSIX",): {"barrier_wait": 1}, ("-DATOMIC",): {}}


@pytest.mark.parametrize("name", MEETINGS)
def test_meetings_are_counted(name, advise, build, count):  # noqa: F811
    def expected(calls):
        return {kind: each * MEETINGS[name] for kind, each in calls.items()}

    outputs = set()
    for choice, calls in CALLS.items():
        run = count(build(f"../../examples/phases/{name}", "g++", "-O2", *choice))
        outputs |= set(run.done.stdout.split())
        assert {kind: run.total(kind) for kind in {row.kind for row in run.rows} - OTHER} == expected(calls)
        assert (run.total("cond_wait") > 0) == (not choice)
    found = advise(build(f"../../examples/phases/{name}", "g++", "-O2"))
    assert found.done.returncode == 0, found.text
    assert {kind: found.counts(kind) for kind in {site["kind"] for site in found.sites} - OTHER} == expected(CALLS[()])
    assert found.counts("cond_wait") > 0
    assert len(outputs | {line.decode() for line in found.done.stdout.split()}) == 1
