"""`syncmeter advise` on examples/hazards: each slow and fixed program is counted right, and its cause is named first."""

import re

import pytest
import tables
from test_advise import advise, hazard, ranked  # noqa: F401 (a fixture)

#: How often a program is run again where other programs disturbed it.
TRIES = 10
HAZARDS = tables.ROOT / "examples" / "hazards"

#: Kind and count of all sites of each hazard, slow and fixed, but for what creates threads and what comes as often as
#: threads have to wait.
HAZARD_COUNTS = {
    "inner_region": ({"region": 20_000}, {"region": 1}),
    "barrier_storm": ({"region": 1, "barrier": 50_000}, {"region": 1}),
    "imbalance": ({"region": 1, "barrier": 100}, {"region": 1, "barrier": 100, "chunk": 3200}),
    "contended_counter": ({"mutex_lock": 4_000_000}, {"mutex_lock": 2}),
    "oversized_section": ({"mutex_lock": 4_000}, {"mutex_lock": 4_000}),
    "false_sharing": ({}, {}),
    "rwlock_short_reads": ({"rwlock_read": 4_000_000, "rwlock_write": 8}, {"rwlock_write": 8}),
    "sleeping_barrier": ({"barrier_wait": 20_000}, {}),
    "oversubscription": ({"region": 1, "barrier": 3_000}, {"region": 1, "barrier": 3_000}),
    "dynamic_chunk": ({"region": 1, "chunk": 4_000_000}, {"region": 1, "chunk": 4_000}),
    "small_tasks": ({"region": 1, "single": 2, "task": 1_000_000}, {"region": 1, "single": 2, "task": 1_000}),
    "notify_under_lock": ({"mutex_lock": 20_000, "signal": 20_000}, {"mutex_lock": 20_000, "signal": 20_000}),
}


COMPILERS = ("g++", "clang++")


#: CI runs these for every commit: a program for each kind of call, half of them by each compiler.
IN_CI = {"inner_region": "g++", "barrier_storm": "clang++", "contended_counter": "g++", "dynamic_chunk": "clang++",
         "small_tasks": "g++", "notify_under_lock": "clang++"}


def with_compilers(names, without=(), in_ci=None):
    """Returns each name with each compiler. CI leaves the names that `in_ci` lacks to .ci/run --whole."""
    chosen = IN_CI if in_ci is None else in_ci
    return [pytest.param(name, compiler, marks=() if chosen.get(name) == compiler else pytest.mark.whole)
            for name in names for compiler in COMPILERS if (name, compiler) not in without]


#: Threads of libomp spin for those that wait for a processing unit, at times for minutes.
SPINNING = ("oversubscription", "clang++")


#: What was found of a slow program: its cause is looked for there first.
FOUND = {}


@pytest.mark.parametrize(("name", "compiler"), with_compilers(HAZARD_COUNTS))
def test_hazards(name, compiler, advise, build):  # noqa: F811
    for options, expected in zip(([], ["-DFIXED"]), HAZARD_COUNTS[name], strict=True):
        advice = advise(hazard(build, name, *options, compiler=compiler))
        assert advice.done.returncode == 0, advice.text
        FOUND.setdefault((name, compiler), advice)
        kinds = {site["kind"] for site in advice.sites} - {"create", "join", "reduce", "atomic", "memory", "cond_wait", "yield"}
        assert {kind: advice.counts(kind) for kind in kinds} == expected
        if not expected:
            continue
        source = next(site for site in advice.sites if site["kind"] in expected)
        assert any(frame["file"] and frame["file"].endswith(f"{name}.cpp") and frame["line"] for frame in source["frames"])
        assert re.search(rf" {name}\.cpp:\d+$", source["where"])


#: What is found first at each, as far as other programs let it run.
CAUSES = {"inner_region": "regions", "barrier_storm": "barriers", "imbalance": "imbalance", "contended_counter": "contended_lock",
          "sleeping_barrier": "sleeping", "oversubscription": "oversubscription", "dynamic_chunk": "chunks", "small_tasks": "tasks",
          "oversized_section": "work_under_lock", "rwlock_short_reads": "readers", "notify_under_lock": "signals"}


def causes_of(name, advice):
    """The cause of a lock follows from times, and counting or other programs may have changed these times."""
    is_lock = CAUSES[name] in ("work_under_lock", "readers") and (advice.header["perturbed"] or advice.header["withheld"] is not None)
    # A waiting thread that comes late waits for the mutex under which the signal was sent.
    also = {"work_under_lock"} if CAUSES[name] == "signals" and advice.header["withheld"] is None else set()
    return ({CAUSES[name], "contended_lock"} if is_lock else {CAUSES[name]}) | also


@pytest.mark.parametrize(("name", "compiler"), with_compilers(CAUSES, without=[SPINNING]))
def test_the_cause_is_named(name, compiler, advise, build):  # noqa: F811
    for _ in range(TRIES):
        advice = FOUND.pop((name, compiler), None) or advise(hazard(build, name, compiler=compiler))
        causes = ranked(advice.concluded())
        rules = [cause["rule"] for cause in causes]
        if set(rules[:1]) & causes_of(name, advice):
            break
    if not set(rules[:1]) & causes_of(name, advice) and advice.header["withheld"] is not None:
        pytest.skip(f"other programs disturbed {TRIES} runs")
    assert set(rules[:1]) & causes_of(name, advice), advice.text
    first = causes[0]
    # One lock has two conditions. Signals are sent under the lock to one condition.
    assert rules.count("signals") <= 1
    if first["saves_s"]:
        assert 0 <= first["saves_s"]["low"] <= first["saves_s"]["high"] > 0
        # A disturbed unit cost may have 0 as lower end.
        priced = "estimate" if first["saves_s"]["low"] > 0 else "bound"
        kinds = dict.fromkeys(("regions", "barriers", "chunks"), priced) | {"sleeping": "may_cost"}
        assert rules[0] == "contended_lock" or first["kind"] == kinds.get(rules[0], "bound")
    if "sites" in first:
        site = advice.sites[first["sites"][0] - 1]
        assert site["id"] == first["sites"][0]
        assert site["kind"] == "task" or (site["timed"] > 0 and site["every"] >= 1)
    assert "1. " in advice.text and f"{name}.cpp:" in advice.text


def test_false_sharing_is_a_line_that_no_call_explains(advise, build):  # noqa: F811
    program = hazard(build, "false_sharing")
    for _ in range(TRIES):
        advice = advise(program)
        if not advice.header["sampling"]:
            pytest.skip("this system refuses perf_event_open")
        lines = [site for site in advice.sites if site["kind"] == "memory"]
        if lines:
            break
    assert lines[0]["threads"] == 2 and lines[0]["frames"][-1]["file"].endswith("false_sharing.cpp"), advice.text
    words = " ".join(advice.text.split())
    assert "No call explains it." in words and "false sharing" not in words and "Nothing to gain" not in words


def test_every_hazard_is_tested():
    assert {path.stem for path in HAZARDS.glob("*.cpp")} == set(HAZARD_COUNTS) and set(CAUSES) <= set(HAZARD_COUNTS)
