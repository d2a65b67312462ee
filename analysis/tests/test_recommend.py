"""Recommendations: the conclusions of all studies in the order of their gain, without doubles."""

import pytest

from syncmeter_analysis.conclude.conclusion import (
    Conclusion,
    Effect,
    Grade,
    Kind,
    Situation,
    Subject,
)
from syncmeter_analysis.conclude.recommend import recommend


def named(op):
    return Subject("omp", op) if op else None


def made(kind, op, reference="", *, low=None, question="", threads=2, **more):
    """A conclusion with its own question and evidence, unless these are given."""
    effect = more.pop("effect", Effect("speedup", low * 1.1, low, low * 1.2) if low else None)
    situation = Situation(
        threads=threads,
        work=more.pop("work", "work"),
        blocks=more.pop("blocks", 0),
        crowded=more.pop("crowded", False),
    )
    return Conclusion(
        kind=Kind(kind),
        question=question or f"{kind} {op}",
        situation=situation,
        subjects=(named(op),),
        reference=named(reference),
        effect=effect,
        grade=more.pop("grade", Grade.measured),
        evidence=tuple(more.pop("evidence", (f"{op}{threads}", f"{reference}{threads}"))),
    )


def chosen(*conclusions, **more):
    found = recommend([("a", conclusions)], **more)
    return [r.conclusion.subjects[0].op for r in found.chosen]


def threshold(op, **more):
    return made("use", op, effect=Effect("threshold", 1000.0), grade=Grade.predicted, **more)


def test_gains_come_first_then_thresholds_then_what_to_keep():
    found = [
        made("any", "any_lock", "any_lock", low=1.01),
        made("keep", "kept", "kept", low=1.05),
        made("use", "no_gain", "x"),
        threshold("region"),
        made("use", "small", "y", low=1.2),
        made("avoid", "bad", "z", low=5.0, effect=Effect("slowdown", 6.0, 5.0, 7.0)),
        made("use", "large", "w", low=8.0),
    ]
    order = ["large", "bad", "small", "region", "no_gain", "kept", "any_lock"]
    assert chosen(*found, most=9) == order


def test_the_lower_end_of_the_interval_counts():
    wild = made("use", "wild", "x", effect=Effect("speedup", 20.0, 1.1, 300.0))
    assert chosen(wild, made("use", "sure", "y", low=2.0)) == ["sure", "wild"]


def test_at_most_five_and_the_others_are_counted():
    found = [made("use", f"op{i}", f"ref{i}", low=2.0 + i) for i in range(7)]
    open_ = made("undecided", "x", "y")
    ranked = recommend([("a", found[:4]), ("b", [*found[4:], open_])])
    assert [r.conclusion.subjects[0].op for r in ranked.chosen] == [
        f"op{i}" for i in range(6, 1, -1)
    ]
    assert [r.study for r in ranked.chosen] == ["b", "b", "b", "a", "a"]
    assert (ranked.further, ranked.undecided) == (2, 1)


@pytest.mark.parametrize(
    ("other", "kept"),
    [
        (made("use", "fast", "slow", low=3.0, question="b", work="c"), ["fast"]),
        (made("avoid", "slow", "fast", low=3.0, question="b"), ["fast"]),
        (made("use", "c", "d", low=3.0, evidence=("slow2", "fast2")), ["fast"]),
        (made("use", "c", "slow", low=3.0), ["fast", "c"]),
    ],
)
def test_doubles_are_dropped(other, kept):
    assert chosen(made("use", "fast", "slow", low=4.0), other) == kept


def test_the_most_threads_answer_a_question():
    few = made("use", "a", "x", low=9.0, question="q", threads=2)
    many = made("use", "b", "x", low=2.0, question="q", threads=64)
    crowded = made("use", "c", "x", low=5.0, question="q", threads=128, crowded=True)
    assert chosen(few, many, crowded) == ["b"]
    warp = made("use", "a", "x", low=9.0, question="q", threads=32, blocks=1)
    grid = made("use", "b", "x", low=2.0, question="q", threads=1024, blocks=132)
    assert chosen(warp, grid) == ["b"]


def test_an_open_question_for_all_threads_is_not_answered_by_few():
    few = made("keep", "a", "a", low=1.01, question="q", threads=1)
    many = made("undecided", "a", "a", question="q", threads=2)
    found = recommend([("a", [few, many])])
    assert (found.chosen, found.undecided) == ((), 1)


@pytest.mark.parametrize(
    ("other", "kept"),
    [
        (made("use", "slow", "fast", low=9.0, grade=Grade.predicted), ["fast"]),
        (made("use", "slow", "fast", low=9.0, threads=4), ["slow", "fast"]),
        (made("avoid", "fast", "c", low=9.0, grade=Grade.predicted), ["fast"]),
        # The atomic operation that replaces a lock leaves the choice between locks open.
        (made("keep", "slow", "slow", low=1.01), ["fast", "slow"]),
    ],
)
def test_the_better_founded_of_two_opposites_stays(other, kept):
    evidence = (f"{other.subjects[0].op} other",)
    other = Conclusion(
        **{m: getattr(other, m) for m in other.__slots__ if m != "evidence"}, evidence=evidence
    )
    assert chosen(other, made("use", "fast", "slow", low=4.0)) == kept


def test_several_warnings_answer_one_question():
    bad = [
        made("avoid", op, "m", low=3.0, question="q", effect=Effect("slowdown", 4.0, 3.0, 5.0))
        for op in "ab"
    ]
    assert chosen(*bad) == ["a", "b"]


def test_nothing_gives_nothing():
    assert recommend([("a", [])]) == recommend([])
