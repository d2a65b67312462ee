"""Branches by their number of paths, from costs made by hand: slopes, and what is faster without."""

import pytest

from syncmeter_analysis.conclude.conclusion import Kind
from syncmeter_analysis.conclude.studies.divergence import conclude, slope_ns
from syncmeter_analysis.relate.relation import Verdict, verdict
from syncmeter_analysis.render.charts.scaling import scaling_figures
from syncmeter_analysis.studies import divergence, sections
from syncmeter_analysis.studies import divergence as drawing
from tests.made import around, point, read, visits, write


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


def advice(path, *lines):
    """Returns question, paths, kind and gain for each conclusion."""
    return [
        (c.question, c.situation.size, str(c.kind), round(c.effect.value, 1))
        for c in conclude(read(write(path, *lines)))
    ]


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


def test_computing_all_paths_is_compared_with_the_branch_by_paths(tmp_path):
    found = conclude(read(write(tmp_path / "f", *branches())))
    assert [(c.question, c.situation.size, c.situation.threads) for c in found] == [
        ("select", 32, 32),
        ("select", 8, 32),
        ("select", 2, 32),
    ]
    first = found[0]
    assert (first.kind, first.subjects[0].op) == (Kind.use, "branch_predicated")
    assert first.reference.op == "branch_in_warp"
    assert first.effect.value == pytest.approx(350 / 160)
    assert [x.name for x in first.conditions] == ["all_paths"]


def full_block():
    return [
        branch("branch_in_warp", 400.0, 8, lanes=1024),
        branch("branch_across_warps", 100.0, 8, lanes=1024),
    ]


def test_the_largest_launch_comes_first_with_paths_across_warps(tmp_path):
    assert advice(tmp_path / "f", *branches(), *full_block()) == [
        ("warps", 8, "use", 4.0),
        ("select_small", 32, "use", 2.2),
        ("select_small", 8, "use", 2.8),
        ("select_small", 2, "use", 5.0),
    ]
    (section,) = sections(read(write(tmp_path / "f", *branches(), *full_block())), ["divergence"])
    screen = section.screen
    assert [field.text for field in screen.grids[0].rows[0]] == [
        "8",
        "one path per warp (a)",
        "100",
        "branch in a warp",
        "400",
        "4.0",
    ]
    assert len(screen.other_grids) == 1
    assert screen.next.startswith("Next: syncmeter advise -- ./app")


def test_the_reason_is_the_time_of_each_path(tmp_path):
    lines = [branch("branch_in_warp", 30 + 10.0 * n, n, lanes=64) for n in (2, 8)]
    lines += [branch("branch_predicated", 20.0, n, lanes=64) for n in (2, 8)]
    (section,) = sections(read(write(tmp_path / "f", *lines)), ["divergence"])
    assert section.screen.sentences == [
        "A warp runs its paths one after the other: each path more adds 10 ns."
    ]


def test_no_branch_is_used_only_if_it_is_resolved_to_be_faster(tmp_path):
    # At 8 paths 3 % faster, which is the same. At 32 slower.
    lines = branches(lambda paths: {8: 107.0, 32: 400.0}.get(paths, 5.0 * paths))
    (one,) = launches_of(tmp_path / "f", *lines)[:1]
    assert verdict(one.without_branch[8]) is Verdict.same
    kinds = [found[1:3] for found in advice(tmp_path / "f", *lines)]
    assert kinds == [(32, "keep"), (8, "keep"), (2, "use")]
    never = advice(tmp_path / "g", *branches(lambda paths: 100.0 * paths))
    assert {found[2] for found in never} == {"keep"}


def test_the_figure_has_a_panel_for_each_launch(tmp_path):
    path = write(tmp_path / "f", *branches(), branch("branch_across_warps", 41.0, 8, lanes=1024))
    (figure,) = drawing.figures(divergence.rows(read(path)))
    assert [panel.title for panel in figure.panels] == [
        "cuda, 1 block of 32 threads",
        "cuda, 1 block of 1024 threads",
    ]
    assert len(figure.points) == 11
    assert not any("branch" in f.id for f in scaling_figures(read(path)))
