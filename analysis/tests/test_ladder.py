"""The ladder of all costs: its points, names and place."""

from syncmeter_analysis.relate.ladder import ladder
from syncmeter_analysis.voice.overview import operation_of
from tests.made import around, campaign, point, read, visits, write
from tests.test_first_screen import controls, lock, report, updates


def quick(lanes=2):
    """A plain add, updates and a barrier: the rungs of one CPU backend."""
    apart = {"type": "int32", "placement": "strided", "stride": 16, "lanes": lanes}
    return [
        *visits(around(0.3), point("plain_add", **apart), family="memory"),
        *visits(around(5.0), point("atomic_add", **apart)),
        *updates(lanes),
        *visits(around(600.0), point("barrier", lanes=lanes), family="barrier"),
    ]


def rungs_of(tmp_path, *lines):
    return ladder(read(write(tmp_path / "f", *lines, first=campaign())))


def test_all_threads_pay_each_cost_and_the_least_comes_first(tmp_path):
    rungs = rungs_of(tmp_path, quick())
    assert [(rung.key, rung.ns) for rung in rungs] == [
        ("plain", 0.3),
        ("own_atomic", 5.0),
        ("shared_atomic", 20.0),
        ("lock", 200.0),
        ("barrier", 600.0),
    ]
    assert all(rung.s.point.lanes == 2 for rung in rungs)
    assert operation_of(rungs[3]) == "omp critical around an add"


def test_other_locks_are_one_rung(tmp_path):
    more = [*lock("nest_lock_add", 2, 90.0), *lock("critical_named_add", 2, 210.0)]
    rungs = rungs_of(tmp_path, quick(), more)
    (others,) = (rung for rung in rungs if rung.others)
    assert [s.cost.value for s in others.others] == [80.0, 90.0, 210.0]
    assert operation_of(others) == "other locks (3)"


def test_there_is_none_with_few_rungs(tmp_path):
    few = [line for line in quick() if line["point"]["op"] in ("plain_add", "barrier")]
    assert rungs_of(tmp_path, few) == []


def test_it_is_the_first_figure_each_cost_as_in_the_tables(tmp_path):
    found = report(tmp_path, quick(), controls())
    figure = found.head.figures[0]
    assert figure.id == "ladder"
    assert figure.title == "Costs of synchronization"
    costs = {s.id: s.cost.value for s in found.points if s.cost}
    assert all(row["value"] == costs[row["id"]] for row in figure.panels[0].drawing.rows)


def test_a_lock_of_more_lanes_than_all_else_is_no_rung(tmp_path):
    rungs = rungs_of(tmp_path, quick(), lock("critical_add", 4, 900.0))
    assert [rung.ns for rung in rungs if rung.key == "lock"] == [200.0]


def test_one_thread_of_a_gpu_alone_makes_none(tmp_path):
    lines = visits([5.0] * 3, point(backend="cuda", affinity="none"), device=0)
    assert rungs_of(tmp_path, lines) == []
