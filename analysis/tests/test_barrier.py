"""Barriers made by hand: what is compared, and what is concluded."""

import pytest

from syncmeter_analysis.conclude.conclusion import Grade, Kind
from syncmeter_analysis.conclude.studies.barrier import conclude
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


def concluded(tmp_path, *lines):
    return conclude(read(write(tmp_path / "f", *lines, first=first())))


def in_situation(found, work, lanes):
    (c,) = [c for c in found if (c.situation.work, c.situation.threads) == (work, lanes)]
    return c


def test_each_api_has_its_default_and_its_choice(tmp_path):
    lines = two_runtimes() + five(barrier_at("std", 4), 2000.0)
    found = concluded(tmp_path, lines)
    gnu, llvm, cxx = (in_situation(found, api, 4) for api in ("openmp", "openmp_llvm", "cxx"))
    assert (gnu.kind, gnu.subjects[0].name) == (Kind.keep, ("omp", "barrier"))
    # libgomp is faster, but no choice inside a program of libomp, as std::barrier would be.
    assert (llvm.kind, llvm.subjects[0].name) == (Kind.keep, ("omp-llvm", "barrier"))
    assert (cxx.kind, cxx.subjects[0].name) == (Kind.use, ("omp", "barrier"))
    assert cxx.reference.name == ("std", "barrier")
    assert cxx.effect.value == pytest.approx(5.0)
    assert cxx.condition("parallel_region") and cxx.condition("cpu_per_thread")
    assert cxx.reason.name == "sleeps"
    assert {c.question for c in (gnu, llvm, cxx)} == {"barrier"}


def test_another_runtime_is_a_choice_for_a_whole_program(tmp_path):
    found = concluded(tmp_path, two_runtimes())
    four, two = (in_situation(found, "runtime", n) for n in (4, 2))
    assert (four.kind, four.subjects[0].variant) == (Kind.keep, "omp")
    assert (two.kind, two.subjects[0].variant) == (Kind.use, "omp-llvm")
    assert two.effect.value == pytest.approx(2.0)
    assert two.condition("whole_program")
    assert (four.question, two.question) == ("barrier", "fewer_threads")


def test_without_the_default_runtime_no_runtime_is_compared(tmp_path):
    lines = five(barrier_at("omp-llvm", 4), 300.0) + five(barrier_at("std", 4), 300.0)
    slow = [v | {"status": "too_slow", "reason": "slow", "estimates": []} for v in lines[:1]]
    slow = [v | {"point": barrier_at("omp", 4)} for v in slow]
    found = concluded(tmp_path, slow + lines)
    assert "runtime" not in {c.situation.work for c in found} and found


def test_passive_waiting_costs_time(tmp_path):
    c = in_situation(concluded(tmp_path, two_runtimes()), "omp_passive", 4)
    assert (c.kind, c.subjects[0].variant, c.reference.variant) == (Kind.use, "active", "passive")
    assert c.effect.value == pytest.approx(200.0)
    assert c.condition("cpu_per_thread")


def test_more_threads_than_cpus_do_not_need_a_cpu_each(tmp_path):
    lines = five(barrier_at("omp", 2), 100.0, oversubscribed=True)
    lines += five(barrier_at("std", 2), 900.0, oversubscribed=True)
    c = in_situation(concluded(tmp_path, lines), "cxx", 2)
    assert (c.kind, c.situation.crowded) == (Kind.use, True)
    assert c.condition("cpu_per_thread") is None


def test_the_barrier_of_processes_is_no_choice_of_threads(tmp_path):
    lines = five(barrier_at("std", 2), 900.0) + five(barrier_at("mpi", 2), 100.0)
    lines += five(barrier_at("posix", 2), 400.0)
    found = concluded(tmp_path, lines)
    assert ("mpi", "barrier") not in {s.name for c in found for s in c.subjects}
    c = in_situation(found, "cxx", 2)
    assert (c.kind, c.subjects[0].name) == (Kind.use, ("posix", "barrier"))


def test_the_work_between_barriers_is_computed_from_their_cost(tmp_path):
    c = in_situation(concluded(tmp_path, two_runtimes()), "work_between", 4)
    assert (c.grade, c.effect.quantity) == (Grade.predicted, "threshold")
    assert c.effect.value == pytest.approx(9 * 400.0)
    assert [cost.ns for cost in c.costs] == pytest.approx([400.0])


def test_the_screen_has_the_choice_and_the_tables_have_the_costs(tmp_path):
    text = printed_text(tmp_path, two_runtimes() + five(barrier_at("std", 4), 2000.0))
    flat = " ".join(text.split())
    assert "4 threads, C++ omp barrier (a,b) 400 std::barrier 2000 5.0" in flat
    assert "4 threads, libgomp active wait (b) 400 passive wait 80,000 200" in flat
    assert "Put at least 3.6 us (95 % CI" in flat
    assert "affinity  threads" in text
    assert "200 (200..200) >" in text
    assert "400.0 (" in text
    (section,) = sections(read(tmp_path / "f"), ["barrier"])
    assert section.first[-1].items[-2:] == [section.screen.details, section.screen.next]


def test_a_late_lane_is_laid_beside_none(tmp_path):
    (placed,) = part_of(tmp_path, two_runtimes()).placements
    assert [(row.lanes, row.late_us) for row in placed.late] == [(2, 0), (2, 10)]
    on_time, late = placed.late[:2]
    assert all(placed.over_on_time(on_time, runtime) is None for runtime in on_time.costs)
    assert placed.over_on_time(late, ("omp", "active")).value == pytest.approx(0.5)
    text = printed_text(tmp_path, two_runtimes())
    assert "Late thread: ns from its arrival" in text
    assert "0.500 (0.500..0.500) <" in text


def test_what_scatters_is_undecided(tmp_path):
    lines = five(barrier_at("omp", 2), 100.0, 0.5) + five(barrier_at("std", 2), 90.0)
    c = in_situation(concluded(tmp_path, lines), "openmp", 2)
    assert c.kind is Kind.undecided


def test_sleeping_that_scatters_is_still_slower(tmp_path):
    """50 us in one repetition and 950 in the next: on a linear scale the interval held 0."""
    lines = five(barrier_at("omp", 2), 1000.0)
    lines += five(barrier_at("omp", 2, "passive"), 500_000.0, 0.9)
    c = in_situation(concluded(tmp_path, lines), "omp_passive", 2)
    assert (c.kind, c.subjects[0].variant) == (Kind.use, "active")
    assert "< " not in printed_text(tmp_path, lines).replace("> more, < less", "")
    # A negative cost has no ratio.
    less = visits([-5.0, -6.0], barrier_at("omp", 2, "passive"))
    for number, line in enumerate(less, 6):
        line["visit"] = number
    c = in_situation(concluded(tmp_path, lines, less), "omp_passive", 2)
    assert (c.kind, [x.name for x in c.conditions]) == (Kind.undecided, ["no_cost"])


def test_waiting_in_different_vcpu_placements_is_undecided(tmp_path):
    lines = five(barrier_at("omp", 2), 100.0, estimate={"hop_ns": 65.0})
    lines += five(barrier_at("omp", 2, "passive"), 9000.0, estimate={"hop_ns": 235.0})
    c = in_situation(concluded(tmp_path, lines), "omp_passive", 2)
    assert (c.kind, [x.name for x in c.conditions]) == (Kind.undecided, ["other_placement"])
    # One number of threads is no curve to draw.
    assert drawing.figures(barrier.rows(read(tmp_path / "f"))) == []


def test_names_the_runtimes(tmp_path):
    worker = {
        "kind": "worker",
        "build": {"compiler": "Clang 14.0.6"},
        "runtime": {"omp-llvm": {"library": "/usr/lib/libomp.so.5"}},
    }
    text = printed_text(tmp_path, worker, two_runtimes())
    assert "omp-llvm  Clang 14.0.6  /usr/lib/libomp.so.5" in text


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


def test_one_thread_says_nothing_of_waiting(tmp_path):
    lines = five(barrier_at("omp", 1), 5.0) + five(barrier_at("omp", 1, "passive"), 5.0)
    (c,) = concluded(tmp_path, lines)
    assert (c.kind, c.conditions[0].name) == (Kind.undecided, "one_thread")
    text = printed_text(tmp_path, lines)
    assert "use --oversubscribe --threads 2" in text
    assert "Passive waiting over active" not in text


def test_a_curve_has_a_figure_and_two_costs_have_none(tmp_path):
    curve = [line for n in (1, 2, 4) for line in five(barrier_at("omp", n), 100.0 * n)]
    campaign = read(write(tmp_path / "f", curve))
    (figure,) = drawing.figures(barrier.rows(campaign))
    assert figure.title == "Barrier cost by number of threads"
    # One barrier alone leaves nothing to choose, but its cost asks for work.
    assert [c.question for c in conclude(campaign)] == ["work_between"]
    two = [line for line in curve if line["point"]["lanes"] < 4]
    assert not barrier.rows(read(write(tmp_path / "g", two)))


def test_each_number_of_threads_has_its_decision(tmp_path):
    lines = []
    for lanes, times in ((1, 3.0), (2, 1.0), (4, 3.0), (8, 0.5)):
        lines += five(barrier_at("omp", lanes), 100.0)
        lines += five(barrier_at("std", lanes), 100.0 * times)
    found = concluded(tmp_path, lines)
    kinds = {n: str(in_situation(found, "openmp", n).kind) for n in (2, 4, 8)}
    assert kinds == {2: "keep", 4: "keep", 8: "use"}
    assert in_situation(found, "openmp", 8).subjects[0].name == ("std", "barrier")
    # A barrier of one thread is no question.
    assert {c.situation.threads for c in found} == {2, 4, 8}
