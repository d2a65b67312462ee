"""The schema of results files: the lines of every stored file fit it, and what is wrong does not."""

import copy
import json
import lzma
from pathlib import Path

import pytest

from syncmeter_analysis.command import main
from tests.in_ci import some_in_ci

jsonschema = pytest.importorskip("jsonschema")

ROOT = Path(__file__).parents[2]
STORED = sorted(
    path
    for folder in ("docs/measurements", "analysis/tests/data")
    for path in (ROOT / folder).glob("*.jsonl.xz")
)
#: A file with a line of each kind.
WHOLE = ROOT / "docs/measurements/2-vcpu-quick.jsonl.xz"


def lines_of(path):
    with lzma.open(path) as file:
        return [json.loads(line) for line in file]


@pytest.fixture
def validator(capsys):
    """Of the schema that the command prints."""
    assert main(["schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize(
    "path",
    some_in_ci(STORED, WHOLE),
    ids=lambda path: f"{path.parent.name}/{path.name}",
)
def test_every_line_of_stored_files_fits(validator, path):
    lines = lines_of(path)
    kinds = {line["kind"] for line in lines}
    assert "campaign" in kinds
    assert kinds & {"visit", "point"}, "a large file may be of its points alone"
    for line in lines:
        validator.validate(line)


CHANGES = [
    ("visit", ["rounds_kept"], "11"),
    ("visit", ["visit"], 0),
    ("visit", ["status"], "splendid"),
    ("visit", ["pus", 0], "0"),
    ("visit", ["estimates", 0, "busy"], 0),
    ("visit", ["estimates", 0, "cost_ns", "value"], None),
    ("visit", ["point", "lanes"], 0),
    ("visit", ["drops"], {"moved": -1}),
    ("point", ["states", 0, "cost_ns", "low"], "0.1"),
    ("point", ["fairness"], 2),
    ("point", ["point"], {"backend": "omp"}),
    ("same", ["measured_as"], "the other"),
    ("refused", ["status"], None),
    ("end", ["kind"], 1),
]


def changed(line, path, value):
    """A copy with another value at this place."""
    made = copy.deepcopy(line)
    *outer, last = path
    place = made
    for step in outer:
        place = place[step]
    place[last] = value
    return made


@pytest.mark.parametrize("kind, path, value", CHANGES, ids=str)
def test_what_is_wrong_does_not_fit(validator, kind, path, value):
    line = next(line for line in lines_of(WHOLE) if line["kind"] == kind)
    assert validator.is_valid(line)
    assert not validator.is_valid(changed(line, path, value))


def test_members_and_kinds_of_later_versions_fit(validator):
    line = next(line for line in lines_of(WHOLE) if line["kind"] == "visit")
    assert validator.is_valid({**line, "phase_of_the_moon": "full"})
    assert validator.is_valid({"kind": "weather", "point": 7})
