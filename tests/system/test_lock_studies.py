"""The studies locks and contention for real: every worker of this build that has locks, on this machine, in a short budget."""

import os

import pytest

PUS = len(os.sched_getaffinity(0))
#: While another tenant of the machine has the PUs, both visits of a point may be left without an estimate.
CAMPAIGNS = 4
RUN = ["run", "--repetitions", "2", "--max-time", "4ms", "--seed", "7", "--budget", "60s"]


def has_worker(campaign, name):
    return os.access(campaign.driver.parent / f"syncmeter-{name}", os.X_OK)


def measured(campaign):
    """What was measured, without the fake worker: (backend, op, lanes, cells) of each point with an estimate."""
    return {(v["point"]["backend"], v["point"]["op"], v["point"]["lanes"], v["point"].get("cells", 0))
            for v in campaign.visits() if v["estimates"]}


def run_study(campaign, study, backends):
    missing = [name for name in backends if not has_worker(campaign, name)]
    if missing:
        pytest.skip(f"no worker {missing}")
    status, out, err = campaign.call_again(*RUN, "--study", study, "--backend", ",".join(backends), "--output",
                                     str(campaign.file), within=200)
    assert status == 0, err
    assert all(visit["status"] != "failed" for visit in campaign.visits()), "an oracle saw a lock that does not lock"
    return out


def test_locks_of_both_apis_in_one_campaign(campaign):
    offered = {("omp", op, 1) for op in ("critical_add", "lock_add", "nest_lock_add", "spin_lock_add", "ticket_lock_add",
                                         "atomic_add")}
    offered |= {("std", op, 1) for op in ("lock_add", "shared_mutex_add", "spin_lock_add", "ticket_lock_add", "atomic_add")}
    found = set()
    for _ in range(CAMPAIGNS):
        campaign.file.unlink(missing_ok=True)
        run_study(campaign, "locks", ["omp", "std"])
        found |= {point[:3] for point in measured(campaign)}
        if offered <= found:
            break
    assert offered <= found, offered - found
    orders = [v["point"]["backend"] for v in campaign.visits()]
    assert orders != sorted(orders), "one API is not measured after the other"


def test_contention_on_cells_that_lanes_share_out(campaign):
    expected = {1, 2} if PUS > 1 else {1}
    cells = set()
    for _ in range(CAMPAIGNS):
        campaign.file.unlink(missing_ok=True)
        out = run_study(campaign, "contention", ["omp"])
        cells |= {cells for _, op, lanes, cells in measured(campaign) if op == "atomic_add" and lanes == min(PUS, 2)}
        if cells == expected:
            break
    assert cells == expected
    keys = [v["key"] for v in campaign.visits()]
    assert len(set(keys)) == len(keys) and all(" cells=" in key for key in keys)
    status, again, err = campaign.call("show", str(campaign.file))
    assert status == 0 and again == out, err


def test_a_resumed_campaign_goes_on_with_the_same_cells(campaign):
    arguments = ["run", "--backend", "fake", "--op", "atomic_add", "--type", "int32", "--layout", "strided", "--stride", "16",
                 "--variables", "1,2", "--threads", "2", "--oversubscribe", "--order", "relaxed", "--repetitions", "2"]
    assert campaign.call(*arguments, "--output", str(campaign.file))[0] == 0
    whole = [visit["key"] for visit in campaign.visits()]
    campaign.cut_at_visit(-1)
    assert campaign.resume()[0] == 0
    assert [visit["key"] for visit in campaign.visits()] == whole
    assert {visit["point"]["cells"] for visit in campaign.visits()} == {1, 2}
