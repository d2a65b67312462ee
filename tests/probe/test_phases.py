"""`syncmeter advise` on examples/phases: whichever barrier a macro chooses, the threads meet as often and the result is
the same."""

import pytest
from test_advise import advise  # noqa: F401 (a fixture)

#: How often the threads of each program meet.
MEETINGS = {"relaxation": 4_000, "radix_sort": 500 * (2 * 4 + 1)}
#: What each barrier of two threads calls for one meeting; threads that wait long may also yield, or wake too early.
CALLS = {(): {"mutex_lock": 2, "signal": 1}, ("-DPOSIX",): {"barrier_wait": 1}, ("-DATOMIC",): {}}


@pytest.mark.parametrize("name", MEETINGS)
def test_meetings_are_counted(name, advise, build):  # noqa: F811
    outputs = set()
    for choice, calls in CALLS.items():
        found = advise(build(f"../../examples/phases/{name}", "g++", "-O2", *choice))
        assert found.done.returncode == 0, found.text
        outputs |= set(found.done.stdout.split())
        kinds = {site["kind"] for site in found.sites} - {"create", "join", "atomic", "memory", "cond_wait", "yield"}
        assert {kind: found.counts(kind) for kind in kinds} == {kind: each * MEETINGS[name] for kind, each in calls.items()}
        waits = found.counts("cond_wait")
        assert waits == 0 if choice else 0 < waits
    assert len(outputs) == 1
