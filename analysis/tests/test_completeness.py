"""What a campaign says that could not tell: why, what it resolved all the same, and what to run."""

import lzma

import pytest

from syncmeter_analysis.command import main
from syncmeter_analysis.conclude.conclusion import Kind
from syncmeter_analysis.conclude.studies.locks import conclude
from syncmeter_analysis.relate import completeness
from syncmeter_analysis.relate.campaign import read_campaign
from syncmeter_analysis.render.build import build
from tests.made import answers_in, around, campaign, point, read, visits, write

PLAN = {"points": 4, "visits": 40, "same": 0, "refused": 0, "predicted_s": 1.0}
SPENT = {"kind": "end", "reason": "budget", "visits": 2, "failed": 0, "wall_ns": 1.0}


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


def unfinished(tmp_path):
    """A campaign that its budget ended."""
    few = visits([5.0], point("atomic_read", type="int32", placement="shared"))
    first = campaign(options={"study": "paper"}, plan=PLAN)
    return write(tmp_path / "f.jsonl", few, SPENT, first=first)


def shown(path, capsys):
    assert main(["text", str(path)]) == 0
    return " ".join(capsys.readouterr().out.split())


def test_an_unfinished_campaign_says_how_to_go_on(tmp_path, capsys):
    path = unfinished(tmp_path)
    more = f"Next: syncmeter run --resume {path} (1 of 40 repetitions were measured)"
    assert more.replace(" ", "") in shown(path, capsys).replace(" ", "")


def test_the_screen_of_one_study_says_how_to_go_on(tmp_path, capsys):
    locks = lock("lock_add", 60.0, 5), lock("spin_lock_add", 20.0, 5)
    first = campaign(options={"study": "locks"}, plan=PLAN)
    path = write(tmp_path / "f.jsonl", *locks, SPENT, first=first)
    assert "(10 of 40 repetitions were measured)" in shown(path, capsys)


def test_a_packed_file_is_to_be_unpacked_and_a_pipe_cannot_be_resumed(tmp_path, capsys):
    packed = tmp_path / "f.jsonl.xz"
    packed.write_bytes(lzma.compress(unfinished(tmp_path).read_bytes()))
    assert "unpack the file and resume it" in shown(packed, capsys)
    c = read_campaign([str(packed)])
    c.files[0].path = "/dev/stdin"
    assert completeness.unfinished(c.files[0]) == completeness.Unfinished(1, 40)


def test_a_failed_configuration_counts_once(tmp_path):
    bad = visits([1.0], point("barrier"), status="failed", reason="wrong value 3", estimates=[])
    host = bad[0]["point"]
    same = {"kind": "same", "point": {**host, "affinity": "spread"}, "measured_as": host, "why": ""}
    path = write(tmp_path / "f.jsonl", [same, *bad], first=campaign(options={"study": "paper"}))
    assert "1 configuration failed (wrong value 3)." in answers_in(read(path))[-1]


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
    found = " ".join(answers_in(c))
    assert "libomp" in found and "libgomp" in found and "/usr" not in found
