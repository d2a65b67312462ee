"""Regions, loops and tasks of costs made by hand: how much work pays for them, and what to take."""

from itertools import pairwise

import pytest

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.studies import regions, work_that_pays
from tests.made import around, campaign, point, read, section_text, visits, write


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
    return " ".join(section_text(regions, parts(tmp_path, *lines), width=400).split())


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
        ({2: 1000.0}, [(1, 0.0), (2, 2000.0)]),
        # From 2 to 4 threads W / 4 is saved for 1000 ns more.
        ({2: 1000.0, 4: 2000.0}, [(1, 0.0), (2, 2000.0), (4, 4000.0)]),
        # Three cost more than four and are never the fastest.
        ({2: 1000.0, 3: 3000.0, 4: 2000.0}, [(1, 0.0), (2, 2000.0), (4, 4000.0)]),
        # Nor are two, where four cost as much.
        ({2: 1000.0, 4: 1000.0}, [(1, 0.0), (4, 4000.0 / 3)]),
        ({1: 300.0}, [(1, 0.0)]),
    ],
)
def test_each_team_is_the_fastest_from_some_work_on(costs, teams):
    found = work_that_pays.fastest_teams(costs)
    assert found == [(n, pytest.approx(work)) for n, work in teams]
    for (before, _), (team, work) in pairwise(found):
        times = {n: work / n + (costs[n] if n > 1 else 0.0) for n in {1, *costs}}
        assert times[team] == pytest.approx(min(times.values()))
        assert times[before] == pytest.approx(times[team])


def test_the_answer_begins_with_the_work_that_pays_for_a_region(tmp_path):
    lines = construct("parallel_region", 1000.0) + construct("parallel_region", 8000.0, lanes=8)
    lines += construct("parallel_region", 200.0, lanes=1)
    text = told(tmp_path, lines)
    start = "- 8 threads: leave less than 9143 ns (9128 to 9157) of serial work to one thread"
    assert (
        f"{start}, 914 iterations of 10 ns, because a region costs 8000 ns with omp active; from 576.0 "
        "us on its threads are 90 % busy" in text
    )
    assert (
        "- omp active: take as many threads as a region's serial work pays for, 2 from 2000 ns, 8 from "
        "18.67 us on, because a region of 1 to 8 costs 200.0 ns to 8000 ns" in text
    )


def test_every_way_to_fork_and_join_is_compared_whatever_its_affinity(tmp_path):
    lines = construct("thread_create_join", 10.0, backend="std", lanes=1, affinity="none")
    lines += construct("parallel_region", 1000.0)
    lines += construct("parallel_region", 20000.0, wait="passive")
    lines += construct("parallel_region", 1400.0, backend="omp-llvm")
    lines += construct("thread_create_join", 50000.0, backend="std", affinity="none")
    lines += construct("pool_submit_wait", 3000.0, backend="std", affinity="none")
    lines += construct("tbb_parallel_for", 90.0, backend="libraries", affinity="none")
    text = told(tmp_path, lines)
    assert "- fork and join of 2 threads: take omp active (1000 ns" in text
    assert "because omp-llvm active takes 1.40 times as long" in text
    ((one,), part) = regions.forks(read(tmp_path / "f")), parts(tmp_path, lines)
    assert len(one.points) == 5
    assert part[0].best.name == "omp active"


def test_one_api_alone_is_no_comparison_of_apis(tmp_path):
    lines = construct("parallel_region", 1000.0) + construct("parallel_region", 9.0, wait="passive")
    assert not regions.forks(read(write(tmp_path / "f", lines)))


def test_the_runtime_whose_regions_cost_least_answers(tmp_path):
    lines = construct("parallel_region", 1000.0, backend="omp-llvm")
    lines += construct("parallel_region", 3000.0) + loop("for_static", 300.0, size=1)
    (part,) = parts(tmp_path, lines)
    assert part.best.name == "omp-llvm active"
    assert "because a region costs 1000 ns with omp-llvm active" in regions.answer([part])[0]


def test_a_region_that_pays_is_one_with_a_loop_where_that_is_known(tmp_path):
    lines = construct("parallel_region", 1000.0, backend="omp-llvm")
    lines += construct("parallel_for", 2000.0, backend="omp-llvm")
    lines += construct("parallel_region", 1200.0) + construct("parallel_for", 1500.0)
    (part,) = parts(tmp_path, lines)
    assert part.best.name == "omp active"
    text = told(tmp_path, lines)
    assert "leave less than 3000 ns" in text
    assert "because a region with a loop costs 1500 ns with omp active" in text
    table = text.partition("Serial work that pays")[2]
    assert "omp active 2 1500 3000 ns" in table
    assert "omp-llvm active 2 2000 4000 ns" in table


def test_what_serial_work_before_a_region_makes_of_it(tmp_path):
    lines = construct("parallel_region", 1000.0)
    for wait, costs in (("active", (1000.0, 1000.0, 1000.0)), ("passive", (9e3, 20e3, 90e3))):
        for gap, ns in zip((None, 10, 1000), costs, strict=True):
            lines += construct("region_after_gap", ns, wait=wait, gap_us=gap)
    text = told(tmp_path, lines)
    assert (
        "- omp, a region after 1000 us of serial work: set OMP_WAIT_POLICY=active, because passive "
        "takes 90.0 times as long (95 % sure: within 0.1 %, 5 visits), 90.00 us against 1000 ns "
        "Constructs" in text
    )
    assert "10 1000 1.00 = 20000 2.22 >" in text


@pytest.mark.parametrize(
    ("ns", "says"),
    [
        (500.0, "set OMP_WAIT_POLICY=passive, because it takes 0.500 times as long"),
        (
            1000.0,
            "let threads sleep (OMP_WAIT_POLICY=passive), because it takes 1.00 times as long",
        ),
    ],
)
def test_threads_sleep_where_that_costs_nothing(tmp_path, ns, says):
    lines = construct("region_after_gap", 1000.0, gap_us=100, backend="omp-llvm")
    lines += construct("region_after_gap", ns, gap_us=100, wait="passive", backend="omp-llvm")
    # Without the other policy nothing is said.
    lines += construct("region_after_gap", 7.0, gap_us=1000, backend="omp-llvm")
    (sentence,) = regions.answer(parts(tmp_path, lines))
    assert sentence.startswith(f"omp-llvm, a region after 100 us of serial work: {says}")


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


def test_chunks_that_cost_nothing_more_ask_for_no_work(tmp_path):
    (part,) = parts(
        tmp_path, loop("for_dynamic", 500.0, size=1), loop("for_dynamic", 510.0, size=64)
    )
    assert work_that_pays.grains_of(part.runtimes[0], 2) == []


PAIRS = [
    (construct("parallel_for", 1500.0), loop("for_static", 300.0, size=1), "merge neighbouring"),
    (loop("for_static", 300.0, size=1), loop("for_nowait", 100.0), "write nowait"),
    (
        loop("for_dynamic", 3000.0, size=1),
        loop("for_static", 500.0, size=128),
        "keep even loops static",
    ),
    (construct("reduction_sum", 1500.0), construct("parallel_region", 1000.0), "reduce once"),
    (construct("nested_region", 9000.0), construct("parallel_region", 1000.0), "do not nest"),
    (
        construct("first_region", 9e4, affinity="none"),
        construct("parallel_region", 1e3),
        "keep the",
    ),
    (task("task_by_one", 900.0, size=4), task("task_by_all", 300.0, size=4), "let all threads"),
    (task("task_chain", 900.0, size=4), task("task_by_one", 300.0, size=4), "join tasks"),
    (
        task("task_chain", 900.0, size=4),
        task("taskwait_by_one", 300.0, size=4),
        "write taskwait between tasks",
    ),
]


@pytest.mark.parametrize(("more", "less", "advice"), PAIRS, ids=[advice for *_, advice in PAIRS])
def test_one_construct_over_another_says_what_to_do(tmp_path, more, less, advice):
    both = told(tmp_path, more, less)
    assert advice in both
    assert "omp active, 2 threads: " in both
    assert advice not in told(tmp_path, more)


def test_the_partitioner_is_chosen_beside_the_best_runtime_of_openmp(tmp_path):
    costs = {"simple": 9000.0, "auto": 2000.0, "static": 200.0}
    lines = construct("parallel_region", 1000.0)
    for name, ns in costs.items():
        op = f"tbb_parallel_for_{name}"
        lines += construct(op, ns, backend="libraries", affinity="none")
    answers = regions.answer(parts(tmp_path, lines))
    of_libraries = [
        sentence for sentence in answers if sentence.startswith("libraries, 2 threads: ")
    ]
    assert [sentence.partition(", because")[0].partition(": ")[2] for sentence in of_libraries] == [
        "do not name simple_partitioner for single indices",
        "name static_partitioner where indices take alike",
    ]
    assert "4.50 times as long" in of_libraries[0] and "10.0 times as long" in of_libraries[1]


def test_what_costs_the_same_asks_for_nothing(tmp_path):
    text = told(tmp_path, loop("for_static", 300.0, size=1), loop("for_nowait", 301.0))
    assert "write nowait" not in text
    assert "a loop with the barrier at its end one with nowait 2 0.997 (0.997..0.997) =" in text


def test_each_runtime_is_compared_by_its_smallest_chunks_and_most_tasks(tmp_path):
    lines = []
    for backend, ns in (("omp", 10.0), ("omp-llvm", 40.0)):
        for size in (1, 16):
            costs = {"for_dynamic": ns * 128 / size, "task_by_all": size * 1e3 / ns}
            for op, cost in costs.items():
                lines += loop(op, cost, backend=backend, size=size)
    lines += loop("task_by_all", 5.0, size=64)
    text = told(tmp_path, lines)
    where = "- 2 threads, a loop in dynamic chunks of one: take omp active (1280 ns, "
    assert f"{where}1278 to 1282), because omp-llvm active takes 4.00 times as long" in text
    where = "- 2 threads, tasks that each thread makes: take omp-llvm active (400.0 ns, "
    assert f"{where}399.4 to 400.6), because omp active takes 4.00 times as long" in text


def test_of_tasks_the_largest_size_that_both_have_counts(tmp_path):
    lines = [line for n in (1, 16) for line in task("task_by_all", 100.0 * n, size=n)]
    lines += task("task_by_one", 150.0, size=1) + task("task_by_one", 8000.0, size=16)
    lines += task("task_by_one", 9.0, size=64)
    assert ", 5.00 times as long (" in told(tmp_path, lines)


def test_teams_of_two_sizes_in_turn_are_compared_with_each_among_its_like(tmp_path):
    lines = construct("parallel_region", 1000.0, lanes=4)
    lines += construct("parallel_region_fewer", 600.0, lanes=4, affinity="none")
    lines += construct("region_after_resize", 8000.0, lanes=4, affinity="none")
    text = told(tmp_path, lines)
    start = (
        "- omp active, 4 threads: keep num_threads, because regions of half of the threads and of"
    )
    assert f"{start} all in turn take 5.00 times as long (" in text
    assert "as each among its like, 8000 ns against 1600 ns" in text
    cheap = construct("region_after_resize", 1610.0, lanes=4, affinity="none")
    assert "keep num_threads" not in told(tmp_path, lines[:10], cheap)


def test_points_without_a_cost_are_told_and_decide_nothing(tmp_path):
    lines = construct("parallel_region", 1000.0, lanes=2)
    for line in lines:
        line.update(status="timeout", reason="a visit outlasted its deadline", estimates=[])
    text = told(tmp_path, lines)
    assert "- cannot tell how much work pays for a region: none of 2 threads has a cost" in text
    assert "parallel_region 2 timeout" in text


def test_a_campaign_without_regions_says_nothing_of_them(tmp_path):
    assert regions.answer(parts(tmp_path, loop("for_static", 300.0, size=1))) == []


def test_one_thread_has_no_work_that_pays(tmp_path):
    assert "- a region of 1 thread costs 40.00 ns" in told(
        tmp_path, construct("parallel_region", 40.0, lanes=1)
    )


def test_a_campaign_without_constructs_has_no_section(tmp_path):
    launch = visits(around(5.0), point("launch_team", backend="kokkos-openmp"), family="launch")
    assert not regions.rows(read(write(tmp_path / "f", launch)))


def test_the_figure_says_the_finding(tmp_path):
    lines = [line for n in (1, 2, 4) for line in construct("parallel_region", 500.0 * n, lanes=n)]
    for gap in (None, 10, 1000):
        lines += construct("region_after_gap", 2000.0, lanes=4, gap_us=gap)
    (figure,) = regions.figures(parts(tmp_path, lines))
    assert figure.title.startswith("4 threads: leave less than 2667 ns")
    assert [panel.title for panel in figure.panels] == [
        "ns of a region",
        "ns of a region of 4 threads",
    ]
    assert [[row["x"] for row in panel.drawing.rows] for panel in figure.panels] == [
        [1, 2, 4],
        [10, 1000],
    ]
