"""The nodes of a run: none is named among equals, a slow one is, and what cannot be told is said."""

import json
import random
from functools import cache
from xml.etree import ElementTree

import pytest

from syncmeter_analysis.command import main
from syncmeter_analysis.conclude.compare import conclude_nodes
from syncmeter_analysis.relate.fleet import degrees_of, deviation, fleet_of
from syncmeter_analysis.relate.node import LeftOut, node_of, read_nodes
from syncmeter_analysis.relate.stats import median, student_t
from syncmeter_analysis.render.fleet import as_text
from tests.in_ci import some_in_ci
from tests.made import around, campaign, point, results, visits, write

ops = 12


def first(host, **machine):
    line = campaign()
    line["machine"] = {**line["machine"], "host": host, **machine}
    return line


def node(number, factors=None, more=(), **how):
    """A node whose points cost 10, 20, ... ns times their factor (one number for all, or by op)."""
    if more or isinstance(factors, dict):
        return made_node(number, factors or 1.0, more=more, **how)
    return same_node(number, factors or 1.0, **how)


def made_node(number, factors, scatter=0.003, seed=1, more=(), **machine):
    rng = random.Random(f"{seed} {number}")
    lines = list(more)
    own = rng.gauss(0, scatter)
    for i in range(ops):
        factor = factors.get(i, 1.0) if isinstance(factors, dict) else factors
        cost = 10 * (i + 1) * factor * (1 + own + rng.gauss(0, scatter))
        lines += visits([cost * (1 + rng.gauss(0, scatter)) for _ in range(5)], point(f"op{i}"))
    file = results(f"n{number:02}.jsonl", lines)
    file.campaign = first(f"node{number:02}", **machine)
    return node_of(file)


#: The driver estimates all points. Tests ask for most estimates repeatedly.
same_node = cache(made_node)


def differing(nodes, threshold=0.02):
    (group,) = fleet_of(nodes, threshold).groups
    return [group.names[i] for i in group.differing]


@pytest.mark.parametrize("seed", some_in_ci(range(20)))
def test_among_equal_nodes_none_is_named(seed):
    assert differing([node(i, seed=seed) for i in range(20)]) == []


def test_nodes_that_are_5_percent_slower_or_faster_are_named():
    factors = {3: 1.05, 17: 1.05, 11: 0.95}
    nodes = [node(i, factors.get(i)) for i in range(40)]
    fleet = fleet_of(nodes)
    (group,) = fleet.groups
    assert [group.names[i] for i in group.differing] == ["node03", "node11", "node17"]
    slow = next(w for w in group.wholes if w.node == 3)
    assert slow.differs and slow.quartiles[1] == pytest.approx(1.05, abs=0.01)
    assert fleet.status == 1


def test_a_node_that_is_slow_at_a_third_of_its_points_is_named():
    assert differing(
        [node(i, dict.fromkeys(range(4), 1.08) if i == 5 else 1) for i in range(40)]
    ) == ["node05"]


def test_a_node_that_is_slow_at_one_point_is_named_with_it():
    (group,) = fleet_of([node(i, {4: 2.0} if i == 7 else 1) for i in range(40)]).groups
    odd = {p.point.op: [(group.names[o.node], round(o.ratio)) for o in p.odd] for p in group.points}
    assert {op: found for op, found in odd.items() if found} == {"op4": [("node07", 2)]}
    assert not any(w.differs for w in group.wholes)


def test_differences_up_to_the_threshold_count_as_none():
    nodes = [node(i, 1.05 if i == 3 else 1) for i in range(40)]
    assert differing(nodes, 0.1) == []
    assert differing(nodes, 0.02) == ["node03"]


def test_nodes_that_scatter_as_much_are_alike():
    assert differing([node(i, 1.05 if i == 3 else 1, scatter=0.05) for i in range(40)]) == []


def test_a_point_with_two_states_from_run_to_run_names_nobody():
    """The median of distances does not see the second state that a quarter of the nodes are in."""
    rng = random.Random(3)
    nodes = [node(i, {2: 1.3 if rng.random() < 0.25 else 1.0}) for i in range(100)]
    assert differing(nodes) == []


def test_half_a_fleet_of_another_kind_hides_nothing():
    assert len(differing([node(i, 1.2 if i % 5 < 2 else 1) for i in range(50)])) == 20


def test_a_node_is_judged_by_its_own_scatter_where_that_is_wider():
    noisy = [*visits([10.0, 21.0, 16.0, 33.0, 12.0], point("wild"))]
    calm = [*visits(around(10.0, scatter=0.01), point("wild"))]
    nodes = [node(i, more=noisy if i == 2 else calm) for i in range(40)]
    assert differing(nodes) == []
    sure = [*visits(around(16.0, scatter=0.01), point("wild"))]
    assert differing([node(i, more=sure if i == 2 else calm) for i in range(40)]) == ["node02"]


def test_a_wrong_result_differs_in_whatever_fleet():
    bad = visits([1.0], point("lock"), status="failed", reason="wrong value 3", estimates=[])
    good = visits(around(9.0), point("lock"))
    nodes = [node(i, more=bad if i == 1 else good) for i in range(4)]
    (group,) = fleet_of(nodes).groups
    assert [group.names[i] for i in group.differing] == ["node01"]
    assert [p.failed for p in group.points if p.failed] == [{1: "wrong value 3"}]


def test_a_point_that_fails_on_every_node_is_told_of_each():
    bad = visits([1.0], point("lock"), status="failed", reason="wrong value 3", estimates=[])
    fleet = fleet_of([node(i, more=bad) for i in range(4)])
    assert (fleet.groups[0].differing, fleet.status) == ([0, 1, 2, 3], 1)
    assert "(failed)" in as_text(fleet, True)


def in_state(hop, cost, busy=False):
    return visits(around(cost), point("met", lanes=2), estimate={"hop_ns": hop, "busy": busy})


def test_points_are_compared_inside_one_placement_state():
    nodes = [
        node(i, more=in_state(*((240.0, 90.0) if i == 6 else (60.0, 20.0)))) for i in range(40)
    ]
    (group,) = fleet_of(nodes).groups
    met = next(p for p in group.points if p.point.op == "met")
    assert (len(met.ratios), met.elsewhere, round(met.state.hop_ns)) == (39, (6,), 60)
    assert group.differing == []


def test_quiet_is_not_compared_with_busy():
    nodes = [node(i, more=in_state(60.0, 30.0 if i < 9 else 20.0, busy=i < 9)) for i in range(20)]
    (group,) = fleet_of(nodes).groups
    met = next(p for p in group.points if p.point.op == "met")
    (note, *_) = conclude_nodes(fleet_of(nodes), group).notes
    assert (note.name, note.values) == ("elsewhere", {"node": "node00", "count": 1})
    assert (len(met.ratios), met.elsewhere, met.state.busy) == (11, tuple(range(9)), False)


def test_kinds_of_nodes_are_judged_apart_and_two_of_a_kind_not_at_all():
    nodes = [node(i) for i in range(5)] + [node(9, 3.0, cpu_model="Slow CPU")]
    fleet = fleet_of(nodes)
    assert [(g.kind, len(g.nodes), g.judged) for g in fleet.groups] == [
        ("Test CPU", 5, True),
        ("Slow CPU", 1, False),
    ]
    assert fleet.status == 3
    assert fleet_of(nodes[:5]).status == 0
    assert fleet_of(nodes[:2]).status == 2


def test_samples_in_a_queue_of_the_gpu_are_compared_with_such_alone():
    def queued(cost, **members):
        return visits(around(cost), point("grid_sync", backend="cuda", affinity=None), **members)

    one_by_one = [made_node(i, 1.0, more=queued(10.0)) for i in range(6)]
    others = [made_node(i, 1.0, more=queued(5.0, rounds_at_once=16)) for i in range(6, 9)]
    slow = made_node(9, 1.0, more=queued(10.0, rounds_at_once=16))
    assert differing([*one_by_one, *others]) == []
    (group,) = fleet_of([*one_by_one, *others]).groups
    assert group.facts[6] == ["GPU samples in queues (others one by one)"]
    assert sorted(group.missing) == [6, 7, 8]
    more = [made_node(i, 1.0, more=queued(5.0, rounds_at_once=16)) for i in range(10, 16)]
    assert differing([*one_by_one, *others, *more, slow]) == ["node09"]


def test_another_plan_is_compared_in_what_it_has_in_common():
    other = results(
        "n9.jsonl", visits(around(10.0), point("op0")) + visits(around(1.0), point("x"))
    )
    other.campaign = first("node99")
    (group,) = fleet_of([*(node(i) for i in range(5)), node_of(other)]).groups
    assert group.missing == {5: ops - 1}
    assert {p.point.op for p in group.points} == {f"op{i}" for i in range(ops)}


def of_gpu(cost):
    """Points of a GPU, of which a node is judged as a whole."""
    ops_of_gpu = (point(f"gpu{i}", backend="cuda", affinity=None) for i in range(6))
    return [line for what in ops_of_gpu for line in visits(around(cost), what)]


def test_a_node_whose_gpu_was_not_measured_is_blind():
    nodes = [made_node(i, 1.0, more=of_gpu(10.0)) for i in range(8)]
    assert fleet_of(nodes).status == 0
    (group,) = (fleet := fleet_of([*nodes, node(8)])).groups
    assert (group.blind(0.5), fleet.status, len(group.wholes)) == ([8], 3, 17)


def test_a_node_that_has_few_of_the_points_is_blind():
    lines = [line for i in range(5) for line in visits(around(10.0 * (i + 1)), point(f"op{i}"))]
    few = results("n9.jsonl", lines)
    few.campaign = first("node99")
    (group,) = (fleet := fleet_of([*(node(i) for i in range(8)), node_of(few)])).groups
    assert (group.blind(0.5), fleet.status, len(group.wholes)) == ([8], 3, 9)


def test_a_few_nodes_that_have_many_more_points_do_not_make_the_others_blind():
    wide = [x for i in range(30) for x in visits(around(9.0), point(f"more{i}"))]
    nodes = [made_node(i, 1.0, more=wide) for i in range(3)]
    (group,) = (fleet := fleet_of([*nodes, *(node(i) for i in range(3, 12))])).groups
    assert (group.blind(0.5), fleet.status) == ([], 0)


@pytest.mark.parametrize("status", ["too_slow", "failed"])
def test_a_point_of_a_gpu_that_is_measured_in_queues_elsewhere_is_named(status):
    what = point("grid_sync", backend="cuda", affinity=None)
    queued = visits(around(10.0), what, rounds_at_once=16)
    none = visits([1.0], what, status=status, reason="it is slow", estimates=[])
    nodes = [made_node(i, 1.0, more=queued) for i in range(7)]
    (group,) = fleet_of([*nodes, made_node(7, 1.0, more=none)]).groups
    assert [group.names[i] for i in group.differing] == ["node07"]
    assert [p.failed for p in group.points if p.gpu] == [{7: "it is slow"}]


def test_a_node_that_is_too_slow_to_be_measured_where_others_are_differs():
    slow = {"status": "too_slow", "reason": "a trip takes 0.4 s", "estimates": []}
    too_slow = visits([1.0], point("barrier"), **slow)
    quick = [made_node(i, 1.0, more=visits(around(10.0), point("barrier"))) for i in range(5)]
    assert differing([*quick, made_node(5, 1.0, more=too_slow)]) == ["node05"]
    # Near the limit of its time a point is too slow on many equal nodes.
    assert differing([*quick, *(made_node(i, 1.0, more=too_slow) for i in range(5, 10))]) == []
    assert differing([made_node(i, 1.0, more=too_slow) for i in range(5)]) == []


def test_a_node_with_nothing_in_common_is_not_called_alike():
    other = results("n9.jsonl", visits(around(1.0), point("x")))
    other.campaign = first("node99")
    fleet = fleet_of([*(node(i) for i in range(5)), node_of(other)])
    assert (fleet.groups[0].unjudged, fleet.status) == ([5], 3)


@pytest.mark.parametrize("n", [3, 5, 8, 15])
def test_the_tails_of_a_median_distance_are_no_farther_than_supposed(n):
    rng, beyond, trials = random.Random(n), 0, 4000
    for _ in range(trials):
        x = [rng.gauss(0, 1) for _ in range(n)]
        beyond += abs(x[0] - median(x)) > student_t(0.95, degrees_of(n)) * deviation(x)
    assert beyond < 0.06 * trials


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Twelve nodes, the fifth of them 20 % slower and of another BIOS, and two files that are none."""
    monkeypatch.chdir(tmp_path)
    for i in range(12):
        rng = random.Random(i)
        lines = []
        for k in range(ops):
            cost = 10 * (k + 1) * (1.2 if i == 4 else 1) * (1 + rng.gauss(0, 0.002))
            lines += visits(around(cost), point(f"op{k}"))
        facts = {"turbo": "on"} if i == 4 else {}
        write(tmp_path / f"n{i:02}.jsonl", lines, first=first(f"node{i:02}", **facts))
    (tmp_path / "torn.jsonl").write_text("")
    return [f"n{i:02}.jsonl" for i in range(12)]


def test_text_names_the_node_its_facts_and_the_files_left_out(files, capsys):
    assert main(["fleet", *files, "torn.jsonl", "none.jsonl"]) == 1
    shown = capsys.readouterr().out
    assert [line for line in shown.splitlines() if len(line) > 80] == []
    assert shown.startswith(
        """12 nodes: Test CPU

Result: 1 of 12 nodes differ (exit status 1).
Left out: torn.jsonl: is empty: """
    )
    assert "turbo on (others off)" in " ".join(shown.split())
    assert "none.jsonl: No such file or directory" in shown
    assert "1 slower, 0 faster, 11 like the others (within 2 %)." in shown
    assert "Next: syncmeter compare OTHER_NODE.jsonl n04.jsonl shows" in shown


def test_status_is_0_for_nodes_alike_3_where_a_file_is_left_out_and_2_without_any(files, capsys):
    alike = [name for name in files if name != "n04.jsonl"]
    assert main(["fleet", *alike]) == 0
    assert "Result: unchanged (exit status 0)." in capsys.readouterr().out
    assert main(["fleet", *alike, "torn.jsonl"]) == 3
    assert "no node differs, but some files were left" in capsys.readouterr().out
    assert main(["fleet", *alike, "torn.jsonl", "--blind", "ignore"]) == 0
    assert main(["fleet", *alike[:2]]) == 2
    assert "fewer than 3 nodes" in capsys.readouterr().out
    assert main(["fleet", "torn.jsonl"]) == 2
    assert "no file can be used; torn.jsonl: is empty" in capsys.readouterr().err


def test_too_few_nodes_to_name_one_are_blind():
    few = fleet_of(node(i) for i in range(3))
    few.sees = 0.1
    assert (few.status, few.groups[0].blind(0.1)) == (3, [0, 1, 2])
    assert conclude_nodes(few, few.groups[0]).result == "undecided_nodes"
    assert "A change of 10 % in all configurations could be missed: node00" in as_text(few, False)
    many = fleet_of(node(i) for i in range(12))
    assert (many.status, many.groups[0].blind(0.1)) == (0, [])


def test_a_detectable_change_is_found_in_most_fleets():
    found = 0
    for seed in range(20):
        (group,) = fleet_of([node(i, seed=seed) for i in range(10)]).groups
        factor = group.wholes[3].detectable
        assert 1.02 <= factor < 1.2
        found += differing([node(i, factor if i == 3 else 1, seed=seed) for i in range(10)]) == [
            "node03"
        ]
    assert found >= 14


def test_a_server_of_ci_reads_which_nodes_differ(files, capsys):
    assert main(["fleet", *files, "torn.jsonl", "--format", "junit"]) == 1
    nodes, left = ElementTree.fromstring(capsys.readouterr().out)
    assert [nodes.get(k) for k in ("tests", "failures", "skipped")] == ["12", "1", "0"]
    (failure,) = nodes.iter("failure")
    assert failure.get("message").startswith("1.20 times the median node; differs at ")
    assert left.get("skipped") == "1"
    assert main(["fleet", *files[:3], "--format", "junit", "--sees", "10%"]) == 3
    assert 'skipped="3"' in capsys.readouterr().out


def test_json_and_markdown_say_the_same(files, capsys):
    assert main(["fleet", *files, "--format", "json"]) == 1
    shown = json.loads(capsys.readouterr().out)
    (group,) = shown["groups"]
    assert [n["name"] for n in group["nodes"] if n["differs"]] == ["node04"]
    assert group["nodes"][4]["parts"]["CPU"]["median"] == pytest.approx(1.2, abs=0.01)
    assert group["nodes"][4]["unlike_most"] == ["turbo on (others off)"]
    assert (shown["status"], len(group["points"])) == (1, ops)
    assert main(["fleet", *files, "--format", "markdown"]) == 1
    assert "| node04 |" in capsys.readouterr().out


def test_the_page_has_the_figure(files, tmp_path, capsys):
    pytest.importorskip("vl_convert")
    assert main(["fleet", *files, "--html", "fleet.html", "--figure", "fleet.svg"]) == 1
    page = (tmp_path / "fleet.html").read_text()
    assert "1 of 12 nodes differs: node04 (1.20x)" in page
    assert page.count("median of 12 nodes, from the fastest to the slowest") == ops
    assert (tmp_path / "fleet.svg").read_text().startswith("<svg")


def test_processes_side_by_side_read_what_one_reads(files):
    alone, beside = (list(read_nodes(files * 3, processes)) for processes in (1, 3))
    assert [n.costs for n in alone] == [n.costs for n in beside]
    points = [{key: p for n in found for key, p in n.points.items()} for found in (alone, beside)]
    assert points[0] == points[1]


def test_an_import_is_left_out(tmp_path):
    path = write(
        tmp_path / "i.jsonl", visits([5.0], point()), first=campaign(imported={"from": "x"})
    )
    (found,) = read_nodes([str(path)])
    assert isinstance(found, LeftOut) and "imported" in found.why
