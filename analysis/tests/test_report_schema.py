"""The schema of what is printed for programs: every command's JSON fits it, what is wrong not."""

import json
import random
from pathlib import Path

import pytest

from syncmeter_analysis.command import main
from tests.made import around, campaign, point, visits, write
from tests.test_compare_arms import ARMS, both

jsonschema = pytest.importorskip("jsonschema")

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs/schema/report.schema.json").read_text(encoding="utf-8")
)
CHECK = jsonschema.Draft202012Validator(SCHEMA)


@pytest.fixture
def old_and_new(tmp_path):
    """A slower point, a blind one, one in another placement, one whose scatter is unknown."""
    rng = random.Random(1)
    paths = []
    for name, factor, hop in (("old", 1.0, 30.0), ("new", 2.0, 120.0)):
        lines = [
            *visits([factor * x for x in around(10.0)], point("slow")),
            *visits([10 * rng.lognormvariate(0, 1) for _ in range(3)], point("wild")),
            *visits(around(20.0), point(lanes=2, stride=16), estimate={"hop_ns": hop}),
            *visits([5.0], point("once")),
        ]
        paths.append(str(write(tmp_path / f"{name}.jsonl", lines)))
    return paths


def nodes(tmp_path):
    paths = []
    for i in range(4):
        first = campaign()
        first["machine"] = {**first["machine"], "host": f"node{i}"}
        lines = [visits(around(10.0 + k + 0.01 * i), point(f"op{k}")) for k in range(6)]
        paths.append(str(write(tmp_path / f"n{i}.jsonl", *lines, first=first)))
    return paths


def printed(capsys, *words):
    main([*words, "--format", "json"])
    return json.loads(capsys.readouterr().out)


def test_each_commands_json_fits_the_schema(tmp_path, capsys, old_and_new):
    arms = write(
        tmp_path / "ab.jsonl",
        both("atomic_add", around(10.0), around(12.0)),
        both("plain_read", [1.0], [1.0]),
        first=campaign(ab=ARMS, options={"visits": 5}),
    )
    for words in (
        ("compare", *old_and_new),
        ("compare", str(arms)),
        ("fleet", *nodes(tmp_path)),
        ("fleet", *nodes(tmp_path)[:2], "none.jsonl"),
        ("claims", old_and_new[0]),
    ):
        CHECK.validate(printed(capsys, *words))


@pytest.mark.parametrize("member", ["exit_status", "points", "blind", "sees"])
def test_what_lacks_a_member_does_not_fit(capsys, old_and_new, member):
    (found,) = printed(capsys, "compare", *old_and_new)
    assert len(found["blind"]) == 2 and len(found["apart"]) == 1
    assert not CHECK.is_valid([{k: v for k, v in found.items() if k != member}])


def test_what_has_another_status_or_verdict_does_not_fit(capsys, old_and_new):
    (found,) = printed(capsys, "compare", *old_and_new)
    assert not CHECK.is_valid([{**found, "exit_status": 4}])
    worse = {**found["points"][0], "verdict": "worse"}
    assert not CHECK.is_valid([{**found, "points": [worse]}])
