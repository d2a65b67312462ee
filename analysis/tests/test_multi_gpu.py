"""Several GPUs from costs made by hand: steps between devices, where a cell lies, and the litmus."""

import re

import pytest

from syncmeter_analysis.conclude.conclusion import Kind
from syncmeter_analysis.conclude.studies import multi_gpu as conclusions
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import multi_gpu, sections
from syncmeter_analysis.studies import multi_gpu as drawing
from tests.made import around, point, read, visits, write

LINK = {
    "from": 0,
    "to": 1,
    "peer_access": True,
    "native_atomics": True,
    "performance_rank": 0,
    "nvlinks": 18,
}


def on_gpus(op, ns, family, first=None, **axes):
    """Three visits, the first with what it says beside its times."""
    what = point(op, backend="cuda", affinity="none", **axes)
    lines = visits(around(ns, 3), what, family=family, device=0)
    lines[0].update(first or {})
    return lines


def barrier(name, devices, ns, blocks=132, lanes=32, **more):
    return on_gpus(
        f"multi_gpu_{name}", ns, "barrier", size=devices, blocks=blocks, lanes=lanes, **more
    )


def access(home, ns, op="remote_load", **axes):
    what = {"scope": "system", "placement": "strided", "stride": 0, "type": "int32", **axes}
    return on_gpus(op, ns, "memory", home=home, **what)


def handoff(scope, order, seen, op="gpu_handoff", flavour="ptx"):
    counted = {"litmus_seen": seen, "litmus_rounds": 100}
    return on_gpus(op, 900.0, "handoff", counted, size=2, scope=scope, order=order, flavour=flavour)


def found_in(path, *lines):
    return multi_gpu.rows(read(write(path, *lines)))


def printed_text(path, *lines):
    return as_plain("", multi_gpu.text(found_in(path, *lines)))


def concluded(path, *lines):
    """Returns the conclusions by question, and by the number of devices for barriers."""
    found = conclusions.conclude(read(write(path, *lines)))
    return {c.situation.devices if c.question == "barrier" else c.question: c for c in found}


def test_the_text_has_the_steps_between_devices_and_where_a_cell_lies(tmp_path):
    lines = [
        barrier("barrier_flags", 1, 1500.0),
        barrier("barrier_flags", 2, 3500.0, first={"links": [LINK]}),
        access("first", 250.0),
        access("second", 850.0),
        access("other", 1000.0),
    ]
    text = printed_text(tmp_path / "f", *lines)
    assert re.search(r"\n +0 +1 +yes +yes +0 +18\n", text)
    assert "1 device  2 devices" in text
    row = next(line for line in text.splitlines() if line.startswith("load "))
    assert row.split()[-10:-5] == ["0", "250.0", "850.0", "1000", "3.40"]
    assert row.split()[-5][1:-1].startswith("3.3")
    assert row.split()[-4:-2] == [">", "4.00"]
    assert "Handoffs" not in text


def test_a_link_without_peer_access_says_so(tmp_path):
    weak = {**LINK, "peer_access": False, "native_atomics": False, "nvlinks": 0}
    text = printed_text(
        tmp_path / "f", barrier("barrier_flags", 2, 3500.0, first={"links": [weak]})
    )
    assert re.search(r"\n +0 +1 +no +no +0\n", text)


def test_a_barrier_inside_kernels_is_compared_with_the_barrier_of_the_host(tmp_path):
    lines = [
        barrier("barrier_flags", 2, 2000.0),
        barrier("barrier_flags", 4, 4000.0),
        barrier("barrier_flags", 4, 8000.0, blocks=264),
        barrier("barrier_counter", 4, 6000.0, home="second"),
        barrier("host_barrier", 4, 10000.0, blocks=1),
        barrier("graph_barrier", 4, 5000.0, blocks=1),
    ]
    c = concluded(tmp_path / "f", *lines)[4]
    assert (c.kind, c.subjects[0].op) == (Kind.use, "multi_gpu_barrier_flags")
    assert (c.reference.op, c.effect.value) == ("multi_gpu_host_barrier", pytest.approx(2.5))
    assert c.situation.blocks == 132
    assert c.condition("resident")
    assert c.condition("graph_instead").value == pytest.approx(5000.0)


def test_an_own_barrier_of_several_gpus_must_gain_25_percent(tmp_path):
    lines = [barrier("barrier_flags", 2, 9000.0), barrier("host_barrier", 2, 10000.0, blocks=1)]
    c = concluded(tmp_path / "f", *lines)[2]
    assert (c.kind, c.condition("small_gain").subject.op) == (
        Kind.keep,
        "multi_gpu_barrier_flags",
    )


def test_barriers_over_one_gpu_are_of_the_study_levels(tmp_path):
    lines = [barrier("barrier_flags", 1, 900.0), barrier("host_barrier", 1, 10000.0, blocks=1)]
    assert concluded(tmp_path / "f", *lines) == {}


def test_a_counter_on_the_second_gpu_is_another_barrier(tmp_path):
    lines = [
        barrier("barrier_flags", 4, 8000.0),
        barrier("barrier_counter", 4, 4000.0, home="second"),
        barrier("barrier_counter", 4, 6000.0),
    ]
    c = concluded(tmp_path / "f", *lines)[4]
    assert (c.subjects[0].variant, c.reference.variant) == ("second", "")


def test_the_conclusion_says_what_the_litmus_counted(tmp_path):
    lines = [handoff("device", "acq_rel", 7), handoff("system", "relaxed", 0)]
    assert "7 of 400" in printed_text(tmp_path / "f", *lines)
    found = concluded(tmp_path / "g", *lines)
    scope, order = found["scope"], found["order"]
    assert (scope.kind, order.kind) == (Kind.avoid, Kind.avoid)
    stale = scope.condition("stale")
    assert (stale.value, stale.compared) == (7, 400)
    assert order.condition("no_proof").compared == 400


def test_a_host_is_no_other_device(tmp_path):
    lines = [handoff("device", "acq_rel", 7, op="cpu_gpu_handoff")]
    found = found_in(tmp_path / "f", *lines)
    assert {h.measured.point.op for h in found.handoffs} == {"cpu_gpu_handoff"}
    assert concluded(tmp_path / "g", *lines) == {}


def test_adds_of_all_devices_to_one_cell(tmp_path):
    lines = on_gpus("multi_gpu_fetch_add", 100.0, "atomic", size=2, blocks=4, lanes=8)
    lines[0]["device_shares"] = [1.9, 0.1]
    lines[2]["device_shares"] = [1.55, 0.45]
    (row,) = found_in(tmp_path / "f", lines).contention
    assert row.adds_per_s == pytest.approx(64e7, rel=0.01)
    assert row.shares == (1.55, 0.45)
    text = printed_text(tmp_path / "g", lines)
    assert text.splitlines()[-1].split()[-4:] == ["M", "0.990", "1.55", "0.45"]


def test_what_was_not_supported_is_left_out_and_what_has_no_cost_says_why(tmp_path):
    lines = barrier("barrier_flags", 2, 3500.0)
    late = barrier("barrier_counter", 2, 3500.0)
    unable = barrier("host_barrier", 2, 3500.0)
    for line in late:
        line.update(status="timeout", estimates=[])
    for line in unable:
        line.update(status="unsupported", estimates=[])
    text = printed_text(tmp_path / "f", lines, late, unable)
    assert "host_barrier" not in text
    assert "timeout" in text


def test_another_ops_points_have_no_section(tmp_path):
    campaign = read(write(tmp_path / "f", on_gpus("grid_sync", 970.0, "barrier", blocks=132)))
    assert sections(campaign, ["multi-gpu"]) == []


def test_the_figures_say_what_the_text_says(tmp_path):
    lines = [barrier("barrier_flags", n, 1000.0 + 500 * n) for n in (1, 2)]
    lines += [barrier("barrier_counter", n, 2000.0 + 500 * n) for n in (1, 2)]
    lines += [barrier("barrier_flags", n, 9000.0, blocks=264) for n in (1, 2)]
    lines += [barrier("host_barrier", n, 9000.0, blocks=1) for n in (1, 2)]
    lines += [access("first", 250.0), access("second", 850.0)]
    barriers, accesses = drawing.figures(found_in(tmp_path / "f", *lines))
    assert barriers.title == "Barriers over several devices"
    drawn = barriers.panels[0].drawing.rows
    assert {(row["name"], row["x"], row["value"]) for row in drawn} == {
        ("barrier_flags", 1, 1500.0),
        ("barrier_flags", 2, 2000.0),
        ("barrier_counter", 1, 2500.0),
        ("barrier_counter", 2, 3000.0),
        ("host_barrier", 1, 9000.0),
        ("host_barrier", 2, 9000.0),
    }
    assert accesses.title == "An access by one thread, by the place of the variable"


def test_the_slowest_access_is_that_of_the_most_threads(tmp_path):
    full = {"blocks": 132, "lanes": 256}
    lines = [access("first", 250.0), access("second", 2500.0)]
    lines += [access("first", 200.0, **full), access("second", 600.0, **full)]
    c = concluded(tmp_path / "f", *lines)["peer_access"]
    assert (c.kind, c.effect.quantity, c.situation.blocks) == (Kind.avoid, "slowdown", 132)
    assert c.effect.value == pytest.approx(3.0)


def test_the_screen_names_the_danger_and_ends_with_the_next_step(tmp_path):
    lines = [barrier("barrier_flags", 2, 2000.0), barrier("host_barrier", 2, 10000.0, blocks=1)]
    (section,) = sections(read(write(tmp_path / "f", *lines)), ["multi-gpu"])
    (row,) = section.screen.grids[0].rows
    assert [field.text for field in row] == [
        *("2 GPUs", "own flags (a)", "2000"),
        *("host barrier", "10,000", "5.0"),
    ]
    assert "hangs unless all blocks of all GPUs are resident" in section.screen.notes[-1]
    assert section.first[-1].items[-2:] == [section.screen.details, section.screen.next]


def test_a_peer_that_is_as_near_is_no_finding(tmp_path):
    lines = [access("first", 5.3), access("second", 5.3)]
    assert concluded(tmp_path / "f", *lines) == {}
