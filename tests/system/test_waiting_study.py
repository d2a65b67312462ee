"""The study waiting on this machine, by the real workers, in a few seconds."""

import os

import pytest
from conftest import Campaign, driver_path

LATE_US = 300
BACKENDS = [b for b in ("std", "posix") if (driver_path().parent / f"syncmeter-{b}").exists()]


def burnt_by_op(visits):
    """CPU time of the waiting lane by the clock of its thread, which another tenant of the machine does not turn."""
    burnt = {}
    for visit in visits:
        if visit["estimates"] and "waiting_cpu_ns" in visit:
            burnt.setdefault(visit["point"]["op"], []).append(visit["waiting_cpu_ns"])
    return burnt


@pytest.fixture(scope="module")
def visits(tmp_path_factory):
    """Lanes are not bound, so that a busy machine is no obstacle."""
    if len(BACKENDS) < 2:
        pytest.skip("syncmeter-std or syncmeter-posix was not built here")
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("two lanes need two processing units")
    campaign = Campaign(tmp_path_factory.mktemp("study"))

    def enough(lines):
        return {"wait_pause", "wait_futex"} <= burnt_by_op(line for line in lines if line["kind"] == "visit").keys()

    lines = campaign.measure_until(
        enough, "run", "--study", "waiting", "--backend", ",".join(BACKENDS), "--op", "wait_pause,wait_futex,wait_atomic",
        "--affinity", "none", "--late", str(LATE_US), "--repetitions", "2", "--max-time", "200ms", "--min-sample", "20us",
        "--output", str(campaign.file))
    return [line for line in lines if line["kind"] == "visit"]


def test_one_lane_waits_in_each_way_and_none_loses_a_token(visits):
    assert {(v["point"]["backend"], v["point"]["op"]) for v in visits} == {
        ("posix", "wait_pause"), ("posix", "wait_futex"), ("std", "wait_atomic")}
    assert all(v["point"]["lanes"] == 2 and v["status"] != "failed" for v in visits)


def test_who_spins_burns_the_lateness_and_who_sleeps_does_not(visits):
    burnt = burnt_by_op(visits)
    # A spinning lane that lost its processing unit burnt less; one that sleeps burns its calls.
    assert min(burnt["wait_futex"]) < 1e3 * LATE_US / 2
    assert max(burnt["wait_pause"]) > 1e3 * LATE_US / 2
