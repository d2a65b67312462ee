"""How well campaigns repeat, worked out of what results files of every kind and age have."""

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).parents[1] / "benchmarks" / "agreement.py"


def cost(value, scatter):
    return {"value": value, "low": value * (1 - scatter), "high": value * (1 + scatter)}


def campaign(path, costs, estimates):
    """A campaign of one point without a pairing, and one visit with each estimate."""
    line = {"point": {"op": "atomic_add", "lanes": 32}, "status": "ok", "family": "atomic"}
    lines = [line | {"kind": "point", "states": [costs]}]
    lines += [line | {"kind": "visit", "estimates": [estimate]} for estimate in estimates]
    path.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
    return path


def printed(*paths):
    run = subprocess.run([sys.executable, PROGRAM, *paths], capture_output=True, text=True, check=True)
    return " ".join(run.stdout.split())


def test_points_without_cycles_are_compared_in_ns(tmp_path):
    files = [campaign(tmp_path / str(ns), {"cost_ns": cost(ns, 0.0)}, [{"cost_ns": cost(ns, 0.0)}]) for ns in (100, 103)]
    assert "all 1 points, within 1.0%: 0.0%, expected 100.0%" in printed(*files)


def test_errors_are_of_the_unit_that_is_compared(tmp_path):
    """The clock moved between the rounds of these visits, and the cycles did not."""
    costs = {"cost_ns": cost(10.0, 0.3), "cost_cycles": cost(18.0, 0.0)}
    one, other = (campaign(tmp_path / name, costs, [costs]) for name in "ab")
    assert "all 1 points, within 1.0%: 100.0%, expected 100.0%" in printed(one, other)


def test_points_without_visits_are_left_out_and_counted(tmp_path):
    one, other = (campaign(tmp_path / name, {"cost_ns": cost(10.0, 0.1)}, []) for name in "ab")
    assert printed(one, other) == "1 points without a visit's interval in some file: left out"
