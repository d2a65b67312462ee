"""The ladder of all costs: which points it takes, and where it stands."""

from syncmeter_analysis.relate.ladder import ladder, ladder_sentence
from tests.made import around, campaign, point, read, visits, write
from tests.test_first_screen import controls, lock, report, updates


def quick(lanes=2):
    """A plain add, updates and a barrier: the rungs of one CPU backend."""
    plain = point("plain_add", type="int32", placement="strided", stride=16)
    barrier = point("barrier", lanes=lanes)
    return [
        *visits(around(0.3), plain, family="memory"),
        *updates(lanes),
        *visits(around(600.0), barrier, family="barrier"),
    ]


def test_it_goes_from_the_least_cost_to_the_highest(tmp_path):
    rungs = ladder(read(write(tmp_path / "f", quick(), first=campaign())))
    assert [rung.name for rung in rungs] == [
        "a plain add (1 thread)",
        "an atomic add (1 thread)",
        "an add under omp critical (1 thread)",
        "2 atomic adds at once on one variable",
        "2 adds at once under omp critical",
        "a barrier (2 threads)",
    ]
    assert ladder_sentence(rungs) == (
        "Here a plain add (1 thread) takes 0.3000 ns; an atomic add (1 thread) 5.000 ns; "
        "2 atomic adds at once on one variable 20.00 ns; a barrier (2 threads) 600.0 ns (95 % sure: "
        "each within 0.2 %, 5 visits)"
    )


def test_the_cost_of_an_add_by_each_thread_says_how_many_adds_that_is(tmp_path):
    """1998 ns beside 6 ns of one thread reads as 333 times slower; it is 64 adds."""
    rungs = ladder(read(write(tmp_path / "f", quick(64), first=campaign())))
    assert "; 64 atomic adds at once on one variable 20.00 ns; " in ladder_sentence(rungs)


def test_there_is_none_without_a_plain_add_or_with_few_rungs(tmp_path):
    without = [line for line in quick() if line["point"]["op"] != "plain_add"]
    assert ladder(read(write(tmp_path / "f", without, first=campaign()))) == []
    few = [line for line in quick() if line["point"]["op"] in ("plain_add", "barrier")]
    assert ladder(read(write(tmp_path / "g", few, first=campaign()))) == []


def test_it_is_the_first_figure_and_the_first_answer_each_cost_as_in_the_tables(tmp_path):
    found = report(tmp_path, quick(), controls())
    figure = found.head.figures[0]
    assert figure.id == "ladder"
    assert figure.title == (
        "From a plain add (1 thread), 0.3000 ns, to a barrier (2 threads), 600.0 ns"
    )
    assert found.head.answers[0].startswith("Here a plain add (1 thread) takes ")
    costs = {s.id: s.cost.value for s in found.points if s.cost}
    assert all(row["value"] == costs[row["id"]] for row in figure.panels[0].drawing.rows)


def test_a_lock_of_more_lanes_than_all_else_is_no_rung(tmp_path):
    lines = [*quick(), *lock("critical_add", 4, 900.0)]
    rungs = ladder(read(write(tmp_path / "f", lines, first=campaign())))
    assert [rung.name for rung in rungs if "lock" in rung.name or "critical" in rung.name] == [
        "an add under omp critical (1 thread)",
        "2 adds at once under omp critical",
    ]


def test_one_thread_of_a_gpu_alone_makes_none(tmp_path):
    lines = visits([5.0] * 3, point(backend="cuda", affinity="none"), device=0)
    assert ladder(read(write(tmp_path / "f", lines, first=campaign()))) == []
