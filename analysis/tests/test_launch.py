"""The parts of the kernel boundary from costs made by hand."""

import re

from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import launch, sections
from syncmeter_analysis.studies import launch as drawing
from syncmeter_analysis.studies.launch import graph_costs
from tests.claim_cases import cuda
from tests.made import around, read, section_text, visits, write

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
    assert re.search(r"\nns, by blocks x threads of the kernel +1 x 32 +132 x 1024\n", text)
    assert re.search(r"\nlaunch and wait +6000 +9000\n", text)
    assert re.search(r"\none more graph in the stream: first kernel +4000\n", text)
    assert re.search(r"\none more graph in the stream: each further one +1000$", text)
    ends = r"\([\d.]+ to [\d.]+\)"
    assert re.search(
        r"- A kernel that does nothing \(1 x 32\): 6000 ns \(95 % sure: [\d.]+ to [\d.]+, 5 visits\) "
        rf"where the host waits for each, 2200 "
        rf"ns {ends} each in a row without waits \(the call alone 2100 ns {ends}: the host sets the "
        r"pace\), 1000 ns each inside a graph, whose launch is not in it\n",
        text,
    )
    # Parts of a launch that overlap are no shares of it.
    assert "Of the time of a launch" not in text


def test_a_graph_that_saves_says_from_how_many_kernels_on(tmp_path):
    # 4000 + 2 x 1000 < 3 x 2200, and 4000 + 1000 > 2 x 2200; the sizes measured are 1, 2 and 9.
    assert re.search(
        r"- Put repeated kernels into a graph, because one more takes 1000 ns "
        r"there, 2200 ns outside; 9 launches take 1\.65 times as long as a built graph of 9 "
        r"\(95 % sure: within 0\.\d %, 5 visits\); graphs are faster from 9 kernels on "
        r"\(12\.00 us with the launch\) \(by the line through the sizes from 3 kernels on\)\n",
        printed_text(tmp_path, *TAKEN_APART),
    )


def test_a_graph_that_saves_nothing_is_not_praised(tmp_path):
    graph = [
        (cuda("additional_graph_launch", size=1), 4000.0),
        (cuda("additional_graph_launch", size=9), 12000.0),
    ]
    text = printed_text(tmp_path, (cuda("additional_launch"), 900.0), *graph)
    sure = r"\(95 % sure: within 0\.\d %, 5 visits\)"
    assert re.search(rf"takes 1\.48 times as long {sure} as 9 launches, slower\n", text)
    text = printed_text(tmp_path, (cuda("additional_launch"), 12000.0 / 9), *graph)
    assert re.search(r"1\.00 times as long \([^)]+\) as 9 launches, the same within 5 %\n", text)
    text = printed_text(tmp_path, (cuda("additional_launch"), 1400.0), *graph, scatter=0.2)
    assert ", cannot tell\n" in text


def test_a_kernel_far_from_what_its_call_takes_is_not_paced_by_the_host(tmp_path):
    text = printed_text(tmp_path, *TAKEN_APART[:2], (cuda("additional_launch"), 1500.0))
    sure = r"\([\d.]+ to [\d.]+\)"
    row = rf"1500 ns {sure} each in a row without waits \(the call alone 2100 ns {sure}\)"
    assert re.search(row, text)
    assert "sets the pace" not in text


def test_near_and_far_are_columns_of_their_own(tmp_path):
    places = [(cuda("launch", home=h), ns) for h, ns in (("other", 7000.0), ("first", 6000.0))]
    text = printed_text(tmp_path, *places)
    assert re.search(r"kernel +1 x 32, near +1 x 32, far\n.* +6000 +7000$", text)
    assert "- A kernel that does nothing (1 x 32, near): 6000 ns" in text


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
    text = section_text(launch, rows)
    assert "1 x 32 cuda  132 x 1024 cuda  1 x 32 sycl" in text
    assert "- sycl: A kernel that does nothing (1 x 32): 12.00 us (" in text
    assert [f.id for f in drawing.figures(rows)] == ["launch", "launch-sycl"]


def test_the_figure_has_a_row_for_each_part_in_the_order_of_the_table(tmp_path):
    (figure,) = drawing.figures(launch.rows(measured(tmp_path, *reversed(TAKEN_APART))))
    drawn = figure.panels[0].drawing.rows
    assert list(dict.fromkeys(r["row"] for r in drawn)) == [
        "a launch call returns after",
        "launch and wait",
        "one more kernel in the stream",
        "graph launched and waited for, for each kernel of 9",
        "one more graph in the stream, for each kernel of 9",
    ]
    assert {r["group"] for r in drawn} == {"1 x 32", "132 x 1024"}
    assert drawn[-1]["value"] == 12000 / 9
    assert figure.title.startswith("A kernel that does nothing (1 x 32): 6000 ns (")
