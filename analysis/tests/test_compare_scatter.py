"""What visits and campaigns differ by in any case is no change, and does not hide one."""

import math
import random
from statistics import median

import pytest

from syncmeter_analysis.relate.pairings import pairs_of_files
from syncmeter_analysis.relate.relation import Ratio
from syncmeter_analysis.relate.scatter import ratios_of_campaigns
from tests.made import point, read, results, visits, write
from tests.two_campaigns import both, many, notes_of, steady


@pytest.mark.slow
def test_a_against_a_reports_nothing_in_95_of_100_pairs():
    # Without a threshold, so that only Holm and Welch stand between noise and a finding.
    made = [results(f"{i}", many(i, 40)) for i in range(200)]
    quiet = sum(
        pairs_of_files(old, new, threshold=0.0).resolved == []
        for old, new in zip(made[::2], made[1::2], strict=True)
    )
    assert quiet >= 95


def family(seed, scatter, n=12, visits_each=3, factors=()):
    """Points of one op that scatter alike; `factors` by number make some of them slower."""
    rng = random.Random(seed)
    lines = []
    for i in range(n):
        cost = 10.0 * dict(factors).get(i, 1.0)
        costs = [cost * rng.lognormvariate(0, scatter) for _ in range(visits_each)]
        lines += visits(costs, point(lanes=i + 2))
    return lines


def test_points_of_one_op_say_together_how_they_scatter(tmp_path):
    c = both(tmp_path, family(1, 0.02), family(2, 0.02, factors=[(3, 1.3)]))
    (found,) = c.resolved
    assert found.new.point.lanes == 5 and found.ratio.value == pytest.approx(1.3, rel=0.1)
    # Three visits of the point alone resolve no such change among twelve.
    alone = [x for x in family(1, 0.02) if x["point"]["lanes"] == 5]
    slower = [x for x in family(2, 0.02, factors=[(3, 1.3)]) if x["point"]["lanes"] == 5]
    wide = both(tmp_path, alone, slower).compared[0].ratio
    assert found.ratio.high / found.ratio.low < wide.high / wide.low


def test_nothing_is_found_among_points_that_scatter_unlike(tmp_path):
    wrong = 0
    for seed in range(20):
        rng = random.Random(seed)
        scatters = [rng.choice((0.01, 0.1, 0.4)) for _ in range(30)]
        sides = []
        for _ in range(2):
            sides.append([])
            for i, scatter in enumerate(scatters):
                costs = [10 * rng.lognormvariate(0, scatter) for _ in range(4)]
                # One visit in ten has a neighbour.
                costs = [x * (1.5 if rng.random() < 0.1 else 1) for x in costs]
                sides[-1] += visits(costs, point(f"op{i % 6}", lanes=i + 2))
        wrong += bool(both(tmp_path, *sides).resolved)
    assert wrong <= 2


def noisy(rng, costs):
    return steady(rng, costs, 0.03)


def skewed(rng, costs):
    return [x * (1 + rng.expovariate(20)) for x in costs]


def in_two_modes(rng, costs):
    return [x * (1.6 if rng.random() < 0.1 else 1.0) for x in steady(rng, costs)]


def drifting(rng, costs):
    slope = rng.gauss(0, 0.02)
    return [x * math.exp(slope * i) for i, x in enumerate(steady(rng, costs))]


def of_one_kind(rng, between=0.0, factors=(), scattered=steady, n=24):
    """Points that meet nobody, each off by so much (standard deviation) in this campaign."""
    lines = []
    for i in range(n):
        cost = 10.0 * dict(factors).get(i, 1.0) * rng.lognormvariate(0, between)
        lines += visits(scattered(rng, [cost] * 6), point(f"op{i}"))
    return lines


def test_ten_percent_are_found_where_campaigns_agree(tmp_path):
    hits = 0
    for seed in range(20):
        rng = random.Random(seed)
        c = both(tmp_path, of_one_kind(rng, 0.003), of_one_kind(rng, 0.003, [(7, 1.1)]))
        hits += [d.new.point.op for d in c.resolved] == ["op7"]
    assert hits >= 19


def test_what_campaigns_differ_by_beyond_their_visits_is_no_change(tmp_path):
    rng = random.Random(1)
    wrong = 0
    for _ in range(20):
        sides = (of_one_kind(rng, 0.05, scattered=noisy) for _ in range(2))
        c = both(tmp_path, *sides)
        wrong += bool(c.resolved)
    assert wrong <= 2
    (note,) = (note for note in notes_of(c) if "beyond what their visits say" in note)
    assert "one thread" in note or "threads apart" in note


@pytest.mark.parametrize("scattered", [skewed, in_two_modes, drifting])
def test_visits_that_are_not_normal_raise_no_false_alarms(tmp_path, scattered):
    rng = random.Random(2)
    wrong = 0
    for _ in range(20):
        sides = (of_one_kind(rng, 0.01, scattered=scattered) for _ in range(2))
        wrong += bool(both(tmp_path, *sides).resolved)
    assert wrong <= 2


def test_points_that_all_became_slower_are_found(tmp_path):
    rng = random.Random(3)
    slower = [(i, 1.2) for i in range(24)]
    c = both(tmp_path, of_one_kind(rng, 0.003), of_one_kind(rng, 0.003, slower))
    assert (c.status, len(c.slower)) == (1, 24)


def of_two_lanes(rng, factors=()):
    """Ops that two lanes do where they meet, the first of them a lock."""
    lines = []
    for i in range(20):
        costs = steady(rng, [40.0 * dict(factors).get(i, 1.0) * rng.lognormvariate(0, 0.01)] * 6)
        family = "atomic" if i else "critical"
        what = point(f"op{i}", lanes=2)
        lines += visits(costs, what, family=family, estimate={"hop_ns": 60.0})
    return lines


@pytest.mark.parametrize(
    ("at", "times", "found"), [(0, 1.7, 0), (0, 10, 1), (1, 1.25, 0), (1, 1.7, 1)]
)
def test_two_lanes_take_turns_otherwise_in_another_campaign(tmp_path, at, times, found):
    rng = random.Random(4)
    c = both(tmp_path, of_two_lanes(rng), of_two_lanes(rng, [(at, times)]))
    assert [d.new.point.op for d in c.resolved] == [f"op{at}"] * found


def test_scatter_between_campaigns_is_estimated_without_bias(tmp_path):
    rng = random.Random(3)
    old, new = [], []
    for i in range(200):
        moved = rng.lognormvariate(0, 0.02)
        old += visits(steady(rng, [10.0] * 5, 0.01), point(f"op{i}", lanes=4))
        new += visits(steady(rng, [10.0 * moved] * 5, 0.01), point(f"op{i}", lanes=4))
    pairs = [
        (before, after)
        for before, after in zip(
            read(write(tmp_path / "old", old)).points.values(),
            read(write(tmp_path / "new", new)).points.values(),
            strict=True,
        )
    ]
    errors = [r.error for r in ratios_of_campaigns(pairs) if isinstance(r, Ratio)]
    assert len(errors) == 200
    assert median(errors) == pytest.approx(math.hypot(0.02, 0.01 * math.sqrt(2 / 5)), rel=0.15)
