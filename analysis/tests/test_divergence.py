"""Branches by their number of paths, from costs made by hand: slopes, and what is faster without."""

import pytest

from syncmeter_analysis.relate.relation import Verdict, verdict
from syncmeter_analysis.render.charts.scaling import scaling_figures
from syncmeter_analysis.studies import divergence, sections
from syncmeter_analysis.studies import divergence as drawing
from syncmeter_analysis.studies.divergence import slope_ns
from tests.made import around, point, read, section_text, visits, write


def branch(op, ns, size=0, scatter=0.004, **axes):
    what = point(op, backend="cuda", affinity="none", **{"lanes": 32, "size": size, **axes})
    return visits(around(ns, 3, scatter), what, family="warp", device=0)


def branches(predicated=lambda paths: 5.0 * paths):
    """40 ns, and 10 more for each further path of a warp."""
    lines = [branch("branch_uniform", 40.0)]
    for paths in (1, 2, 8, 32):
        lines.append(branch("branch_in_warp", 30 + 10.0 * paths, paths))
        lines.append(branch("branch_predicated", predicated(paths), paths))
    return [*lines, branch("branch_across_warps", 41.0, 32, lanes=1024)]


def launches_of(path, *lines):
    return divergence.rows(read(write(path, *lines)))


def printed_text(path, *lines):
    return section_text(divergence, launches_of(path, *lines))


def test_further_paths_cost_their_slope(tmp_path):
    one, full = launches_of(
        tmp_path / "f", *branches(), branch("branch_across_warps", 41.0, 8, lanes=1024)
    )
    assert slope_ns(one.by_op["branch_in_warp"]) == pytest.approx(10, rel=1e-6)
    assert slope_ns(one.by_op["branch_predicated"]) == pytest.approx(5, rel=1e-6)
    assert one.by_op["branch_in_warp"][8].cost.value == pytest.approx(110)
    assert 3 not in one.by_op["branch_in_warp"]
    assert one.over_one["branch_in_warp", 8].value == pytest.approx(110 / 40)
    assert full.lanes == 1024
    assert full.over_one == {}


def test_one_number_of_paths_has_no_slope_and_no_section(tmp_path):
    campaign = read(write(tmp_path / "f", branch("branch_in_warp", 40.0, 8)))
    assert slope_ns({8: campaign.measured[0]}) is None
    assert sections(campaign, ["divergence"]) == []


def test_the_text_says_slopes_and_what_is_faster_without_a_branch(tmp_path):
    text = printed_text(tmp_path / "f", *branches())
    assert "operations, cuda, 1 block of 32 threads\n" in text
    assert "one path for all lanes: 40.00 ns" in text
    assert (
        "paths inside a warp: each further path adds 10.00 ns (40.00 ns to 350.0 ns, 1 to 32 paths)"
        in text
    )
    faster = "without a branch (all paths computed, one result selected) it is faster up to 32"
    assert faster in text


def test_no_branch_is_faster_only_where_that_is_resolved(tmp_path):
    # At 8 paths 3 % faster, which is the same; at 32 slower.
    lines = branches(lambda paths: {8: 107.0, 32: 400.0}.get(paths, 5.0 * paths))
    (one,) = launches_of(tmp_path / "f", *lines)[:1]
    assert verdict(one.without_branch[8]) is Verdict.same
    text = printed_text(tmp_path / "f", *lines)
    assert "it is faster up to 2 paths; not at 8: 0.973 =, 32: 1.14 >" in text
    never = printed_text(tmp_path / "g", *branches(lambda paths: 100.0 * paths))
    assert "without a branch it is resolved to be faster for no number of paths" in never


def test_an_exception_below_is_told(tmp_path):
    text = printed_text(
        tmp_path / "f", *branches(lambda paths: 90.0 if paths == 2 else 5.0 * paths)
    )
    assert "it is faster for 1, 8, 32 paths; not at 2: 1.80 >" in text


def test_the_figure_says_the_slowest_branch_with_its_launch(tmp_path):
    path = write(tmp_path / "f", *branches(), branch("branch_across_warps", 41.0, 8, lanes=1024))
    (figure,) = drawing.figures(divergence.rows(read(path)))
    assert (
        figure.title
        == "Keep the lanes of a warp on one path, because each further one adds 10.00 ns: 32 paths "
        "take 8.75 times as long (cuda, 1 block of 32 threads)"
    )
    assert [panel.title for panel in figure.panels] == [
        "cuda, 1 block of 32 threads",
        "cuda, 1 block of 1024 threads",
    ]
    assert len(figure.points) == 11
    assert not any("branch" in f.id for f in scaling_figures(read(path)))


def test_without_a_resolved_difference_the_title_claims_none(tmp_path):
    lines = [branch("branch_uniform", 40.0)]
    lines += [branch("branch_in_warp", 41.0, paths) for paths in (1, 2)]
    (figure,) = drawing.figures(launches_of(tmp_path / "f", *lines))
    assert figure.title == "What a branch costs by its number of paths"
