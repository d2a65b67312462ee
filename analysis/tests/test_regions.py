"""Regions, loops and tasks of costs made by hand: how much work pays for them, and what to use."""

import math
import re

import pytest

from syncmeter_analysis.conclude.conclusion import Grade, Kind
from syncmeter_analysis.conclude.studies import work_that_pays
from syncmeter_analysis.conclude.studies.regions import conclude, forks
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import regions, sections
from tests.made import around, campaign, point, read, visits, write


def construct(op, ns, lanes=2, family="region", backend="omp", **axes):
    """Five visits of a construct; those after a gap are marginal."""
    pairing = "insert" if "gap_us" in axes or op == "region_after_gap" else "self"
    what = point(op, backend=backend, lanes=lanes, order="unordered", **axes)
    return visits(around(ns), what, family=family, pairing=pairing)


def loop(op, ns, **axes):
    return construct(op, ns, family="worksharing", **axes)


def task(op, ns, **axes):
    return construct(op, ns, family="tasking", **axes)


def parts(tmp_path, *lines):
    first = campaign(options={"study": "regions"})
    return regions.rows(read(write(tmp_path / "f", *lines, first=first)))


def told(tmp_path, *lines):
    """The text with single spaces."""
    path = write(tmp_path / "f", *lines, first=campaign(options={"study": "regions"}))
    (section,) = sections(read(path), ["regions"])
    return " ".join(as_plain(section.title, section.blocks, width=400).split())


def concluded(tmp_path, *lines, question):
    """The conclusions on this question."""
    found = conclude(read(write(tmp_path / "f", *lines)))
    return [c for c in found if c.question == question]


def one_concluded(tmp_path, *lines, question):
    (found,) = concluded(tmp_path, *lines, question=question)
    return found


@pytest.mark.parametrize(
    ("lanes", "cost", "even", "busy"),
    [
        # Two threads halve the work: it has to be twice the region.
        (2, 1000.0, 2000.0, 18000.0),
        (4, 900.0, 1200.0, 32400.0),
        (16, 1500.0, 1600.0, 216000.0),
    ],
)
def test_work_that_pays_for_a_region(lanes, cost, even, busy):
    region = Interval(cost, 0.9 * cost, 1.2 * cost)
    least = work_that_pays.break_even(region, lanes)
    assert (least.value, least.low, least.high) == pytest.approx((even, 0.9 * even, 1.2 * even))
    assert least.value == pytest.approx(least.value / lanes + cost), "as long as by one thread"
    work = work_that_pays.busy_from(region, lanes).value
    assert work == pytest.approx(busy)
    assert work / lanes / (work / lanes + cost) == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("costs", "teams"),
    [
        ({2: 1000.0, 4: 2000.0}, {1e3: 1, 3e3: 2, 1e4: 4}),
        # Three cost more than four and are never the fastest.
        ({2: 1000.0, 3: 3000.0, 4: 2000.0}, {3e3: 2, 1e4: 4}),
        # Two are not either, because four cost as much.
        ({2: 1000.0, 4: 1000.0}, {1.3e3: 1, 1.4e3: 4}),
        ({1: 300.0}, {1e9: 1}),
    ],
)
def test_the_fastest_team_by_work(costs, teams):
    ranges = work_that_pays.ranges_of(costs)
    fitting = {
        work: [r.team for r in ranges if (r.first_ns or 0) <= work < (r.last_ns or math.inf)]
        for work in teams
    }
    assert fitting == {work: [team] for work, team in teams.items()}


def test_a_loop_is_serial_below_the_work_that_pays_for_a_region(tmp_path):
    lines = construct("parallel_region", 1000.0) + construct("parallel_region", 8000.0, lanes=8)
    lines += construct("parallel_region", 200.0, lanes=1)
    c = one_concluded(tmp_path, lines, question="serial")
    assert (c.kind, c.grade, c.subjects[0].variant) == (Kind.use, Grade.predicted, "1")
    # 2 threads pay off earlier than 8.
    assert c.effect.value == pytest.approx(1000 * 2)
    assert c.effect.low < c.effect.value < c.effect.high
    assert (c.costs[0].ns, c.reference.variant) == (1000, "2")
    assert c.condition("efficient_from").value == pytest.approx(576e3)
    assert "- 8 threads" not in told(tmp_path, lines)
    text = told(tmp_path, lines)
    assert (
        "Run a loop serially instead of with 2 threads if its serial time is below 2.0 us" in text
    )
    assert "8 threads are 90 % efficient from 580 us of serial work on." in text


def test_rows_of_work_have_the_threads_that_pay_off_against_all_threads(tmp_path):
    lines = construct("parallel_region", 1000.0) + construct("parallel_region", 8000.0, lanes=8)
    found = concluded(tmp_path, lines, question="team")
    spans = [c.condition("work_range") for c in found]
    ends = [(span.value, span.compared) for span in spans]
    assert ends == [(None, 2000), (2000, pytest.approx(18667, abs=1)), (ends[1][1], None)]
    rows = {c.situation.work_ns: (c.kind, c.subjects[0].variant) for c in found}
    assert rows == {1e3: (Kind.use, "1"), 6200: (Kind.use, "2"), 38e3: (Kind.keep, "8")}
    one, two, _ = found
    assert {c.reference.variant for c in found} == {"8"}
    assert one.effect.value == pytest.approx((1000 / 8 + 8000) / 1000)
    assert two.effect.value == pytest.approx((6200 / 8 + 8000) / (6200 / 2 + 1000))
    assert re.search(r"19 us, e.g. 6.2 us 2 threads 4100 8 threads 8780 2.1", told(tmp_path, lines))
    assert not concluded(tmp_path, construct("parallel_region", 1000.0), question="team")


def test_the_serial_limit_is_the_first_range_of_the_table(tmp_path):
    """A sentence said 8.1 us while a row of 10 us had 8 threads, which pay off from 3.1 us on."""
    for costs in ({2: 1000.0, 8: 8000.0}, {2: 1000.0, 4: 2000.0, 8: 2100.0}, {2: 990.0, 4: 900.0}):
        lines = [x for n, ns in costs.items() for x in construct("parallel_region", ns, lanes=n)]
        serial = one_concluded(tmp_path, lines, question="serial")
        first, second, *_ = concluded(tmp_path, lines, question="team")
        assert first.condition("work_range").compared == pytest.approx(serial.effect.value)
        assert second.subjects[0].variant == serial.reference.variant


def test_every_way_to_fork_and_join_is_compared_whatever_its_affinity(tmp_path):
    lines = construct("thread_create_join", 10.0, backend="std", lanes=1, affinity="none")
    lines += construct("parallel_region", 1000.0)
    lines += construct("parallel_region", 20000.0, wait="passive")
    lines += construct("parallel_region", 1400.0, backend="omp-llvm")
    lines += construct("thread_create_join", 50000.0, backend="std", affinity="none")
    lines += construct("pool_submit_wait", 3000.0, backend="std", affinity="none")
    lines += construct("tbb_parallel_for", 90.0, backend="libraries", affinity="none")
    c = one_concluded(tmp_path, lines, question="api")
    assert (c.kind, c.subjects[0].name) == (Kind.use, ("omp", "parallel_region"))
    assert c.reference.name == ("std", "thread_create_join")
    assert c.effect.value == pytest.approx(50)
    ((one,), part) = forks(read(tmp_path / "f")), parts(tmp_path, lines)
    assert len(one.points) == 5
    assert part[0].best.name == "omp active"


def test_one_api_alone_is_no_comparison_of_apis(tmp_path):
    lines = construct("parallel_region", 1000.0) + construct("parallel_region", 9.0, wait="passive")
    assert not forks(read(write(tmp_path / "f", lines)))


def test_the_runtime_whose_regions_cost_least_answers(tmp_path):
    lines = construct("parallel_region", 1000.0, backend="omp-llvm")
    lines += construct("parallel_region", 3000.0) + loop("for_static", 300.0, size=1)
    (part,) = parts(tmp_path, lines)
    assert part.best.name == "omp-llvm active"
    c = one_concluded(
        tmp_path,
        construct("parallel_region", 1000.0, backend="omp-llvm"),
        construct("parallel_region", 3000.0),
        question="serial",
    )
    assert (c.reference.backend, c.costs[0].ns) == ("omp-llvm", 1000)


def test_a_region_that_pays_is_one_with_a_loop_where_that_is_known(tmp_path):
    lines = construct("parallel_region", 1000.0, backend="omp-llvm")
    lines += construct("parallel_for", 2000.0, backend="omp-llvm")
    lines += construct("parallel_region", 1200.0) + construct("parallel_for", 1500.0)
    (part,) = parts(tmp_path, lines)
    assert part.best.name == "omp active"
    text = told(tmp_path, lines)
    c = one_concluded(tmp_path, lines, question="serial")
    assert (c.effect.value, c.costs[0].ns) == (pytest.approx(3000), 1500)
    table = text.partition("Serial work that pays")[2]
    assert "omp active 2 1500 3000 ns" in table
    assert "omp-llvm active 2 2000 4000 ns" in table


def test_what_serial_work_before_a_region_makes_of_it(tmp_path):
    lines = construct("parallel_region", 1000.0)
    for wait, costs in (("active", (1000.0, 1000.0, 1000.0)), ("passive", (9e3, 20e3, 90e3))):
        for gap, ns in zip((None, 10, 1000), costs, strict=True):
            lines += construct("region_after_gap", ns, wait=wait, gap_us=gap)
    c = one_concluded(tmp_path, lines, question="wait_policy")
    # libgomp spins for longer than the 1000 us by default.
    assert (c.kind, c.subjects[0].variant, c.reference.op) == (
        Kind.avoid,
        "passive",
        "default_wait",
    )
    assert (c.effect.quantity, c.effect.value) == ("slowdown", pytest.approx(90))
    assert c.condition("default_spins")
    assert "10 1000 20000 1.00 (1.00..1.00) = 2.22 (2.22..2.22) >" in told(tmp_path, lines)


@pytest.mark.parametrize(
    ("backend", "kind", "why"),
    [("omp", Kind.use, "default_sleeps"), ("omp-llvm", Kind.avoid, "default_spins")],
)
def test_opposite_advice_for_two_runtimes_has_the_default_as_its_reason(
    tmp_path, backend, kind, why
):
    lines = construct("region_after_gap", 1e3, gap_us=10000, backend=backend)
    lines += construct("region_after_gap", 9e4, gap_us=10000, wait="passive", backend=backend)
    c = one_concluded(tmp_path, lines, question="wait_policy")
    assert (c.kind, c.effect.value) == (kind, pytest.approx(90))
    assert c.condition(why)
    # Threads that spin all the time take CPU time from other programs.
    assert bool(c.condition("idle_cpus")) == (kind is Kind.use)
    assert "Only if no other program" in told(tmp_path, lines) or kind is Kind.avoid


@pytest.mark.parametrize(("ns", "kind"), [(500.0, Kind.use), (1000.0, Kind.any)])
def test_threads_sleep_if_that_costs_nothing(tmp_path, ns, kind):
    lines = construct("region_after_gap", 1000.0, gap_us=100, backend="omp-llvm")
    lines += construct("region_after_gap", ns, gap_us=100, wait="passive", backend="omp-llvm")
    # Without the other policy there is no conclusion.
    lines += construct("region_after_gap", 7.0, gap_us=1000, backend="omp-llvm")
    c = one_concluded(tmp_path, lines, question="wait_policy")
    assert (c.kind, c.subjects[0].variant, c.situation.pause_ns) == (kind, "passive", 1e5)
    assert "libomp: " in told(tmp_path, lines)


def test_the_default_is_kept_if_it_sleeps_and_sleeping_is_faster(tmp_path):
    lines = construct("region_after_gap", 9e4, gap_us=10000)
    lines += construct("region_after_gap", 1e3, gap_us=10000, wait="passive")
    c = one_concluded(tmp_path, lines, question="wait_policy")
    assert (c.kind, c.subjects[0].op) == (Kind.keep, "default_wait")
    assert "keep the default wait policy" in told(tmp_path, lines)


@pytest.mark.parametrize(
    ("op", "costs", "each"),
    [
        # 128 chunks of 1 over 2 of 64 are 126 more.
        ("for_dynamic", {1: 500.0 + 128 * 20.0, 8: 820.0, 64: 500.0 + 2 * 20.0}, 20.0),
        # Of one size all is of its chunks.
        ("for_dynamic", {1: 1280.0}, 10.0),
        ("task_by_all", {1: 400.0 + 150.0, 16: 400.0 + 16 * 150.0}, 150.0),
        ("task_by_one", {16: 16 * 300.0}, 300.0),
        ("epcc_master_task", {None: 700.0}, 700.0),
        # Of quick's, which has no size, one task each.
        ("task_by_one", {None: 500.0}, 500.0),
    ],
)
def test_a_piece_of_work_is_to_be_nine_times_what_it_costs(tmp_path, op, costs, each):
    lines = [line for size, ns in costs.items() for line in loop(op, ns, size=size)]
    (part,) = parts(tmp_path, lines)
    (grain,) = work_that_pays.grains_of(part.runtimes[0], 2)
    assert grain.each.value == pytest.approx(each)
    assert grain.each.low < each < grain.each.high
    assert grain.least.value == pytest.approx(9 * each)
    worst = work_that_pays._difference(Interval(50.0, 45.0, 60.0), Interval(20.0, 18.0, 25.0))
    assert worst == Interval(30.0, 20.0, 42.0)
    assert each / (each + grain.least.value) == pytest.approx(0.1)
    c = one_concluded(tmp_path, lines, question="piece")
    assert (c.grade, c.effect.value) == (Grade.predicted, pytest.approx(9 * each))
    assert c.costs[0].ns == pytest.approx(each)


def test_chunks_that_cost_nothing_more_ask_for_no_work(tmp_path):
    (part,) = parts(
        tmp_path, loop("for_dynamic", 500.0, size=1), loop("for_dynamic", 510.0, size=64)
    )
    assert work_that_pays.grains_of(part.runtimes[0], 2) == []


PAIRS = [
    (construct("parallel_for", 1500.0), loop("for_static", 300.0, size=1), "merge_regions"),
    (loop("for_static", 300.0, size=1), loop("for_nowait", 100.0), "nowait"),
    (construct("reduction_sum", 1500.0), construct("parallel_region", 1000.0), "reduce_once"),
    (construct("nested_region", 9000.0), construct("parallel_region", 1000.0), "one_level"),
    (
        construct("first_region", 9e4, affinity="none"),
        construct("parallel_region", 1e3),
        "keep_threads",
    ),
    (task("task_by_one", 900.0, size=4), task("task_by_all", 300.0, size=4), "all_create_tasks"),
    (task("task_chain", 900.0, size=4), task("task_by_one", 300.0, size=4), "join_chain"),
    (task("task_chain", 900.0, size=4), task("taskwait_by_one", 300.0, size=4), "taskwait"),
]


@pytest.mark.parametrize(("more", "less", "name"), PAIRS, ids=[name for *_, name in PAIRS])
def test_the_faster_construct_is_used_instead_of_the_slower(tmp_path, more, less, name):
    question = "first_region" if name == "keep_threads" else "construct"
    c = one_concluded(tmp_path, more, less, question=question)
    assert (c.kind, c.situation.work) == (Kind.use, name)
    ops = [lines[0]["point"]["op"] for lines in (less, more)]
    assert [c.subjects[0].op, c.reference.op] == ops
    assert c.effect.value == pytest.approx(c.costs[0].ns / c.costs[1].ns)
    assert bool(c.conditions) == (name in ("nowait", "taskwait"))
    assert not concluded(tmp_path, more, question="construct")
    text = told(tmp_path, more, less)
    assert f"{name}" not in text or name in ("nowait", "taskwait")


def test_a_static_schedule_is_the_default_and_kept(tmp_path):
    lines = loop("for_dynamic", 3000.0, size=1) + loop("for_static", 500.0, size=128)
    c = one_concluded(tmp_path, lines, question="construct")
    assert (c.kind, c.reference) == (Kind.keep, c.subjects[0])
    assert "equal iterations keep static schedule 500" in told(tmp_path, lines)


def test_the_partitioner_is_chosen_beside_the_best_runtime_of_openmp(tmp_path):
    costs = {"simple": 9000.0, "auto": 2000.0, "static": 200.0}
    lines = construct("parallel_region", 1000.0)
    for name, ns in costs.items():
        op = f"tbb_parallel_for_{name}"
        lines += construct(op, ns, backend="libraries", affinity="none")
    found = concluded(tmp_path, lines, question="construct")
    assert [(c.situation.work, c.effect.value) for c in found] == [
        ("tbb_auto", pytest.approx(4.5)),
        ("tbb_static", pytest.approx(10)),
    ]
    assert {c.subjects[0].backend for c in found} == {"libraries"}


def test_what_costs_the_same_asks_for_nothing(tmp_path):
    lines = loop("for_static", 300.0, size=1) + loop("for_nowait", 301.0)
    assert not concluded(tmp_path, lines, question="construct")
    text = told(tmp_path, lines)
    assert "for_static for_nowait 2 0.997 (0.997..0.997) =" in text


def test_each_runtime_is_compared_by_its_smallest_chunks_and_most_tasks(tmp_path):
    lines = []
    for backend, ns in (("omp", 10.0), ("omp-llvm", 40.0)):
        for size in (1, 16):
            costs = {"for_dynamic": ns * 128 / size, "task_by_all": size * 1e3 / ns}
            for op, cost in costs.items():
                lines += loop(op, cost, backend=backend, size=size)
    lines += loop("task_by_all", 5.0, size=64)
    loops, tasks = concluded(tmp_path, lines, question="runtime")
    assert (loops.kind, loops.subjects[0].backend, loops.costs[0].ns) == (Kind.keep, "omp", 1280)
    assert (tasks.kind, tasks.subjects[0].backend, tasks.reference.backend) == (
        Kind.use,
        "omp-llvm",
        "omp",
    )
    assert tasks.effect.value == pytest.approx(4)


def test_of_tasks_the_largest_size_that_both_have_counts(tmp_path):
    lines = [line for n in (1, 16) for line in task("task_by_all", 100.0 * n, size=n)]
    lines += task("task_by_one", 150.0, size=1) + task("task_by_one", 8000.0, size=16)
    lines += task("task_by_one", 9.0, size=64)
    c = one_concluded(tmp_path, lines, question="construct")
    assert c.effect.value == pytest.approx(5)


def test_teams_of_two_sizes_in_turn_are_compared_with_each_among_its_like(tmp_path):
    lines = construct("parallel_region", 1000.0, lanes=4)
    lines += construct("parallel_region_fewer", 600.0, lanes=4, affinity="none")
    lines += construct("region_after_resize", 8000.0, lanes=4, affinity="none")
    c = one_concluded(tmp_path, lines, question="construct")
    assert (c.situation.work, c.effect.value) == ("one_team", pytest.approx(5))
    assert [x.ns for x in c.costs] == [8000, 1600]
    cheap = construct("region_after_resize", 1610.0, lanes=4, affinity="none")
    assert not concluded(tmp_path, lines[:10], cheap, question="construct")


def test_points_without_a_cost_are_told_and_decide_nothing(tmp_path):
    lines = construct("parallel_region", 1000.0, lanes=2)
    for line in lines:
        line.update(status="timeout", reason="a visit outlasted its deadline", estimates=[])
    text = told(tmp_path, lines)
    assert one_concluded(tmp_path, lines, question="serial").kind is Kind.undecided
    assert "2 threads: undecided how much work pays for a region: it has no cost." in text
    assert "parallel_region 2 timeout" in text


def test_a_campaign_without_regions_says_nothing_of_them(tmp_path):
    assert conclude(read(write(tmp_path / "f", loop("for_static", 300.0, size=1)))) == []


def test_one_thread_has_no_work_that_pays(tmp_path):
    lines = construct("parallel_region", 40.0, lanes=1)
    assert not concluded(tmp_path, lines, question="serial")


def test_a_campaign_without_constructs_has_no_section(tmp_path):
    launch = visits(around(5.0), point("launch_team", backend="kokkos-openmp"), family="launch")
    assert not regions.rows(read(write(tmp_path / "f", launch)))


def test_the_figure_has_a_panel_by_threads_and_by_gap(tmp_path):
    lines = [line for n in (1, 2, 4) for line in construct("parallel_region", 500.0 * n, lanes=n)]
    for gap in (None, 10, 1000):
        lines += construct("region_after_gap", 2000.0, lanes=4, gap_us=gap)
    (figure,) = regions.figures(parts(tmp_path, lines))
    assert figure.title == "Time of a region by threads"
    assert [panel.title for panel in figure.panels] == [
        "ns of a region",
        "ns of a region of 4 threads",
    ]
    assert [[row["x"] for row in panel.drawing.rows] for panel in figure.panels] == [
        [1, 2, 4],
        [10, 1000],
    ]


def test_threads_on_quiet_cpus_come_last(tmp_path):
    """The study ended in a traceback."""
    other = construct("parallel_region", 50.0, affinity="quiet")
    known = construct("parallel_region", 400.0, affinity="close")
    (part,) = parts(tmp_path, other, known)
    costs = [s.cost.value for runtime in part.runtimes for s in runtime.costs.values()]
    assert costs == [pytest.approx(400.0)]
