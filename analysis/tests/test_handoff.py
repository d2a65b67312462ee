"""Handoffs between warps of a GPU: tables, figures, and the cost of a round through blocks."""

import re

import pytest

from syncmeter_analysis.conclude.conclusion import Kind
from syncmeter_analysis.conclude.studies import handoff as conclusions
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import handoff, sections
from syncmeter_analysis.studies import handoff as drawing
from tests.made import point, read, visits, write


def warp(op="warp_handoff", **axes):
    members = {"scope": "device", "flavour": "ptx", "order": "acq_rel", "lanes": 64}
    return point(op, backend="cuda", **{"affinity": "none", **members, **axes})


def across(**axes):
    return warp(lanes=32, blocks=10, **axes)


def pair(partner, **axes):
    return warp("sm_handoff", lanes=32, blocks=2, size=partner, **axes)


def chain(**axes):
    return warp("handoff_chain", lanes=1024, blocks=64, **axes)


def measured(tmp_path, *costs_of_points):
    """Points with their cost and more members of their visits. Polls are 1, 3 and 9."""
    lines = []
    for what, cost, *shown in costs_of_points:
        more = shown[0] if shown else {}
        made = visits([cost * 0.999, cost, cost * 1.001], what, device=0, family="handoff", **more)
        for line, polls in zip(made, (9, 1, 3), strict=True):
            line["polls_per_handoff"] = polls
        lines += made
    return read(write(tmp_path / "f.jsonl", lines))


def made_by_hand(tmp_path):
    return measured(
        tmp_path,
        (warp(), 800.0, {"violations_seen": 0, "litmus_handoffs": 8192}),
        (warp(scope="block"), 80.0),
        (warp(order="relaxed"), 400.0, {"violations_seen": 31, "litmus_handoffs": 8192}),
        (warp(order="relaxed", scope="block"), 60.0),
        (warp(scope="system"), 1500.0),
        (warp(flavour="volatile", scope="system"), 1600.0),
        (across(), 1300.0),
        (across(flavour="atomic_ref"), 1301.0),
        (pair(1), 950.0),
        (pair(2), 720.0, {"same_gpc": True}),
        (pair(9), 760.0, {"same_gpc": True}),
        (pair(10), 900.0, {"same_gpc": False}),
        (pair(11), 850.0),
        (warp("cluster_handoff", lanes=32, blocks=2, size=2, scope="cluster"), 650.0),
        (chain(), 2874.0),
        (chain(scope="block"), 264.0),
        (chain(flavour="atomic_ref", scope="block"), 270.0),
    )


def printed_text(campaign):
    (section,) = sections(campaign, ["handoff"])
    return as_plain(section.title, section.blocks)


def by_object(op, **axes):
    members = {"scope": "block", "order": "acq_rel", "lanes": 64}
    return point(op, backend="cuda", **{"affinity": "none", **members, **axes})


def test_objects_stand_beside_the_flags_of_their_ring(tmp_path):
    campaign = measured(
        tmp_path,
        (warp(scope="block"), 80.0),
        (by_object("mbarrier_handoff"), 40.0),
        (by_object("semaphore_handoff"), 300.0),
    )
    text = printed_text(campaign)
    assert re.search(r"mbarrier arrive, wait +block +40.00 ", text)
    assert re.search(r"cuda::binary_semaphore +block +300.0 ", text)
    assert conclusions.conclude(campaign)[0].subjects[0].op == "mbarrier_handoff"


def test_a_cluster_has_a_ring_of_its_own(tmp_path):
    members = {"lanes": 32, "blocks": 2}
    in_cluster = {**members, "size": 2, "scope": "cluster"}
    campaign = measured(
        tmp_path,
        (warp(**members), 1300.0),
        (warp("cluster_handoff", **members, size=2), 700.0),
        (warp("cluster_handoff", **in_cluster), 650.0),
        (by_object("red_async_handoff", order="relaxed", **in_cluster), 140.0),
        (by_object("bulk_handoff", order="relaxed", **in_cluster), 210.0),
    )
    found = {x.place: len(x.handoffs) for x in handoff.rows(campaign).rings}
    assert found == {"ring through 2 blocks": 1, "ring through 2 blocks of one cluster": 4}
    text = printed_text(campaign)
    assert re.search(r"red.async, mbarrier wait +cluster +140.0 +0.200 ", text)
    assert re.search(r"cp.async.bulk, mbarrier wait +cluster +210.0 +0.300 ", text)


def test_forms_are_over_the_device_form_of_the_same_ring(tmp_path):
    text = printed_text(made_by_hand(tmp_path))
    text = text.partition("Handoffs: ")[2]
    one, ring = re.split("ring through 10 blocks, 32 threads, cuda\n", text)
    assert "ring in one block, 64 threads, cuda\n" in one
    assert re.search(
        r"ld.acquire, st.release +block +80.00 +0.100 \(0\.\d+\.\.0\.\d+\) < +3\n", one
    )
    assert re.search(r"ld.acquire, st.release +device +800.0 +1 +3 +0 of 8192\n", one)
    forms = re.findall(r"(?m)^(ld\S+ \S+|volatile).* +(block|device|system) +\d", one)
    assert [scope for _, scope in forms] == [
        *("block", "device", "system"),
        "block",
        "device",
        "system",
    ]
    assert re.search(r"ld.relaxed, st.relaxed +device +400.0 +0.500 .* 31 of 8192\n", one)
    assert re.search(r"volatile, __threadfence_system +system +1600 +2.00 ", one)
    assert re.search(r"ld.acquire, st.release +device +1300 +1 +3\n", ring)


def concluded(campaign):
    return {c.situation.work: c for c in conclusions.conclude(campaign)}


def test_block_scope_is_used_inside_a_block_only(tmp_path):
    c = concluded(made_by_hand(tmp_path))["block"]
    assert (c.kind, c.subjects[0].variant, c.reference.variant) == (Kind.use, "block", "device")
    assert c.effect.value == pytest.approx(10.0)
    assert c.condition("same_block")


def test_between_blocks_device_scope_is_kept(tmp_path):
    c = concluded(made_by_hand(tmp_path))["grid"]
    assert (c.kind, c.situation.blocks, c.reference.variant) == (Kind.keep, 10, "device")
    assert c.reference.op == "flag"
    assert c.condition("either_api")


def test_a_chain_over_many_blocks_has_block_scope_inside_a_block_only(tmp_path):
    """Its program has device scope between blocks, and one flag: a race by CUDA's rules."""
    campaign = measured(
        tmp_path,
        (chain(), 2874.0),
        (chain(flavour="atomic_ref"), 2880.0),
        (chain(scope="system"), 6300.0),
        (chain(scope="block"), 264.0),
        (chain(scope="block", flavour="atomic_ref"), 264.0),
        (chain(scope="block", flavour="volatile"), 264.0),
    )
    (c,) = conclusions.conclude(campaign)
    assert (c.situation.work, c.situation.blocks) == ("chain", 64)
    assert c.kind is Kind.keep
    assert c.reference.variant == "device"
    nearest = c.condition("nearest")
    assert (nearest.subject.variant, nearest.value) == ("system", pytest.approx(6300 / 2880))
    assert c.condition("one_flag").value == 3
    assert c.condition("start_order")


def test_a_flag_without_order_is_no_alternative(tmp_path):
    campaign = measured(tmp_path, (warp(), 800.0), (warp(order="relaxed"), 400.0))
    assert conclusions.conclude(campaign) == []


def test_a_cluster_scope_needs_both_warps_in_one_cluster(tmp_path):
    members = {"lanes": 32, "blocks": 2, "size": 2}
    points = [(warp("cluster_handoff", **members), 1300.0)]
    points += [(warp("cluster_handoff", **members, scope="cluster"), 650.0)]
    c = concluded(measured(tmp_path, *points))["cluster"]
    assert (c.kind, c.subjects[0].variant) == (Kind.use, "cluster")
    assert c.condition("same_cluster")


def test_the_screen_says_where_a_scope_is_valid_and_what_next(tmp_path):
    (section,) = sections(made_by_hand(tmp_path), ["handoff"])
    first = [field.text for field in section.screen.grids[0].rows[0]]
    assert first == [
        *("one block", "block scope (a)", "80.0"),
        *("device scope", "800", "10"),
    ]
    assert any("only if both warps are in one block" in note for note in section.screen.notes)
    assert section.first[-1].items[-2:] == [section.screen.details, section.screen.next]


def test_without_the_device_form_there_is_no_ratio(tmp_path):
    text = printed_text(measured(tmp_path, (warp(scope="block"), 80.0)))
    assert re.search(r"block +80.00 +- \(ptx at device scope was not measured\) +3\n", text)


def test_a_failed_form_is_a_row_too(tmp_path):
    bad = visits([1.0], warp(), device=0, status="failed", reason="data of before the flag")
    bad[0]["estimates"] = []
    good = visits([80.0, 81.0], warp(scope="block"), device=0)
    text = printed_text(read(write(tmp_path / "f.jsonl", bad, good)))
    assert re.search(r"ld.acquire, st.release +device +failed +1\n", text)
    assert re.search(r"block +80.50 +- \(not resolved\)\n", text)


def test_distances_are_grouped_by_what_told_the_gpc(tmp_path):
    text = printed_text(made_by_hand(tmp_path))
    for row in (
        "of one block +block +1 +80.00",
        "of one block +device +1 +800.0",
        "of two blocks of one cluster +cluster +1 +650.0",
        "of two blocks on one multiprocessor +device +1 +950.0",
        "on two multiprocessors of one GPC +device +2 +740.0 +720.0 +760.0",
        "on two multiprocessors of two GPCs +device +1 +900.0",
        "on two multiprocessors that met in no cluster +device +1 +850.0",
    ):
        assert re.search(f"\ncuda +{row}", text), row
    assert not re.search(r"of one block +system", text)


def test_the_chain_stands_beside_what_was_published(tmp_path):
    text = printed_text(made_by_hand(tmp_path))
    # 277 ms over 2^20 warps are 264.2 ns.
    assert re.search(
        r"ld.acquire, st.release +block +264.0 +0.092 \(\S+\) < +264.2 +0.999 +3\n",
        text,
    )
    assert re.search(r"ld.acquire, st.release +device +2874 +1 +2874 +1.00 +3\n", text)
    # Of a form that the article does not have, nothing.
    assert re.search(r"atomic_ref acquire, release +block +270.0 +0.094 \(\S+\) < +3\n", text)


def test_other_campaigns_have_no_section(tmp_path):
    ring_of_lanes = visits([100.0], point("handoff", lanes=4), family="handoff")
    barrier = visits([20.0], point("barrier", backend="cuda", lanes=32), device=0)
    assert sections(read(write(tmp_path / "f.jsonl", ring_of_lanes, barrier)), ["handoff"]) == []


def test_forms_are_rows_and_launches_are_colours(tmp_path):
    figure = drawing.figures(handoff.rows(made_by_hand(tmp_path)))[0]
    drawn = figure.panels[0].drawing.rows
    assert [r["row"] for r in drawn][:4] == [
        *["ld.acquire, st.release, block"] * 2,
        "ld.acquire, st.release, cluster",
        "ld.acquire, st.release, device",
    ]
    assert {r["group"] for r in drawn} == {
        "ring in one block",
        "ring through 10 blocks",
        "ring through 2 blocks of one cluster",
        "one-shot chain over 64 blocks",
    }
    assert len(figure.points) == len(drawn) == 12


def test_distance_is_by_the_partner(tmp_path):
    figure = drawing.figures(handoff.rows(made_by_hand(tmp_path)))[1]
    drawn = figure.panels[0].drawing.rows
    assert sorted(r["x"] for r in drawn) == [1, 2, 9, 10, 11]
    assert len({r["name"] for r in drawn}) == 4


def test_backends_are_drawn_apart(tmp_path):
    points = [({**warp(), "backend": b}, ns) for b, ns in (("cuda", 800.0), ("sycl", 900.0))]
    rows = handoff.rows(measured(tmp_path, *points))
    assert [f.id for f in drawing.figures(rows)] == ["handoffs", "handoffs-sycl"]
    assert "ring in one block, 64 threads, sycl\n" in as_plain("", handoff.text(rows))
