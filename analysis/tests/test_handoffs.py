"""Handoffs between warps of a GPU: figures, and the cost of a round of a ring through blocks."""

import pytest

from syncmeter_analysis.data.point import point_from
from syncmeter_analysis.data.visit import visit_from
from syncmeter_analysis.figures.handoffs import handoff_figures
from tests.made import point, read, visits, write


def warp(op="warp_handoff", **axes):
    members = {"scope": "device", "flavour": "ptx", "order": "acq_rel", "lanes": 64}
    return point(op, backend="cuda", **{"affinity": "none", **members, **axes})


def measured(tmp_path, *costs_of_points):
    lines = []
    for what, cost in costs_of_points:
        lines += visits([cost * 0.999, cost, cost * 1.001], what, device=0, family="handoff")
    return read(write(tmp_path / "f.jsonl", lines))


def test_forms_are_rows_and_launches_are_colours(tmp_path):
    campaign = measured(
        tmp_path,
        (warp(scope="block"), 60.0),
        (warp(), 700.0),
        (warp(order="relaxed"), 500.0),
        (warp(lanes=32, blocks=132), 1300.0),
        (warp("handoff_chain", lanes=1024, blocks=64), 2900.0),
    )
    figure = handoff_figures(campaign)[0]
    rows = figure.panels[0].spec()["data"]["values"]
    assert [r["row"] for r in rows] == [
        "ld.acquire, st.release, block",
        *["ld.acquire, st.release, device"] * 3,
        "ld.relaxed, st.relaxed, device",
    ]
    assert {r["group"] for r in rows} == {
        "ring in one block",
        "ring through 132 blocks",
        "one-shot chain",
    }
    assert figure.title.startswith("A flag from warp to warp takes 60.00 ns to 2900 ns")


def test_distance_is_by_the_partner(tmp_path):
    pairs = [(warp("sm_handoff", lanes=32, blocks=2, size=n), 600.0 + n) for n in (1, 2, 132)]
    figure = handoff_figures(measured(tmp_path, *pairs))[0]
    assert [r["partner"] for r in figure.panels[0].spec()["data"]["values"]] == [1, 2, 132]
    assert "601.0 ns to 732.0 ns" in figure.title


def test_nothing_without_handoffs(tmp_path):
    assert handoff_figures(measured(tmp_path, (warp("barrier"), 20.0))) == []


def test_a_round_is_divided_by_the_warps_of_all_blocks():
    what = warp(lanes=64, blocks=5)
    line = visits([700.0], what, device=0)[0]
    line |= {"trips": 3, "unroll": 4, "ops_per_step": 1, "cost_per_lane": True}
    line["rounds"] = [[1000.0, 1000.0 + 700.0 * 3 * 4 * 2 * 5]]
    found = visit_from(line, {})
    assert found.point == point_from(what)
    assert list(found.round_costs) == pytest.approx([700.0])
