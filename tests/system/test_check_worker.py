"""`syncmeter check-worker`: a good worker has no fault, and each planted fault is told in one sentence."""

import re
from pathlib import Path

import pytest

from conftest import driver_path
from test_gpu_workers import GPU

ATOMIC = "atomic_add"


def check(campaign, *more, program="syncmeter-fake", **behaviour):
    campaign.behave(**behaviour)
    status, out, err = campaign.call("check-worker", str(campaign.bin / program), *more)
    assert err == "", err
    return status, out


def faults(out):
    return [line.removeprefix("FAULT  ") for line in out.splitlines() if line.startswith("FAULT")]


def test_a_good_worker_has_no_fault(campaign):
    status, out = check(campaign)
    assert status == 0 and faults(out) == [] and out.endswith("\nNo fault was found.\n")
    for part in ("--capabilities: 5 ops of fake in 5 entries", "hello: ", "measure: 5 points", "probe: 120 hops", "requests that cannot"):
        assert f"ok     {part}" in out


@pytest.mark.parametrize("worker", [
    name for manifest in (Path(__file__).parents[2] / "backends").glob("*/backend.cmake")
    for name in re.findall(r"^sm_backend\(([a-z0-9-]+) ", manifest.read_text(encoding="utf-8"), re.MULTILINE)])
def test_our_own_workers_have_no_fault(campaign, worker):
    program = driver_path().parent / f"syncmeter-{worker}"
    if not program.exists():
        pytest.skip(f"{program.name} was not built here")
    status, out, err = campaign.call("check-worker", worker, within=200)
    assert (status, faults(out), err) == (0, [], "")


def op(**members):
    return {"ops": {ATOMIC: members}}


def spoilt(path, value):
    return {"spoil": {"op": ATOMIC, "path": path, "value": value}}


def struck(what):
    return {"faults": [{"do": what, "op": ATOMIC}]}


#: Of those that do not answer, s: all others start and answer within it, on a busy machine too.
PATIENCE = "3 s"

PLANTED = {
    "another major version": ({"says": {"protocol": 2}}, "--capabilities: invalid capabilities: it has protocol 2, this driver has 1.0"),
    "a minor version that is none": ({"says": {"protocol_minor": "x"}}, '"protocol_minor" is \'"x"\', not a whole number from 0'),
    "no JSON": ({"capabilities": "garbage"}, "--capabilities: worker 'fake' wrote 'Segmentation fault (core dumped)', which is not a JSON"),
    "no answer at all": ({"capabilities": "exit"}, "--capabilities: worker 'fake' ended with status 4; end of its standard error: 'no device"),
    "two lines": ({"capabilities": "twice"}, "--capabilities: it wrote more than one line to standard output"),
    "a bad status after capabilities": ({"capabilities": "status"}, "--capabilities: worker 'fake' ended with status 3 at the end of its input"),
    "never tells": ({"capabilities": "hang fake"}, f"--capabilities: worker 'fake' did not answer within {PATIENCE}"),
    "another name": ({"says": {"worker": "fade"}}, "--capabilities: \"worker\" is '\"fade\"', but the program is syncmeter-fake"),
    "a type that is none": (op(type="int33"), '"type" is \'"int33"\', not one of int32'),
    "a backend that it does not have": (op(backend="other"), "op 'atomic_add', int32, relaxed: its backend 'other' is not one of \"backends\""),
    "an unsafe name": (op(op="my add,1"), ".op\" is '\"my add,1\"', not of the form ^[a-z0-9_-]+$"),
    "no reason": (op(supported=False), '.reason" is '),
    "no family": (op(family=""), '.family" is empty'),
    "an empty build": ({"says": {"build": {"id": ""}}}, '"build.id" is empty'),
    "one entry twice": (op(op="atomic_read"), "op 'atomic_read', int32, relaxed: it is there twice"),
    "cells of no type": ({"ops": {"barrier": {"placements": ["shared"]}}}, "op 'barrier': it has cells, and no \"type\" says of what"),
    "nothing supported": ({"says": {"ops": []}}, "backend 'fake' supports no op, and no \"problem\" says why"),
    "no hello": ({"start": "exit"}, "hello: worker 'fake' ended with status 3"),
    "chatter before hello": ({"start": "garbage"}, "hello: worker 'fake' wrote 'Welcome!'"),
    "another build at hello": ({"hello": {"build": {"id": "f"}}}, "hello: worker 'fake' has build"),
    "another protocol at hello": ({"hello": {"protocol": 2}}, "hello: worker 'fake': it has protocol 2"),
    "hello of another request": ({"hello": {"id": 99}}, "hello: worker 'fake' answered request '99' instead of"),
    "no environment": ({"hello": {"environment": None}}, "hello: \"environment\" is 'null', not of type object"),
    "a process number that is none": ({"hello": {"pid": "1"}}, "hello: \"pid\" is '\"1\"', not of type integer"),
    "a hang": (struck("hang"), f"measure atomic_add: worker 'fake' did not answer within {PATIENCE[0]}"),
    "chatter in place of a visit": (struck("garbage"), "measure atomic_add: worker 'fake' wrote 'Warning: "),
    "the id of another request": (struck("wrong id"), "measure atomic_add: worker 'fake' answered request"),
    "accepted for another request": ({"id_error": {ATOMIC: 1}}, "measure atomic_add: worker 'fake' answered request"),
    "another point": (struck("wrong point"), "it measured the point"),
    "an error for what it has": (struck("error"), "refused the request: 'the request tastes wrong'"),
    "no prediction": ({"predicted_ns": "soon"}, "sent an invalid predicted_ns: '\"soon\"'"),
    "ok without an estimate": (spoilt(["estimates"], []), 'it is "ok" without an estimate'),
    "noisy without a reason": ({**spoilt(["reason"], ""), "status": {ATOMIC: "noisy"}}, 'measure atomic_add: "reason" is empty'),
    "its own check fails": ({"status": {ATOMIC: "failed"}}, "it is declared as supported, and its status is \"failed\": 'as the test asked'"),
    "not supported after all": ({"status": {ATOMIC: "unsupported"}}, 'and its status is "unsupported"'),
    "hops that are none": ({"probe": {"hop_ns": ["fast"]}}, 'probe: "hop_ns[0]" is \'"fast"\', not of type number'),
    "too many hops": ({"probe": {"hop_ns": [1.0] * 2001}}, 'probe: "hop_ns" has 2001 values, at most 2000 are allowed'),
    "dies of nonsense": ({"nonsense": "exit"}, "a line that is no object: worker 'fake' ended with status 6"),
    "takes nonsense": ({"nonsense": {"kind": "visit"}}, 'a line that is no object: it answered \'"visit"\', not "error"'),
    "errors without text": ({"nonsense": {"text": None}}, '"text" is \'null\', not of type string'),
    "errors of another request": ({"nonsense": {"id": 77}}, "a request of an unknown kind: its error has the id '77', not the request's"),
    "more processing units than lanes": ({"counts_pus": False}, 'more "pus" than lanes: it answered \'"accepted"\', not "error"'),
    "a figure for an op that it does not have": ({"has_any_op": True}, "a point that it does not have: its status is \"ok\""),
    "stays": ({"end": "never"}, "end: worker 'fake' did not end within 2 s of the end of its input"),
    "ends badly": ({"end": 5}, "end: worker 'fake' ended with status 5 at the end of its input"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_told(campaign, name):
    behaviour, sentence = PLANTED[name]
    status, out = check(campaign, "--patience", PATIENCE.replace(" ", ""), **behaviour)
    assert status == 1 and any(sentence in fault for fault in faults(out)), out
    assert len(faults(out)) <= 2, "one fault, and what follows from it"
    assert "(pid " not in out


def test_ops_of_a_gpu_are_measured_on_its_first_device(campaign):
    status, out = check(campaign, gpu=GPU)
    assert status == 0 and "ok     measure: 5 points" in out, out
    assert "probe: it needs two processing units" in out, "hops are those of CPUs"
    asked = campaign.log("measure")
    assert [entry["op"] for entry in asked[:2]] == ["atomic_add", "atomic_read"]
    for entry in asked:
        assert entry["device"] == 0 and entry["pus"] == []
        assert entry["point"]["lanes"] == 64 and entry["point"].get("blocks", 1) == 1


@pytest.mark.parametrize("status_of_op, number_of_faults", [("failed", 1), ("unsupported", 0)])
def test_a_gpu_may_lack_room_for_a_point_and_may_not_fail_it(campaign, status_of_op, number_of_faults):
    status, out = check(campaign, gpu=GPU, status={ATOMIC: status_of_op})
    assert (status, len(faults(out))) == (number_of_faults, number_of_faults), out
    assert ("unsupported on one block of 64 threads, and not measured: 1 points" in out) == (status_of_op == "unsupported")


def test_a_gpu_backend_without_a_device_is_not_measured(campaign):
    status, out = check(campaign, gpu={"architectures": [], "devices": []}, problem="no driver")
    assert status == 0 and "no driver" in out and not campaign.log("measure"), out


def test_a_program_that_no_driver_would_find_is_told(campaign):
    (campaign.bin / "syncmeter-fake").rename(campaign.bin / "fake")
    _, out = check(campaign, program="fake")
    assert faults(out)[0] == "name: 'fake' is found by no driver: workers are named syncmeter-NAME"


def test_another_minor_version_of_the_protocol_is_accepted(campaign):
    status, out = check(campaign, says={"protocol_minor": 7, "later": [1]}, hello={"protocol_minor": 7, "later": [1]})
    assert status == 0, out
    assert campaign.run(visits=1)[0] == 0


@pytest.mark.parametrize("words, sentence", [
    ([], "no program given"), (["./nothing"], "'./nothing' is not a program that can be run"),
    (["nothing"], "there is no worker 'nothing' beside the driver or on PATH"), (["fake", "--patience", "x"], "--patience")])
def test_a_wrong_command_line_is_one_sentence(campaign, words, sentence):
    status, _, err = campaign.call("check-worker", *words)
    assert status == 2 and sentence in err and err.count("\n") == 1
