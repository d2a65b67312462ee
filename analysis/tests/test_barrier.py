"""Barriers made by hand: what is compared, and what is said of it."""

import re

import pytest

from syncmeter_analysis.relate.relation import Verdict, verdict
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import barrier, sections
from syncmeter_analysis.studies import barrier as drawing
from tests.made import campaign, point, read, visits, write


def barrier_at(backend, lanes, wait="active", **axes):
    return point("barrier", backend=backend, lanes=lanes, wait=wait, order="unordered", **axes)


def late_at(backend, late_us):
    return {**barrier_at(backend, 2), "op": "barrier_late", "late_us": late_us}


def five(what, cost, scatter=0.0, **members):
    """Five visits around a cost; the machine drifts by 10 % from one to the next."""
    costs = [cost * 1.1 ** (n - 3) * (1 + scatter * (-1) ** n) for n in range(1, 6)]
    return visits(costs, what, family="barrier", **members)


def two_runtimes():
    """The second is faster at 2 lanes, slower at 4 and the same at 1."""
    lines = []
    for lanes, times in ((1, 1.0), (2, 0.5), (4, 3.0)):
        cost = 100.0 * lanes
        lines += five(barrier_at("omp", lanes), cost)
        lines += five(barrier_at("omp-llvm", lanes), times * cost)
        lines += five(barrier_at("omp", lanes, "passive"), 200 * cost)
    return lines + five(late_at("omp", 0), 200.0) + five(late_at("omp", 10), 100.0)


def first():
    return campaign(options={"study": "barrier"})


def part_of(tmp_path, *lines):
    (part,) = barrier.rows(read(write(tmp_path / "f", *lines, first=first())))
    return part


def printed_text(tmp_path, *lines):
    path = write(tmp_path / "f", *lines, first=first())
    (section,) = sections(read(path), ["barrier"])
    return as_plain(section.title, section.blocks)


def test_a_barrier_of_a_users_own_has_a_column_by_its_name(tmp_path):
    mine = {**barrier_at("mine", 2), "op": "my_barrier"}
    part = part_of(tmp_path, five(barrier_at("omp", 2), 100.0), five(mine, 50.0))
    assert part.runtimes == [("mine my_barrier", "active"), ("omp", "active")]
    (against,) = part.between
    assert against.name == "omp : mine my_barrier active"
    assert against.ratios[2].value == pytest.approx(2.0)
    assert "my_barrier" in printed_text(
        tmp_path, five(barrier_at("omp", 2), 100.0), five(mine, 50.0)
    )


def test_a_ratio_is_made_of_equal_visits(tmp_path):
    part = part_of(tmp_path, two_runtimes())
    (placed,) = part.placements
    assert (placed.placed, [row.lanes for row in placed.curve]) == ("close", [1, 2, 4])
    (active,) = part.between  # those that wait alike
    assert active.name == "omp-llvm : omp active"
    r = active.ratios[2]
    assert (r.visits, r.value) == (5, pytest.approx(0.5))
    assert r.high == pytest.approx(0.5)  # the drift is no scatter
    assert verdict(r) is Verdict.faster


def test_curves_and_ratios_stand_in_tables(tmp_path):
    text = printed_text(tmp_path, two_runtimes())
    assert "affinity  lanes" in text
    assert "omp-llvm active" in text
    assert (
        "- omp-llvm active is 3.00 times slower than omp active at 4 threads, 2.00 times faster at 2 "
        "threads, as fast at 1 thread (close)\n"
    ) in text
    assert "- omp passive is 200 times slower than omp active at 1 to 4 threads (close)\n" in text
    assert "- a barrier of 4 threads (close): take omp active (400.0 ns, " in text
    assert "200 (200..200) >" in text
    assert "400.0 (" in text


def test_a_late_lane_is_laid_beside_none(tmp_path):
    (placed,) = part_of(tmp_path, two_runtimes()).placements
    assert [(row.lanes, row.late_us) for row in placed.late] == [(2, 0), (2, 10)]
    on_time, late = placed.late[:2]
    assert all(placed.over_on_time(on_time, runtime) is None for runtime in on_time.costs)
    assert placed.over_on_time(late, ("omp", "active")).value == pytest.approx(0.5)
    text = printed_text(tmp_path, two_runtimes())
    assert "A late arriver: ns from its arrival" in text
    assert " x0.500 <" in text


def test_what_scatters_cannot_be_told(tmp_path):
    lines = five(barrier_at("omp", 2), 100.0, 0.2) + five(barrier_at("std", 2), 110.0)
    text = printed_text(tmp_path, lines)
    assert re.search(
        r"- std active against omp active: cannot tell \(at 2 threads [\d.]+ to [\d.]+ times as "
        r"long\) at 2",
        text,
    )
    assert "std: std::barrier ignores the wait policy" in text
    assert "a second OpenMP runtime was not measured" in text


def test_sleeping_that_scatters_is_still_slower(tmp_path):
    """50 us in one visit and 950 in the next: on a linear scale the interval of that cost held 0."""
    lines = five(barrier_at("omp", 2), 1000.0)
    lines += five(barrier_at("omp", 2, "passive"), 500_000.0, 0.9)
    text = printed_text(tmp_path, lines)
    assert "< " not in text.replace("> more, < less", "")
    assert re.search(r"- omp passive is \S+ times slower than omp active at 2 threads", text)
    # Visits that found less than nothing are another matter.
    less = visits([-5.0, -6.0], barrier_at("omp", 2, "passive"))
    for number, line in enumerate(less, 6):
        line["visit"] = number
    text = printed_text(tmp_path, lines, less)
    assert "- omp passive against omp active: not comparable (not resolved) at 2 threads" in text


def test_waiting_in_different_placement_states_is_not_comparable(tmp_path):
    lines = five(barrier_at("omp", 2), 100.0, estimate={"hop_ns": 65.0})
    lines += five(barrier_at("omp", 2, "passive"), 9000.0, estimate={"hop_ns": 235.0})
    text = printed_text(tmp_path, lines)
    assert "not comparable (seen in different placement states) at 2 threads" in text
    # One number of lanes is no curve to draw.
    assert drawing.figures(barrier.rows(read(tmp_path / "f"))) == []


def test_names_the_runtimes(tmp_path):
    worker = {
        "kind": "worker",
        "build": {"compiler": "Clang 14.0.6"},
        "runtime": {"omp-llvm": {"library": "/usr/lib/libomp.so.5"}},
    }
    text = printed_text(tmp_path, worker, two_runtimes())
    assert "- omp-llvm: Clang 14.0.6, /usr/lib/libomp.so.5" in text
    assert "second OpenMP runtime" not in text


def same_as(lanes, affinity):
    return {
        "kind": "same",
        "point": barrier_at("omp", lanes, affinity=affinity),
        "measured_as": barrier_at("omp", lanes),
        "why": "equal placement",
    }


def test_affinities_that_place_alike_are_one(tmp_path):
    lines = five(barrier_at("omp", 2), 100.0) + five(barrier_at("omp", 3), 120.0)
    lines += five(barrier_at("omp", 4), 150.0)
    lines += five(barrier_at("omp", 4, affinity="spread"), 300.0)
    same = [same_as(2, "spread"), same_as(3, "spread")]
    same += [same_as(2, "smt"), same_as(3, "smt"), same_as(4, "smt")]
    part = part_of(tmp_path, lines, same)
    assert sorted(placed.placed for placed in part.placements) == ["close, smt", "spread"]
    # What stands in for another affinity is in its curve too.
    assert [len(placed.curve) for placed in part.placements] == [3, 3]


def test_one_lane_says_what_it_cannot_know(tmp_path):
    lines = five(barrier_at("omp", 1), 5.0) + five(barrier_at("omp", 1, "passive"), 5.0)
    text = printed_text(tmp_path, lines)
    assert "that takes two threads or more" in text
    assert "Passive waiting over active" not in text


def test_a_curve_is_told_and_two_costs_are_none(tmp_path):
    curve = [line for n in (1, 2, 4) for line in five(barrier_at("omp", n), 100.0 * n)]
    (figure,) = drawing.figures(barrier.rows(read(write(tmp_path / "f", curve))))
    assert figure.title == "A barrier costs 100.0 ns at 1 thread, 400.0 ns at 4 threads (close)"
    two = [line for line in curve if line["point"]["lanes"] < 4]
    assert not barrier.rows(read(write(tmp_path / "g", two)))


def test_the_figures_title_is_the_answer(tmp_path):
    path = write(tmp_path / "f", two_runtimes(), first=first())
    (figure,) = drawing.figures(barrier.rows(read(path)))
    assert figure.title.startswith("a barrier of 4 threads (close): take omp active (400.0 ns, ")
    assert (
        ", because omp-llvm active takes 3.00 times as long (95 % sure: within 0.1 %, "
        in figure.title
    )


def test_the_answer_names_each_number_of_lanes_where_one_between_says_otherwise(tmp_path):
    lines = []
    for lanes, times in ((1, 3.0), (2, 1.0), (4, 3.0), (8, 6.0)):
        lines += five(barrier_at("omp", lanes), 100.0)
        lines += five(barrier_at("std", lanes), 100.0 * times)
    found = barrier.answer(barrier.rows(read(write(tmp_path / "f", lines))))
    assert found[-1] == (
        "std active is 3.00 to 6.00 times slower than omp active at 1, 4, 8 threads, "
        "as fast at 2 threads (close)"
    )
