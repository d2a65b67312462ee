"""What many pairs of points say together, and which points are evidence at all."""

import math

import pytest

from syncmeter_analysis.claims.claim import cannot_tell, every, fails
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.record.point import point_from
from syncmeter_analysis.relate.evidence import Evidence, Pair, Pairs
from syncmeter_analysis.relate.relation import Ratio
from syncmeter_analysis.relate.summary import Measured
from tests.made import around, point, read, visits, write


def pairs(*intervals):
    """Pairs whose ratios have these intervals."""
    found = []
    for lanes, interval in enumerate(intervals, 1):
        over, under = (
            Measured(point_from(point(op, lanes=lanes)), "ok", "")
            for op in ("atomic_add", "plain_add")
        )
        found.append(Pair(over, under, Ratio(interval)))
    return Pairs(found)


def test_of_few_pairs_the_typical_ratio_is_no_surer_than_all_of_them():
    typical = pairs(Interval(1.1, 1.0, 1.2), Interval(2.2, 2.0, 2.4)).typical
    assert (typical.low, typical.high) == (1.0, 2.4)
    assert typical.value == pytest.approx(1.65)


@pytest.mark.parametrize(("n", "verdict"), [(3, cannot_tell), (30, fails)])
def test_few_figures_without_an_interval_contradict_nothing(n, verdict):
    """Three on one side are a chance of one in eight, thirty are none."""
    bare = [Interval(2.0, -math.inf, math.inf)] * n
    assert every(pairs(*bare), 0.0, 1.1).verdict == verdict


def test_what_was_oversubscribed_is_no_evidence(tmp_path):
    """A quota can be less than the machine has: the visit says so."""
    lines = [
        visits(around(5.0), point(lanes=2)),
        visits(around(9.0), point(lanes=4), oversubscribed=True),
        visits(around(9.0), point(lanes=32)),
    ]
    evidence = Evidence(read(write(tmp_path / "f", *lines)))
    assert [s.point.lanes for s in evidence.select("atomic_add")] == [2]
