"""Each claim against data where it holds, where it does not, and where it cannot be told."""

import json
import math
import re
from pathlib import Path

import pytest

import syncmeter_analysis.claims as claims
from syncmeter_analysis.claims import all_claims
from syncmeter_analysis.claims.claim import cannot_tell, every, fails, holds, not_measured
from syncmeter_analysis.conclude.finding import Note
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.evidence import Evidence, Pair, Pairs
from syncmeter_analysis.relate.relation import Ratio
from syncmeter_analysis.render import claims_text
from syncmeter_analysis.voice.claims import evidence
from syncmeter_analysis.voice.words import templates
from tests.claim_cases import cases, cuda, strided, team
from tests.made import around, campaign, point, read, visits, write

by_id = {claim.id: claim for claim in all_claims()}


apart = {"smt-variance", "levels-coresident", "belief-graph"}
apart |= {"belief-task-grain", "tbb-million-cycles"}


def judge(tmp_path, id, ratio, scatter=0.002, dear=None, cheap=None):
    """What the claim says of five visits on each side, whose ratios scatter by `scatter`."""
    over, under = (dear or cases[id][0], cheap or cases[id][1])
    wobble = [1 - scatter, 1 + scatter, 1 - scatter / 2, 1 + scatter / 2, 1.0]
    on_gpu = {"device": 0} if over["backend"] == "cuda" else {}
    family = {"family": "atomic", **on_gpu}
    path = write(
        tmp_path / f"{id}.jsonl",
        visits([10 * ratio * w for w in wobble], over, spread=max(scatter, 1e-3), **family),
        visits([10.0] * 5, under, **family),
    )
    return by_id[id].judge(Evidence(read(path)))


def test_every_claim_has_a_case_and_every_file_is_listed():
    assert set(cases) | apart == set(by_id)
    folder = Path(claims.__file__).parent
    files = {p.stem for p in folder.glob("*.py")} - {"__init__", "claim", "conclusions", "sources"}
    assert files == set(claims.modules)


@pytest.mark.parametrize("id", cases)
def test_it_holds_where_the_data_say_so(tmp_path, id):
    found = judge(tmp_path, id, cases[id][2])
    assert found.verdict == holds, evidence(id, found)
    assert len(found.points) == 2


@pytest.mark.parametrize("id", cases)
def test_it_does_not_hold_where_they_say_otherwise(tmp_path, id):
    assert judge(tmp_path, id, cases[id][3]).verdict == fails


@pytest.mark.parametrize("id", cases)
def test_it_cannot_be_told_where_the_interval_holds_the_bound(tmp_path, id):
    good, bad = cases[id][2:]
    for _ in range(10):
        middle = math.sqrt(good * bad)
        if judge(tmp_path, id, middle).verdict == holds:
            good = middle
        else:
            bad = middle
    found = judge(tmp_path, id, math.sqrt(good * bad), scatter=0.3)
    assert found.verdict == cannot_tell
    assert found.effect is not None
    assert found.effect.low < good < found.effect.high


@pytest.mark.parametrize("id", cases)
def test_it_cannot_be_told_where_a_side_is_not_resolved(tmp_path, id):
    found = judge(tmp_path, id, cases[id][2], scatter=4.0)
    assert (found.verdict, found.effect) == (cannot_tell, None)
    assert re.search("not.resolved", evidence(id, found))


@pytest.mark.parametrize("id", by_id)
def test_it_is_not_measured_where_nothing_of_it_is(tmp_path, id):
    path = write(tmp_path / "f.jsonl", visits([5.0], point("something_else")))
    assert by_id[id].judge(Evidence(read(path))).verdict == not_measured


@pytest.mark.parametrize("claim", by_id.values(), ids=list(by_id))
def test_it_has_words_and_a_command(claim):
    assert re.fullmatch(r"[a-z0-9-]+", claim.id)
    words = templates()["claims"][claim.id]
    for sentence in filter(None, (words["statement"], words.get("holds"), words.get("fails"))):
        # Names of an API keep their own case.
        assert sentence[0].isupper() or re.match(r"\w*(_|::|[a-z][A-Z])", sentence)
        assert sentence.endswith(".")
        assert all(len(part.split()) <= 25 for part in re.split(r"(?<=[.;:]) ", sentence))
    assert (claim.if_true is None) == (not words.get("holds"))
    assert (claim.if_false is None) == (not words.get("fails"))
    assert claim.command.startswith("syncmeter run")
    assert claim.source


def test_every_words_belong_to_a_claim():
    words = templates()["claims"]
    assert {id for id, of in words.items() if isinstance(of, dict) and "statement" in of} == set(
        by_id
    )


def test_a_single_figure_without_scatter_cannot_tell(tmp_path):
    dear, cheap = cases["omp-padding"][:2]
    bare = {"cost_ns": {"value": 50.0, "low": None, "high": None}}
    path = write(
        tmp_path / "f.jsonl",
        visits([50.0], dear, imported=True, estimate=bare),
        visits([10.0], cheap),
    )
    assert by_id["omp-padding"].judge(Evidence(read(path))).verdict == cannot_tell


def test_scatter_with_siblings_needs_cores_and_many_pairs(tmp_path):
    lines = []
    for op in ("barrier", "atomic_add", "critical_add"):
        for lanes in (6, 7, 8):
            lines += visits([10.0, 10.1, 9.9, 10.05, 9.95], point(op, lanes=lanes))
        for lanes in (12, 16):
            lines += visits([10.0, 12.0, 8.0, 11.0, 9.0], point(op, lanes=lanes))
    data = Evidence(read(write(tmp_path / "f.jsonl", lines)))
    assert by_id["smt-variance"].judge(data).verdict == holds
    alone = campaign()
    alone["machine"] = {**alone["machine"], "smt": False}
    data = Evidence(read(write(tmp_path / "g.jsonl", lines, first=alone)))
    assert by_id["smt-variance"].judge(data).notes == [Note("no_smt")]


@pytest.mark.parametrize(
    ("of_64", "verdict", "value"),
    # Nine times the cost of a task, of 64 for each thread, over 10 us.
    [(64 * 2e3, holds, 1.8), (64 * 500.0, fails, 0.45), (64 * 1111.0, cannot_tell, 1.0)],
)
def test_the_work_that_a_task_needs_is_compared_with_a_bound(tmp_path, of_64, verdict, value):
    lines = visits(around(of_64), team("task_by_all", size=64), family="tasking")
    lines += visits(around(9e9), team("task_by_one", size=64), family="tasking")
    lines += visits(around(9e9), team("task_by_all", size=64, wait="passive"), family="tasking")
    found = by_id["belief-task-grain"].judge(Evidence(read(write(tmp_path / "f", lines))))
    assert (found.verdict, found.effect.value) == (verdict, pytest.approx(value, rel=1e-3))


@pytest.mark.parametrize(
    ("ns", "verdict", "value"),
    # On four threads work of four thirds of the cost takes as long in parallel, over 500 us.
    [(600e3, holds, 1.6), (3e3, fails, 0.008), (375e3, cannot_tell, 1.0)],
)
def test_the_loop_that_a_parallel_for_needs_is_of_the_largest_team(tmp_path, ns, verdict, value):
    lines = visits(around(ns), team("tbb_parallel_for", backend="libraries", lanes=4))
    lines += visits(around(5.0), team("tbb_parallel_for", backend="libraries"))
    found = by_id["tbb-million-cycles"].judge(Evidence(read(write(tmp_path / "f", lines))))
    assert (found.verdict, found.effect.value) == (verdict, pytest.approx(value, rel=1e-3))


@pytest.mark.parametrize(("graph_of_16", "verdict"), [(16.0, holds), (32.0, fails)])
def test_a_graph_is_compared_kernel_by_kernel(tmp_path, graph_of_16, verdict):
    path = write(
        tmp_path / "f.jsonl",
        visits([2.0] * 5, cuda("additional_launch"), device=0),
        visits([9.0] * 5, cuda("additional_graph_launch", size=1), device=0),
        visits([graph_of_16] * 5, cuda("additional_graph_launch", size=16), device=0),
    )
    found = by_id["belief-graph"].judge(Evidence(read(path)))
    assert found.verdict == verdict
    assert found.effect.value == pytest.approx(2 * 16 / graph_of_16)


def test_a_thread_that_launches_from_afar_is_compared_too(tmp_path):
    path = write(
        tmp_path / "f.jsonl",
        visits([9.0] * 5, cuda("kernel_split", home="other"), device=0),
        visits([3.0] * 5, cuda("grid_sync"), device=0),
        visits([90.0] * 5, cuda("grid_sync", blocks=132), device=0),
    )
    found = by_id["lecture-kernel-boundary"].judge(Evidence(read(path)))
    assert found.verdict == holds
    assert found.pairs == 1


def test_the_end_of_a_kernel_is_judged_in_a_graph_where_one_was_measured(tmp_path):
    """A kernel of a graph of 64 costs 2, one by itself 9 and a grid barrier 3."""
    lines = [
        *visits([9.0] * 5, cuda("kernel_split"), device=0),
        *visits([3.0] * 5, cuda("grid_sync"), device=0),
        *visits([20.0] * 5, cuda("additional_graph_launch", size=4), device=0),
        *visits([128.0] * 5, cuda("additional_graph_launch", size=64), device=0),
    ]
    found = by_id["lecture-kernel-boundary"].judge(
        Evidence(read(write(tmp_path / "f.jsonl", *lines)))
    )
    assert found.verdict == fails
    assert found.effect.value == pytest.approx(2 / 3)
    (note,) = found.notes
    assert (note.name, note.ratios[0].value) == ("split", pytest.approx(3.0))


def test_the_limit_of_grids_is_seen_where_one_was_refused(tmp_path):
    refused = {
        "kind": "refused",
        "point": cuda("grid_sync", blocks=9999),
        "status": "unsupported",
        "reason": "132 blocks fit at once",
    }
    path = write(
        tmp_path / "f.jsonl", refused, visits([5.0], cuda("grid_sync", blocks=132), device=0)
    )
    found = by_id["levels-coresident"].judge(Evidence(read(path)))
    assert found.verdict == holds
    assert found.notes == [Note("refused", 1, 1, why="132 blocks fit at once")]


def test_what_a_portable_api_makes_of_an_op_is_no_trait_of_the_cpu(tmp_path):
    id = "omp-atomic-read-free"
    sides = [{**side, "backend": "kokkos-openmp"} for side in cases[id][:2]]
    assert judge(tmp_path, id, 60.0, dear=sides[0], cheap=sides[1]).verdict == not_measured
    assert judge(tmp_path, id, 60.0).verdict == fails


def test_what_another_portable_api_costs_says_nothing_of_kokkos(tmp_path):
    over = {**cases["belief-kokkos"][0], "backend": "omp-target"}
    members = {"family": "atomic", "portable": True, "native_of": "omp"}
    path = write(
        tmp_path / "f.jsonl",
        visits([60.0] * 5, over, **members),
        visits([10.0] * 5, cases["belief-kokkos"][1], family="atomic"),
    )
    assert by_id["belief-kokkos"].judge(Evidence(read(path))).verdict == not_measured


def test_an_update_says_nothing_of_what_a_read_adds(tmp_path):
    read_and_add = [
        point(op, placement="shared", type="int32") for op in ("atomic_read", "atomic_add")
    ]
    found = judge(
        tmp_path, "omp-atomic-read-free", 60.0, dear=read_and_add[1], cheap=read_and_add[0]
    )
    assert found.verdict == not_measured


def test_what_is_oversubscribed_is_no_evidence(tmp_path):
    lines = visits([10.0] * 5, point("barrier", lanes=4)) + visits(
        [900.0] * 5, point("barrier", lanes=64)
    )
    data = Evidence(read(write(tmp_path / "f.jsonl", lines)))
    assert by_id["omp-barrier-lanes"].judge(data).verdict == not_measured


def test_points_that_share_a_placement_say_nothing_of_affinity(tmp_path):
    close = point("barrier", lanes=4)
    same = {
        "kind": "same",
        "point": {**close, "affinity": "spread"},
        "measured_as": close,
        "why": "equal placement",
    }
    data = Evidence(read(write(tmp_path / "f.jsonl", same, visits([5.0] * 5, close))))
    assert by_id["omp-affinity"].judge(data).verdict == not_measured


def test_ratios_are_taken_within_one_placement_state(tmp_path):
    over, under = cases["omp-padding"][:2]
    path = write(
        tmp_path / "f.jsonl",
        visits([50.0] * 5, over, estimate={"hop_ns": 120.0}),
        visits([10.0] * 5, under, estimate={"hop_ns": 30.0}),
    )
    found = by_id["omp-padding"].judge(Evidence(read(path)))
    assert found.verdict == cannot_tell
    assert [note.why for note in found.notes] == ["seen in different placement states"]


def test_doubtful_figures_are_left_out_where_others_are_there(tmp_path):
    def bare(cost, what, **more):
        return visits(
            [cost],
            what,
            imported=True,
            estimate={"cost_ns": {"value": cost, "low": None, "high": None}},
            **more,
        )

    lines = []
    for i in range(8):
        lines += bare(30.0, cuda("fence", scope="system", lanes=i + 1))
        lines += bare(10.0, cuda("fence", scope="device", lanes=i + 1))
        lines += bare(30.0, cuda("fence", scope="system", lanes=i + 11), doubt="not its name")
        lines += bare(1e-6, cuda("fence", scope="device", lanes=i + 11))
    found = by_id["cuda-fence-scope"].judge(Evidence(read(write(tmp_path / "f.jsonl", lines))))
    assert found.range == pytest.approx((3, 3))
    assert Note("without", 8, why="of doubtful figures") in found.notes


def test_each_step_of_a_scope_is_judged_for_itself(tmp_path):
    lines = []
    for scope, cost in (("system", 200.0), ("device", 10.0), ("block", 10.0)):
        lines += visits([cost] * 5, cuda("fence", scope=scope), device=0)
    found = by_id["cuda-fence-scope"].judge(Evidence(read(write(tmp_path / "f.jsonl", lines))))
    verdicts = {step: f.verdict for step, f in found.parts.items()}
    assert verdicts == {"fence system over device": holds, "fence device over block": fails}


def bare_pairs(ratios):
    """Padding to 64 bytes against 4096, without intervals."""
    lines = []
    for lanes, ratio in enumerate(ratios, 2):
        for cost, stride in ((10.0 * ratio, 16), (10.0, 1024)):
            bare = {"cost_ns": {"value": cost, "low": None, "high": None}}
            lines += visits(
                [cost],
                strided(stride=stride, lanes=min(lanes, 16), repeat=lanes),
                imported=True,
                estimate=bare,
            )
    return lines


@pytest.mark.parametrize(
    ("ratios", "verdict"),
    [
        ([1.0] * 40, holds),
        ([1.0] * 30 + [2.0] * 10, fails),
        # Scatter: as many half as dear as twice.
        ([1.0] * 20 + [2.0] * 10 + [0.5] * 10, cannot_tell),
        ([1.0] * 39 + [2.0], cannot_tell),
    ],
)
def test_figures_without_interval_contradict_beyond_scatter_only(tmp_path, ratios, verdict):
    data = Evidence(read(write(tmp_path / "f.jsonl", bare_pairs(ratios))))
    assert by_id["belief-padding-64"].judge(data).verdict == verdict


def test_one_of_many_pairs_contradicts_only_beyond_what_so_many_scatter(tmp_path):
    over, under = read(
        write(tmp_path / "f.jsonl", *(visits([5.0] * 5, point(lanes=n)) for n in (1, 2)))
    ).points.values()

    def pair(value, factor):
        within = Interval(value, value / factor, value * factor)
        return Pair(over, under, Ratio(within, degrees=4.0, error=0.02))

    scatter, difference, equal = pair(1.2, 1.07), pair(3.0, 1.07), [pair(1.0, 1.01)] * 19

    def verdict_of(*pairs):
        return every(Pairs(list(pairs)), 0.0, 1.1).verdict

    assert verdict_of(scatter) == fails
    assert verdict_of(scatter, *equal) == cannot_tell
    assert verdict_of(difference, *equal) == fails
    assert verdict_of(*equal) == holds


def test_the_table_has_a_column_for_each_machine(tmp_path):
    other = campaign()
    other["machine"] = {**other["machine"], "cpu_model": "Other | CPU <b>"}
    over, under = cases["omp-padding"][:2]
    a = write(tmp_path / "a", visits([50.0] * 5, over), visits([10.0] * 5, under))
    b = write(tmp_path / "b", visits([10.0] * 5, over), visits([10.0] * 5, under), first=other)
    found = claims_text.judge_files([str(a), str(b)])
    text = claims_text.as_text(found)
    assert "A: confirmed. variables in one cache line over variables in their own" in text
    assert "B: refuted" in text
    markdown = claims_text.as_markdown(found)
    assert "Other \\| CPU \\<b\\>" in markdown
    rows = [r for r in markdown.splitlines() if r.startswith("| ")]
    assert len(rows) == len(by_id) + 2
    assert {len(re.findall(r"(?<!\\)\|", r)) for r in rows} == {4}
    machines = json.loads(claims_text.as_json(found))
    assert [len(m["claims"]) for m in machines] == [len(by_id)] * 2


def test_a_point_is_told_the_claims_that_rest_on_it(tmp_path):
    over, under = cases["omp-padding"][:2]
    path = write(tmp_path / "a", visits([50.0] * 5, over), visits([10.0] * 5, under))
    found = claims_text.judge_files([str(path)])
    keys = {s.point.key for s in found[0][0].points.values()}
    assert len(keys) == 2
    for key in keys:
        text = claims_text.of_point(found, key)
        assert "- omp-padding: confirmed. variables in one cache line over" in text
        assert text.startswith("9 of 10 repeated costs (")
    assert claims_text.of_point(found, "backend=omp op=barrier") == "No claim uses it."
