"""The controls of a report: costs that are known beforehand."""

import math

import pytest

from syncmeter_analysis.studies import control
from syncmeter_analysis.studies.blocks import Cell
from syncmeter_analysis.studies.control import Miss, known_costs
from tests.made import campaign, point, read, visits, write
from tests.test_first_screen import report, updates


def empty_ops(resolved, points):
    """A/A points of which so many are resolved, though there is nothing to be resolved."""
    cost = {True: [1.0] * 5, False: [-1.0, 1.0, -1.0, 1.0, 0.0]}
    return [
        line
        for i in range(points)
        for line in visits(cost[i < resolved], point("control_aa", repeat=i + 1), family="control")
    ]


# By chance one of 20 is resolved. A single one in a few is none, nor are more than 8 of 100.
@pytest.mark.parametrize(
    ("resolved", "points", "good"),
    [(0, 1, True), (1, 1, False), (1, 2, False), (1, 20, True), (3, 20, False), (8, 100, True),
     (9, 100, False)],
)  # fmt: skip
def test_empty_ops_are_resolved_as_seldom_as_chance_has_it(tmp_path, resolved, points, good):
    c = read(write(tmp_path / "f.jsonl", empty_ops(resolved, points), first=campaign()))
    (row,) = known_costs(c).rows
    assert row[-1].kind == ("good" if good else "bad"), row[-2]


def empty_op(ns):
    """An empty op that costs so much, in every visit."""
    interval = {"value": ns, "low": ns * 0.9, "high": ns * 1.1}
    return visits([ns] * 5, point("control_aa"), family="control", estimate={"cost_ns": interval})


def test_a_small_miss_doubts_small_differences_only(tmp_path):
    head = report(tmp_path, updates(), empty_op(0.01)).head
    assert "a control missed by 0.0100 ns, so that differences no larger are" in head.verdict
    assert (head.kind, "; a control missed by 0.0100 ns" in head.answers[-1]) == ("unclear", True)
    assert any(card.text.startswith("Replace critical sections") for card in head.cards)


def test_no_advice_stands_beside_a_control_that_missed_by_as_much_as_costs_differ(tmp_path):
    head = report(tmp_path, updates(), empty_op(9.0)).head
    assert "a control failed, so that ratios and costs are doubtful" in head.verdict
    assert (head.kind, head.cards) == ("bad", [])


@pytest.mark.parametrize(
    ("miss", "over", "under", "hidden"),
    [
        (Miss(), 2.0, 2.0, False),
        (Miss(ns=1.0), 12.5, 10.0, False),
        (Miss(ns=1.0), 11.5, 10.0, True),
        (Miss(share=0.1), 12.2, 10.0, False),
        (Miss(ns=0.01), 5.0, 5.0, False),
        (Miss(ns=1.0), 5.0, 5.0, True),
        (Miss(share=0.1), 10.0, 12.0, True),
        (Miss(math.inf, math.inf), 1e9, 1.0, True),
    ],
)
def test_what_a_miss_may_explain(miss, over, under, hidden):
    assert miss.hides(over, under) == hidden


def answer_of(tmp_path, *lines, study="control"):
    c = read(write(tmp_path / "f.jsonl", *lines, first=campaign(options={"study": study})))
    return control.answer(control.rows(c)) if control.rows(c) else []


def multiplies(*factors):
    return [
        visits([0.75 * k] * 5, point(f"control_multiply_{n}", type="int32"), family="control")
        for n, k in factors
    ]


def test_the_study_answers_whether_costs_can_be_trusted(tmp_path):
    good = answer_of(tmp_path, empty_ops(0, 20), *multiplies((1, 1), (2, 2)))
    assert good == [
        "trust costs and ratios within their intervals here, because 2 of 2 known costs came out as "
        "expected: an empty op (omp) 20 of 20 not resolved and 2 planted multiplies (omp) 2.00 times"
    ]
    first, second = answer_of(tmp_path, empty_ops(0, 20), *multiplies((1, 1), (2, 3)))
    assert first.startswith(
        "trust no difference up to 50.0 % here, because 1 of 2 known costs came out as expected"
    )
    assert "`syncmeter run --study control --visits 9`" in first
    assert second == "2 planted multiplies (omp): 3.00 times, expected 2 times one: not as expected"
    assert answer_of(tmp_path, empty_ops(0, 20), study="quick") == []


def test_costs_are_not_trusted_where_a_known_one_cannot_be_judged():
    rows = [
        [Cell(what), Cell("3 cycles"), Cell(found), Cell("", kind=kind)]
        for what, found, kind in (("one", "3.00", "good"), ("other", "5.00", "unclear"))
    ]
    first, second = control.answer(control.Known(rows, Miss()))
    assert first == (
        "cannot tell whether costs can be trusted: 1 of 2 known costs cannot be judged; 1 came out as "
        "expected: one 3.00"
    )
    assert second == "other: 5.00, expected 3 cycles: cannot tell"
