"""Reductions over sizes: shares of the reads of the same array, the fastest forms, what is drawn."""

import pytest

from syncmeter_analysis.conclude.conclusion import Kind
from syncmeter_analysis.conclude.studies import reductions as conclusions
from syncmeter_analysis.render.charts.scaling import scaling_figures
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import reductions, sections
from syncmeter_analysis.studies import reductions as drawing
from tests.made import around, point, read, visits, write

SIZES = (1 << 14, 1 << 22)


def on_gpu(op, size, lanes=256, type="int32"):
    return point(
        op, backend="cuda", affinity="none", order="unordered", lanes=lanes, type=type, size=size
    )


def on_cpu(lanes, size, **axes):
    return point("reduce_max", order="unordered", type="int32", lanes=lanes, size=size, **axes)


def reduction(ns, what, **members):
    if what["backend"] == "cuda":
        members["device"] = 0
    return visits(around(ns), what, family="reduction", **members)


@pytest.fixture
def measured(tmp_path):
    lines = []
    for size in SIZES:
        ns = size / 10
        times = {"read_bandwidth": 1, "reduce_max_cub": 1.25, "reduce_max_block_atomic": 4}
        lines += [reduction(ns * more, on_gpu(op, size)) for op, more in times.items()]
        lines.append(reduction(ns * 2, on_gpu("reduce_max_block_atomic", size, 1024)))
        lines += [reduction(ns * 100 / lanes, on_cpu(lanes, size)) for lanes in (1, 8)]
    return read(write(tmp_path / "reductions.jsonl", *lines))


def found_in(path, *lines):
    return reductions.rows(read(write(path, *lines)))


def concluded(path, *lines):
    return conclusions.conclude(read(write(path, *lines)))


def printed_text(found):
    return as_plain("", reductions.text(found))


def test_a_share_is_of_the_reads_of_the_same_array(measured):
    small, large = reductions.rows(measured)
    shares = {
        (form.measured.point.op, form.measured.point.lanes): form.share for form in large.forms
    }
    assert shares["reduce_max_cub", 256].value == pytest.approx(0.8, rel=0.01)
    assert shares["reduce_max_block_atomic", 256].value == pytest.approx(0.25, rel=0.01)
    assert shares["reduce_max_block_atomic", 1024].value == pytest.approx(0.5, rel=0.01)
    assert shares["reduce_max", 8] is None
    assert shares["read_bandwidth", 256] is None
    # Below 2^20 elements both are the time of a launch.
    assert all(form.share is None for form in small.forms)


def test_the_largest_array_is_first_on_the_gpu_and_then_on_the_cpu(measured):
    text = printed_text(reductions.rows(measured))
    assert "One maximum of an array of 2^22 int32, 16.8 MB\n" in text
    found = conclusions.conclude(measured)
    assert [(c.question, c.situation.size) for c in found] == [
        *(("gpu", 1 << 22), ("gpu", 1 << 14)),
        *(("cpu", 1 << 22), ("cpu", 1 << 14)),
    ]
    gpu, _, cpu, _ = found
    assert (gpu.kind, gpu.subjects[0].op, gpu.reference.op) == (
        Kind.keep,
        "reduce_max_cub",
        "reduce_max_cub",
    )
    assert (gpu.reason.name, gpu.reason.value) == ("bandwidth", pytest.approx(0.8, rel=0.01))
    assert (cpu.kind, cpu.subjects[0].variant, cpu.reference.variant) == (Kind.use, "8", "1")
    assert cpu.effect.value == pytest.approx(8.0)


def test_the_library_is_kept_if_nothing_is_shown_to_be_faster(tmp_path):
    lines = [
        reduction(10e3, on_gpu("reduce_max_cub", 1 << 14)),
        reduction(10.2e3, on_gpu("reduce_max_persistent", 1 << 14)),
        reduction(11e3, on_gpu("reduce_max_block_atomic", 1 << 14)),
    ]
    (c,) = concluded(tmp_path / "f", *lines)
    assert (c.kind, c.reference.op, c.reason) == (Kind.keep, "reduce_max_cub", None)


def test_a_faster_form_is_compared_with_the_library_and_needs_own_code(tmp_path):
    forms = ("persistent", "block_atomic", "cub", "warp_atomic", "global_atomic")
    lines = [
        reduction(2**n * 10e3, on_gpu(f"reduce_max_{form}", 1 << 14))
        for n, form in enumerate(forms)
    ]
    (c,) = concluded(tmp_path / "f", *lines)
    assert (c.kind, c.subjects[0].op, c.reference.op) == (
        Kind.use,
        "reduce_max_persistent",
        "reduce_max_cub",
    )
    assert c.effect.value == pytest.approx(4.0)
    assert c.condition("own_code").value == 256


@pytest.mark.parametrize("type", ["int32", "uint32", "uint64", "float", "double"])
def test_intrinsics_for_integers_are_named_for_integers_only(tmp_path, type):
    lines = [
        reduction(40e3, on_gpu("reduce_max_cub", 1 << 14, type=type)),
        reduction(10e3, on_gpu("reduce_max_warp_reduce", 1 << 14, type=type)),
    ]
    path = write(tmp_path / "f", *lines)
    (section,) = sections(read(path), ["reductions"])
    (row,) = section.screen.grids[0].rows
    assert section.conclusions[0].subjects[0].op == "reduce_max_warp_reduce"
    assert ("__reduce_max_sync" in row[1].text) == (type in ("int32", "uint32"))
    assert ("__reduce_max_sync" in " ".join(section.screen.answers)) == ("int32" in type)


def test_threads_in_another_placement_state_are_not_compared(tmp_path):
    lines = [
        reduction(1000.0, on_cpu(8, 1 << 22), estimate={"hop_ns": 60.0}),
        reduction(2000.0, on_cpu(8, 1 << 22, backend="std"), estimate={"hop_ns": 200.0}),
        reduction(7000.0, on_cpu(1, 1 << 22)),
    ]
    (c,) = concluded(tmp_path / "f", *lines)
    assert (c.kind, c.subjects[0].backend, c.subjects[0].variant) == (Kind.use, "omp", "8")
    assert c.effect.value == pytest.approx(7.0)


def test_the_screen_recommends_and_ends_with_the_next_step(measured):
    (section,) = sections(measured, ["reductions"])
    first = [field.text for field in section.screen.grids[0].rows[0]]
    assert first[:3] == ["2^22 int32", "keep cub::DeviceReduce", "524,000"]
    assert section.first[-1].items[-2:] == [section.screen.details, section.screen.next]


def test_affinities_that_place_alike_are_one_form(tmp_path):
    same = {
        "kind": "same",
        "point": on_cpu(8, 1 << 22, affinity="spread"),
        "measured_as": on_cpu(8, 1 << 22),
        "why": "equal placement",
    }
    lines = [reduction(1000.0, on_cpu(8, 1 << 22)), reduction(7000.0, on_cpu(1, 1 << 22)), same]
    found = found_in(tmp_path / "f", *lines)
    (array,) = found
    assert [form.affinities for form in array.forms] == [["close", "spread"], ["close"]]
    assert "close, spread" in printed_text(found)


def test_what_has_no_cost_is_listed_with_its_status(tmp_path):
    slow = on_gpu("reduce_max_global_atomic", 1 << 22)
    lines = [
        reduction(10e3, on_gpu("reduce_max_cub", 1 << 22)),
        reduction(10e3, slow, status="too_slow", reason="90 ms", estimates=[]),
    ]
    found = found_in(tmp_path / "f", *lines)
    assert found[0].on_gpu is None
    row = next(line for line in printed_text(found).splitlines() if "global_atomic" in line)
    assert row.split() == ["cuda", "reduce_max_global_atomic", "256", "too_slow"]


def test_a_copy_moves_its_bytes_twice(tmp_path):
    moves = "read_bandwidth", "copy_bandwidth"
    lines = [reduction(1 << 22, on_gpu(op, 1 << 22)) for op in (*moves, "reduce_max_cub")]
    (array,) = found_in(tmp_path / "f", *lines)
    rates = [form.gb_per_s for form in array.forms if form.measured.point.op in moves]
    assert sorted(rates) == pytest.approx([4, 8], rel=0.01)


def test_reads_alone_are_no_section(tmp_path):
    campaign = read(write(tmp_path / "f", reduction(1e4, on_gpu("read_bandwidth", 1 << 22))))
    assert sections(campaign, ["reductions"]) == []


def test_blocks_of_another_size_are_no_part_of_a_curve(tmp_path):
    lines = []
    for size in (1 << 22, 1 << 26):
        lines.append(reduction(size / 10, on_gpu("read_bandwidth", size)))
        lines.append(reduction(size / 8, on_gpu("reduce_max_cub", size)))
        lines.append(reduction(size / 5, on_gpu("reduce_max_block_atomic", size, 1024)))
        lines.append(reduction(size / 3, on_gpu("reduce_max_warp_atomic", size)))
        lines += [reduction(size * 10 / lanes, on_cpu(lanes, size)) for lanes in (1, 8)]
    share, rate = drawing.figures(found_in(tmp_path / "f", *lines))
    assert {row["name"] for row in share.panels[0].drawing.rows} == {
        "cub",
        "warp_atomic",
    }
    drawn = {row["name"] for row in rate.panels[0].drawing.rows}
    assert drawn == {"omp, 1 thread", "omp, 8 threads", "cuda, the fastest form"}


def test_without_reads_there_is_no_share(tmp_path):
    lines = [reduction(5.0, on_gpu("reduce_max_cub", size)) for size in SIZES]
    found = drawing.figures(found_in(tmp_path / "f", *lines))
    assert [f.id for f in found] == ["reductions-rate"]


def test_arrays_are_no_curve_over_lanes(measured):
    assert scaling_figures(measured) == []
