"""Atomic updates by their width: which form to take, table, scopes and figure."""

import re

from syncmeter_analysis.relate import point_text
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import sections, widths
from tests.made import point, read_costs


def update(op="add_f16", **axes):
    members = {"placement": "strided", "stride": 1, "space": "global", "blocks": 132, "lanes": 1024}
    members |= {"flavour": "function", "scope": "device", "order": "relaxed", "affinity": "none"}
    return point(op, backend="cuda", **{**members, **axes})


def halves(tmp_path, **axes):
    return read_costs(
        tmp_path,
        (update("add_f16", **axes), 400.0),
        (update("add_f16x2", **axes), 200.0),
        (update("add_f16x2", flavour="ptx", **axes), 100.0),
        (update("add_f16x8", flavour="ptx", **axes), 200.0),
    )


def test_forms_are_compared_by_one_element(tmp_path):
    found = widths.rows(halves(tmp_path))
    (place,) = found.places
    best = place.parts.best
    assert best is not None
    assert best.point.op == "add_f16x8"
    over = {widths.written(s): place.parts.over(s) for s in place.forms}
    assert 15.9 < over["atomicAdd(__half)"].value < 16.1
    assert 1.99 < over["red.f16x2"].value < 2.01
    (sentence,) = widths.answer(found)
    assert sentence.startswith(
        "halves (132 x 1024, own cells): take red.v4.f16x2 (25.00 ns a half), "
        "which changes 8 at once; atomicAdd(__half) takes 16.0 times as long"
    )
    assert "red.f16x2 2.00" in sentence


def test_the_table_has_updates_and_bytes_of_the_whole_update(tmp_path):
    campaign = read_costs(
        tmp_path,
        (update("add_f32"), 100.0),
        (update("add_f32x4"), 200.0),
        code="RED.ADD",
    )
    (section,) = sections(campaign, ["widths"])
    text = as_plain(section.title, section.blocks)
    # 132 x 1024 updates in 200 ns, of 16 bytes each.
    assert re.search(r"atomicAdd\(float4\) +200.0 +50.00 +676 G +10.8 T +1 +RED.ADD 1", text)
    assert re.search(r"atomicAdd\(float\) +100.0 +100.0 +1.35 T +5.41 T +2.00 ", text)


def test_full_launches_on_own_cells_are_told_first_and_one_cell_behind_them(tmp_path):
    lines = []
    for axes, cost in (
        ({"blocks": 1, "lanes": 32}, 1.0),
        ({"stride": 0}, 900.0),
        ({}, 100.0),
        ({"space": "shared_memory"}, 10.0),
    ):
        lines += [(update("add_f32", **axes), cost), (update("add_f32x2", **axes), cost)]
    found = widths.rows(read_costs(tmp_path, *lines))
    taken = [sentence.split(": take")[0] for sentence in widths.answer(found)]
    assert taken == ["floats (132 x 1024, own cells)", "floats (132 x 1024, one cell)"]
    assert [place.name for place in found.places] == [
        "132 x 1024, own cells",
        "132 x 1024, one cell",
        "1 x 32, own cells",
        "132 x 1024, own cells of shared memory",
    ]


def test_a_used_result_and_another_scope_are_no_rivals(tmp_path):
    found = widths.rows(
        read_costs(
            tmp_path,
            (update("add_f32"), 100.0),
            (update("add_f32x2"), 150.0),
            (update("add_f32", scope="system"), 300.0),
            (update("fetch_add_f32"), 50.0),
        )
    )
    assert [place.update for place in found.places] == ["floats", "floats, result used"]
    (scope,) = found.scopes
    assert scope.s.point.scope == "system"
    assert 2.99 < scope.over_device.value < 3.01
    assert "atomicAdd(float2) (75.00 ns a float)" in widths.answer(found)[0]


def test_swaps_are_compared_by_four_bytes(tmp_path):
    found = widths.rows(
        read_costs(
            tmp_path,
            (update("compare_exchange_b32"), 100.0),
            (update("compare_exchange_b128"), 200.0),
        )
    )
    (sentence,) = widths.answer(found)
    assert sentence.startswith(
        "compare-and-swap (132 x 1024, own cells): take atomicCAS of 128 bits (50.00 ns for 4 bytes)"
    )


def test_cells_of_no_type_are_told_apart_by_elements(tmp_path):
    campaign = read_costs(
        tmp_path, (update(stride=16), 100.0), (update("atomic_add", type="int32"), 9.0)
    )
    names = [point_text.cells(s.point) for s in campaign.points.values()]
    assert sorted(names) == ["16 apart", "4 B apart"]


def test_one_width_alone_is_nothing(tmp_path):
    assert not widths.rows(read_costs(tmp_path, (update("add_f32"), 100.0)))


def test_the_figure_has_each_form_once(tmp_path):
    (figure,) = widths.figures(widths.rows(halves(tmp_path)))
    (panel,) = figure.panels
    assert [row["row"] for row in panel.drawing.rows] == [
        "atomicAdd(__half)",
        "atomicAdd(__half2)",
        "red.f16x2",
        "red.v4.f16x2",
    ]
    assert figure.title == widths.answer(widths.rows(halves(tmp_path)))[0]
