"""The study barrier on this machine, by the real workers, in a few seconds."""

import os

import pytest
from conftest import Campaign, driver_path

LATE_US = 300
# Not std: where other tests keep the machine busy, each of its barriers is a time slice.
BACKENDS = [b for b in ("omp", "omp-llvm") if (driver_path().parent / f"syncmeter-{b}").exists()]


def late_estimates(lines):
    return [e for v in visits_of(lines, "barrier_late") if v["point"].get("late_us") == LATE_US for e in v["estimates"]]


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """The lines of its file; lanes are not bound, so that a busy machine is no obstacle."""
    if not BACKENDS:
        pytest.skip("there is no OpenMP worker here")
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("two lanes need two processing units")
    campaign = Campaign(tmp_path_factory.mktemp("study"))
    return campaign.measure_until(
        late_estimates, "run", "--study", "barrier", "--backend", ",".join(BACKENDS), "--threads", "2", "--affinity", "none",
        "--late", f"0,{LATE_US}", "--repetitions", "2", "--max-time", "200ms", "--min-sample", "20us",
        "--output", str(campaign.file), deadline_s=400)


def visits_of(lines, op):
    return [line for line in lines if line["kind"] == "visit" and line["point"]["op"] == op]


def test_every_runtime_here_waits_in_both_ways(study):
    for op in ("barrier", "barrier_late"):
        found = {(v["point"]["backend"], v["point"]["wait"]) for v in visits_of(study, op)}
        assert found == {(b, w) for b in BACKENDS for w in ("active", "passive")}


def test_each_runtime_is_another_library(study):
    libraries = {name: about["library"] for line in study if line["kind"] == "worker"
                 for name, about in line["runtime"].items() if name.startswith("omp")}
    assert all(path.startswith("/") for path in libraries.values())
    assert len(set(libraries.values())) == len(libraries), libraries


def test_who_is_compared_is_visited_in_turn(study):
    order = [v["point"]["op"] for v in study if v["kind"] == "visit" and v["visit"] == 1]
    assert sum(a != b for a, b in zip(order, order[1:])) == 1, "barriers first or late ones first, never mixed"


def test_the_lateness_is_in_both_sides(study):
    for e in late_estimates(study):
        assert e["baseline_ns"] >= LATE_US * 1000
        assert e["test_ns"] >= LATE_US * 1000
