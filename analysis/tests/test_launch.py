"""The parts of the kernel boundary from costs made by hand."""

import re

import pytest

from syncmeter_analysis.conclude.conclusion import Kind
from syncmeter_analysis.conclude.studies import launch as conclusions
from syncmeter_analysis.relate.kernels import graph_costs
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import launch, sections
from syncmeter_analysis.studies import launch as drawing
from tests.claim_cases import cuda
from tests.made import around, read, visits, write

TAKEN_APART = (
    (cuda("launch"), 6000.0),
    (cuda("launch_call"), 2100.0),
    (cuda("additional_launch"), 2200.0),
    (cuda("graph_launch", size=1), 7000.0),
    (cuda("graph_launch", size=9), 15000.0),
    (cuda("additional_graph_launch", size=1), 4000.0),
    (cuda("additional_graph_launch", size=2), 5000.0),
    (cuda("additional_graph_launch", size=9), 12000.0),
    (cuda("launch", blocks=132, lanes=1024), 9000.0),
)


def measured(tmp_path, *points, scatter=0.004):
    lines = [
        visits(around(cost, scatter=scatter), what, device=0, family="launch")
        for what, cost in points
    ]
    return read(write(tmp_path / "f.jsonl", *lines))


def printed_text(tmp_path, *points, **how):
    (section,) = sections(measured(tmp_path, *points, **how), ["launch"])
    return as_plain(section.title, section.blocks)


def test_the_boundary_is_taken_apart(tmp_path):
    text = printed_text(tmp_path, *TAKEN_APART)
    assert re.search(r"\npart +1 x 32 +132 x 1024\n", text)
    assert re.search(r"\nlaunch and wait +6000 +9000\n", text)
    assert re.search(r"\none more graph in the stream: first kernel +4000\n", text)
    assert re.search(r"\none more graph in the stream: each further one +1000$", text)
    # Overlapping parts are no shares.
    assert "Of the time of a launch" not in text


def concluded(tmp_path, *points, **how):
    """Returns the conclusions by question, and by work for launches."""
    found = conclusions.conclude(measured(tmp_path, *points, **how))
    return {c.situation.work if c.question == "launch" else c.question: c for c in found}


def test_a_graph_that_saves_says_from_how_many_kernels_on(tmp_path):
    """Only the size 9 is faster than separate launches, because 4000 + 1000 > 2 x 2200."""
    found = concluded(tmp_path, *TAKEN_APART)
    c = found["kernel"]
    assert (c.kind, c.reference.op) == (Kind.use, "additional_launch")
    assert (c.subjects[0].op, c.condition("graph_size").value) == ("additional_graph_launch", 9)
    assert c.cost_of(c.subjects[0]).ns == pytest.approx(12000 / 9)
    assert c.effect.value == pytest.approx(1.65)
    least = c.condition("least_graph")
    assert (least.compared, least.value) == (9, pytest.approx(12000 / 9))


def test_a_graph_that_saves_nothing_is_not_praised(tmp_path):
    graph = [
        (cuda("additional_graph_launch", size=1), 4000.0),
        (cuda("additional_graph_launch", size=9), 12000.0),
    ]
    for one, scatter, kind in (
        (900.0, 0.004, Kind.keep),
        (12000.0 / 9, 0.004, Kind.keep),
        (1400.0, 1.5, Kind.undecided),
    ):
        found = concluded(tmp_path, (cuda("additional_launch"), one), *graph, scatter=scatter)
        assert found["kernel"].kind is kind
        assert found["kernel"].condition("least_graph") is None


def test_the_host_that_sets_the_pace_is_the_reason(tmp_path):
    reason = concluded(tmp_path, *TAKEN_APART)["kernel"].reason
    assert (reason.name, reason.value) == ("host_paced", pytest.approx(2100.0))
    points = [*TAKEN_APART[:2], *TAKEN_APART[5:8], (cuda("additional_launch"), 1500.0)]
    assert concluded(tmp_path, *points)["kernel"].reason is None


def test_a_wait_after_each_kernel_is_compared_with_none(tmp_path):
    c = concluded(tmp_path, *TAKEN_APART)["wait"]
    assert (c.kind, c.subjects[0].op, c.reference.op) == (Kind.use, "additional_launch", "launch")
    assert c.effect.value == pytest.approx(6000 / 2200)
    assert c.condition("wait_once")


def test_one_block_gives_no_advice_beside_a_full_grid(tmp_path):
    full = {"blocks": 132, "lanes": 1024}
    points = [*TAKEN_APART, (cuda("additional_launch", **full), 2600.0)]
    points += [(cuda("additional_graph_launch", size=9, **full), 9 * 1300.0)]
    found = concluded(tmp_path, *points)
    assert {c.situation.blocks for c in found.values()} == {132}
    assert found["kernel"].effect.value == pytest.approx(2.0)


def test_the_screen_recommends_a_graph_and_ends_with_the_next_step(tmp_path):
    (section,) = sections(measured(tmp_path, *TAKEN_APART), ["launch"])
    rows = [[field.text for field in row] for row in section.screen.grids[0].rows]
    assert rows == [
        ["in a row, no wait", "graph launch (a,b)", "1330", "separate launch", "2200", "1.7"],
        ["a wait for each", "separate launch (c)", "2200", "launch and wait", "6000", "2.7"],
    ]
    assert any("from 9 kernels in a graph on" in note for note in section.screen.notes)
    assert section.first[-1].items[-2:] == [section.screen.details, section.screen.next]


def test_near_and_far_are_columns_of_their_own(tmp_path):
    places = [(cuda("launch", home=h), ns) for h, ns in (("other", 7000.0), ("first", 6000.0))]
    text = printed_text(tmp_path, *places)
    assert re.search(r"part +1 x 32, near +1 x 32, far\n.* +6000 +7000$", text)


def test_nothing_to_take_apart_is_no_section(tmp_path):
    whole = (cuda("launch"), 6000.0)
    others = [(cuda("barrier"), 10.0), (cuda("launch_for"), 20.0)]
    repeated = (cuda("additional_launch", repeat=2), 2000.0)
    assert sections(measured(tmp_path, whole, *others, repeated), ["launch"]) == []
    failed = visits([2000.0], cuda("additional_launch"), device=0, status="failed")
    lines = visits([6000.0, 6001.0], whole[0], device=0)
    assert sections(read(write(tmp_path / "f.jsonl", lines, failed)), ["launch"]) == []


def test_a_slope_needs_two_sizes():
    assert graph_costs({4: 5000.0}) is None
    one_off = graph_costs({1: 5000.0, 2: 6000.0, 3: 7000.0, 4: 8000.0, 5: 20000.0})
    assert (one_off.first_ns, one_off.each_ns) == (5000, 1000)  # an outlier is no part of a median
    assert graph_costs({16: 19000.0, 4: 7000.0}).first_ns == 4000


def test_backends_are_told_of_apart(tmp_path):
    other = [({**what, "backend": "sycl"}, 2 * ns) for what, ns in TAKEN_APART]
    rows = launch.rows(measured(tmp_path, *TAKEN_APART, *other))
    text = as_plain("", launch.text(rows))
    assert "1 x 32 sycl" in text
    assert [f.id for f in drawing.figures(rows)] == ["launch", "launch-sycl"]


def test_the_figure_has_a_row_for_each_part_in_the_order_of_the_table(tmp_path):
    (figure,) = drawing.figures(launch.rows(measured(tmp_path, *reversed(TAKEN_APART))))
    drawn = figure.panels[0].drawing.rows
    assert list(dict.fromkeys(r["row"] for r in drawn)) == [
        "a launch call returns after",
        "launch and wait",
        "one more kernel in the stream",
        "graph launched and waited for: first kernel",
        "graph launched and waited for: each further one",
        "one more graph in the stream: first kernel",
        "one more graph in the stream: each further one",
    ]
    assert {r["group"] for r in drawn} == {"1 x 32", "132 x 1024"}
    assert drawn[-1]["value"] == 1000
