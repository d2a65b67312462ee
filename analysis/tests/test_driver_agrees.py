"""Both readers say of every shape of visits what tests/data/estimates says, column by column."""

import csv
import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from syncmeter_analysis.formats.columns import columns, row
from tests.made import read

folder = os.environ.get("SYNCMETER_BIN")
driver = Path(folder) / "syncmeter" if folder else shutil.which("syncmeter")

shapes = Path(__file__).parents[2] / "tests" / "data" / "estimates"
expected = json.loads((shapes / "expected.json").read_text())
by_number = pytest.mark.parametrize("number", expected, ids=lambda n: expected[n]["shape"])


def compare(found, number, digits):
    wanted = {name: value for name, value in expected[number].items() if name != "shape"}
    assert len(wanted) > 25
    for name, value in wanted.items():
        if isinstance(value, float):
            assert found[name] == pytest.approx(value, rel=digits), name
        else:
            assert found[name] == value, name


@pytest.fixture(scope="module")
def ours():
    points = read(shapes / "shapes.jsonl").points.values()
    return {str(s.point.repeat): [row(state) for state in (s, *s.other_states)] for s in points}


@pytest.fixture(scope="module")
def drivers(tmp_path_factory):
    table = tmp_path_factory.mktemp("show") / "f.csv"
    show = [str(driver), "show", str(shapes / "shapes.jsonl"), "--csv", str(table)]
    shown = subprocess.run(show, capture_output=True, text=True)
    assert shown.returncode == 1, shown.stderr  # some of the shapes are points that failed
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    known = [column for column in columns if column.name in rows[0]]
    found = defaultdict(list)
    for r in rows:
        found[r["repeat"]].append({c.name: c.read(r[c.name]) for c in known})
    return found


def test_there_are_shapes_enough(ours):
    assert len(expected) >= 30
    assert set(ours) == set(expected)


@by_number
def test_ours_are_as_expected(ours, number):
    compare(ours[number][0], number, 1e-9)


@pytest.mark.skipif(not driver, reason="SYNCMETER_BIN is not set and syncmeter is not on PATH")
@by_number
def test_the_drivers_are_as_expected(drivers, number):
    compare(drivers[number][0], number, 1e-6)


@pytest.mark.skipif(not driver, reason="SYNCMETER_BIN is not set and syncmeter is not on PATH")
def test_each_other_state_has_a_row_and_is_the_same_in_both(ours, drivers):
    several = 0
    for number, states in drivers.items():
        several += len(states) > 1
        for theirs, mine in zip(states, ours[number], strict=True):
            assert [theirs["headline"], mine["headline"]] == [theirs is states[0]] * 2
            for name, value in theirs.items() if theirs is not states[0] else ():
                wanted = pytest.approx(value, rel=1e-6) if isinstance(value, float) else value
                assert mine[name] == wanted, (number, name)
    assert several >= 10


@pytest.mark.skipif(not driver, reason="SYNCMETER_BIN is not set and syncmeter is not on PATH")
def test_the_driver_has_the_same_points(drivers):
    assert set(drivers) == set(expected)


def test_the_shapes_are_what_their_script_writes(tmp_path):
    for path in shapes.glob("*.py"):
        shutil.copy(path, tmp_path)
    subprocess.run([sys.executable, str(tmp_path / "make_shapes.py")], check=True)
    for name in ("shapes.jsonl", "expected.json"):
        assert (tmp_path / name).read_text() == (shapes / name).read_text()
