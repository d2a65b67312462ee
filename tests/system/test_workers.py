"""Workers that crash, hang or talk nonsense: each costs what it must, and no more."""

import collections
import os
import signal

import pytest

from conftest import eventually, install, is_alive


def statuses(visits):
    return collections.Counter(visit["status"] for visit in visits)


def failed(visits):
    return [visit for visit in visits if visit["status"] in ("failed", "timeout")]


def test_a_good_worker_measures_every_visit_once(campaign):
    status, out, err = campaign.run()
    assert status == 0, err
    visits = campaign.visits()
    assert len(visits) == 6 and statuses(visits) == {"ok": 6}
    assert len({visit["key"] for visit in visits}) == 6
    assert all(visit["backend"] == "fake" and visit["build"] == "0123456789abcdef" for visit in visits)
    assert [line["kind"] for line in campaign.lines()][0] == "campaign"
    end = campaign.lines()[-1]
    assert end["kind"] == "end" and end["reason"] == "complete"
    assert end["visits"] == 6 and end["failed"] == 0
    assert len({line["pid"] for line in campaign.lines("worker")}) == 2, "a new process for each pass"
    assert all(len({entry["pid"] for entry in campaign.log("measure") if entry["visit"] == visit}) == 1
               for visit in (1, 2))
    assert "repetitions (" not in out, "progress belongs on standard error"


def test_the_campaign_line_tells_what_a_reader_needs(campaign):
    campaign.run()
    line = campaign.lines("campaign")[0]
    assert line["schema"] == {"major": 1, "minor": 1}
    assert line["seed"] == 7 and line["options"]["seed"] == 7
    assert line["argv"][1:] == campaign.arguments()
    assert line["allowed_pus"] == sorted(os.sched_getaffinity(0))
    assert line["machine"]["cpu_model"] and line["time"].endswith("Z")
    assert line["version"] and set(line["git"]) == {"sha", "dirty"}
    assert line["git"]["sha"] == "unknown" or len(line["git"]["sha"]) == 40
    assert line["plan"]["points"] == 3 and line["plan"]["visits"] == 6
    assert line["states"] == [] and "one placement state" in line["states_note"]


def test_a_worker_gets_the_environment_that_measuring_needs(campaign):
    spoiling = {"OMP_PROC_BIND": "true", "OMP_PLACES": "cores", "OMP_NUM_THREADS": "1", "GOMP_CPU_AFFINITY": "0",
                "KMP_AFFINITY": "compact", "OMP_THREAD_LIMIT": "1", "OMP_SCHEDULE": "static", "GOMP_SPINCOUNT": "0",
                "KMP_BLOCKTIME": "0", "KMP_LIBRARY": "serial", "OMP_DYNAMIC": "true", "OMP_WAIT_POLICY": "passive"}
    campaign.environment.update(spoiling, OMP_DISPLAY_ENV="false")
    assert campaign.run("--wait", "active")[0] == 0
    hello = campaign.log("hello")[0]
    assert hello["environment"]["OMP_WAIT_POLICY"] == "active"
    assert not (spoiling.keys() - {"OMP_WAIT_POLICY"}) & hello["environment"].keys()
    assert hello["environment"]["OMP_DISPLAY_ENV"] == "false", "what does no harm stays"
    assert hello["cpus"] == sorted(os.sched_getaffinity(0))
    assert hello["group"] == hello["pid"], "a worker leads a process group of its own"
    assert hello["ignores_sigint"]


@pytest.mark.parametrize("fault, words", [
    ("crash", ["killed by signal 11", "boom: table 7 is on fire"]),
    ("exit", ["ended with status 5"]),
    ("garbage", [r"'Warning: \x1b[31mnot\xff JSON'", "not a JSON object"]),
    ("half line", ["in the middle of the line", r"""'{"kind":"visit","id":'"""]),
    ("unknown kind", ["celebration", "visit"]),
    ("wrong id", ["answered request"]),
    ("wrong point", ["op=other", "op=atomic_read"]),
])
def test_a_fault_costs_one_visit(campaign, fault, words):
    campaign.behave(faults=[{"do": fault, "op": "atomic_read", "times": 1}])
    status, _, err = campaign.run()
    assert status == 1
    visits = campaign.visits()
    assert len(visits) == 6 and statuses(visits) == {"ok": 5, "failed": 1}
    (lost,) = failed(visits)
    assert lost["point"]["op"] == "atomic_read" and lost["stopped_by"] == "crash"
    for word in words:
        assert word in lost["reason"]
        assert word in err, "the user hears of it at once"
    assert len(campaign.lines("worker")) == 3, "one for each pass, and a new one for the rest of the first"
    assert campaign.lines()[-1]["reason"] == "complete" and campaign.lines()[-1]["failed"] == 1


def test_a_refused_request_settles_the_point_and_keeps_the_worker(campaign):
    campaign.behave(faults=[{"do": "error", "op": "plain_read"}])
    assert campaign.run()[0] == 1
    (lost,) = failed(campaign.visits())
    assert "the request tastes wrong" in lost["reason"]
    assert len(campaign.visits()) == 5, "another visit would be refused again"
    assert len(campaign.lines("worker")) == 2, "one for each pass"


def test_a_hang_is_killed_and_the_campaign_goes_on(campaign):
    campaign.behave(faults=[{"do": "hang", "op": "atomic_add", "times": 1}])
    status, _, err = campaign.run()
    assert status == 1
    visits = campaign.visits()
    assert statuses(visits) == {"ok": 5, "timeout": 1}
    (lost,) = failed(visits)
    assert "did not answer within 5" in lost["reason"] and lost["reason"] in err
    assert not [entry["pid"] for entry in campaign.log("hello") if is_alive(entry["pid"])]


def test_after_three_crashes_in_a_row_the_rest_of_the_op_is_not_tried(campaign):
    campaign.behave(faults=[{"do": "crash", "op": "atomic_add"}])
    status, _, err = campaign.run(visits=5)
    assert status == 1
    lost = failed(campaign.visits())
    assert [visit["stopped_by"] for visit in lost] == ["crash", "crash", "crash", "not_tried"]
    assert all(visit["point"]["op"] == "atomic_add" for visit in lost)
    assert "not tried: 3 crashes or timeouts in a row" in lost[-1]["reason"]
    assert "the rest of it is not tried" in err
    assert statuses(campaign.visits())["ok"] == 10, "other ops are measured"


def test_crashes_that_are_not_in_a_row_do_not_give_an_op_up(campaign):
    campaign.behave(faults=[{"do": "crash", "op": "atomic_add", "visit": visit} for visit in (1, 2, 4, 5)])
    assert campaign.run(visits=6)[0] == 1
    assert [v["stopped_by"] for v in failed(campaign.visits())] == ["crash"] * 4
    assert len(campaign.visits()) == 18


def test_a_worker_that_does_not_come_up_is_given_up(campaign):
    campaign.behave(start="exit")
    status, _, err = campaign.run(visits=4)
    assert status == 1
    visits = campaign.visits()
    assert statuses(visits) == {"failed": len(visits)}
    assert len(campaign.log("hello")) == 3, "three starts, then no more"
    assert "ended with status 3" in err and "no licence" in err
    last = visits[-1]["reason"]
    assert "not tried" in last and "failed to start 3 times in a row" in last
    assert campaign.lines()[-1]["reason"] == "complete"


def test_nonsense_at_the_start_is_named(campaign):
    campaign.behave(start="garbage")
    status, _, err = campaign.run()
    assert status == 1 and "Welcome!" in err


def test_a_slow_start_is_waited_for(campaign):
    campaign.behave(start="slow")
    assert campaign.run()[0] == 0
    assert statuses(campaign.visits()) == {"ok": 6}


def test_a_chatty_worker_neither_blocks_nor_floods(campaign):
    campaign.behave(stderr_bytes=1 << 20, faults=[{"do": "exit", "op": "plain_read", "times": 1}])
    status, out, err = campaign.run()
    assert status == 1
    assert statuses(campaign.visits()) == {"ok": 5, "failed": 1}
    (lost,) = failed(campaign.visits())
    assert "chatter" in lost["reason"] and len(lost["reason"]) < 1000
    assert len(err) < 4000 and len(out) < 4000


def test_a_settled_point_is_not_visited_again(campaign):
    campaign.behave(status={"atomic_add": "unsupported", "atomic_read": "too_slow", "plain_read": "failed",
                            "atomic_write": "noisy"})
    status, _, _ = campaign.run(ops="atomic_add,atomic_read,plain_read,atomic_write", visits=3)
    assert status == 1, "an oracle that failed fails the campaign"
    found = collections.Counter(visit["point"]["op"] for visit in campaign.visits())
    assert found == {"atomic_add": 1, "atomic_read": 1, "plain_read": 1, "atomic_write": 3}


def test_a_later_visit_gets_the_trips_of_the_last_good_one(campaign):
    campaign.behave(trips=321)
    campaign.run(ops="atomic_add", visits=2)
    first, second = campaign.log("measure")
    assert first["options"]["trips"] == 0 and second["options"]["trips"] == 321
    assert first["options"]["seed"] != second["options"]["seed"]


def test_a_request_carries_the_options_with_the_visits_share_of_the_time(campaign):
    campaign.run("--max-time", "200ms", "--precision", "0.02", "--min-sample", "50us", "--additivity",
                 ops="atomic_add", visits=4)
    for entry in campaign.log("measure"):
        options = entry["options"]
        assert options["max_time_ns"] == pytest.approx(50e6)
        assert options["min_sample_ns"] == pytest.approx(50e3)
        assert options["precision"] == 0.02 and options["additivity"] and not options["oversubscribe"]
        assert len(entry["pus"]) == 1 and entry["pus"][0] in os.sched_getaffinity(0)


def test_the_seed_fixes_the_order_of_the_passes(campaign):
    def order(seed):
        (campaign.home / "log.jsonl").unlink(missing_ok=True)
        campaign.file.unlink(missing_ok=True)
        arguments = campaign.arguments(ops="atomic_add,atomic_read,plain_read,atomic_write", visits=4)
        arguments[arguments.index("--seed") + 1] = seed
        assert campaign.call(*arguments)[0] == 0
        return [(entry["op"], entry["visit"]) for entry in campaign.log("measure")]

    first = order("11")
    assert first == order("11") and first != order("12")
    assert [visit for _, visit in first] == sorted(visit for _, visit in first), "pass after pass"
    passes = [tuple(op for op, visit in first if visit == n) for n in (1, 2, 3, 4)]
    assert len(set(passes)) > 1, "each pass has its own order"


def test_one_worker_runs_while_the_other_stands_still(campaign):
    campaign.behave(sleep_s=0.02)
    arguments = campaign.arguments("--wait", "active,passive", "--oversubscribe", ops="barrier", visits=5)
    for option, value in (("--threads", "2"),):
        arguments[arguments.index(option) + 1] = value
    for option in ("--type", "--layout", "--order"):
        del arguments[arguments.index(option):arguments.index(option) + 2]
    status, _, err = campaign.call(*arguments)
    assert status == 0, err
    measured = campaign.log("measure")
    assert {entry["wait"] for entry in measured} == {"active", "passive"}
    assert len(campaign.lines("worker")) == 2 * 5, "a worker for each launch environment, started once a pass"
    with_other = [entry for entry in measured if entry["others"]]
    assert len(with_other) >= 5
    assert all(set(entry["others"].values()) == {"T"} for entry in with_other)
    up_since = {entry["pid"]: entry["time"] for entry in campaign.log("hello")}
    for before, after in zip(measured, measured[1:]):
        was_stopped = before["pid"] != after["pid"] and up_since[after["pid"]] < before["time"]
        assert after["resumed"] == was_stopped, "only the first visit after SIGCONT"


def test_placement_states_are_probed_only_where_they_can_be(campaign):
    arguments = campaign.arguments("--oversubscribe", ops="atomic_add", visits=1)
    arguments[arguments.index("--threads") + 1] = "1,2"
    assert campaign.call(*arguments)[0] == 0
    line = campaign.lines("campaign")[0]
    bounds = {entry["point"]["lanes"]: entry["options"]["state_bounds_ns"] for entry in campaign.log("measure")}
    assert bounds[1] == []
    if line["machine"]["hypervisor"] and len(line["allowed_pus"]) > 1:
        assert line["states"] == [{"pus": campaign.log("probe")[0]["pus"], "bounds_ns": [31.6], "hop_ns": [20, 20, 50]}]
        assert bounds[2] == [31.6]
        assert sum(entry["seconds"] for entry in campaign.log("probe")) <= 2
    else:
        assert line["states"] == [] and bounds[2] == [] and not campaign.log("probe")


def test_workers_are_found_on_path_and_asked_what_they_can(campaign):
    status, out, err = campaign.call("list", "--backend", "fake")
    assert status == 0, err
    assert "fake" in out and "atomic_add" in out


@pytest.mark.parametrize("how, words", [
    ("exit", ["ended with status 4", "no device here"]),
    ("garbage", ["Segmentation fault"]),
    ("other protocol", ["protocol 2", "this driver has 1"]),
])
def test_a_worker_that_cannot_be_used_is_named_with_the_reason(campaign, how, words):
    campaign.behave(capabilities=how)
    status, out, err = campaign.run()
    assert status == 2 and not campaign.file.exists()
    assert all(word in err for word in words), err


def test_the_report_is_no_worker(campaign):
    install(f"open({str(campaign.home / 'asked')!r}, 'w')", campaign.bin / "syncmeter-report")
    campaign.call("list", "--backend", "fake")
    assert not (campaign.home / "asked").exists()


def test_an_unknown_backend_is_a_usage_error(campaign):
    arguments = campaign.arguments()
    arguments[arguments.index("--backend") + 1] = "abacus"
    status, _, err = campaign.call(*arguments)
    assert status == 2 and "abacus" in err and not campaign.file.exists()


def test_a_killed_driver_takes_its_worker_along(campaign):
    # It sleeps and would not notice the end of its input.
    campaign.behave(faults=[{"do": "hang"}], predicted_ns=1e12)
    process = campaign.start(*campaign.arguments())
    worker = eventually("a visit has begun", lambda: campaign.log("measure"))[0]["pid"]
    assert is_alive(worker)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    eventually("the worker is gone", lambda: not is_alive(worker))


def test_a_worker_that_leaves_badly_is_named_and_keeps_its_visits(campaign):
    campaign.behave(end=3)
    status, _, err = campaign.call(*campaign.arguments())
    assert status == 0, err
    assert "ended with status 3 at the end of its input" in err
    assert len(campaign.visits()) == 6
