"""The schema of the worker protocol: what real workers say fits it, and what is wrong does not."""

import copy
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

jsonschema = pytest.importorskip("jsonschema")

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs/schema/worker-protocol.schema.json").read_text(encoding="utf-8"))
POINT = {"op": "atomic_add", "type": "int32", "placement": "shared", "lanes": 1, "order": "relaxed"}


def workers():
    """Those that were built, by name."""
    where = os.environ.get("SYNCMETER_BIN")
    if not where:
        return []
    found = sorted(p for p in Path(where).glob("syncmeter-*") if not p.suffix)
    return [p for p in found if p.name != "syncmeter-report"]


def ask(worker, *arguments, requests=()):
    text = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run(
        [worker, *arguments], input=text, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def lines_of(worker):
    (capabilities,) = ask(worker, "--capabilities")
    backend = capabilities["backends"][0]["name"]
    options = {"max_time_ns": 2e6, "min_sample_ns": 2e4, "precision": 0.05, "seed": 7}
    point = {"point": {**POINT, "backend": backend}, "pus": [-1], "visit": 1, "options": options}
    requests = [
        {"kind": "hello", "id": 1},
        {"kind": "measure", "id": 2, **point},
        {"kind": "probe", "id": 3, "pus": [0, 0], "seconds": 0.01},
        {"kind": "dance", "id": 4},
    ]
    return [capabilities, *ask(worker, requests=requests)]


@pytest.fixture(scope="module", params=workers(), ids=lambda path: path.name)
def worker_lines(request):
    return lines_of(request.param)


def valid(line):
    return jsonschema.Draft202012Validator(SCHEMA).is_valid(line)


@pytest.fixture(scope="module")
def fitting(worker_lines):
    """The first line of each kind, looked through once: that of capabilities takes long."""
    lines = {line["kind"]: line for line in reversed(worker_lines)}
    assert all(map(valid, lines.values()))
    return lines


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_what_workers_say_fits(worker_lines):
    assert {"capabilities", "worker", "accepted", "visit", "error"} <= {
        line["kind"] for line in worker_lines
    }
    for line in worker_lines:
        jsonschema.Draft202012Validator(SCHEMA).validate(line)


CHANGES = [
    ("capabilities", ["protocol"], 2),
    ("capabilities", ["protocol_minor"], -1),
    ("capabilities", ["build"], {}),
    ("capabilities", ["backends", 0, "name"], "my own"),
    ("capabilities", ["ops", 0, "order"], "eventual"),
    ("capabilities", ["ops", 0, "supported"], "yes"),
    ("worker", ["pid"], "1"),
    ("worker", ["environment"], []),
    ("accepted", ["predicted_ns"], -1),
    ("visit", ["status"], "splendid"),
    ("visit", ["visit"], 0),
    ("visit", ["point"], {}),
    ("error", ["text"], None),
]


@pytest.mark.parametrize("kind, path, value", CHANGES, ids=lambda x: str(x))
def test_what_is_wrong_does_not_fit(fitting, kind, path, value):
    line = copy.deepcopy(fitting[kind])
    *outer, last = path
    place = line
    for step in outer:
        place = place[step]
    place[last] = value
    assert not valid(line)


def test_it_has_the_words_of_the_document():
    text = (ROOT / "docs/reference/worker-protocol.md").read_text(encoding="utf-8")
    statuses = re.findall(r"`(\w+)`", re.search(r"Statuses are ([^.]+)\.", text)[1])
    assert SCHEMA["$defs"]["visit"]["properties"]["status"]["enum"] == statuses
