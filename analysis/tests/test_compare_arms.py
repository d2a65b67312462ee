"""The two arms of a campaign of `syncmeter ab`: judged as any comparison, printed anywhere."""

import json
import math
import random
import re
from dataclasses import replace

import pytest

from syncmeter_analysis.command import main
from syncmeter_analysis.conclude.compare import conclude
from syncmeter_analysis.record.arms import arms_of
from syncmeter_analysis.record.errors import Unusable
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.record.point import point_from
from syncmeter_analysis.record.reader import read_results
from syncmeter_analysis.relate.campaign import campaign_of, parts_by_arm
from syncmeter_analysis.relate.pairings import pairs_of_points, pairs_of_sides, share_of_look
from syncmeter_analysis.relate.pairs import Candidate, Outcome, judged
from syncmeter_analysis.relate.relation import Verdict, ratio_by_visit
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.render import compare as rendered
from tests.made import around, campaign, point, visits, write
from tests.two_campaigns import result_of, screen_of, why

ARMS = {
    "arms": [{"name": name, "path": f"/{name}", "environment": []} for name in ("old", "new")],
    "threshold": 0.01,
    "all": False,
    "looks_again": False,
    "any_backend": False,
    "any_wait": False,
    "equal": 0,
    "only": [[], []],
}


def first(**members):
    return campaign(ab={**ARMS, **members}, options={"visits": 5})


def both(op, old, new, **members):
    """Visits of a point in both arms."""
    return [
        *visits(old, point(op, arm="old"), **members),
        *visits(new, point(op, arm="new"), **members),
    ]


def compared(tmp_path, *lines, **members):
    return pairs_of_sides(
        read_results(write(tmp_path / "ab.jsonl", *lines, first=first(**members)))
    )


@pytest.fixture
def changed(tmp_path):
    """A slower point, a faster one, and one that is the same."""
    return compared(
        tmp_path,
        both("atomic_add", around(10.0), around(11.0)),
        both("atomic_read", around(10.0), around(5.0)),
        both("plain_read", around(10.0), around(10.0)),
    )


def test_a_planted_change_is_found_and_nothing_else(changed):
    assert [d.new.point.op for d in changed.slower] == ["atomic_add"]
    assert {d.new.point.op: d.verdict.name for d in changed.compared} == {
        "atomic_add": "slower",
        "atomic_read": "faster",
        "plain_read": "same",
    }
    assert changed.status == 1


def test_ratio_interval_and_verdict_are_those_of_compare(tmp_path):
    rng = random.Random(3)
    lines = [
        both(f"op{i}", *([10 * rng.lognormvariate(0, 0.01) for _ in range(7)] for _ in "ab"))
        for i in range(9)
    ]
    lines.append(both("slow", around(10.0, 7), around(10.4, 7)))
    once = {**first(), "options": {"visits": 7}}
    file = read_results(write(tmp_path / "ab.jsonl", *lines, first=once))
    by_arms = pairs_of_sides(file)
    (_, old), (_, new) = parts_by_arm(campaign_of([file]))
    pairs = [
        (a, b) for a in old.points.values() for b in new.points.values() if a.point.op == b.point.op
    ]
    by_points = pairs_of_points(pairs, ("old", "new"), 0.01)
    assert [(d.ratio, d.p, d.verdict, d.detectable) for d in by_arms.compared] == [
        (d.ratio, d.p, d.verdict, d.detectable) for d in by_points.compared
    ]
    assert [d.new.point.op for d in by_arms.slower] == ["slow"]


def test_drift_that_both_arms_meet_cancels(tmp_path):
    drift = [1.0, 2.0, 3.0, 4.0, 5.0]
    c = compared(tmp_path, both("atomic_add", drift, [1.05 * x for x in drift]))
    (d,) = c.slower
    assert d.ratio.paired
    assert d.ratio.value == pytest.approx(1.05)


def test_without_a_change_the_status_is_0_and_without_a_comparison_2(tmp_path):
    calm = both("atomic_add", around(10.0), around(10.0))
    assert compared(tmp_path, calm).status == 0
    few = both("atomic_add", [10.0], [12.0])
    c = compared(tmp_path, few)
    assert c.status == 2
    assert why(c.apart[0]) == "1 pair of visits in one placement state, 3 are needed"
    assert result_of(c) == "nothing_compared"
    assert compared(tmp_path, calm, equal=3).status == 0
    assert compared(tmp_path, equal=3).status == 0
    assert compared(tmp_path, few, equal=3).status == 3


def test_visits_in_different_states_are_no_pairs(tmp_path):
    lines = [
        *visits(around(10.0), point(lanes=2, arm="old"), estimate={"hop_ns": 30.0}),
        *visits(around(40.0), point(lanes=2, arm="new"), estimate={"hop_ns": 240.0, "state": 1}),
    ]
    c = compared(tmp_path, lines)
    assert "0 pairs of visits in one placement state" in why(c.apart[0])


def test_a_point_that_fails_in_the_second_arm_alone_is_a_regression(tmp_path):
    bad = {"status": "failed", "reason": "wrong value", "estimates": []}
    good = visits(around(5.0), point(arm="old"))
    c = compared(tmp_path, good, visits([1.0], point(arm="new"), **bad))
    assert (c.status, why(c.apart[0])) == (1, "in new: failed: wrong value")
    both_bad = [visits([1.0], point(arm=arm), **bad) for arm in ("old", "new")]
    assert compared(tmp_path, *both_bad, equal=1).status == 0


def test_points_that_the_second_arm_lacks_are_not_passed_over(tmp_path):
    calm = both("atomic_add", around(10.0), around(10.0))
    lost = ["backend=omp op=lost lanes=1"]
    assert compared(tmp_path, calm, only=[lost, []]).status == 3
    assert compared(tmp_path, calm, only=[[], lost]).status == 0
    a = visits(around(5.0), point(arm="old", backend="omp"))
    b = visits(around(5.0), point(arm="new", backend="omp-llvm"))
    assert compared(tmp_path, a, b, any_backend=True, only=[lost, []]).status == 0
    equal = {"equal": 3, "only": [lost, []]}
    assert compared(tmp_path, any_backend=True, **equal).status == 0
    assert compared(tmp_path, **equal).status == 3


def test_a_timeout_of_one_visit_leaves_the_others(tmp_path):
    late = visits([1.0], point(arm="new"), status="timeout", estimates=[], reason="late")[0]
    late["visit"] = 6
    c = compared(tmp_path, both("atomic_add", around(5.0), around(5.0)), late)
    assert (c.status, [d.verdict for d in c.compared]) == (0, [Verdict.same])


def test_a_cost_that_may_be_0_is_not_compared(tmp_path):
    c = compared(tmp_path, both("atomic_add", [0.1, -0.1, 0.2, -0.2, 0.1], around(5.0)))
    assert why(c.apart[0]) == "in old: its cost is not resolved from 0"


def test_a_way_of_waiting_or_a_backend_may_differ_between_the_arms(tmp_path):
    a = visits(around(5.0), point(arm="old", wait="active", backend="omp"))
    b = visits(around(5.0), point(arm="new", wait="passive", backend="omp-llvm"))
    assert len(compared(tmp_path, a, b).apart) == 2
    c = compared(tmp_path, a, b, any_backend=True, any_wait=True)
    assert [d.verdict for d in c.compared] == [Verdict.same]


def test_each_further_look_has_a_tenth_of_the_chance():
    arms = arms_of(first(looks_again=True), "f")
    once = replace(arms, looks_again=False)
    assert [share_of_look(n, arms) for n in (4, 5, 6, 9)] == [0.5, 0.5, 0.1, 0.1]
    assert [share_of_look(n, once) for n in (5, 6)] == [1.0, 0.1]


def test_a_look_that_has_less_chance_asks_for_more(tmp_path):
    lines = both("atomic_add", around(10.0, scatter=0.02), around(10.2, scatter=0.05)[::-1])
    (once,) = compared(tmp_path, lines).compared
    (again,) = compared(tmp_path, lines, looks_again=True).compared
    assert (once.confidence, again.confidence) == (0.95, 0.975)
    assert again.ratio.low < once.ratio.low < once.ratio.high < again.ratio.high
    assert again.p == pytest.approx(2 * once.p)
    assert again.detectable > once.detectable


def test_the_conclusion_has_what_changed_and_what_was_not_compared(changed):
    said = conclude(changed)
    assert [(x.outcome, x.point.op) for x in said.changes] == [
        (Outcome.slower, "atomic_add"),
        (Outcome.faster, "atomic_read"),
    ]
    assert (said.result, said.next, said.tests) == ("slower", "changed", 3)
    assert {o: n for o, n in said.counts.items() if n} == {
        Outcome.slower: 1,
        Outcome.faster: 1,
        Outcome.unchanged: 1,
    }
    named = replace(changed.arms, equal=1, only=((), ("backend=omp op=fresh lanes=1",)))
    said = conclude(replace(changed, arms=named, only=(0, 1)))
    assert [note.name for note in said.notes] == ["equal_code"]
    assert (said.only, said.only_ops) == ((0, 1), ([], ["fresh"]))


def test_the_screen_has_both_costs_the_ratio_and_the_result(changed):
    text = screen_of(changed)
    assert text.startswith("old -> new; all configurations: omp, close")
    assert re.search(r"^slower +atomic_add, 1 thread +10.0 +11.0 +1.10", text, re.M)
    assert re.search(r"^faster +atomic_read, 1 thread +10.0 +5.00 +0.50", text, re.M)
    assert "1 slower, 1 faster, 1 unchanged (within 1 %)." in text
    assert text.splitlines()[2] == "Result: slower (exit status 1): 1 of 3 configurations."
    markdown = rendered.as_markdown([changed])
    assert "|  | configuration | old ns | new ns | new/old | 95 % CI |" in markdown


def test_what_cannot_be_told_says_which_change_could_be(tmp_path):
    wild = [10.0, 14.0, 8.0, 17.0, 11.0]
    c = compared(tmp_path, both("atomic_add", wild, wild[::-1]))
    said = conclude(c)
    assert (said.result, said.next) == ("none_shown", "undecided_sides")
    assert said.count(Outcome.undecided) == 1
    assert said.detects == c.compared[0].detectable
    text = screen_of(c)
    assert (
        "Each undecided configuration would have shown a change of 50 %, the least sensitive"
        in text
    )


def test_a_blind_point_is_no_success_unless_that_is_accepted(tmp_path, capsys):
    wild = both("atomic_add", [10.0, 30.0, 10.0], [30.0, 10.0, 10.0])
    path = str(write(tmp_path / "ab.jsonl", wild, first=first()))
    assert main(["compare", path]) == 3
    assert "1 too noisy to show a change of 50 %" in " ".join(capsys.readouterr().out.split())
    assert main(["compare", path, "--blind", "ignore"]) == 0
    capsys.readouterr()
    assert main(["compare", path, "--format", "junit"]) == 3
    assert 'skipped="1"' in capsys.readouterr().out


def test_json_has_every_point_and_what_the_campaign_says_of_the_arms(changed):
    shown = json.loads(rendered.as_json([changed]))
    assert (shown["kind"], shown["exit_status"], shown["threshold"]) == ("ab", 1, 0.01)
    by_op = {p["point"]["op"]: p for p in shown["points"]}
    assert by_op["atomic_add"]["verdict"] == "slower"
    assert by_op["atomic_add"]["cost_ns"] == pytest.approx([10.0, 11.0])
    assert "arm" not in by_op["atomic_add"]["point"]


@pytest.mark.parametrize("format", ["text", "json", "markdown"])
def test_the_command_prints_a_file_without_its_builds(tmp_path, capsys, format):
    path = write(
        tmp_path / "ab.jsonl", both("atomic_add", around(10.0), around(11.0)), first=first()
    )
    assert main(["compare", str(path), "--format", format]) == 1
    assert "lower" in capsys.readouterr().out


def test_another_threshold_than_the_files_is_judged_by(tmp_path, capsys):
    lines = both("atomic_add", around(10.0), around(10.5))
    path = str(write(tmp_path / "ab.jsonl", lines, first=first()))
    assert [main(["compare", path, *more]) for more in ([], ["--threshold", "10%"])] == [1, 0]
    assert "1 unchanged (within 10 %)." in capsys.readouterr().out
    main(["compare", path, "--threshold", "10%", "--format", "json"])
    assert json.loads(capsys.readouterr().out)["threshold"] == 0.1


def test_text_has_the_comparison_and_each_study_of_each_arm(tmp_path, capsys):
    locks = [
        both(op, around(cost), around(2 * cost), family="lock")
        for op, cost in (("mutex_lock", 20.0), ("spin_lock", 10.0))
    ]
    path = write(tmp_path / "ab.jsonl", *locks, first=first())
    assert main(["text", str(path)]) == 0
    assert "2 slower, 0 faster" in capsys.readouterr().out


def test_a_file_from_before_the_axis_is_compared_as_one_of_today(tmp_path):
    lines = both("atomic_add", around(10.0), around(11.0))
    today = compared(tmp_path, lines)
    old = json.loads(json.dumps(lines))
    for line in old:
        arm = line["point"].pop("arm")
        line["point"]["backend"] = line["backend"] = f"omp@{arm}"
    before = compared(tmp_path, old)
    assert [(d.new.point, d.ratio) for d in before.compared] == [
        (d.new.point, d.ratio) for d in today.compared
    ]
    plain = write(tmp_path / "plain.jsonl", visits([5.0], point(backend="mine@home")))
    (visit,) = read_results(plain).visits.values()
    assert (visit.point.backend, visit.point.arm) == ("mine@home", "")


def test_a_campaign_line_whose_arms_cannot_be_read_says_so(tmp_path):
    lines = both("atomic_add", [1.0], [1.0])
    with pytest.raises(Unusable, match=r"line 1: invalid 'ab'"):
        compared(tmp_path, lines, arms=[{"name": "old"}])


def judged_of(logs, share=1.0, threshold=0.01):
    """Each list of logarithms as the ratios of one point's pairs."""
    m = Measured(point_from(point()), "ok", "", cost=Interval(1.0, 1.0, 1.0), resolved=True)
    ratios = (ratio_by_visit([(math.exp(x), 1.0) for x in of], None) for of in logs)
    return judged([Candidate(m, m, r, threshold, share) for r in ratios], threshold)


def drawn(rng, n, scatter, change=1.0):
    return [math.log(change) + rng.gauss(0, scatter) for _ in range(n)]


def found(differences):
    return [i for i, d in enumerate(differences) if d.verdict in (Verdict.slower, Verdict.faster)]


@pytest.mark.slow
def test_campaigns_without_a_change_report_one_in_fewer_than_5_of_100():
    rng = random.Random(1)
    for true in (1.0, 1.01):
        alarms = sum(
            bool(found(judged_of([drawn(rng, 10, 0.014, true) for _ in range(20)])))
            for _ in range(200)
        )
        assert alarms < 10


@pytest.mark.slow
def test_a_planted_change_is_found_in_more_than_90_of_100():
    rng = random.Random(2)
    hits = 0
    for _ in range(100):
        logs = [drawn(rng, 10, 0.007, 1.03 if i == 7 else 1.0) for i in range(20)]
        hits += found(judged_of(logs)) == [7]
    assert hits > 90


@pytest.mark.slow
@pytest.mark.parametrize(("visits", "points"), [(5, 1), (10, 1), (10, 20), (15, 20)])
def test_a_detectable_change_is_found_in_about_80_of_100(visits, points):
    rng = random.Random(4)
    hits = 0
    for _ in range(200):
        asked = judged_of([drawn(rng, visits, 0.02) for _ in range(points)])[0].detectable
        logs = [drawn(rng, visits, 0.02) for _ in range(points)]
        logs[0] = drawn(rng, visits, 0.02, asked)
        hits += 0 in found(judged_of(logs))
    assert 0.68 * 200 < hits < 0.92 * 200


@pytest.mark.parametrize("new", [[9.0, 9.5, 10.0, 10.5, 11.0], around(11.0)])
def test_lines_of_two_arms_fit_a_terminal_and_only_terminals_get_colours(tmp_path, new):
    """Of points with the longest names: what changed, and what cannot be told."""
    longest = {"type": "double", "placement": "strided", "stride": 4096, "order": "seq_cst"}
    longest |= {"lanes": 128, "affinity": "spread", "wait": "passive"}
    lines = [
        visits(costs, point(op, arm=arm, **longest))
        for op in ("fence_between_stores", "ticket_backoff_lock_add")
        for arm, costs in (("old", around(10.0)), ("new", new))
    ]
    c = compared(tmp_path, *lines)
    text = rendered.as_text([c], True, coloured=False, width=80)
    assert "ticket_backoff_lock_add" in text and "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 80
    coloured = rendered.as_text([c], True, coloured=True, width=80)
    assert re.sub(r"\x1b\[\d+m", "", coloured) == text != coloured
