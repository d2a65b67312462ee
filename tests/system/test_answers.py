"""What a worker or a file says is checked before it is believed, kept or printed."""

import json
import os
import shutil
import signal
import subprocess
import time

import pytest

from conftest import HERE, eventually, install, is_alive

#: Of each kind one; every flaw is in tests/unit/workers/visit_flaw_test.cpp.
SPOILT = [
    (["estimates", 0, "cost_ns", "value"], -5.0, "below its bounds"),
    (["estimates", 0, "cost_ns"], "gone", 'has no "cost_ns"'),
    (["trips"], 1.5, '"trips"'),
    (["point", "op"], "other", "op=other"),
]


@pytest.mark.parametrize("path, value, sentence", SPOILT)
def test_a_bad_answer_is_a_failed_visit_that_says_what_is_wrong(campaign, path, value, sentence):
    campaign.behave(spoil={"op": "plain_read", "path": path, "value": value})
    status, out, err = campaign.run(visits=1)
    assert status == 1, err
    visits = {visit["point"]["op"]: visit for visit in campaign.visits()}
    assert len(visits) == 3 and visits["plain_read"]["status"] == "failed"
    assert "sent an invalid visit: " in visits["plain_read"]["reason"]
    assert sentence in visits["plain_read"]["reason"] and sentence in err
    assert {visits[op]["status"] for op in ("atomic_add", "atomic_read")} == {"ok"}


@pytest.mark.parametrize("path, value", [(["estimates", 0, "cost_ns"], "gone"), (["estimates", 0, "rounds"], "many"),
                                         (["point", "type"], "int33"), (["status"], None), (["pus"], "0")])
def test_a_bad_visit_of_a_file_is_left_out_by_line(campaign, path, value):
    campaign.run(visits=3)
    _, honest, _ = campaign.call("show", str(campaign.file))
    lines = [json.loads(line) for line in campaign.file.read_text(encoding="utf-8").splitlines()]
    number = next(number for number, line in enumerate(lines) if line["kind"] == "visit")
    *inner, last = path
    place = lines[number]
    for step in inner:
        place = place[step]
    place[last] = value
    if value == "gone":
        del place[last]
    campaign.file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    status, out, err = campaign.call("show", str(campaign.file))
    assert status == 0, err
    assert f"- left out: line {number + 1}: " in out
    assert out.count(" 2.300 ") == honest.count(" 2.300 "), "the other visits of the point stand"
    assert campaign.resume()[0] == 0
    assert len(campaign.visits()) == 10, "the visit that was left out is measured again"


@pytest.mark.parametrize("deep", ["[" * 100_000 + "]" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000],
                         ids=["lists", "objects"])
def test_deep_nesting_in_a_file_is_refused_by_line(campaign, deep):
    campaign.run(visits=1)
    text = campaign.file.read_text(encoding="utf-8")
    first, rest = text.split("\n", 1)
    campaign.file.write_text(first + '\n{"kind":"visit","x":' + deep + "}\n" + rest, encoding="utf-8")
    for arguments in (["show"], ["run", "--resume"]):
        status, _, err = campaign.call(*arguments, str(campaign.file))
        assert status == 2 and "line 2: not JSON of at most 64 levels" in err


def test_deep_nesting_in_an_answer_costs_the_visit(campaign):
    campaign.behave(faults=[{"do": "deep", "op": "plain_read"}])
    status, _, err = campaign.run(visits=1)
    assert status == 1 and "which is not a JSON object of at most 64 levels" in err
    assert [visit["status"] for visit in campaign.visits()].count("ok") == 2


@pytest.mark.parametrize("member, value", [("visits", 4_000_000_000), ("visits", -1), ("cells", [10**9]), ("max_time_s", 1e300),
                                           ("lanes", ["1-4000000000"])])
def test_numbers_of_a_file_are_bounded_as_options_are(campaign, member, value):
    campaign.run(visits=1)
    campaign.edit_campaign_line(lambda line: line["options"].__setitem__(member, value))
    status, _, err = campaign.resume()
    assert status == 2 and f"'{campaign.file}' does not contain the options of its run: {member}: " in err


def with_reason(campaign, text):
    """A file whose failed visit has this reason."""
    campaign.behave(status={"plain_read": "failed"})
    campaign.run(visits=1)
    lines = [json.loads(line) for line in campaign.file.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        if line.get("status") == "failed":
            line["reason"] = text
            line["point"]["op"] = "plain\x1b]0;owned\x07_read"
            line["family"] = "\x1b[2Jfamily"
    campaign.file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def test_text_of_a_file_reaches_no_terminal_raw(campaign):
    with_reason(campaign, "a\x1b[31m\r\0b\u202ec\u2066\x9bd")
    for more in ([], ["--wide"], ["--verbose"], ["--json"]):
        status, out, _ = campaign.call("show", str(campaign.file), *more)
        assert status == 1
        assert not set(out) & set("\x1b\r\0\u202e\u2066\x9b\x07"), more
        assert "Results: " in out or more == ["--json"], "nothing is cut off behind a NUL"
    assert r"\x1b[31m\x0d\x00b\u202ec\u2066\x9bd" in campaign.call("show", str(campaign.file))[1]


@pytest.mark.parametrize("text", ["=1+1", "+cmd", "-cmd", "@sum"])
def test_a_formula_in_a_table_is_text(campaign, text):
    with_reason(campaign, text)
    campaign.call("show", str(campaign.file), "--csv", "table.csv")
    assert f",'{text}," in (campaign.home / "table.csv").read_text(encoding="utf-8")


def test_text_of_a_worker_reaches_no_terminal_raw(campaign):
    campaign.behave(ops={"plain_read": {"note": "\x1b[31mred"}})
    _, out, _ = campaign.call("list", "--backend", "fake")
    assert r"\x1b[31mred" in out and "\x1b" not in out


def test_another_worker_does_not_take_the_backend_of_one(campaign):
    install((HERE / "fake_worker.py").read_text(encoding="utf-8"), campaign.bin / "syncmeter-aaa")
    campaign.behave(backend={"aaa": "fake"})
    status, _, err = campaign.run(visits=1)
    assert status == 0, err
    assert {line["worker"] for line in campaign.lines("worker")} == {"fake"}
    assert f"backend 'fake' of worker 'aaa' ({campaign.bin}/syncmeter-aaa) is not used: it is the one of {campaign.bin}/syncmeter-fake" in err


def test_a_worker_on_path_does_not_stand_in_for_a_broken_one_of_the_driver(campaign):
    shutil.copy(campaign.driver, campaign.home / "syncmeter")
    campaign.driver = campaign.home / "syncmeter"
    install("raise SystemExit('no licence')", campaign.home / "syncmeter-fake")
    (campaign.bin / "syncmeter-fake").rename(campaign.bin / "syncmeter-aaa")
    campaign.behave(backend={"aaa": "fake"})
    status, _, err = campaign.run(visits=1)
    assert status == 2 and "no licence" in err and not campaign.file.exists()


def test_ends_of_workers_are_noticed_where_sigchld_is_ignored(campaign):
    start = time.monotonic()
    status, _, err = campaign.call(*campaign.arguments(visits=1),
                                   preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    assert status == 0 and "SIGKILL" not in err, err
    assert time.monotonic() - start < 20


def test_what_a_worker_started_ends_with_the_campaign(campaign):
    campaign.behave(leaves=True)
    assert campaign.run(visits=1)[0] == 0
    left = [entry["child"] for entry in campaign.log("left")]
    assert len(left) == 2
    for pid in left:
        eventually("it is gone", lambda: not is_alive(pid))


def test_what_a_shell_left_behind_before_is_left_alone(campaign):
    command = ["sh", "-c", 'sleep 1000 >&2 2>/dev/null & echo $! >&2; exec "$0" "$@"', str(campaign.driver), *campaign.arguments(visits=1)]
    done = subprocess.run(command, env=campaign.environment, cwd=campaign.home, timeout=60, stdout=subprocess.DEVNULL,
                          stderr=(campaign.home / "err").open("w"), check=False)
    pid = int((campaign.home / "err").read_text(encoding="utf-8").split("\n")[0])
    alive = is_alive(pid)
    os.kill(pid, 9)
    assert done.returncode == 0 and alive


def test_a_worker_that_takes_no_requests_is_noticed_at_once(campaign):
    campaign.behave(start="deaf")
    start = time.monotonic()
    status, _, err = campaign.run(visits=1)
    assert status == 1 and "takes no requests" in err
    assert time.monotonic() - start < 20


@pytest.mark.parametrize("description", ["pu:20000", "package:100 core:100 pu:100", "pu:4000000000", "pu:99999999999999999999"])
def test_a_machine_with_too_many_pus_is_refused_at_once(campaign, description):
    status, _, err = campaign.call("topology", "--synthetic", description, within=20)
    assert status == 2 and "PUs; at most 4096 can be used" in err


def test_the_largest_machine_is_shown_in_time(campaign):
    status, out, err = campaign.call("topology", "--synthetic", "package:8 core:256 pu:2", within=20)
    assert status == 0 and "4096 PUs" in out, err


XML = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0"><object type="Machine" os_index="0" cpuset="0x3" {sets} gp_index="1">
<object type="NUMANode" os_index="0" cpuset="0x3" {sets} gp_index="2"/>
<object type="PU" os_index="0" cpuset="0x1" {sets} gp_index="3"/>
<object type="PU" os_index="1" cpuset="0x2" {sets} gp_index="4"/></object></topology>
"""


@pytest.mark.parametrize("command", [["topology"], ["run", "--dry-run", "--backend", "fake"]])
def test_a_topology_that_hwloc_crashes_on_is_refused(campaign, command):
    file = campaign.home / "machine.xml"
    file.write_text(XML.format(sets='nodeset="0x1" complete_nodeset="0x1" allowed_cpuset="0x3" allowed_nodeset="0x1"'), encoding="utf-8")
    status, _, err = campaign.call(*command, "--topology", str(file))
    assert status == 2 and "machine.xml" in err and "crashed" in err


def test_a_pipe_is_no_topology(campaign):
    os.mkfifo(campaign.home / "pipe")
    status, _, err = campaign.call("topology", "--topology", "pipe", within=20)
    assert status == 2 and "'pipe': it is not a regular file" in err
