"""The cards of the first screen: which advice, its effect and figure, and what to run next."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from syncmeter_analysis.claims import all_claims
from syncmeter_analysis.claims import judged as claims_of
from syncmeter_analysis.claims.claim import Finding, holds
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.record.machine import machine_of
from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.evidence import Evidence, busy_doubt
from syncmeter_analysis.relate.relation import Ratio
from syncmeter_analysis.relate.summary import State
from syncmeter_analysis.render.recommendations import cards, chosen, findings
from syncmeter_analysis.studies.figures import Figure
from tests.made import MACHINE, around, campaign, point, read, visits, write
from tests.test_first_screen import busy, controls, report, updates


def test_a_card_says_effect_scope_sides_and_figure(tmp_path):
    shown = report(tmp_path, updates(), controls()).head.cards
    card = next(c for c in shown if "Replace critical" in c.text)
    # Of the two points that are drawn, not a middle over 1 and 2 threads (2 and 10 times).
    assert card.effect.startswith("10.0 times slower (")
    assert card.where == "omp, int32, shared, 2 threads, placed close"
    assert [(b.name, b.cost) for b in card.bars] == [
        ("critical_add", "200.0 ns"),
        ("atomic_add", "20.00 ns"),
    ]
    assert [round(b.share, 3) for b in card.bars] == [1.0, 0.1]
    assert card.figure == "fig-updates"
    assert card.doubt == ""


def test_busy_evidence_makes_a_card_with_its_doubt_only_where_sound_ones_are_few(tmp_path):
    shown = report(tmp_path, busy(updates())).head.cards
    assert 0 < len(shown) <= 4
    assert all(card.doubt for card in shown)


def test_a_card_leads_to_the_figure_that_draws_most_of_its_points(tmp_path):
    c = read(write(tmp_path / "f.jsonl", updates(), controls(), first=campaign()))
    found = claims_of(Evidence(c))
    (points,) = [f.points for claim, f in found if claim.id == "omp-atomic-over-critical"]
    some, all_, other = (
        Figure(name, "", "", [], ids)
        for name, ids in (("some", points[:1]), ("all", points), ("other", ["x"]))
    )

    def target(figures, sections=()):
        cards_ = cards(found, figures, set(sections))
        return next(card.figure for card in cards_ if "Replace critical" in card.text)

    assert target([some, all_, other]) == "fig-all"
    assert target([some, other], ["by-threads"]) == "fig-some"
    assert target([other], ["by-threads"]) == "by-threads"
    assert target([other]) == ""


def judged(*parts):
    """A finding for each (effect, doubts), each of a claim of its own."""
    return [
        (claim, Finding(holds, Interval(x, x * 0.9, x * 1.1), "of", doubts=list(doubts)))
        for claim, (x, doubts) in zip(all_claims(), parts, strict=False)
    ]


def effects(found):
    return [f.effect.value for *_, f in chosen(found)]


def test_at_most_five_cards_the_most_consequential_first():
    assert effects(judged(*((x, ()) for x in (2, 9, 3, 8, 4, 7, 5)))) == [9, 8, 7, 5, 4]


def test_busy_evidence_fills_up_to_four_cards_behind_the_sound():
    busy_ones = [(x, [busy_doubt]) for x in (20, 30, 40, 50)]
    assert effects(judged((2, ()), *busy_ones)) == [2, 50, 40, 30]
    assert effects(judged((2, ()), (3, ()), (4, ()), (5, ()), *busy_ones)) == [5, 4, 3, 2]
    # Nothing is at stake where the interval straddles 1, and other doubts are no advice.
    assert effects(judged((1.0, [busy_doubt]), (9, ["most rounds"]), (9, [busy_doubt, "x"]))) == []


def test_two_cards_do_not_tell_one_comparison(tmp_path):
    shown = report(tmp_path, updates(), controls()).head.cards
    sides = [tuple(bar.name for bar in card.bars) for card in shown]
    assert sides.count(("critical_add", "atomic_add")) == 1
    assert ("2 threads (2 ops at once)", "1 thread (one op)") in sides


def test_threads_on_one_variable_are_compared_with_as_many_that_have_one_each(tmp_path):
    """Two adds at once against one add say nothing of what is advised, where that was measured."""
    each = visits(around(8.0), point(placement="strided", stride=16, type="int32", lanes=2))
    cards = report(tmp_path, updates(), each, controls()).head.cards
    card = next(card for card in cards if card.text.startswith("Keep one variable per thread"))
    assert [bar.name for bar in card.bars] == ["one variable", "a variable each (64 B apart)"]
    assert card.effect.startswith("2.50 times slower (")


def test_a_card_of_unlike_numbers_of_ops_has_the_ratio_of_each_op(tmp_path):
    cards = report(tmp_path, updates(), controls()).head.cards
    card = next(card for card in cards if card.text.startswith("Keep one variable per thread"))
    assert card.effect.startswith("4.00 times slower (")
    assert card.effect.endswith("), 2.00 times as long for each op")


def test_what_a_repeat_may_decide_otherwise_makes_no_card_and_says_so(tmp_path):
    def cards_and_folded(factor):
        """With two threads that meet: from campaign to campaign their cost differs by 6 %."""
        found = report(tmp_path, updates(factor=factor), controls())
        verdicts = {claim.id: f.verdict for claim, f in found.judged}
        assert verdicts["omp-atomic-contention"] == holds
        folded = [item for title, blocks in found.head.folded for item in blocks[0].items]
        return {card.text[:12] for card in found.head.cards}, "\n".join(folded)

    assert "Keep one var" in cards_and_folded(factor=0.5)[0]
    near_cards, near_folded = cards_and_folded(factor=0.42)  # 1.68 times, where 1.5 are needed
    assert "Keep one var" not in near_cards
    assert "Atomic updates of one variable get slower" in near_folded
    again = findings(read(tmp_path / "f.jsonl"))
    assert any(
        x.startswith('No advice follows from the claim "Atomic updates of one variable get')
        and x.endswith(", which holds here, as a repeat of the campaign may decide otherwise.")
        for x in again
    ), again


# What to run next


def runs(tmp_path, **machine):
    found = report(tmp_path, updates(), machine={**MACHINE, **machine})
    titles = {title: blocks for title, blocks in found.head.folded}
    (bullets,) = titles["What to run next, and what that would decide"]
    return "\n".join(bullets.items)


def test_what_to_run_next_is_what_this_machine_can_run(tmp_path):
    shown = runs(tmp_path)
    assert "--study false-sharing" in shown
    assert "SMT siblings suffer no false sharing" in shown
    assert "cuda" not in shown
    assert "A barrier among few threads" in shown
    small = runs(tmp_path, cores=2, pus=2, smt=False)
    assert "SMT siblings" not in small
    assert "A barrier among few threads" not in small


def test_a_campaign_on_a_gpu_is_sent_to_no_study_of_cpus(tmp_path):
    on_gpu = visits(around(500.0), point("barrier", backend="cuda", lanes=32, affinity="none"))
    machine = {**campaign()["machine"], "gpus": {"cuda": "NVIDIA H200"}}
    first = campaign(gpus={"cuda": "NVIDIA H200"}, machine=machine)
    *_, last = findings(read(write(tmp_path / "f.jsonl", on_gpu, first=first)))
    of_gpus = {c.statement.rstrip(".") for c in all_claims() if c.needs.startswith("cuda")}
    assert last.startswith("Not measured here: ")
    assert any(f'"{statement}' in last for statement in of_gpus), last


@pytest.mark.parametrize(("gpus", "some"), [(0, {False}), (1, {True, False}), (2, {True})])
def test_claims_on_gpus_need_as_many(gpus, some):
    machine = replace(machine_of(campaign()), smt=True)
    found = [c for c in all_claims() if c.needs.startswith("cuda")]
    assert {c.can_run_on(machine, gpus) for c in found} == some


# Effects in words


@pytest.mark.parametrize(
    ("interval", "of_costs", "shown"),
    [
        (Interval(6.4, 6.1, 6.8), True, "6.40 times slower (6.10 to 6.80)"),
        (Interval(0.5, 0.4, 0.625), True, "2.00 times faster (1.60 to 2.50)"),
        (Interval(1.0, 0.98, 1.02), True, "the same (0.980 to 1.02)"),
        (Interval(1.2, 0.9, 1.6), True, "1.20 times (0.900 to 1.60)"),
        (Interval(3.0), True, "3.00 times (scatter unknown)"),
        (Interval(3.0, 2.0, 4.0), False, "3.00 times (2.00 to 4.00)"),
    ],
)
def test_an_effect_in_words(interval, of_costs, shown):
    assert text.effect(interval, of_costs) == shown


def far_apart(ns):
    """The critical section was far in every visit, the atomic add in some: its headline is near."""
    lines = updates()
    for line in [x for x in lines if x["point"]["lanes"] == 2]:
        op, (estimate,) = line["point"]["op"], line["estimates"]
        if op == "atomic_add":
            cost = {"value": ns, "low": ns - 1, "high": ns + 1}
            far = {**estimate, "hop_ns": 240.0, "cost_ns": cost}
            lines.append({**line, "visit": line["visit"] + 5, "estimates": [far]})
        elif op == "critical_add":
            estimate["hop_ns"] = 240.0
    return lines


def test_costs_that_are_nearly_those_of_the_tables_are_those_of_the_tables(tmp_path):
    """20.6 ns far and 20.0 near are one cost for a reader, who asks which of two numbers is meant."""
    shown = report(tmp_path, far_apart(20.6), controls()).head.cards
    (card,) = [c for c in shown if c.where.startswith("omp, int32, shared, 2 threads")]
    assert card.bars[1].cost == "20.00 ns"
    assert card.effect.startswith("9.71 times slower in paired visits (")


def test_costs_that_the_tables_do_not_have_say_their_placement(tmp_path):
    shown = report(tmp_path, far_apart(30.0), controls()).head.cards
    (card,) = [c for c in shown if c.where.startswith("omp, int32, shared, 2 threads")]
    assert card.where.endswith("; both in quiet rounds, threads 240 ns apart")
    assert card.effect.startswith("6.67 times slower")


def test_a_distance_is_said_only_where_the_tables_have_another():
    """Its hop is a mean over the visits of a state: 140 ns beside 150 of all is no other placement."""
    quiet = State(hop_ns=150.0)
    over, under = (
        SimpleNamespace(cost=Interval(ns, ns, ns), state=quiet, on_hypervisor=False)
        for ns in (90.0, 30.0)
    )
    for hop, placed in ((140.0, ""), (400.0, ", threads 400 ns apart")):
        met = State(busy=True, hop_ns=hop)
        r = Ratio(Interval(4.0, 3.0, 5.0), 5, met, over_ns=120.0, under_ns=30.0)
        assert text.in_placement(r, over, under) == f"both in busy rounds{placed}"
