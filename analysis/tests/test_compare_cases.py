"""Gates that once passed blind, planted in stored campaigns: each is found, or named as blind."""

import importlib.util
import lzma
import random
from dataclasses import replace
from pathlib import Path

import pytest

from syncmeter_analysis.relate.campaign import read_campaign
from syncmeter_analysis.relate.relation import Verdict
from syncmeter_analysis.relate.visit_pairs import kind_of
from tests.made import around, point, read, visits, write

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def power():
    """The script that prints the tables of docs/evidence/comparisons.md."""
    spec = importlib.util.spec_from_file_location("power", ROOT / "docs/evidence/compare_power.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A stored campaign twice, as two files."""

    def twice(name):
        found = []
        for side in ("old", "new"):
            path = tmp_path_factory.mktemp(side) / f"{side}.jsonl"
            packed = (ROOT / f"docs/measurements/{name}.jsonl.xz").read_bytes()
            path.write_bytes(lzma.decompress(packed))
            found.append(read_campaign([str(path)]).points)
        return found

    return twice


def test_a_critical_section_ten_times_slower_is_found(power, stored):
    c, unsaid = power.case(*stored("2-vcpu-quick"), ("critical_add",), 10, None)
    assert c.status == 1 and not unsaid
    assert {d.new.point.op for d in c.slower} == {"critical_add"}


def test_a_launch_twice_as_slow_is_found_or_named_as_blind(power, stored):
    c, unsaid = power.case(*stored("h200-quick"), ("additional_launch",), 2, None)
    assert c.status in (1, 3) and not unsaid
    assert {d.new.point.op for d in c.slower} <= {"additional_launch"}


def test_a_barrier_five_times_slower_in_two_visits_is_found_or_named(power, stored):
    c, unsaid = power.case(*stored("2-vcpu-quick"), ("barrier",), 5, 2)
    assert c.status in (1, 3) and not unsaid


def test_nothing_is_slower_in_the_same_and_what_is_blind_is_named(power, stored):
    c, _ = power.case(*stored("h200-quick"), (), 1, None)
    assert c.resolved == []
    assert c.status == (3 if c.blind or c.apart else 0)
    inside = [d for d in c.compared if kind_of(d.new) == "inside the GPU"]
    assert sum(d in c.blind for d in inside) < 0.2 * len(inside)


def test_sleeping_threads_that_wake_in_47_us_are_slower(power, tmp_path):
    rng = random.Random(1)
    active = visits(around(240.0, 7), point("barrier", lanes=2), estimate={"hop_ns": 60.0})
    late = [47e3 * rng.lognormvariate(0, 0.7) for _ in range(7)]
    passive = visits(late, point("barrier", lanes=2), estimate={"hop_ns": 60.0})
    old, new = (
        read(write(tmp_path / name, lines, visits(around(5.0, 7), point("calm")))).points
        for name, lines in (("a", active), ("b", passive))
    )
    c = power.compared(old, {key: replace(s) for key, s in new.items()})
    assert c.status == 1
    assert [d.new.point.op for d in c.slower] == ["barrier"]
    assert c.slower[0].verdict is Verdict.slower
