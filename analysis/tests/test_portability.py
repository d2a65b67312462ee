"""The ratio of a portable cost over the native one, against ratios computed by hand, and the same
judgement as `compare --by backend`."""

import re
from pathlib import Path

import pytest

from syncmeter_analysis.conclude.conclusion import Kind
from syncmeter_analysis.conclude.studies.portability import conclude
from syncmeter_analysis.record.reader import read_results
from syncmeter_analysis.record.text_file import text_of
from syncmeter_analysis.relate.pairings import counterpart_key, counterparts, pairs_by_axis
from syncmeter_analysis.relate.relation import Verdict
from syncmeter_analysis.relate.summary import code_of
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import portability, sections
from tests.made import point, read, visits, write


def at(backend="omp", op="atomic_add", **axes):
    return point(op, backend=backend, **{"lanes": 2, "type": "int32", **axes})


def census(code):
    return {"per_op": {code: 1.0, "move": 3.0}} if code else None


def drifting(ratio, op="atomic_add", n=5, backend="kokkos-openmp"):
    """Both sides drift by 10 % from visit to visit; the ratio does not."""
    native = [10 * 1.1**k for k in range(1, n + 1)]
    other = [ratio * cost * (1.005 if k % 2 == 0 else 0.995) for k, cost in enumerate(native, 1)]
    code = "lock_cmpxchg" if ratio > 1 else "lock_add"
    return [
        *visits(native, at(op=op), census=census("lock_add")),
        *visits(other, at(backend, op=op), census=census(code)),
    ]


def side_of(path, *lines):
    (side,) = portability.rows(read(write(path, *lines)))
    return side


def printed_text(path, *lines):
    (section,) = sections(read(write(path, *lines)), ["portability"])
    return as_plain(section.title, section.blocks)


def test_a_drift_of_the_machine_cancels(tmp_path):
    side = side_of(tmp_path / "f", drifting(1.5))
    (row,) = side.rows
    assert (row.native.point.backend, row.other.point.backend) == ("omp", "kokkos-openmp")
    r = row.difference.ratio
    assert (r.visits, r.paired) == (5, True)
    assert r.value == pytest.approx(1.5 * 0.995)
    assert 1.4 < r.low < r.value < r.high < 1.6


def test_the_table_says_what_ran_and_what_follows(tmp_path):
    text = printed_text(tmp_path / "f", drifting(1.5))
    assert "lock_add 1" in text
    assert "lock_cmpxchg 1" in text
    assert "move" not in text
    assert " slower\n" in text
    assert "kokkos-openmp is slower than omp in some configurations. As fast" in text
    assert re.search(
        r"2 threads int32 +atomic add \(a\) +13 +kokkos-openmp atomic_add +20 +1.5", text
    )
    assert "(a) their machine code differs." in text
    assert " the same\n" in printed_text(tmp_path / "f", drifting(1.0))


def test_what_is_the_compilers_affair_is_left_out_everywhere():
    per_op = {"imad": 1.0, "reconverge": 2.0, "RED": 1.0, "alu": 4.0}
    assert code_of({"per_op": per_op}) == "RED 1"


def test_only_visits_of_one_number_are_compared(tmp_path):
    (row,) = side_of(tmp_path / "f", drifting(1.5)[:-1]).rows
    assert row.difference.ratio.visits == 4


def test_nothing_is_said_where_there_is_nothing_to_compare(tmp_path):
    lines = [*visits([5.0], at()), *visits([5.0], at("kokkos-openmp", op="fence"))]
    assert not portability.rows(read(write(tmp_path / "f", lines)))
    assert not portability.rows(read(write(tmp_path / "f", visits([5.0], at()))))


def test_a_pair_without_a_ratio_says_why(tmp_path):
    open_ = visits([4.0, -4.0, 4.0], at("kokkos-openmp", op="fence"))
    refused = [
        {
            "kind": "refused",
            "point": at("kokkos-openmp", op="barrier"),
            "status": "unsupported",
            "reason": "no barrier here",
        }
    ]
    far = [
        *visits([10.0] * 5, at(op="handoff"), estimate={"hop_ns": 60.0}),
        *visits([40.0] * 5, at("kokkos-openmp", op="handoff"), estimate={"hop_ns": 240.0}),
    ]
    lines = [
        *drifting(1.5),
        *visits([11.0, 12.0, 13.0], at(op="fence")),
        *open_,
        *visits([9.0] * 5, at(op="barrier")),
        *refused,
        *far,
        *visits([9.0] * 5, at(op="lock_add")),
    ]
    side = side_of(tmp_path / "f", lines)
    assert len(side.rows) == 1
    assert {why: [s.point.op for s in points] for why, points in side.missing.items()} == {
        "not_resolved in kokkos-openmp": ["fence"],
        "unsupported in kokkos-openmp: no barrier here": ["barrier"],
        "seen in different placement states": ["handoff"],
    }
    assert side.alone == (1, 0)
    text = printed_text(tmp_path / "f", lines)
    overhead, slower = conclude(read(tmp_path / "f"))
    assert overhead.condition("no_ratio").value == 3
    assert (slower.kind, slower.subjects[0].backend, slower.reference.backend) == (
        Kind.use,
        "omp",
        "kokkos-openmp",
    )
    assert slower.effect.value == pytest.approx(1.5, rel=0.01)
    assert slower.condition("other_code")
    assert re.search(r"Configurations without a counterpart\n.*\nomp +1\n", text)


def test_one_state_in_common_is_compared(tmp_path):
    """A hypervisor moves one side between visits, not both."""

    def seen(backend, *states):
        lines = visits([1.0] * 3, at(backend))
        for line in lines:
            (e,) = line["estimates"]
            line["estimates"] = [
                {
                    **e,
                    "state": state,
                    "hop_ns": (60.0, 240.0)[state],
                    "rounds": rounds,
                    "cost_ns": {"value": cost, "low": 0.9 * cost, "high": 1.1 * cost},
                }
                for state, rounds, cost in states
            ]
        return lines

    lines = [
        *seen("omp", (0, 30, 10.0), (1, 10, 40.0)),
        *seen("kokkos-openmp", (1, 30, 60.0)),
    ]
    (row,) = side_of(tmp_path / "f", lines).rows
    assert row.difference.ratio.value == pytest.approx(1.5)
    assert " 240   40.00" in printed_text(tmp_path / "f", lines)


def test_points_that_share_both_measurements_are_one_row_that_names_them(tmp_path):
    same = [
        {"kind": "same", "point": at(b, **x), "measured_as": at(b), "why": "equal"}
        for b in ("omp", "kokkos-openmp")
        for x in ({"op": "atomic_sub"}, {"affinity": "spread"})
    ]
    (row,) = side_of(tmp_path / "f", drifting(1.5), same).rows
    assert [s.point.op for s in row.points] == ["atomic_add", "atomic_sub", "atomic_add"]
    text = printed_text(tmp_path / "f", drifting(1.5), same)
    assert "atomic_add atomic_sub  int32" in text
    assert "close spread" in text


def test_rows_that_differ_in_a_rare_axis_can_be_told_apart(tmp_path):
    lines = [
        line
        for size in (8, 64)
        for b in ("omp", "kokkos-openmp")
        for line in visits([5.0] * 5, at(b, size=size, late_us=20))
    ]
    text = printed_text(tmp_path / "f", lines)
    assert "size 8 one thread 20 us late" in text
    assert "size 64 one thread 20 us late" in text


def test_two_native_apis_are_not_portable_against_native(tmp_path):
    """std beside omp is in every barrier campaign; its capabilities do not say `portable`."""
    path = write(tmp_path / "f", drifting(1.5, backend="std"))
    assert not sections(read(path), ["portability"])
    (c,) = pairs_by_axis("backend", [read_results(path)])
    assert c.names == ("omp", "std")
    path = write(tmp_path / "g", drifting(1.5), visits([10.0] * 5, at("std")))
    assert [side.other for side in portability.rows(read(path))] == ["kokkos-openmp"]


def test_compare_by_backend_says_the_same_of_the_same_file(tmp_path):
    # One pair of 20 at 1.06 with a scatter that Holm's correction does not leave.
    lines = [line for i in range(20) for line in drifting(1.0, op=f"op_{i:02}")]
    lines += drifting(1.5, op="slow") + drifting(1.03, op="within the margin")
    lines += visits([10.0] * 5, at(op="edge"))
    lines += visits([10.6, 10.9, 10.55, 11.2, 10.7], at("kokkos-openmp", op="edge"))
    path = write(tmp_path / "f", lines)
    side = portability.rows(read(path))[0]
    (c,) = pairs_by_axis("backend", [read_results(path)])
    expected = {(d.old.id, d.new.id): (d.verdict, d.ratio) for d in c.compared}
    rows = {
        (r.native.id, r.other.id): (r.difference.verdict, r.difference.ratio) for r in side.rows
    }
    assert rows == expected
    assert side.count(Verdict.slower) == 1
    assert side.count(Verdict.cannot_tell) == 1
    overhead = conclude(read(path))[0]
    counted = {x.name: (x.value, x.compared) for x in overhead.conditions}
    assert overhead.kind is Kind.use
    assert counted == {"as_fast": (21, 23), "slower": (1, 23), "open": (1, 23)}


def test_counterparts_differ_in_what_one_api_alone_can_say(tmp_path):
    lines = [
        *visits([5.0], at("cuda", scope="system", affinity="none"), device=0),
        *visits([4.0], at("cuda", scope="device", affinity="none"), device=0),
        *visits([4.0], at("cuda", scope="device", flavour="atomic_ref", affinity="none"), device=0),
        *visits([6.0], at("kokkos-cuda", affinity="none"), device=0),
        *visits([6.0], at("kokkos-openmp", affinity="none")),
    ]
    points = list(read(write(tmp_path / "f", lines)).points.values())
    natives = [s for s in points if s.point.backend == "cuda"]
    keys = {s.point.backend: counterpart_key(s.point) for s in points}
    assert keys["cuda"] == keys["kokkos-cuda"] != keys["kokkos-openmp"]
    # Whatever the order of a campaign's visits was.
    for some in (natives, natives[::-1]):
        ((native, other),) = counterparts(some, points[-2:])
        assert (native.point.scope, native.point.flavour) == ("device", "")
        assert other.point.backend == "kokkos-cuda"


def test_the_order_of_memory_accesses_is_no_such_thing(tmp_path):
    lines = [*visits([5.0], at()), *visits([5.0], at("kokkos-openmp", order="seq_cst"))]
    native, other = read(write(tmp_path / "f", lines)).points.values()
    assert counterparts([native], [other]) == []


MEASURED = Path(__file__).parent / "data" / "portability.jsonl.xz"


def test_of_a_measured_file_text_and_compare_judge_the_same(tmp_path):
    # No measured file of a portable API is at hand: std stands for one.
    path = tmp_path / "f.jsonl"
    path.write_text(text_of(MEASURED).decode().replace('"std"', '"kokkos-threads"'))
    campaign = read(path)
    (section,) = sections(campaign, ["portability"])
    (side,) = section.rows
    (c,) = pairs_by_axis("backend", [read_results(path)])
    assert (side.native, side.other) == c.names == ("omp", "kokkos-threads")
    assert {(r.native.id, r.other.id, r.difference.verdict) for r in side.rows} == {
        (d.old.id, d.new.id, d.verdict) for d in c.compared
    }
    assert len(side.rows) == 2


def forks(*apis):
    return [
        line
        for backend, op, ns in apis
        for line in visits(
            [ns * (1 + 0.002 * n) for n in (-1, 0, 1)],
            point(op, backend=backend, lanes=2, order="unordered"),
            family="launch" if op.startswith("launch_") else "region",
        )
    ]


def test_ways_to_fork_stand_side_by_side_where_one_is_portable(tmp_path):
    native = [("omp", "parallel_region", 1000.0), ("std", "thread_create_join", 50000.0)]
    native.append(("libraries", "tbb_parallel_for", 90.0))
    text = printed_text(tmp_path / "f", forks(*native, ("kokkos-openmp", "launch_team", 2000.0)))
    (fork,) = [c for c in conclude(read(tmp_path / "f")) if c.question == "api"]
    assert (fork.kind, fork.subjects[0].op, fork.reference.op) == (
        Kind.use,
        "parallel_region",
        "launch_team",
    )
    assert fork.effect.value == pytest.approx(2.0)
    table = text.partition("Fork and join, 2 threads")[2]
    for way, ratio in (("kokkos-openmp active", "2.00"), ("std", "50.0")):
        assert ratio in next(line for line in table.splitlines() if line.startswith(way))
    assert not portability.rows(read(write(tmp_path / "g", forks(*native))))


def test_reductions_of_a_number_of_each_thread_stand_side_by_side(tmp_path):
    ways = [("omp", "reduction_sum", 1100.0), ("omp", "parallel_region", 1000.0)]
    ways.append(("kokkos-openmp", "launch_team_reduce", 3300.0))
    text = printed_text(tmp_path / "f", forks(*ways))
    (fork,) = [c for c in conclude(read(tmp_path / "f")) if c.question == "api"]
    assert (fork.subjects[0].op, fork.reference.op) == ("reduction_sum", "launch_team_reduce")
    table = text.partition("Fork and join, reduction of a number, 2 threads")[2]
    assert "3.00" in next(line for line in table.splitlines() if line.startswith("kokkos-openmp"))
    assert "Fork and join, 2 threads" not in text
