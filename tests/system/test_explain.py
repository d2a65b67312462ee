"""`syncmeter explain`: one point of a results file on a page."""

import pytest


@pytest.fixture
def measured(campaign):
    status, _, err = campaign.run()
    assert status == 0, err
    return campaign


def test_a_point_is_told_with_its_visits_and_why_its_code_is_not_there(measured):
    visit = measured.visits()[0]
    words = visit["key"].split("|")[0]
    status, out, err = measured.call("explain", words, str(measured.file))
    assert (status, err) == (0, "")
    flat = " ".join(out.split())
    assert words in flat and "States" in out and "Visits" in out and "inside timed loops" in flat
    rows = out.split("\nVisits\n")[1].splitlines()[1:]
    visits = [v for v in measured.visits() if v["point"] == visit["point"]]
    assert [row.split()[0] for row in rows[: len(visits)]] == [str(v["visit"]) for v in visits]
    assert out.split("\nCode\n")[1].strip(), out
    assert all(len(line) <= 80 for line in out.splitlines())


def test_the_claims_that_use_the_point_come_last(measured, tmp_path):
    report = tmp_path / "report"
    report.write_text('#!/bin/sh\necho "asked: $*"\n', encoding="utf-8")
    report.chmod(0o755)
    words = measured.visits()[0]["key"].split("|")[0]
    measured.environment["SYNCMETER_REPORT"] = str(report)
    status, out, err = measured.call("explain", words, str(measured.file))
    assert (status, err) == (0, "")
    assert out.endswith(f"\nasked: claims {measured.file} --point {words}\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [(["no_such_op"], "has all of the words 'no_such_op'"), ([""], " have the words '': 'backend="), ([], "a configuration and a results file must be named")],
)
def test_words_that_mean_no_point_or_several_are_told(measured, words, message):
    status, out, err = measured.call("explain", *words, *[str(measured.file)] * bool(words))
    assert (status, out) == (2, "")
    assert message in err and err.count("\n") == 1
