"""The results file through bad luck: kills, Ctrl-C, full disks, torn lines, another machine."""

import collections
import fcntl
import json
import lzma
import os
import resource
import signal

import pytest

from conftest import eventually, keys


#: Of each visit: the campaign must not end before a test on a busy machine has seen what it waits for.
SLEEP_S = 0.2


def cut_short(campaign, visits_before=3):
    """A campaign that was killed by -9 after a few visits."""
    campaign.behave(sleep_s=SLEEP_S)
    process = campaign.start(*campaign.arguments(visits=4))
    eventually("a few visits are in the file", lambda: len(campaign.visits()) >= visits_before)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    campaign.behave()
    return campaign.visits()


def test_kill_9_and_resume_measure_every_visit_once(campaign):
    before = cut_short(campaign)
    assert 3 <= len(before) < 12 and not campaign.lines("end")
    status, _, err = campaign.resume()
    assert status == 0, err
    after = campaign.visits()
    assert after[:len(before)] == before, "what was measured stays as it is"
    assert len(after) == 12 and set(keys(after).values()) == {1}
    assert len(campaign.lines("campaign")) == 1
    assert campaign.lines()[-1]["reason"] == "complete"
    # Only the visit that was in flight may have been begun twice.
    begun = collections.Counter((entry["op"], entry["visit"]) for entry in campaign.log("measure"))
    assert sum(begun.values()) <= 13


def test_kill_9_and_resume_of_a_compressed_file_measure_every_visit_once(campaign):
    campaign.file = campaign.home / "results.jsonl.zst"

    def shown():
        status, out, _ = campaign.call("show", str(campaign.file), "--json")
        return [point["visits"] for point in json.loads(out)] if status == 0 else []

    campaign.behave(sleep_s=SLEEP_S)
    process = campaign.start(*campaign.arguments(visits=4))
    eventually("a few visits are in the file", lambda: sum(shown()) >= 3)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    campaign.behave()
    assert campaign.file.read_bytes().startswith(b"\x28\xb5\x2f\xfd") and sum(shown()) < 12
    status, _, err = campaign.resume()
    assert status == 0, err
    assert shown() == [4, 4, 4]
    assert len(campaign.log("measure")) <= 13
    asked = len(campaign.log("measure"))
    assert campaign.resume()[0] == 0 and shown() == [4, 4, 4]
    assert len(campaign.log("measure")) == asked


def test_a_full_disk_leaves_a_compressed_file_that_goes_on(campaign):
    campaign.file = campaign.home / "results.jsonl.zst"

    def at_most(size):
        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    assert campaign.run(visits=4)[0] == 0
    whole = campaign.file.stat().st_size
    campaign.file.unlink()
    status, _, err = campaign.call(*campaign.arguments(visits=4), preexec_fn=at_most(whole - 700))
    assert status == 1 and "cannot be written" in err
    assert campaign.resume()[0] == 0
    status, out, _ = campaign.call("show", str(campaign.file), "--json")
    assert [point["visits"] for point in json.loads(out)] == [4, 4, 4]


def test_resume_keeps_the_order_that_the_seed_gives(campaign):
    assert campaign.run(visits=4)[0] == 0
    whole = [visit["key"] for visit in campaign.visits()]
    campaign.file.unlink()
    cut_short(campaign)
    campaign.resume()
    assert [visit["key"] for visit in campaign.visits()] == whole


def test_resume_of_a_complete_file_measures_nothing(campaign):
    campaign.run()
    asked = len(campaign.log("measure"))
    assert campaign.resume()[0] == 0
    assert len(campaign.log("measure")) == asked and len(campaign.visits()) == 6


@pytest.mark.parametrize("tail", ['{"kind":"visit","point":{"backe', "\0\0\0", '{"kind":"end"}'])
def test_a_torn_tail_is_cut_and_said(campaign, tail):
    before = cut_short(campaign)
    with campaign.file.open("a", encoding="utf-8") as file:
        file.write(tail)
    status, _, err = campaign.resume()
    assert status == 0, err
    assert f"{len(tail)} bytes" in err and "incomplete last line" in err and str(campaign.file) in err
    after = campaign.visits()
    assert after[:len(before)] == before and len(after) == 12 and set(keys(after).values()) == {1}


def edit_cpu(line):
    line["machine"]["cpu_model"] = "Difference Engine No. 2"


def edit_pus(line):
    line["allowed_pus"] = [4711]


def edit_schema(line):
    line["schema"]["major"] = 99


@pytest.mark.parametrize("edit, words", [
    (edit_cpu, ["Difference Engine No. 2", "CPU"]),
    (edit_pus, ["4711", "PUs"]),
    (edit_schema, ["schema", "99", "1"]),
])
def test_resume_of_another_identity_is_refused(campaign, edit, words):
    cut_short(campaign)
    campaign.edit_campaign_line(edit)
    with campaign.file.open("a", encoding="utf-8") as file:
        file.write('{"torn')
    before = campaign.file.read_bytes()
    asked = len(campaign.log("measure"))
    status, _, err = campaign.resume()
    assert status == 2
    assert all(word in err for word in words), err
    assert len(err.strip().split("\n")) == 1, "one sentence"
    assert campaign.file.read_bytes() == before and len(campaign.log("measure")) == asked


def test_resume_with_another_build_names_both(campaign):
    cut_short(campaign)
    campaign.behave(build="fedcba9876543210")
    status, _, err = campaign.resume()
    assert status == 2
    assert "0123456789abcdef" in err and "fedcba9876543210" in err and "syncmeter-fake" in err


@pytest.mark.parametrize("text", ["", "hello\n", '{"kind":"visit"}\n'])
def test_resume_of_something_else_is_refused(campaign, text):
    campaign.file.write_text(text, encoding="utf-8")
    status, _, err = campaign.resume()
    assert status == 2 and str(campaign.file) in err
    assert campaign.file.read_text(encoding="utf-8") == text


def test_resume_of_a_missing_file_is_refused(campaign):
    status, _, err = campaign.resume()
    assert status == 2 and str(campaign.file) in err and "No such file" in err


def test_failed_visits_are_tried_again_only_on_request(campaign):
    campaign.behave(faults=[{"do": "crash", "op": "atomic_read", "visit": 1, "times": 1}])
    assert campaign.run()[0] == 1
    asked = len(campaign.log("measure"))
    assert campaign.resume()[0] == 1, "the failure still stands"
    assert len(campaign.log("measure")) == asked
    status, _, err = campaign.resume("--retry")
    assert status == 0, err
    assert [entry["op"] for entry in campaign.log("measure")[asked:]] == ["atomic_read"]
    assert campaign.visits()[-1]["status"] == "ok"
    assert campaign.visits()[-1]["key"] in keys(campaign.visits()[:-1])


def test_a_failed_visit_beyond_the_planned_ones_is_tried_again_on_request(campaign):
    busy = {"op": "atomic_read", "path": ["estimates", 0, "busy"], "value": True}
    campaign.behave(spoil=busy, faults=[{"do": "crash", "op": "atomic_read", "visit": 3}])
    assert campaign.run(ops="atomic_read")[0] == 1
    assert campaign.visits()[-1]["status"] == "failed" and campaign.visits()[-1]["key"].endswith("|3")
    campaign.behave()
    status, _, err = campaign.resume("--retry")
    assert status == 0, err
    assert campaign.visits()[-1]["status"] == "ok" and campaign.visits()[-1]["key"].endswith("|3")


def test_a_campaign_goes_on_until_enough_placements_were_seen(campaign):
    campaign.behave(hop_ns=[54, 55, 56, 240])
    status, out, err = campaign.run("--vcpu-placements", "2", "--budget", "60s", ops="atomic_add,atomic_read", visits=3)
    assert status == 0, err
    assert "--vcpu-placements" not in err
    hops = [visit["estimates"][0]["hop_ns"] for visit in campaign.visits()]
    assert hops == [54, 54, 55, 55, 56, 56, *[240] * 6], "whole passes, until the other placement has three visits"
    assert all(visit["again"] for visit in campaign.visits()[6:])
    assert len(campaign.lines("point")[0]["states"]) == 2
    hops_shown = [line.split()[-1] for line in out.splitlines() if line.endswith((" 55", " 240"))]
    assert hops_shown == ["55", "240"] * 2, f"a row for each placement:\n{out}"


def test_placements_that_never_come_end_with_the_time_and_say_so(campaign):
    status, _, err = campaign.run("--vcpu-placements", "2", ops="atomic_read")
    assert status == 0 and len(campaign.visits()) == 2
    assert "--vcpu-placements 2: no hop between threads was measured" in err
    campaign.file.unlink()
    campaign.behave(hop_ns=[54])
    status, _, err = campaign.run("--vcpu-placements", "2", "--budget", "2s", ops="atomic_read")
    assert status == 0 and len(campaign.visits()) > 2
    assert "--vcpu-placements 2: 1 seen until the time was up" in err


def test_the_last_line_says_who_used_the_cpus(campaign):
    assert campaign.run(ops="atomic_read")[0] == 0
    use = campaign.lines()[-1]["cpu_use"]
    assert use["elapsed_ns"] > 0 and use["allowed_pus"] == len(os.sched_getaffinity(0))
    assert use["own_ns"] > 0 and use["used_ns"] >= 0 and use["stolen_ns"] >= 0
    assert len(use["programs"]) <= 5 and all(program["cpu_ns"] > 0 for program in use["programs"])


def test_what_was_not_tried_is_tried_with_retry(campaign):
    campaign.behave(faults=[{"do": "crash", "op": "atomic_add", "times": 3}])
    assert campaign.run(visits=5)[0] == 1
    assert campaign.resume()[0] == 1
    assert campaign.resume("--retry")[0] == 0
    last = {visit["key"]: visit["status"] for visit in campaign.visits()}
    assert len(last) == 15 and set(last.values()) == {"ok"}


def test_an_output_that_exists_is_not_touched(campaign):
    campaign.file.write_text("precious\n", encoding="utf-8")
    status, _, err = campaign.run()
    assert status == 2
    assert str(campaign.file) in err and "--resume" in err and "--output" in err
    assert campaign.file.read_text(encoding="utf-8") == "precious\n"


def test_an_output_in_a_missing_directory_is_refused(campaign):
    campaign.file = campaign.home / "no such directory" / "results.jsonl"
    status, _, err = campaign.run()
    assert status == 2 and str(campaign.file) in err and "No such file or directory" in err
    assert not campaign.log("measure"), "before anything was measured"


@pytest.mark.skipif(os.geteuid() == 0, reason="the super-user may write anywhere")
def test_an_output_in_a_read_only_directory_is_refused(campaign):
    closed = campaign.home / "closed"
    closed.mkdir(mode=0o555)
    campaign.file = closed / "results.jsonl"
    status, _, err = campaign.run()
    assert status == 2 and str(campaign.file) in err and "Permission denied" in err


def test_a_full_device_is_one_sentence(campaign):
    arguments = campaign.arguments()
    arguments[arguments.index("--output") + 1] = "/dev/full"
    status, _, err = campaign.call(*arguments)
    assert status == 1
    assert "/dev/full" in err and "No space left on device" in err
    plan_summary, *said = err.strip().split("\n")
    assert "3 configurations, about" in plan_summary and len(said) == 1
    assert not campaign.log("measure")


def test_a_disk_that_fills_up_leaves_whole_lines(campaign):
    """A limit on the size of files stands for the disk; the line that hits it is written in part first."""
    limit = 9000
    status, _, err = campaign.call(
        *campaign.arguments(visits=30), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY)))
    assert status == 1
    assert str(campaign.file) in err and "File too large" in err
    assert campaign.file.stat().st_size <= limit
    assert campaign.file.read_bytes().endswith(b"\n")
    measured = campaign.visits()
    assert 0 < len(measured) < 90
    status, _, err = campaign.resume()
    assert status == 0, err
    assert "incomplete" not in err, "nothing was left to cut"
    assert len(campaign.visits()) == 90 and set(keys(campaign.visits()).values()) == {1}


def test_a_file_in_use_is_not_shared(campaign):
    cut_short(campaign)
    with campaign.file.open("r+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        before = campaign.file.read_bytes()
        status, _, err = campaign.resume()
        assert status == 2 and str(campaign.file) in err and "another syncmeter" in err
        assert campaign.file.read_bytes() == before


def test_same_and_refused_points_are_in_the_file(campaign):
    twins = {"code": ["one baseline", "one test"]}
    campaign.behave(ops={"atomic_add": twins, "atomic_read": {"supported": False, "reason": "no word for it"}})
    assert campaign.run()[0] == 0
    (refused,) = campaign.lines("refused")
    assert refused["status"] == "unsupported" and "no word for it" in refused["reason"]
    assert refused["point"]["op"] == "atomic_read"
    assert {visit["point"]["op"] for visit in campaign.visits()} == {"atomic_add", "plain_read"}
    assert campaign.resume()[0] == 0
    assert len(campaign.lines("refused")) == 1, "resuming does not say it twice"


def test_lines_lost_before_the_first_visit_are_written_on_resume(campaign):
    campaign.behave(ops={"atomic_read": {"supported": False, "reason": "no word for it"}})
    campaign.run()
    first = campaign.file.read_text(encoding="utf-8").split("\n")[0]
    campaign.file.write_text(first + "\n", encoding="utf-8")
    assert campaign.resume()[0] == 0
    assert len(campaign.lines("refused")) == 1 and len(campaign.visits()) == 4


def test_foreign_bytes_in_the_command_line_do_not_spoil_the_file(campaign):
    arguments = [os.fsencode(word) for word in campaign.arguments()]
    name = os.fsencode(str(campaign.home)) + b"/caf\xe9.jsonl"
    arguments[arguments.index(b"--output") + 1] = name
    assert campaign.call(*arguments)[0] == 0
    with open(name, encoding="utf-8") as file:
        assert json.loads(file.readline())["kind"] == "campaign"


def estimated(campaign, option="--points"):
    status, out, err = campaign.call("show", option, str(campaign.file))
    assert status == 0, err
    return out if option == "--complete" else [json.loads(line) for line in out.splitlines()]


def test_a_run_ends_with_the_estimate_of_each_point(campaign):
    assert campaign.run(visits=3)[0] == 0
    kinds = [line["kind"] for line in campaign.lines()]
    assert kinds[-4:] == ["point", "point", "point", "end"] and kinds.count("point") == 3
    points = campaign.lines("point")
    assert points == estimated(campaign)
    shown = {row["op"]: row for row in json.loads(campaign.call("show", "--json", str(campaign.file))[1])}
    for line in points:
        state, row = line["states"][0], shown[line["point"]["op"]]
        assert state["cost_ns"]["value"] == pytest.approx(row["cost_ns"], rel=1e-6) and line["visits"] == row["visits"]
        assert [visit[0] for visit in state["by_visit"]] == [1, 2, 3] and len(state["by_visit"][0]) == 4


def test_estimates_of_a_file_that_goes_on_are_those_behind_its_last_visit(campaign):
    campaign.behave(sleep_s=SLEEP_S)
    process = campaign.start(*campaign.arguments(visits=3))
    eventually("a few visits are in the file", lambda: len(campaign.visits()) >= 2)
    process.send_signal(signal.SIGINT)
    process.communicate()
    campaign.behave()
    assert campaign.lines("point") and campaign.lines()[-1]["reason"] == "interrupted"
    assert campaign.resume()[0] == 0
    lines = campaign.lines()
    last_visit = max(i for i, line in enumerate(lines) if line["kind"] == "visit")
    current = [line for line in lines[last_visit:] if line["kind"] == "point"]
    assert len(current) == 3 and all(line["visits"] == 3 for line in current) and current == estimated(campaign)


@pytest.mark.parametrize("name", ["results.jsonl", "results.jsonl.zst"])
def test_a_file_that_was_cut_off_is_completed_once(campaign, name):
    campaign.file = campaign.home / name
    campaign.behave(sleep_s=SLEEP_S)
    process = campaign.start(*campaign.arguments(visits=4))
    eventually("a few visits are in the file", lambda: campaign.file.exists() and campaign.call(
        "show", "--points", str(campaign.file))[0] == 0 and len(estimated(campaign)) >= 2)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    campaign.behave()
    before = estimated(campaign)
    assert "holds the estimates of its configurations now" in estimated(campaign, "--complete")
    size = campaign.file.stat().st_size
    assert "already" in estimated(campaign, "--complete") and campaign.file.stat().st_size == size
    assert estimated(campaign) == before
    assert campaign.resume()[0] == 0 and all(line["visits"] == 4 for line in estimated(campaign))


def test_show_and_explain_read_what_xz_packed(campaign):
    assert campaign.run(visits=1)[0] == 0
    campaign.file.with_suffix(".jsonl.xz").write_bytes(lzma.compress(campaign.file.read_bytes()))
    packed = str(campaign.file.with_suffix(".jsonl.xz"))
    for words in (["show"], ["explain", "atomic_add"]):
        status, out, err = campaign.call(*words, packed)
        assert status == 0 and "atomic_add" in out, err
    status, _, err = campaign.call("run", "--resume", packed)
    assert status == 2 and "compressed by xz" in err, "nothing is appended to it"
