"""Several GPUs from costs made by hand: steps between devices, where a cell lies, and the litmus."""

import pytest

from syncmeter_analysis.studies import multi_gpu, sections
from syncmeter_analysis.studies import multi_gpu as drawing
from tests.made import around, point, read, section_text, visits, write

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
    return section_text(multi_gpu, found_in(path, *lines))


def test_the_text_has_the_steps_between_devices_and_where_a_cell_lies(tmp_path):
    lines = [
        barrier("barrier_flags", 1, 1500.0),
        barrier("barrier_flags", 2, 3500.0, first={"links": [LINK]}),
        access("first", 250.0),
        access("second", 850.0),
        access("other", 1000.0),
    ]
    text = printed_text(tmp_path / "f", *lines)
    assert (
        "- 0 to 1: peer access, native atomics, performance rank 0, 18 NVLinks of device 0 up"
        in text
    )
    assert "1 device  2 devices" in text
    assert (
        "a barrier inside kernels of 132 x 32 threads: cannot tell which barrier to take: only "
        "barrier_flags (3500 ns) was measured; that is 2.33 "
        "times as long as over 1 device, 2000 ns more\n"
    ) in text
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
    assert "- 0 to 1: no peer access, no native atomics, performance rank 0\n" in text


def test_a_step_that_is_not_resolved_costs_nothing(tmp_path):
    lines = [barrier("barrier_flags", n, ns) for n, ns in ((2, 2200.0), (3, 2210.0))]
    text = printed_text(tmp_path / "f", *lines)
    assert "; that is as long as over 2 devices\n" in text
    assert " times as long as over" not in text


def test_a_step_is_from_the_next_fewer_devices_of_the_same_barrier_and_launch(tmp_path):
    lines = [
        barrier("barrier_flags", 1, 1000.0),
        barrier("barrier_flags", 2, 2000.0),
        barrier("barrier_flags", 4, 4000.0),
        barrier("barrier_flags", 4, 8000.0, blocks=264),
        barrier("barrier_counter", 2, 1500.0),
        barrier("barrier_counter", 4, 4100.0, home="second"),
        barrier("host_barrier", 4, 100.0),
    ]
    most = found_in(tmp_path / "f", *lines).fastest[-1]
    assert (most.devices, most.fewer.point.size) == (4, 2)
    assert most.step.value == pytest.approx(2)
    text = printed_text(tmp_path / "g", *lines)
    text = " ".join(text.split())
    assert (
        "barrier_counter (counter on the second) (4100 ns) or barrier_flags (4000 ns), "
        "the same within 5 % (95 % sure, 3 visits); barrier_flags takes 2.00 times as "
        "long as over 2 devices" in text
    )


def test_the_text_says_what_the_litmus_counted(tmp_path):
    lines = [handoff("device", "acq_rel", 7), handoff("system", "relaxed", 0)]
    text = printed_text(tmp_path / "f", *lines)
    assert "7 of 400" in text
    assert (
        "device scope between devices: stale data were seen 7 times of 400: not enough to order data"
        in text
    )
    assert "a flag without order: no stale data were seen in 400 looks, which is no proof" in text


def test_a_host_is_no_other_device(tmp_path):
    lines = [handoff("device", "acq_rel", 7, op="cpu_gpu_handoff")]
    found = found_in(tmp_path / "f", *lines)
    assert found.litmus(op="gpu_handoff", scope="device").looked_at == 0
    assert "device scope between devices" not in printed_text(tmp_path / "g", *lines)


def test_adds_of_all_devices_to_one_cell(tmp_path):
    lines = on_gpus("multi_gpu_fetch_add", 100.0, "atomic", size=2, blocks=4, lanes=8)
    lines[0]["device_shares"] = [1.9, 0.1]
    lines[2]["device_shares"] = [1.55, 0.45]
    (row,) = found_in(tmp_path / "f", lines).contention
    assert row.adds_per_s == pytest.approx(64e7, rel=0.01)
    assert row.shares == (1.55, 0.45)
    text = printed_text(tmp_path / "g", lines)
    assert text.splitlines()[-3].split()[-4:] == ["M", "0.990", "1.55", "0.45"]
    assert "which runs alone at the end" in text


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
    assert (
        barriers.title
        == "2 devices, a barrier inside kernels of 132 x 32 threads: take barrier_flags (2000 ns), "
        "because barrier_counter takes 1.50 times as long (95 % sure: 1.49 to 1.51, 3 visits); that "
        "is 1.33 times as long as over 1 device, 500.0 ns more"
    )
    drawn = barriers.panels[0].drawing.rows
    assert {(row["name"], row["x"], row["value"]) for row in drawn} == {
        ("barrier_flags", 1, 1500.0),
        ("barrier_flags", 2, 2000.0),
        ("barrier_counter", 1, 2500.0),
        ("barrier_counter", 2, 3000.0),
        ("host_barrier", 1, 9000.0),
        ("host_barrier", 2, 9000.0),
    }
    assert (
        accesses.title
        == "remote_load of one thread takes up to 3.40 times as long on a peer's cell as on its own "
        "device's"
    )


def test_a_peer_that_is_as_near_is_no_finding(tmp_path):
    lines = [access("first", 5.3), access("second", 5.3)]
    (figure,) = drawing.figures(found_in(tmp_path / "f", *lines))
    assert figure.title == "What an access of one thread costs by where the cell lies"
