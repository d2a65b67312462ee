"""Lines that are wrong in themselves are left out by number: never the whole file, never as a 0."""

import json
import math

import pytest

from syncmeter_analysis.command import main
from syncmeter_analysis.record.errors import Unusable
from syncmeter_analysis.record.members import interval_of
from syncmeter_analysis.record.reader import read_results
from tests.made import around, campaign, point, read, visits, write

huge = 10**400


def estimate(**members):
    return {"estimate": members}


def cost(value, low=1.0, high=9.0):
    return estimate(cost_ns={"value": value, "low": low, "high": high})


of_visits = [
    ({"estimates": 7}, "estimates '7' is not a list"),
    ({"status": "splendid"}, "status 'splendid' is unknown"),
    ({"status": ["ok"]}, "is unknown"),
    ({"visit": None}, "a visit without its number"),
    ({"visit": math.inf}, "visit 'inf' is not a whole number"),
    ({"visit": "1"}, "visit '1' is not a whole number"),
    ({"reason": 7}, "reason '7' is not a text"),
    ({"reason": "half \ud800"}, "half of a surrogate pair"),
    ({"family": {"half \udfff": 1}}, "half of a surrogate pair"),
    ({"fairness": "1"}, "fairness '1' is not a number"),
    ({"fairness": huge}, "too large"),
    ({"slowest_over_fastest": -1}, "slowest_over_fastest -1 is not possible"),
    ({"rounds_kept": "many"}, "rounds_kept 'many' is not a whole number"),
    ({"rounds_taken": 10**18}, "rounds_taken 1e+18 is not possible"),
    ({"drops": {"moved": math.inf}}, "moved 'inf' is not a whole number"),
    ({"drops": [1]}, "drops '[1]' is not an object"),
    ({"pus": [0, "1"]}, "pus '1' is not a whole number"),
    ({"pus": 3}, "pus '3' is not a list"),
    ({"stolen_ns": -1}, "stolen_ns -1 is not possible"),
    ({"census": "proven"}, "census 'proven' is not an object"),
    ({"cost_per_lane": 1}, "cost_per_lane '1' is neither true nor false"),
    ({"participants": 2.5}, "participants '2.5' is not a whole number"),
    ({"device": "0"}, "device '0' is not a whole number"),
    ({"device": 0, "polls_per_handoff": "many"}, "polls_per_handoff 'many' is not a number"),
    ({"device": 0, "same_gpc": 1}, "same_gpc '1' is neither"),
    ({"device_shares": [1, None]}, "device_shares 'None' is not a number"),
    ({"links": [7]}, "links '7' is not an object"),
    ({"litmus_seen": "2", "litmus_rounds": 3}, "litmus_seen '2' is not a whole number"),
    ({"point": {"op": "x"}}, "without backend"),
    ({"point": point(lanes=0)}, "at least 1"),
    ({"point": point("add\ud800")}, "is not a text of at most 200 printable characters"),
    ({"point": point("add\x00")}, r"op 'add\x00' is not a text of at most 200 printable"),
    ({"point": {**point(), "axis\ud800": 1}}, "is not a member's name"),
    ({"point": point(lanes=-4)}, "lanes '-4' is not a whole number"),
    ({"point": point(lanes=1e30)}, "is not a whole number"),
    ({"point": point(lanes="2")}, "lanes '2' is not a whole number"),
]


@pytest.mark.parametrize(("members", "says"), of_visits, ids=[says for _, says in of_visits])
def test_a_visit_that_is_wrong_is_left_out_by_its_line_and_said_so(tmp_path, members, says):
    good = [visits([5.0], point(lanes=lanes)) for lanes in (3, 4)]
    bad = visits([5.0], point(backend="cuda"), **members)
    found = read_results(write(tmp_path / "f.jsonl", good[0], bad, good[1]))
    assert [key for key, _ in found.visits] == [
        f"backend=omp op=atomic_add lanes={n} order=relaxed affinity=close wait=active"
        for n in "34"
    ]
    (note,) = found.notes
    assert note.startswith("line 3: ") and note.endswith("; it is left out")
    assert says in note


of_points = [
    (estimate(cost_ns=None), "a state without a cost"),
    (estimate(cost_ns=5), "cost_ns '5' is not an object"),
    (estimate(cost_ns={"low": 1, "high": 9}), "a cost_ns without a value"),
    (cost(None), "a cost_ns without a value"),
    (cost("5"), "value '5' is not a number"),
    (cost(True), "value 'True' is not a number"),
    (cost(math.nan), "value nan is not possible"),
    (cost(math.inf), "value inf is not possible"),
    (cost(huge), "too large"),
    (cost(1e30, 1e29, 1e31), "a cost_ns of 1e+30 is not possible"),
    (cost(5, 6, 9), "the cost_ns 5 lies outside its own bounds, 6 and 9"),
    (cost(5, 1, 4), "outside its own bounds"),
    (cost(5, 6, 4), "outside its own bounds"),
    (cost(5, "1"), "low '1' is not a number"),
    (cost(5, 1, math.inf), "high inf is not possible"),
    (cost(5, -math.inf), "low -inf is not possible"),
    (estimate(host_cost_ns={"value": 5, "low": 6, "high": 7}), "the host_cost_ns 5 lies outside"),
    (estimate(cost_cycles="12"), "cost_cycles '12' is not an object"),
    (estimate(rounds=-3), "rounds -3 is not possible"),
    (estimate(rounds="11"), "rounds '11' is not a whole number"),
    (estimate(rounds=1.5), "rounds '1.5' is not a whole number"),
    (estimate(baseline_ns=-3), "baseline_ns -3 is not possible"),
    (estimate(test_ns="6"), "test_ns '6' is not a number"),
    (estimate(hop_ns=math.inf), "hop_ns inf is not possible"),
    (estimate(state=math.nan), "state 'nan' is not a whole number"),
    (estimate(busy="no"), "busy 'no' is neither true nor false"),
    ({"states": 7}, "states '7' is not a list"),
    ({"states": [7]}, "states '7' is not an object"),
    (
        estimate(by_visit=[[1, "5", 11]]),
        "by_visit '[1, '5', 11]' is no visit's number",
    ),
    (estimate(by_visit=[[1]]), "by_visit '[1]' is no visit's number, cost"),
    (estimate(by_visit=[[1, huge, 11]]), "is no visit's number, cost"),
    (estimate(by_visit=[[1, math.nan, 11]]), "is no visit's number, cost"),
    (estimate(status="splendid"), "status 'splendid' is unknown"),
    ({"status": "splendid"}, "status 'splendid' is unknown"),
    ({"additive": "yes"}, "additive 'yes' is neither"),
    ({"lane_waits": {"count": -1}}, "count -1 is not possible"),
]


@pytest.mark.parametrize(("members", "says"), of_points, ids=[says for _, says in of_points])
def test_a_line_of_a_point_that_is_wrong_is_left_out_and_said_so(tmp_path, members, says):
    state = {"cost_ns": {"value": 5.0, "low": 4.0, "high": 6.0}, "status": "ok", "reason": ""}
    state |= {"state": 0, "busy": False, "rounds": 55, "by_visit": [[1, 5.0, 11, None]]}
    line = {"kind": "point", "point": point(), "status": "ok", "reason": "", "visits": 5}
    line |= {"states": [{**state, **members.pop("estimate", {})}], **members}
    found = read_results(write(tmp_path / "f.jsonl", visits([5.0], point()), line))
    assert not found.estimates
    (note,) = found.notes
    assert note.startswith("line 3: ") and says in note


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            '{"kind":"visit","visit":1e999,"x":' + "[" * 900 + "]" * 900 + "}",
            "deeper than 32 levels",
        ),
        ('{"kind":"end","x":' + '{"a":' * 100_000 + "1" + "}" * 100_001, "deeper than 32 levels"),
        ("[" * 100_000, "deeper than 32 levels"),
        ('{"kind":"visit","visit":' + "9" * 5000 + "}", "this is not JSON"),
        ('{"kind":"refused","reason":"\udcff"}', "this is not UTF-8"),
        ("[1]", "this is not an object"),
    ],
    ids=["900 lists", "100,000 objects", "100,000 lists", "5000 digits", "bytes", "a list"],
)
def test_a_line_that_is_none_is_left_out_by_its_number(tmp_path, text, says):
    path = write(tmp_path / "f.jsonl", visits([5.0], point()))
    path.write_bytes(path.read_bytes() + text.encode(errors="surrogateescape") + b"\n")
    (note,) = read_results(path).notes
    assert note == f"line 3: {says.replace('deeper', 'nested deeper')}; it is left out"


def test_what_nests_as_deep_as_a_results_file_may_is_read(tmp_path):
    deep = json.loads("[" * 31 + "]" * 31)
    assert not read_results(write(tmp_path / "f.jsonl", visits([5.0], point(), x=deep))).notes


def test_a_second_campaign_line_is_an_error_that_names_its_line(tmp_path):
    path = write(tmp_path / "f.jsonl", visits([5.0], point()), campaign(), visits([6.0], point()))
    with pytest.raises(Unusable, match=r"f\.jsonl, line 3: a second campaign line; two files were"):
        read_results(path)


def test_a_line_without_an_end_is_refused_before_it_fills_the_memory(monkeypatch):
    monkeypatch.setattr("syncmeter_analysis.record.reader._longest_line", 1 << 20)
    with pytest.raises(Unusable, match="/dev/zero, line 1: longer than 1 MiB"):
        read_results("/dev/zero")


def test_a_bound_that_rounding_moved_is_no_contradiction():
    seven = {"value": 2.3144449, "low": 2.314445, "high": 2.4}
    assert interval_of(seven, "cost_ns").low == 2.314445


def test_a_bad_visit_does_not_teach_what_runs_on_a_gpu(tmp_path):
    bad = visits([5.0], point(backend="mine"), device=0, portable=False, fairness="x")
    good = visits([5.0], point(backend="mine"), visit=2)
    (s,) = read(write(tmp_path / "f.jsonl", bad, good)).points.values()
    assert not s.on_gpu


@pytest.mark.parametrize("text", ["\ud800", "\x1b]0;title\x07", "a\rb", "\u202e", "\x00"])
def test_numbers_and_texts_of_other_lines_that_cannot_be_do_no_harm(tmp_path, capsys, text):
    machine = {
        **campaign()["machine"],
        "cpu_model": f"CPU {text}",
        "cores": huge,
        "caches": [{"level": None, "bytes": math.inf, "shared_by": huge}, {}, None],
    }
    first = campaign(machine=machine, quota_cpus=huge, states=[{"hop_ns": [math.nan, huge]}])
    worker = {"kind": "worker", "worker": text, "build": {"id": "b" * 16, "compiler": text}}
    end = {"kind": "end", "wall_ns": math.inf, "timed_ns": huge, "reason": text}
    lines = [worker, visits(around(5.0), point(type="int32")), end]
    path = str(write(tmp_path / "f.jsonl", *lines, first=first))
    for command in ("text", "claims", "md", "export", "export --format google-benchmark"):
        assert main([*command.split(), path]) == 0, command
        assert text not in capsys.readouterr().out
