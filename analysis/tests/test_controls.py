"""The controls of a report: costs that are known beforehand."""

import math

import pytest

from syncmeter_analysis.conclude.conclusion import Kind
from syncmeter_analysis.conclude.studies import control
from syncmeter_analysis.relate.known_costs import Control, Known, Miss, known_costs
from syncmeter_analysis.studies import sections
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
    (found,) = known_costs(c).controls
    assert found.kind == ("good" if good else "bad"), found.found


def empty_op(ns):
    """An empty op that costs so much, in every visit."""
    interval = {"value": ns, "low": ns * 0.9, "high": ns * 1.1}
    return visits([ns] * 5, point("control_aa"), family="control", estimate={"cost_ns": interval})


def test_a_small_miss_doubts_small_differences_only(tmp_path):
    head = report(tmp_path, updates(), empty_op(0.01)).head
    missed = "A known-cost control missed by 0.010 ns: ignore smaller differences."
    assert missed in head.verdict
    assert head.kind == "unclear"
    assert any("critical" in card.text for card in head.cards)


def test_no_advice_stands_beside_a_control_that_missed_by_as_much_as_costs_differ(tmp_path):
    head = report(tmp_path, updates(), empty_op(9.0)).head
    assert "(known-cost control failed): trust no figure." in head.verdict
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


def campaign_with(tmp_path, *lines, study="control"):
    return read(write(tmp_path / "f.jsonl", *lines, first=campaign(options={"study": study})))


def multiplies(*factors):
    return [
        visits([0.75 * k] * 5, point(f"control_multiply_{n}", type="int32"), family="control")
        for n, k in factors
    ]


def test_costs_can_be_trusted_if_all_controls_are_as_expected(tmp_path):
    c = campaign_with(tmp_path, empty_ops(0, 20), *multiplies((1, 1), (2, 2)))
    (found,) = control.conclude(c)
    assert (found.kind, found.question) == (Kind.keep, "known_costs")
    assert [(x.name, x.value, x.compared) for x in found.conditions] == [("as_expected", 2, 2)]
    (section,) = sections(c, ["control"])
    assert section.screen.sentences == [
        "Trust the costs and ratios of this machine within their intervals. 2 of 2 known costs came "
        "out as expected."
    ]
    assert "Known-cost controls passed." in section.screen.details
    assert section.screen.next


def test_a_missed_control_says_how_large_a_difference_is_hidden(tmp_path):
    c = campaign_with(tmp_path, empty_ops(0, 20), *multiplies((1, 1), (2, 3)))
    (found,) = control.conclude(c)
    assert (found.kind, found.question) == (Kind.undecided, "missed_costs")
    missed, expected = found.conditions
    assert (missed.name, missed.value) == ("missed_share", pytest.approx(0.5))
    assert (expected.value, expected.compared) == (1, 2)
    (section,) = sections(c, ["control"])
    (text,) = section.screen.sentences
    assert "Ignore differences up to 50 %. 1 of 2 known costs came out as expected." in text
    assert section.screen.next.endswith("syncmeter run --study control --repetitions 9")
    bad = [row for row in section.text[0].rows if row[-1].kind == "bad"]
    assert [cell.text for cell in bad[0]] == [
        "2 planted multiplies (omp)",
        "2 times one",
        "3.00 times",
        "not as expected",
    ]


def test_another_study_has_its_controls_in_the_reliability(tmp_path):
    c = campaign_with(tmp_path, empty_ops(0, 20), study="quick")
    assert known_costs(c)
    assert control.conclude(c) == []
    assert sections(c, ["control"]) == []


def test_costs_are_undecided_if_a_control_cannot_be_judged(tmp_path, monkeypatch):
    controls = [
        Control(what, "3 cycles", found, kind)
        for what, found, kind in (("one", "3.00", "good"), ("other", "5.00", "unclear"))
    ]
    monkeypatch.setattr(control, "asked_costs", lambda _: Known(controls))
    (found,) = control.conclude(campaign_with(tmp_path, empty_ops(0, 20)))
    assert (found.kind, found.question) == (Kind.undecided, "known_costs")
    assert [(x.name, x.value) for x in found.conditions] == [("as_expected", 1), ("not_judged", 1)]


def test_an_unknown_miss_trusts_no_cost(tmp_path, monkeypatch):
    unknown = Known([Control("one", "3", "5", "bad")], Miss(math.inf, math.inf))
    monkeypatch.setattr(control, "asked_costs", lambda _: unknown)
    (found,) = control.conclude(campaign_with(tmp_path, empty_ops(0, 20)))
    assert [x.name for x in found.conditions] == ["missed", "as_expected"]
