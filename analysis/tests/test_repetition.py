"""How far a repetition lands: how often it does, in campaigns of which all is known."""

import math
import random
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from syncmeter_analysis.relate.evidence import Pair, Pairs
from syncmeter_analysis.relate.relation import ratio_by_visit
from syncmeter_analysis.relate.repetition import Repeats, repetition
from tests.made import MACHINE, campaign, point, read, visits, write

SHAPES = {
    "normal": lambda rng: rng.gauss(0, 1),
    "skewed": lambda rng: rng.expovariate(1),
    "with tails": lambda rng: rng.gauss(0, 1) / math.sqrt(rng.gammavariate(1.5, 2) / 3),
}
OPS = [f"atomic_{name}" for name in ("add", "sub", "max", "min", "and", "or", "xor", "exchange")]
UNKNOWN_CLOCK = {**MACHINE, "hypervisor": True, "turbo": "unknown"}


def measured(path, rng, draw, ops=OPS, number=5, clock=0.0, scatter=0.05, machine=MACHINE, **axes):
    """A campaign whose visits scatter so, on a core whose clock was off by `clock` throughout."""
    hop = {"estimate": {"hop_ns": 60.0}} if axes.get("lanes", 1) > 1 else {}
    lines = []
    for op in ops:
        costs = [20 * math.exp(clock + scatter * draw(rng)) for _ in range(number)]
        lines += visits(costs, point(op, **axes), **hop)
    return read(write(path, lines, first=campaign(machine=machine)))


def lands(tmp_path, shape, pairs, **given):
    """The share of the costs of one campaign that are within what another says."""
    rng, inside = random.Random(11), []
    for n in range(pairs):
        first, second = (
            measured(
                tmp_path / f"{side}{n}.jsonl",
                rng,
                SHAPES[shape],
                clock=rng.gauss(0, 0.03),
                machine=UNKNOWN_CLOCK,
                **given,
            )
            for side in ("a", "b")
        )
        (ratio,) = repetition(first).values()
        for key, s in first.points.items():
            apart = abs(math.log(second.points[key].cost.value / s.cost.value))
            inside.append(apart <= math.log(ratio))
    return sum(inside) / len(inside)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("number", [3, 5, 9])
def test_nine_of_ten_land_there(tmp_path, shape, number):
    assert 0.83 < lands(tmp_path, shape, pairs=40, number=number) < 0.97


def test_a_clock_that_stays_where_it_is_throughout_a_campaign_is_reckoned_with(tmp_path):
    # Visits agree to 0.1 %, and yet all of them are 3 % off.
    assert lands(tmp_path, "normal", pairs=100, scatter=0.001) > 0.83


def test_one_point_says_less_than_many(tmp_path):
    # Three visits: beyond them is more than between them.
    assert lands(tmp_path, "normal", pairs=150, ops=OPS[:1], number=3, scatter=0.2) > 0.84


def test_where_the_clock_is_fixed_a_repetition_lands_nearer(tmp_path):
    fixed, moves = (
        measured(
            tmp_path / f"{i}.jsonl", random.Random(1), SHAPES["normal"], scatter=0.001, machine=m
        )
        for i, m in enumerate((MACHINE, UNKNOWN_CLOCK))
    )
    assert repetition(fixed)["one thread"] < 1.005
    assert repetition(moves)["one thread"] > 1.05


def test_two_threads_that_meet_land_farther_than_sixteen(tmp_path):
    two, many = (
        measured(
            tmp_path / f"{n}.jsonl", random.Random(1), SHAPES["normal"], scatter=0.001, lanes=n
        )
        for n in (2, 16)
    )
    assert repetition(two)["threads that meet"] > 1.1
    assert repetition(many)["threads that meet"] < 1.005


# Whether a repeat would decide the same


@cache
def points_of(lanes):
    """A critical section and an atomic add, of so many threads."""
    hop = {"estimate": {"hop_ns": 60.0}} if lanes > 1 else {}
    ops = ("critical_add", "atomic_add")
    lines = [visits([10.0] * 5, point(op, lanes=lanes), **hop) for op in ops]
    with TemporaryDirectory() as folder:
        c = read(write(Path(folder) / "f.jsonl", *lines, first=campaign()))
    return tuple(c.points.values())


def pair_of(ratios, lanes=1):
    """The two, with these ratios of their visits, as a claim compares them."""
    return Pair(*points_of(lanes), ratio_by_visit([(10.0 * r, 10.0) for r in ratios], None))


def scattered(factor, scatter, rng):
    return pair_of([factor * math.exp(scatter * rng.gauss(0, 1)) for _ in range(5)])


def beyond_a_tenth(pairs):
    return "slower" if pairs.typical.low > 1.1 else "cannot tell"


def decide_alike(pair, *others):
    return Repeats([pair, *others]).decide_alike(Pairs([pair]), beyond_a_tenth)


@pytest.mark.parametrize(
    ("factor", "scatter", "alike"),
    [(1.5, 0.02, True), (1.15, 0.02, False), (1.15, 0.002, True)],
)
def test_a_repeat_decides_alike_where_the_bound_is_far_enough(factor, scatter, alike):
    pair = pair_of([factor * (1 + scatter * x) for x in (-1, -0.5, 0, 0.5, 1)])
    assert beyond_a_tenth(Pairs([pair])) == "slower"
    assert decide_alike(pair) is alike


def test_what_campaigns_differ_by_counts_where_the_visits_agree():
    ratios = [1.2, 1.201, 1.202, 1.203, 1.204]
    assert not decide_alike(pair_of(ratios, lanes=2))
    assert decide_alike(pair_of(ratios, lanes=16))


def test_pairs_that_agree_vouch_for_one_of_few_visits():
    rng = random.Random(3)
    one = pair_of([1.2, 1.21, 1.22])
    others = [scattered(2, 0.01, rng) for _ in range(20)]
    assert not decide_alike(one)
    assert decide_alike(one, *others)


def test_drawing_ends_where_all_that_were_drawn_decide_alike():
    """And makes no pairs where the typical ratio of many decides: a report took half a minute."""
    far, asked = pair_of([2.0, 2.01, 2.02]), []

    def decide(pairs):
        asked.append(pairs)
        return beyond_a_tenth(pairs)

    many = Pairs([far] * 6)
    assert Repeats(many.found).decide_alike(many, decide)
    assert len(asked) == 1 + 90  # 0.95 to the 90th is less than a hundredth
    assert not any("found" in vars(repeat) for repeat in asked[1:])
    asked.clear()
    assert Repeats(many.found).decide_alike(many, decide, share=0.99)
    assert len(asked) == 1 + 200


def test_what_is_to_repeat_does_so_in_campaigns_of_which_all_is_known():
    """Of comparisons at all distances from the bound; of all that it decides 90 % repeat."""
    rng, repeats = random.Random(5), []
    for _ in range(400):
        what = math.exp(rng.uniform(0.1, 0.25)), rng.choice((0.02, 0.05)), rng
        first, second = scattered(*what), scattered(*what)
        if beyond_a_tenth(Pairs([first])) == "slower" and decide_alike(first):
            repeats.append(beyond_a_tenth(Pairs([second])) == "slower")
    assert len(repeats) > 100
    assert sum(repeats) >= 0.95 * len(repeats)
