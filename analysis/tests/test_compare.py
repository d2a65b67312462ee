"""A real difference is found, none is invented, and what cannot be compared says why."""

import json
import re
from math import inf
from xml.etree import ElementTree

import pytest

from syncmeter_analysis.command import main
from syncmeter_analysis.conclude.compare import conclude
from syncmeter_analysis.record.errors import Unusable
from syncmeter_analysis.record.reader import read_results
from syncmeter_analysis.relate.pairings import pairs_of_files
from syncmeter_analysis.relate.pairs import Outcome
from syncmeter_analysis.relate.relation import Verdict
from syncmeter_analysis.relate.text import cost_interval
from syncmeter_analysis.render.compare import as_json, compare_report
from syncmeter_analysis.render.page import as_page
from syncmeter_analysis.voice.compare import first_line
from tests.made import around, campaign, point, results, visits, write
from tests.two_campaigns import both, many, notes_of, result_of, screen_of, why


def test_equal_campaigns_differ_in_nothing(tmp_path):
    c = both(tmp_path, many(1), many(2))
    assert (c.status, c.resolved, len(c.compared)) == (0, [], 100)


def test_a_figure_without_a_change_says_how_much_is_undecided(tmp_path):
    alike, wild = [10.0] * 5, [10.0, 30.0, 10.0, 25.0, 12.0]
    for other, title in (
        (alike, "Nothing changed by more than 5 %"),
        (wild, "No change by more than 5 % shown, 1 of 2 undecided"),
    ):
        lines = [*visits(around(10.0), point("steady")), *visits(other, point("other"))]
        old, new = (results(name, lines) for name in ("old", "new"))
        c = pairs_of_files(old, new)
        (figure,) = compare_report([c], [old, new]).head.figures
        assert figure.title == title


def test_commands_in_the_reasons_of_a_page_are_code(tmp_path):
    old, new = (results(name, visits(around(10.0), point())) for name in ("old", "new"))
    page = as_page(compare_report([pairs_of_files(old, new)], [old, new]))
    (reason,) = re.findall(r'<a class="unclear" href="#machine-0">.*?</a>', page)
    assert "No known-cost control was measured (--study control)." in reason
    assert "`" not in reason


def test_a_slower_point_is_found_and_its_size_told(tmp_path):
    old = [*many(1, 20), *visits(around(10.0), point("slow"))]
    new = [*many(2, 20), *visits(around(15.0), point("slow"))]
    c = both(tmp_path, old, new)
    (found,) = c.resolved
    assert (found.new.point.op, found.verdict, c.status) == ("slow", Verdict.slower, 1)
    assert found.ratio.low < 1.5 < found.ratio.high
    (change,) = conclude(c).changes
    assert (change.outcome, change.point.op) == (Outcome.slower, "slow")
    assert (change.low, change.high) == (found.ratio.low, found.ratio.high)
    lines = screen_of(c).splitlines()
    assert re.match(r"slower  +slow, 1 thread +10.0 +15.0 +1.50x +1.4\d-1.\d\d", lines[5])
    assert lines[2] == "Result: slower (exit status 1): 1 of 21 configurations."
    assert re.match(r"Reliability: \d+ of 21 decided. .* among 21 comparisons", lines[-2])
    assert lines[-1].startswith("Next: measure both again, longer: ")
    assert found.new.id in screen_of(c, everything=True)


def test_the_first_screen_names_the_largest_changes_and_counts_the_rest(tmp_path):
    c = both(tmp_path, many(1, factor=1.0, scatter=0.01), many(2, factor=2.0, scatter=0.01))
    said = conclude(c)
    assert (said.count(Outcome.slower), len(said.changes)) == (100, 12)
    assert [x.value for x in said.changes] == sorted((x.value for x in said.changes), reverse=True)
    lines = screen_of(c, width=80).splitlines()
    assert "More of them with --all: 88 slower." in lines
    assert len(lines) <= 40 and max(map(len, lines)) <= 80


def test_points_that_share_a_measurement_are_one_comparison(tmp_path):
    line = {
        "kind": "same",
        "point": point(affinity="spread"),
        "measured_as": point(),
        "why": "equal placement",
    }
    c = both(
        tmp_path, [line, *visits(around(10.0), point())], [line, *visits(around(15.0), point())]
    )
    assert [d.new.point.affinity for d in c.resolved] == ["close"]
    assert len(c.compared) == 1


def test_something_faster_is_told_and_no_failure(tmp_path):
    c = both(tmp_path, visits(around(15.0), point()), visits(around(10.0), point()))
    assert ([d.verdict for d in c.resolved], c.status) == ([Verdict.faster], 0)


def test_a_sleeping_barrier_that_scatters_is_still_slower(tmp_path):
    active = visits([500.0, 510.0, 490.0, 505.0], point("barrier", lanes=2))
    passive = visits([24e3, 269e3, 568e3, 423e3], point("barrier", lanes=2, wait="passive"))
    c = both(tmp_path, active, passive, across=["wait"])
    assert ([d.verdict for d in c.compared], c.status) == ([Verdict.slower], 1)
    assert c.compared[0].new.status == "ok"


def test_what_cannot_be_told_says_what_could_have_been_seen(tmp_path):
    wild = [10.0, 14.0, 8.0, 17.0, 11.0]
    old = [*visits(wild, point("wild")), *visits(around(5.0), point("calm"))]
    new = [*visits([1.1 * x for x in wild], point("wild")), *visits(around(5.0), point("calm"))]
    c = both(tmp_path, old, new)
    (unknown,) = c.undecided
    assert (unknown.new.point.op, c.status, c.blind) == ("wild", 3, [unknown])
    # A change of that size, at the same scatter, is indeed resolved; one of half its logarithm is not.
    for factor, found in ((unknown.detectable * 1.05, 1), (unknown.detectable**0.5, 3)):
        larger = [*visits([factor * x for x in wild], point("wild")), *new[5:]]
        assert both(tmp_path, old, larger).status == found
    said = conclude(c)
    assert (said.result, said.count(Outcome.not_sensitive)) == ("undecided", 1)
    assert [x.detectable for x in said.undecided] == [unknown.detectable]
    shown = screen_of(c)
    assert "1 of 2 undecided (1 too noisy to show a change of 50 %)." in shown
    assert re.search("Undecided, the largest ratios first.*\n.*\nwild, 1 thread ", shown)


@pytest.mark.parametrize(
    ("paths", "title"),
    [
        (("old/a.jsonl", "new/b.jsonl"), "a.jsonl -> b.jsonl; all configurations: omp, close"),
        (
            ("old/a.jsonl", "new/a.jsonl"),
            "old/a.jsonl -> new/a.jsonl; all configurations: omp, close",
        ),
    ],
)
def test_files_are_named_without_folders_where_that_tells_them_apart(tmp_path, paths, title):
    found = []
    for name in paths:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        found.append(read_results(write(tmp_path / name, visits(around(5.0), point()))))
    shown = first_line(conclude(pairs_of_files(*found)))
    assert shown.replace(f"{tmp_path}/", "") == title


def test_costs_beside_a_ratio_are_of_the_common_state(tmp_path):
    def mixed(near, far, n_near):
        lines = visits(around(near), point(lanes=2), estimate={"hop_ns": 60.0})
        for line, other in zip(
            lines, visits(around(far), point(lanes=2), estimate={"hop_ns": 240.0}), strict=True
        ):
            line["estimates"] += other["estimates"]
            for e, rounds in zip(line["estimates"], (n_near, 11), strict=True):
                e["rounds"] = rounds
        return lines

    # Old is mostly near, new mostly far; near both cost the same.
    only_far = visits(around(80.0), point(lanes=2), estimate={"hop_ns": 230.0})
    c = both(tmp_path, mixed(20.0, 80.0, 60), only_far)
    (d,) = c.compared
    assert d.old.cost.value == pytest.approx(20.0)
    assert (d.ratio.under_ns, d.ratio.over_ns) == pytest.approx((80.0, 80.0))
    assert d.verdict is Verdict.same


def test_below_the_threshold_is_nothing(tmp_path):
    old, new = visits(around(10.0), point()), visits(around(10.4), point())
    assert both(tmp_path, old, new).status == 0
    assert both(tmp_path, old, new, threshold=0.0).status == 1


def in_state(hop, cost, busy=False, **axes):
    return visits(around(cost), point(lanes=2, **axes), estimate={"hop_ns": hop, "busy": busy})


def test_states_on_one_side_only_are_not_comparable(tmp_path):
    c = both(tmp_path, in_state(30.0, 10.0), in_state(120.0, 40.0))
    assert (c.status, len(c.apart)) == (2, 1)
    assert "no placement state in common: hop 30 ns, quiet in" in why(c.apart[0])
    assert result_of(c) == "nothing_compared"


def test_lanes_that_met_elsewhere_can_be_compared_in_hops(tmp_path):
    near, far = in_state(30.0, 10.0), in_state(120.0, 40.0)
    assert "; --across hop compares costs in hops" in why(both(tmp_path, near, far).apart[0])
    c = both(tmp_path, near, far, across=["hop"])
    (d,) = c.compared
    assert (d.ratio.value, d.verdict, c.status) == (pytest.approx(1.0), Verdict.same, 0)
    assert (d.ratio.under_ns, d.ratio.over_ns) == pytest.approx((10.0, 40.0))
    assert "1 points met in different placements and are compared in hops" in notes_of(c)[-1]
    assert both(tmp_path, near, in_state(120.0, 80.0), across=["hop"]).status == 1
    assert both(tmp_path, near, in_state(120.0, 40.0, busy=True), across=["hop"]).status == 2


def test_samples_in_a_queue_of_the_gpu_are_not_compared_with_others(tmp_path):
    def lines(cost, **members):
        what = point("grid_sync", backend="cuda", affinity=None)
        return [*visits(around(cost), what, **members), *many(1)]

    queued = {"rounds_at_once": 16}
    c = both(tmp_path, lines(10.0), lines(9.0, **queued))
    (apart,) = c.apart
    assert apart.point.op == "grid_sync"
    assert why(apart) == (
        "samples of the GPU were taken otherwise: one by one in old.jsonl, up to 16 rounds in a "
        "queue in new.jsonl"
    )
    assert (c.status, len(c.compared)) == (3, 100)
    assert "Not compared: 1 with samples in the GPU's queue on one side only" in screen_of(c)
    for both_sides in (queued, {}):
        c = both(tmp_path, lines(10.0, **both_sides), lines(9.0, **both_sides))
        assert ([d.new.point.op for d in c.resolved], c.apart) == (["grid_sync"], [])


def test_quiet_is_not_compared_with_busy(tmp_path):
    c = both(tmp_path, in_state(30.0, 10.0), in_state(30.0, 20.0, busy=True))
    assert c.status == 2
    assert "busy" in why(c.apart[0])


def test_contended_points_of_a_virtual_machine_may_vary(tmp_path):
    c = both(tmp_path, in_state(30.0, 10.0), in_state(31.0, 11.0))
    assert (c.status, c.resolved) == (0, [])
    assert "vary between campaigns" in notes_of(c)[0]
    assert both(tmp_path, in_state(30.0, 10.0), in_state(31.0, 13.0)).status == 1


def test_a_point_that_now_fails_is_told(tmp_path):
    good = visits(around(5.0), point())
    bad = visits([1.0], point(), status="failed", reason="wrong value 3", estimates=[])
    c = both(tmp_path, good + in_state(0.0, 1.0), bad + in_state(0.0, 1.0))
    assert "failed in" in why(c.apart[0])
    assert "wrong value 3" in screen_of(c)
    c.blind_is_fine = True
    assert (c.status, result_of(c)) == (1, "broken")
    assert both(tmp_path, bad + in_state(0.0, 1.0), bad + in_state(0.0, 1.0)).status == 0


def test_a_failure_in_the_new_campaign_alone_is_no_good_page(tmp_path):
    bad = visits([1.0], point(), status="failed", reason="wrong value 3", estimates=[])
    calm = visits(around(5.0), point("calm"))
    old, new = (
        results(f"{name}.jsonl", [*lines, *calm])
        for name, lines in (("old", visits(around(5.0), point())), ("new", bad))
    )
    c = pairs_of_files(old, new)
    head = compare_report([c], [old, new]).head
    assert (head.kind, c.status) == ("bad", 1)
    assert head.verdict.startswith("Result: broken: 1 failed in new.jsonl only. ")
    assert head.figures[0].title == "1 broken in new.jsonl"
    shown = screen_of(c)
    assert "Broken in new.jsonl only: atomic_add, 1 thread (wrong value 3)." in shown
    assert "0 slower, 0 faster, 1 unchanged (within 5 %), 1 broken." in shown
    (shown,) = json.loads(as_json([c]))
    assert [p["op"] for p in shown["broken"]] == ["atomic_add"]


@pytest.mark.parametrize("was", ["too_slow", "noisy", "unsupported"])
def test_a_point_that_could_not_be_measured_before_is_not_broken(tmp_path, was):
    nothing = {"reason": "a trip takes 0.4 s", "estimates": []}
    old, new = (visits([1.0], point(), status=s, **nothing) for s in (was, "timeout"))
    calm = visits(around(5.0), point("calm"))
    c = both(tmp_path, old + calm, new + calm)
    assert (c.status, c.broken, len(c.apart)) == (3, [], 1)


def test_noise_that_leaves_no_cost_is_no_success(tmp_path):
    calm = visits(around(5.0), point("calm"))
    nothing = {"status": "noisy", "reason": "8 of 12 rounds were dropped", "estimates": []}
    none = visits([1.0] * 5, point("wild"), **nothing)
    some = [*visits(around(5.0, 2), point("wild")), *none[2:]]
    for old in (none, some):
        c = both(tmp_path, [*calm, *old], [*calm, *none])
        assert c.status == 3
        assert why(c.apart[0]).startswith("noisy in ")


def test_where_nothing_was_compared_nothing_is_called_equal(tmp_path):
    bare = visits([0.1, -0.1, 0.2, -0.2, 0.1], point())
    c = both(tmp_path, bare, bare)
    assert c.status == 2
    assert "Result: nothing could be compared (exit status 2)." in screen_of(c)


def test_another_cpu_is_not_comparable_unless_asked_for(tmp_path):
    other = campaign()
    other["machine"] = {**other["machine"], "cpu_model": "Faster CPU"}
    lines = visits(around(5.0), point())
    with pytest.raises(Unusable, match=r"CPU \(Test CPU against Faster CPU\)"):
        both(tmp_path, lines, lines, first_new=other)
    c = both(tmp_path, lines, lines, first_new=other, across=["machine"])
    assert len(c.compared) == 1


def test_what_differs_in_the_environment_is_noted(tmp_path):
    other = campaign()
    other["machine"] = {**other["machine"], "governor": "powersave"}
    lines = visits(around(5.0), point())
    c = both(tmp_path, lines, lines, first_new=other)
    assert "the governor differs: performance -> powersave" in notes_of(c)
    shown = screen_of(c)
    assert "Differences: governor performance -> powersave; same machine." in shown
    assert "Differences: none in compiler" in screen_of(both(tmp_path, lines, lines))


def test_an_axis_that_differs_is_named_and_can_be_crossed(tmp_path):
    old = visits(around(5.0), point(wait="active"))
    new = visits(around(50.0), point(wait="passive"))
    with pytest.raises(Unusable, match=r"wait differs \(active against passive, --across wait"):
        both(tmp_path, old, new)
    assert both(tmp_path, old, new, across=["wait"]).status == 1


def test_an_import_without_scatter_resolves_nothing(tmp_path):
    old = visits(
        [10.0],
        point(),
        imported=True,
        estimate={"cost_ns": {"value": 10.0, "low": None, "high": None}, "rounds": 0},
    )
    new = visits(
        [20.0],
        point(),
        imported=True,
        estimate={"cost_ns": {"value": 20.0, "low": None, "high": None}, "rounds": 0},
    )
    c = both(tmp_path, old, new)
    assert [(d.verdict, d.ratio.value) for d in c.compared] == [
        (Verdict.cannot_tell, pytest.approx(2.0))
    ]


def test_a_single_visit_of_each_sees_nothing(tmp_path):
    c = both(tmp_path, visits([10.0], point()), visits([12.0], point()))
    (blind,) = conclude(c).undecided
    assert (c.status, blind.outcome, blind.detectable) == (3, Outcome.not_sensitive, inf)
    assert re.search(r"\natomic_add, 1 thread +10.0 +12.0 +1.20x +-\n", screen_of(c))


def test_a_single_visit_of_one_campaign_decides_nothing(tmp_path):
    """It may be of a mode that the visits of the other campaign were not in."""
    once = [*many(2), *visits([25.0], point("once"))]
    for old, new in ((around(10.0), once), (around(50.0), once)):
        c = both(tmp_path, [*many(1), *visits(old, point("once"))], new)
        assert (c.resolved, [d.new.point.op for d in c.blind], c.status) == ([], ["once"], 3)


def test_a_blind_comparison_is_no_success_unless_that_is_accepted(tmp_path, capsys):
    old, new = visits([10.0, 20.0], point()), visits([12.0, 30.0], point())
    paths = [str(write(tmp_path / name, lines)) for name, lines in (("a", old), ("b", new))]
    assert main(["compare", *paths]) == 3
    assert "too noisy to show a change of 50 %" in " ".join(capsys.readouterr().out.split())
    assert main(["compare", *paths, "--blind", "ignore"]) == 0
    assert main(["compare", *paths, "--sees", "90000%"]) == 0
    capsys.readouterr()
    assert main(["compare", *paths, "--format", "json"]) == 3
    (shown,) = json.loads(capsys.readouterr().out)
    assert (shown["exit_status"], len(shown["blind"]), shown["sees"]) == (3, 1, 0.5)


def test_visits_in_two_modes_are_shown_as_two(tmp_path):
    old = visits([0.25, 0.26, 1.04e6, 0.255, 1.05e6], point("odd"))
    new = visits([0.25, 0.26, 0.25, 0.255, 1.05e6], point("odd"))
    c = both(tmp_path, old, new)
    (d,) = c.blind
    assert d.old.modes == ((pytest.approx(0.255), 3), (pytest.approx(1.045e6), 2))
    # One visit far out is no mode.
    assert d.new.modes is None
    assert "odd, 1 thread: either 0.26 ns or 1.0 ms in old.jsonl." in screen_of(c)
    assert cost_interval(d.old) == "0.2600 (0.2550 in 3 visits or 1045000 in 2)"


def test_visits_that_scatter_widely_are_in_no_modes(tmp_path):
    wide = visits([10.0, 14.0, 20.0, 31.0, 45.0, 66.0], point("wide"))
    (d,) = both(tmp_path, wide, wide).compared
    assert d.new.modes is None


def test_a_server_of_ci_reads_what_is_slower_and_what_was_not_seen(tmp_path, capsys):
    old = [*visits(around(10.0), point("slow")), *visits(around(5.0), point("calm"))]
    new = [*visits(around(15.0), point("slow")), *visits(around(5.0), point("calm"))]
    wild = visits([1.0, 9.0, 30.0], point("wild"))
    paths = [
        str(write(tmp_path / name, [*lines, *wild])) for name, lines in (("a", old), ("b", new))
    ]
    assert main(["compare", *paths, "--format", "junit"]) == 1
    (suite,) = ElementTree.fromstring(capsys.readouterr().out)
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")
    results = {case.get("classname"): [e.tag for e in case] for case in suite}
    assert results == {"slow": ["failure"], "wild": ["skipped"], "calm": []}
    (failure,) = suite.iter("failure")
    assert failure.get("message").startswith("slower: 1.50 (")
