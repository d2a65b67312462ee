"""Every op of every backend against its oracle and its litmus, alone and with lanes in each other's way."""

import re

import pytest
from conftest import sample_ns


@pytest.mark.parametrize("lanes", [1, 2])
def test_no_op_breaks_its_oracle_or_its_litmus(worker, capabilities, lanes):
    wrong = []
    measured = 0
    for capability in capabilities["ops"]:
        if not capability["supported"]:
            continue
        for placement in capability["placements"] or ["none"]:
            visit = worker.measure(capability, placement, lanes)
            assert visit["kind"] == "visit", visit
            if visit["status"] == "failed":
                wrong.append((visit["point"], visit["reason"]))
            # The oracle looks at every sample, also of a visit that a busy machine leaves without estimate.
            measured += visit["timed_ns"] > 0
    assert wrong == []
    assert measured > sum(c["supported"] for c in capabilities["ops"]) / 2


def test_too_few_lanes_are_refused_with_the_number(worker, capabilities):
    rings = [c for c in capabilities["ops"] if c["min_lanes"] > 1 and c["supported"]]
    if not rings:
        pytest.skip("no op of this worker needs several lanes")
    for capability in rings:
        visit = worker.measure(capability, (capability["placements"] or ["none"])[0], 1)  # of a GPU: one warp
        assert (visit["status"], visit["reason"]) == ("unsupported", f"needs at least {capability['min_lanes']} threads")


def test_lanes_and_their_pus_are_as_many(worker, capabilities):
    """Else the cost of 2 lanes would be divided by 8."""
    op = next((c for c in capabilities["ops"] if c["supported"] and c["backend"] not in worker.devices), None)
    if op is None:
        pytest.skip("this worker has no backend of a CPU")
    point = {"backend": op["backend"], "op": op["op"], "order": op["order"], "lanes": 8, "wait": "passive"}
    answer = worker.ask({"kind": "measure", "id": 1, "point": point, "pus": [-1, -1]})
    assert answer["kind"] == "error"
    assert answer["text"] == '"pus" has 2 entries, but the point\'s "lanes" is 8: one CPU per thread'


def test_a_pool_refuses_another_number_of_lanes(worker, capabilities):
    for backend in worker.pools:
        point = {"backend": backend, "op": "control_aa", "order": "unordered", "wait": "passive"}
        request = {"kind": "measure", "id": 1, "point": point | {"lanes": 1}, "pus": [-1],
                   "options": {"max_time_ns": 1e6, "min_sample_ns": 1e4}}
        process = worker.process_for(request)
        assert worker.ask(request, process)["timed_ns"] > 0
        visit = worker.ask(request | {"point": point | {"lanes": 2}, "pus": [-1, -1]}, process)
        assert visit["status"] == "unsupported" and re.search(r"pool has 1 (thread|rank\(s\)) in this process", visit["reason"])
        assert worker.ask(request, process)["timed_ns"] > 0  # and it goes on


def test_an_elided_op_is_not_measured(worker, capabilities):
    for capability in capabilities["ops"]:
        code = capability.get("code", ["a", "b"])
        if capability["supported"] and code[0] == code[1] and not capability["empty_on_purpose"]:
            visit = worker.measure(capability, (capability["placements"] or ["none"])[0], 1)
            assert visit["status"] == "elided" and not visit["estimates"]


def test_an_unsupported_op_says_why(worker, capabilities):
    for capability in capabilities["ops"]:
        if not capability["supported"]:
            assert capability["reason"]
            visit = worker.measure(capability, (capability["placements"] or ["none"])[0], 2)
            assert (visit["status"], visit["reason"]) == ("unsupported", capability["reason"])


@pytest.mark.parametrize("request_line, text", [
    ({"kind": "mesure", "id": 7}, "mesure"),
    ({"kind": "measure", "id": 7, "point": {"backend": "omp", "op": "barrier", "order": "strong"}, "pus": [-1]}, "strong"),
    ({"kind": "measure", "id": 7, "point": {"backend": "omp", "op": "barrier"}, "pus": []}, "at least one thread"),
    ({"id": 7}, "kind"),
])
def test_a_request_it_cannot_read_is_answered_and_survived(worker, capabilities, request_line, text):
    answer = worker.ask(request_line)
    assert answer["kind"] == "error" and answer["id"] == 7 and text in answer["text"]
    assert worker.ask({"kind": "hello", "id": 8})["kind"] == "worker"


def test_a_pu_that_does_not_exist_fails_the_point_with_its_number(worker, capabilities):
    host = {b["name"] for b in capabilities["backends"] if b["clock"].startswith("host")}
    for capability in capabilities["ops"]:
        if capability["backend"] in host and capability["op"] == "barrier":
            point = {"backend": capability["backend"], "op": "barrier", "order": "unordered"}
            visit = worker.ask({"kind": "measure", "id": 1, "point": point, "pus": [4000], "options": {}})
            assert visit["status"] == "failed" and "4000" in visit["reason"]


def test_owner_changes_are_counted_of_each_lock_that_lanes_share(worker, capabilities):
    host = {b["name"] for b in capabilities["backends"] if b["clock"] == "host lanes"}
    locks = [c for c in capabilities["ops"] if c["backend"] in host and c["supported"] and c["family"] == "critical"]
    if not locks:
        pytest.skip("this worker has no lock on a CPU")
    wrong = []
    for capability in locks:
        shared, *apart = capability["placements"] or ["none"]
        are_readers = capability["op"].endswith("_read")
        # A worker leaves the member out if a lane was preempted in each sample. A shorter sample is preempted less often.
        taken = kept = 0
        for attempt in range(20):
            visit = worker.measure(capability, shared, 2, max(sample_ns / 1.3**attempt, 5e3))
            changes = visit.get("owner_changes")
            taken, kept = taken + visit["rounds_taken"], kept + visit["rounds_kept"]
            if changes is not None or are_readers:
                break
        # Other programs use the CPUs: nearly all timed samples are dropped too.
        is_disturbed = changes is None and kept <= taken / 5
        others = [worker.measure(capability, shared, 1), *(worker.measure(capability, placement, 2) for placement in apart)]
        # Readers share the lock. Two lanes change the owner at least once in other locks.
        right = changes is None if are_readers else is_disturbed or (changes is not None and 0 < changes <= 1)
        if not right or any("owner_changes" in visit for visit in others):
            wrong.append((capability["op"], capability.get("type"), changes))
    assert wrong == []
