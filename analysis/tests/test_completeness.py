"""What a campaign says that could not tell: why, what it resolved all the same, and what to run."""

import lzma

import pytest

from syncmeter_analysis.conclude.conclusion import Kind
from syncmeter_analysis.conclude.studies.locks import conclude
from syncmeter_analysis.relate.campaign import read_campaign
from syncmeter_analysis.render.build import build
from syncmeter_analysis.render.trust import answers_and_how_sure
from syncmeter_analysis.studies import answers, sections
from tests.made import around, campaign, point, read, visits, write

PLAN = {"points": 4, "visits": 40, "same": 0, "refused": 0, "predicted_s": 1.0}
SPENT = {"kind": "end", "reason": "budget", "visits": 2, "failed": 0, "wall_ns": 1.0}


def said(tmp_path, study, *lines, **first):
    members = {"options": {"study": study}, "plan": PLAN, **first}
    c = read(write(tmp_path / "f.jsonl", *lines, first=campaign(**members)))
    return answers(c, sections(c))


def lock(op, cost, n=1, backend="omp"):
    what = point(op, backend=backend, lanes=2, placement="shared", type="int32", order="unordered")
    return visits(around(cost, n), what, family="critical")


@pytest.mark.parametrize(
    ("locks", "why"),
    [
        ([("lock_add", 60.0)], "no_cost"),
        ([("lock_add", 60.0), ("spin_lock_add", 40.0)], "one_repetition"),
    ],
)
def test_no_lock_is_advised_that_was_compared_with_none(tmp_path, locks, why):
    """A sole one was named as the one to take, as was one that a single visit had as the fastest."""
    alone = visits(
        [9.0],
        point("critical_add", placement="shared", type="int32", order="unordered"),
        family="critical",
    )
    lines = [alone, *(lock(op, cost) for op, cost in locks)]
    found = conclude(read(write(tmp_path / "f.jsonl", *lines, first=campaign())))
    (first,) = [c for c in found if c.situation.threads == 2]
    assert (first.kind, [c.name for c in first.conditions]) == (Kind.undecided, [why])


def test_of_several_locks_the_one_with_a_cost_is_not_the_fastest(tmp_path):
    nothing = {"cost_ns": {"value": -1.0, "low": -9.0, "high": 9.0}}
    what = point("lock_add", lanes=2, placement="shared", type="int32", order="unordered")
    costs = [-1.0, 1.0, -1.0, 1.0, 0.0]
    unresolved = visits(costs, what, family="critical", estimate=nothing)
    lines = [lock("spin_lock_add", 40.0, 5), unresolved]
    (first,) = conclude(read(write(tmp_path / "f.jsonl", *lines, first=campaign())))
    assert first.kind is Kind.undecided


@pytest.mark.parametrize("study", ["paper", "waiting", "atomics", "quick"])
def test_a_study_without_an_answer_says_what_it_resolved_and_how_to_go_on(tmp_path, study):
    few = visits([5.0], point("atomic_read", type="int32", placement="shared"))
    more = visits([90.0], point("fence", lanes=2), family="fence")
    first, second = said(tmp_path, study, few, more, SPENT)
    assert first == (
        f"{study}: cannot tell: 2 points have a cost, from atomic_read 1 lane 5.000 ns to fence 2 "
        "lanes 90.00 ns"
    )
    assert second == (
        f"Not complete: 2 of 40 visits were measured; `syncmeter run --resume {tmp_path}/f.jsonl` "
        "measures the others"
    )


def test_a_complete_study_without_an_answer_is_to_be_measured_with_more_visits(tmp_path):
    few = visits([5.0], point("atomic_read", type="int32", placement="shared"))
    (only,) = said(tmp_path, "paper", few, {**SPENT, "reason": "complete"})
    assert only == (
        "paper: cannot tell: 1 point has a cost, atomic_read 1 lane 5.000 ns; measure again with more "
        "`--visits`"
    )


def of_atomic_add(tmp_path, n, end, ops=("atomic_add",)):
    """What `quick` says of two points with so many visits."""
    what = {"lanes": 2, "type": "int32"}
    shared = visits([9.0] * n, point("atomic_add", placement="shared", **what))
    apart = visits([2.0] * n, point("atomic_add", placement="strided", stride=16, **what))
    options = {"study": "quick", "ops": list(ops)}
    return said(tmp_path, "quick", shared, apart, end, options=options)


@pytest.mark.parametrize(
    ("n", "reason", "ops"),
    [(1, "complete", ["atomic_add"]), (2, "budget", ["atomic_add"]), (2, "complete", ["*"])],
)
def test_what_was_left_out_is_no_reason_where_visits_are_lacking(tmp_path, n, reason, ops):
    first, *rest = of_atomic_add(tmp_path, n, {**SPENT, "reason": reason}, ops)
    assert first.startswith("quick: cannot tell: 2 points have a cost")
    assert first.endswith("; measure again with more `--visits`") == (not rest)


def test_a_failed_point_takes_no_advice_from_the_others_and_stands_once(tmp_path):
    few = visits([5.0], point("atomic_read", type="int32", placement="shared"))
    bad = visits([1.0], point("barrier"), status="failed", reason="wrong value 3", estimates=[])
    host = bad[0]["point"]
    same = {"kind": "same", "point": {**host, "affinity": "spread"}, "measured_as": host, "why": ""}
    path = write(
        tmp_path / "f.jsonl", few, [same, *bad], first=campaign(options={"study": "paper"})
    )
    c = read(path)
    first, last = answers_and_how_sure(c, answers(c, sections(c)))
    assert first.endswith("; measure again with more `--visits`") and "failed" not in first
    assert "; 1 point failed (wrong value 3)" in last


def test_more_visits_do_not_answer_what_was_left_out(tmp_path):
    """Both ends of the costs are of one op, whose cells tell them apart."""
    (only,) = of_atomic_add(tmp_path, 2, {**SPENT, "reason": "complete"})
    assert only == (
        "quick: no answer, perhaps as `--op` left out what it compares: 2 points have a cost, from "
        "atomic_add 64 B apart 2 lanes 2.000 ns to atomic_add shared 2 lanes 9.000 ns"
    )


def test_a_file_that_cannot_be_resumed_as_it_lies_is_not_named_to_resume(tmp_path):
    """The driver refuses what xz packed, and what is read from a pipe is no file."""
    few = visits([5.0], point("atomic_read", type="int32", placement="shared"))
    head = campaign(options={"study": "paper"}, plan=PLAN)
    text = write(tmp_path / "f.jsonl", few, SPENT, first=head).read_bytes()
    packed = tmp_path / "f.jsonl.xz"
    packed.write_bytes(lzma.compress(text))
    c = read_campaign([str(packed)])
    *_, last = answers(c, sections(c))
    measured = "Not complete: 1 of 40 visits were measured"
    assert last == (
        f"{measured}; `syncmeter run --resume` measures the others once the file is unpacked"
    )
    c.files[0].path = "/dev/stdin"
    *_, last = answers(c, sections(c))
    assert last == measured


def test_an_answer_of_one_file_does_not_hide_the_study_of_another(tmp_path):
    locks = lock("lock_add", 60.0, 5) + lock("spin_lock_add", 20.0, 5)
    few = visits([5.0], point("atomic_read", type="int32", placement="shared"))
    files = [
        write(tmp_path / f"{study}.jsonl", *lines, first=campaign(options={"study": study}))
        for study, lines in (("locks", locks), ("paper", few))
    ]
    c = read_campaign(list(map(str, files)))
    found = answers(c, sections(c))
    (paper,) = (sentence for sentence in found if sentence.startswith("paper "))
    assert paper.startswith(f"paper ({files[1]}): cannot tell: 1 point has a cost, atomic_read")


def test_an_answer_stands_before_how_to_go_on(tmp_path):
    *_, last = said(
        tmp_path, "locks", lock("lock_add", 60.0, 5), lock("spin_lock_add", 20.0, 5), SPENT
    )
    assert last.startswith("Not complete: 10 of 40 visits were measured")


@pytest.mark.parametrize(("n", "cards"), [(1, 0), (5, 1)])
def test_no_card_rests_on_points_that_were_visited_once(tmp_path, n, cards):
    atomic = visits(around(20.0, n), point(lanes=2, placement="shared", type="int32"))
    lines = [atomic, lock("critical_add", 200.0, n)]
    c = read(write(tmp_path / "f.jsonl", *lines, first=campaign(options={"study": "locks"})))
    assert len(build(c).head.cards) == cards
    more = visits(around(2.0, n), point(lanes=1, placement="shared", type="int32"))
    alone = {"lanes": 1, "placement": "shared", "type": "int32", "order": "unordered"}
    lines += [more, visits(around(20.0, n), point("critical_add", **alone), family="critical")]
    assert bool(build(read(write(tmp_path / "g.jsonl", *lines))).head.cards) == bool(cards)


def test_a_runtime_is_named_by_its_library_and_not_by_where_that_lies(tmp_path):
    workers = [
        {"kind": "worker", "worker": name, "runtime": {name: {"library": path}}}
        for name, path in (
            ("omp", "/usr/lib/x86_64-linux-gnu/libgomp.so.1.0.0"),
            ("omp-llvm", "/usr/lib/llvm-14/lib/libomp.so.5"),
        )
    ]
    locks = [lock("lock_add", 60.0, 5), lock("lock_add", 20.0, 5, "omp-llvm")]
    c = read(
        write(tmp_path / "f.jsonl", *workers, *locks, first=campaign(options={"study": "locks"}))
    )
    found = " ".join(answers_and_how_sure(c, answers(c, sections(c))))
    assert "libomp" in found and "libgomp" in found and "/usr" not in found
