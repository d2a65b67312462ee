"""The ranked list of causes, its JSON, and the gate --fail-above."""

import json

import pytest

from syncmeter_analysis.command import main
from syncmeter_analysis.conclude.advise.reliability import ProgramReliability
from syncmeter_analysis.conclude.conclusion import to_json
from syncmeter_analysis.formats.schema import _object
from syncmeter_analysis.record import tables
from syncmeter_analysis.record.advice_file import read_advice
from syncmeter_analysis.render.advice import advised, as_json
from tests.advice_cases import STORED, advice, call_site, header, judged, lock, made, run, written

jsonschema = pytest.importorskip("jsonschema")


def order(found):
    return [e.conclusion.cause if e.conclusion else e.advice["rule"] for e in found.entries]


def test_causes_of_the_setting_come_first_and_then_the_greatest_gain(tmp_path):
    lines = [
        advice("small", 1, saves_s={"low": 0.0, "high": 0.034}),
        advice("great", 2, saves_s={"low": 0.0, "high": 0.3}),
        advice("setting", 3, saves_s=None, grade="unknown", of_setting=True),
        advice("seen", 4, saves_s=None, grade="rough", seen_share=0.7),
    ]
    found = judged(tmp_path, lock(call_ns=1e8), *lines)
    assert order(found) == ["setting", "great", "seen", "contended_lock", "small"]
    assert [e.rank for e in found.entries] == [1, 2, 3, 4, 5]
    gains = {name: e.gain for name, e in zip(order(found), found.entries, strict=True)}
    assert gains["great"] == pytest.approx(0.3 / 0.34)
    assert gains["contended_lock"] == pytest.approx(0.208 / 0.33)
    assert (gains["setting"], gains["seen"]) == (None, None)


def test_threads_that_wake_each_other_for_a_lock_are_part_of_its_cause(tmp_path):
    assert order(judged(tmp_path, lock(), advice("handoffs", sites=[1]))) == ["contended_lock"]
    found = judged(tmp_path, lock(), advice("handoffs", sites=[2]))
    assert sorted(order(found)) == ["contended_lock", "handoffs"]
    assert order(judged(tmp_path, advice("handoffs", sites=[1]))) == ["handoffs"]


def test_the_json_has_each_cause_once_with_its_conclusion_or_advice(tmp_path):
    lines = [lock(), advice("barriers", 1), advice("handoffs", 2, sites=[1])]
    found = json.loads(as_json(advised(read_advice(made(tmp_path, *lines)))))
    (conclusion,) = found["conclusions"]
    schema = _object(tables.conclusion_members)
    jsonschema.validate(conclusion, schema)
    assert [(c["rank"], c["conclusion"], c["advice"]) for c in found["causes"]] == [
        (1, 0, None),
        (2, None, 1),
    ]
    assert len(found["advice"]) == 2 and found["locks"][0]["id"] == 1


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.name)
def test_conclusions_and_reliability_fit_their_tables(path):
    found = json.loads(as_json(advised(read_advice(path))))
    for conclusion in found["conclusions"]:
        jsonschema.validate(conclusion, _object(tables.conclusion_members))
    jsonschema.validate(found["reliability"], _object(tables.advise_reliability_members))
    assert set(to_json(ProgramReliability("good"))) == set(tables.advise_reliability_members)


# Reliability


@pytest.mark.parametrize(
    "of_header, grade",
    [
        ({}, "good"),
        ({"perturbed": True}, "moderate"),
        ({"not_counted": ["a signal ended it"]}, "moderate"),
        ({"lost_calls": 3}, "moderate"),
        ({"runs": [run("plain", 0.33), run("time", 0.34)]}, "moderate"),
        ({"runs": [run("plain", 0.33, other_cpu_share=0.4)] * 3}, "poor"),
        ({"runs": []}, "unknown"),
    ],
    ids=str,
)
def test_the_grade_says_what_may_be_wrong_with_counts_and_machine(tmp_path, of_header, grade):
    assert judged(tmp_path, **of_header).reliability.grade == grade


# --fail-above


def status(path, limit, capsys):
    found = main(["advise", str(path), "--fail-above", limit])
    return found, capsys.readouterr().err


@pytest.mark.parametrize("limit", ["60%", "0.6"])
def test_a_known_gain_above_the_share_fails(tmp_path, capsys, limit):
    assert status(made(tmp_path, lock()), limit, capsys) == (1, "")
    assert status(made(tmp_path, lock(), not_counted=["x"]), limit, capsys)[0] == 1


def test_a_smaller_gain_passes(tmp_path, capsys):
    assert status(made(tmp_path, lock()), "76%", capsys) == (0, "")
    assert status(made(tmp_path), "5%", capsys) == (0, "")


@pytest.mark.parametrize(
    "lines, of_header, words",
    [
        ([], {"not_counted": ["a signal ended it"]}, "a signal ended it"),
        ([], {"withheld": "other programs were busy"}, "other programs were busy"),
        ([], {"runs": []}, "not run"),
        ([advice(saves_s=None, grade="rough")], {}, "unknown"),
        ([lock(held_ns=None)], {"uncontended_lock_ns": None}, "unknown"),
        ([], {"version": "0.0.1"}, "0.0.1"),
        ([{"record": "lock", "id": 1}], {}, "unusable"),
    ],
    ids=str,
)
def test_what_cannot_be_judged_is_no_pass(tmp_path, capsys, lines, of_header, words):
    found, error = status(made(tmp_path, *lines, **of_header), "90%", capsys)
    assert found == 3
    assert "--fail-above cannot be judged: " in error and words in error and error.count("\n") == 1


def test_a_refused_file_is_no_pass(tmp_path, capsys):
    path = written(tmp_path / "old.jsonl", [header(schema=1), call_site()])
    assert main(["advise", str(path)]) == 2
    capsys.readouterr()
    assert status(path, "5%", capsys)[0] == 3


def test_a_share_is_at_most_the_run(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["advise", str(made(tmp_path)), "--fail-above", "150%"])
    assert "such as 5%" in capsys.readouterr().err
