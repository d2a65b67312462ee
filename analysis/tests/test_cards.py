"""The cards of the first screen: which conclusions, their effect, bars and conditions."""

from dataclasses import replace

import pytest

from syncmeter_analysis.claims import all_claims
from syncmeter_analysis.claims.claim import holds
from syncmeter_analysis.claims.conclusions import conclusions_of, judged_with_doubts
from syncmeter_analysis.conclude.conclusion import (
    Conclusion,
    Condition,
    Cost,
    Effect,
    Grade,
    Kind,
    Situation,
    Subject,
)
from syncmeter_analysis.conclude.recommend import cards_of
from syncmeter_analysis.record.machine import machine_of
from syncmeter_analysis.render.claims_text import claims_section
from syncmeter_analysis.voice.cards import card_of
from tests.made import MACHINE, around, campaign, point, read, visits, write
from tests.test_first_screen import busy, controls, report, updates

critical, atomic = Subject("omp", "critical_add"), Subject("omp", "atomic_add")


def conclusion(low, over=critical, under=atomic, **members):
    """A gain whose interval begins at `low`."""
    costs = Cost(over, 10.0 * low), Cost(under, 10.0)
    effect = Effect("speedup", low * 1.1, low, low * 1.2)
    situation = Situation(2, "cpu")
    use = Conclusion(Kind.use, "claim", situation, (under,), over, effect, Grade.measured, costs)
    return replace(use, **{"cause": "omp-atomic-over-critical", "remedy": "holds", **members})


def lows(*found):
    return [r.conclusion.effect.low for r in cards_of([("claims", found)])]


def other(name, low, **members):
    return conclusion(low, over=Subject("omp", name), **members)


# Which


def test_at_most_three_the_largest_certain_gain_first():
    assert lows(*(other(f"op{low}", low) for low in (2, 9, 3, 8, 4))) == [9, 8, 4]


def test_disturbed_gains_come_last():
    disturbed = (Condition("disturbed"),)
    found = lows(other("a", 20, conditions=disturbed), other("b", 2), other("c", 3))
    assert found == [3, 2, 20]


@pytest.mark.parametrize(
    "members",
    [
        {"kind": Kind.keep},
        {"kind": Kind.undecided},
        {"grade": Grade.predicted},
        {"costs": ()},
        {"effect": None},
        {"effect": Effect("speedup", 2.0)},
        {"effect": Effect("speedup", 2.0, 0.9, 3.0)},
    ],
)
def test_no_card_without_a_measured_gain(members):
    assert lows(replace(conclusion(2), **members)) == []


def test_one_comparison_has_one_card():
    named = Subject("omp", "critical_named_add")
    assert lows(conclusion(9), conclusion(7, over=named), other("lock_add", 3)) == [9, 3]


def test_no_card_to_avoid_what_no_reader_has():
    own = conclusion(3, over=atomic, under=Subject("omp", "ticket_lock_add"), kind=Kind.avoid)
    assert lows(own) == []


# Claims


def concluded(tmp_path, *lines, **first):
    c = read(write(tmp_path / "f.jsonl", *lines, first=campaign(**first)))
    return {x.cause: x for x in conclusions_of(c, judged_with_doubts(c))}


def test_a_claim_compares_with_what_the_reader_has(tmp_path):
    c = concluded(tmp_path, updates(), controls())["omp-atomic-over-critical"]
    assert (c.kind, c.grade, c.remedy) == (Kind.use, Grade.measured, "holds")
    assert (c.subjects[0].op, c.reference.op) == ("atomic_add", "critical_add")
    assert c.situation.threads == 2
    assert c.effect.value == pytest.approx(c.cost_of(c.reference).ns / c.costs[1].ns)
    assert c.effect.low <= c.effect.value <= c.effect.high
    assert len(c.evidence) > 2


def test_an_atomic_on_one_variable_is_compared_with_one_per_thread(tmp_path):
    each = visits(around(8.0), point(placement="strided", stride=16, type="int32", lanes=2))
    c = concluded(tmp_path, updates(), each, controls())["omp-atomic-contention"]
    assert (c.grade, c.effect.value) == (Grade.measured, pytest.approx(2.5))
    # Without it the cost of a lone thread replaces it: no measurement.
    c = concluded(tmp_path, updates(), controls())["omp-atomic-contention"]
    assert c.grade is Grade.predicted


def gpu(op, lanes, blocks, cost, **axes):
    what = point(op, backend="cuda", affinity="none", lanes=lanes, blocks=blocks, **axes)
    return visits([cost] * 5, what, device=0)


def test_a_single_warp_is_no_advice_if_a_grid_was_measured(tmp_path):
    def flags(lanes, blocks, wide, narrow):
        return [
            *gpu("fence", lanes, blocks, wide, scope="system"),
            *gpu("fence", lanes, blocks, narrow, scope="device"),
        ]

    alone = concluded(tmp_path, flags(32, 1, 30.0, 10.0))["cuda-fence-scope"]
    assert (alone.situation.blocks, alone.situation.threads) == (1, 32)
    both = concluded(tmp_path, flags(32, 1, 30.0, 10.0), flags(1024, 132, 50.0, 10.0))
    found = both["cuda-fence-scope"]
    assert (found.situation.blocks, found.effect.value) == (132, pytest.approx(5.0))
    # The grid costs the same with both scopes.
    assert "cuda-fence-scope" not in concluded(
        tmp_path, flags(32, 1, 30.0, 10.0), gpu("fence", 1024, 132, 9.0, scope="system")
    )


def test_a_virtual_machine_uses_no_spin_lock(tmp_path):
    def locks(**machine):
        lines = [
            line
            for op, cost in (("lock_add", 80.0), ("spin_lock_add", 20.0))
            for line in visits(around(cost), point(op, placement="shared", lanes=2))
        ]
        return concluded(tmp_path, lines, machine={**MACHINE, **machine})

    assert [x.name for x in locks()["belief-spin-lock"].conditions] == ["cpu_per_thread"]
    assert "belief-spin-lock" not in locks(hypervisor=True)


def test_what_a_repeat_may_decide_otherwise_is_no_advice(tmp_path):
    """The cost of two threads that meet differs by 6 % from campaign to campaign."""
    assert "omp-atomic-contention" in concluded(tmp_path, updates(factor=0.5), controls())
    near = concluded(tmp_path, updates(factor=0.42), controls())  # 1.68 times, 1.5 are needed
    assert "omp-atomic-contention" not in near
    judged = dict((c.id, f) for c, f in judged_with_doubts(read(tmp_path / "f.jsonl")))
    found = judged["omp-atomic-contention"]
    assert (found.verdict, found.doubts) == (holds, ["changes"])


def test_disturbed_evidence_is_a_condition(tmp_path):
    found = concluded(tmp_path, busy(updates()))
    assert found
    assert all(c.condition("disturbed") for c in found.values() if c.effect)


# Words


def test_a_card_has_advice_ratio_interval_and_both_costs(tmp_path):
    c = concluded(tmp_path, updates(), controls())["omp-atomic-over-critical"]
    card = card_of("claims", c)
    text = "an atomic instead of a critical section around one update"
    assert (card.verb, card.text) == ("Use", text)
    assert (card.effect, card.where, card.more) == ("10x faster", "2 threads", [])
    assert card.ci.startswith("95 % CI ")
    bars = [(bar.name, bar.cost, round(bar.share, 3)) for bar in card.bars]
    assert bars == [("a critical section", "200 ns", 1.0), ("an atomic add", "20.0 ns", 0.1)]
    assert card.link == "claims"


def test_a_disturbed_card_says_so():
    c = conclusion(2, conditions=(Condition("disturbed"),))
    (more,) = card_of("claims", c).more
    assert more.startswith("Other work disturbed both sides")


def test_a_card_of_a_study_names_its_subject_and_its_reference():
    mutex, spin = Subject("std", "mutex"), Subject("posix", "pthread_spin")
    situation = Situation(2, "one_add")
    c = conclusion(2, over=mutex, under=spin, situation=situation, cause="", remedy="")
    card = card_of("locks", replace(c, question="lock"))
    assert (card.verb, card.text) == ("Use", "pthread_spin instead of std::mutex")


def test_long_costs_have_longer_units():
    costs = Cost(critical, 2.5e7, 2.4e7, 2.6e7), Cost(atomic, 12_345.0, 12_300.0, 12_400.0)
    card = card_of("claims", conclusion(2, costs=costs))
    assert [bar.cost for bar in card.bars] == ["25.0 ms", "12.3 us"]


def test_the_first_screen_has_the_cards(tmp_path):
    cards = report(tmp_path, updates(), controls()).head.cards
    assert 0 < len(cards) <= 3
    sides = [frozenset(bar.name for bar in card.bars) for card in cards]
    assert len(set(sides)) == len(sides)


# The table of claims


def rows(tmp_path, *lines, **first):
    c = read(write(tmp_path / "f.jsonl", *lines, first=campaign(**first)))
    section = claims_section(c, judged_with_doubts(c))
    return section.blocks[1]


def test_measured_claims_come_first_and_the_others_with_their_command(tmp_path):
    found = rows(tmp_path, updates())
    verdicts = [row[1].text for row in found.rows]
    assert "confirmed" in verdicts[: found.folded]
    assert set(verdicts[found.folded :]) == {"not measured"}
    open_ = {row[0].text: row[-1].text for row in found.rows[found.folded :]}
    assert "syncmeter run --study false-sharing" in open_.values()
    assert any("SMT siblings" in statement for statement in open_)
    assert not any("--backend cuda" in command for command in open_.values())
    small = rows(tmp_path, updates(), machine={**MACHINE, "cores": 2, "pus": 2, "smt": False})
    assert not any("SMT siblings" in row[0].text for row in small.rows)


def test_a_campaign_on_a_gpu_is_sent_to_no_study_of_cpus(tmp_path):
    on_gpu = gpu("barrier", 32, 1, 500.0), gpu("barrier", 1024, 1, 900.0)
    machine = {**campaign()["machine"], "gpus": {"cuda": "NVIDIA H200"}}
    found = rows(tmp_path, *on_gpu, gpus={"cuda": "NVIDIA H200"}, machine=machine)
    open_ = {row[0].text for row in found.rows[found.folded :]}
    assert "A CUDA graph makes kernel launches faster." in open_
    assert not any("OpenMP" in statement or "CPU" in statement for statement in open_)


@pytest.mark.parametrize(("gpus", "some"), [(0, {False}), (1, {True, False}), (2, {True})])
def test_claims_on_gpus_need_as_many(gpus, some):
    machine = replace(machine_of(campaign()), smt=True)
    found = [c for c in all_claims() if c.gpus]
    assert {c.can_run_on(machine, gpus) for c in found} == some


def test_atomics_on_one_address_are_judged_by_atomic_add_in_the_largest_launch(tmp_path):
    """In one block the compiler combines adds, and CAS gains more: neither is the advice."""

    def pair(op, lanes, blocks, shared, own):
        axes = {"type": "int32", "order": "relaxed"}
        return [
            *gpu(op, lanes, blocks, shared, placement="shared", **axes),
            *gpu(op, lanes, blocks, own, placement="strided", stride=1, **axes),
        ]

    lines = [
        *pair("atomic_add", 1024, 1, 30.0, 80.0),
        *pair("atomic_add", 1024, 132, 3000.0, 200.0),
    ]
    lines += pair("atomic_cas_pass", 1024, 132, 99000.0, 500.0)
    c = concluded(tmp_path, lines)["cuda-atomic-contention"]
    assert {s.op for s in (*c.subjects, c.reference)} == {"atomic_add"}
    assert (c.kind, c.effect.value) == (Kind.use, pytest.approx(15.0))
    assert c.situation.blocks == 132 and not c.condition("some")
