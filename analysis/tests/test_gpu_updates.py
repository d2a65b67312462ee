"""GPU updates from costs made by hand: ways to add, orders and scopes, widths, and their screen."""

import re
from pathlib import Path

import pytest

from syncmeter_analysis.conclude.conclusion import Grade, Kind
from syncmeter_analysis.conclude.studies.gpu_updates import conclude, wide_form
from syncmeter_analysis.relate import gpu_updates as updates
from syncmeter_analysis.relate import point_text
from syncmeter_analysis.relate.campaign import read_campaign
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import gpu_updates, sections
from syncmeter_analysis.voice.words import name_of
from tests.made import around, point, read, read_costs, visits, write

ROOT = Path(__file__).parents[2]


def adds(way, ns, size, blocks=132, **members):
    what = point(
        f"accumulate_{way}", backend="cuda", affinity="none", blocks=blocks, lanes=1024, size=size
    )
    return visits(around(ns, 3, 0.001), what, family="atomic", device=0, **members)


def update(op="atomic_add", **axes):
    members = {"type": "int32", "placement": "strided", "stride": 1, "space": "global", "lanes": 32}
    members |= {"flavour": "atomic_ref", "scope": "device", "order": "relaxed", "affinity": "none"}
    return point(op, backend="cuda", **{**members, **axes})


def wide(op="add_f16", **axes):
    members = {"type": None, "blocks": 132, "lanes": 1024, "flavour": "function"}
    return update(op, **{**members, **axes})


def by_default(op="atomic_add", **axes):
    return update(op, **{"scope": "system", "order": "seq_cst", **axes})


def fence(**axes):
    return update(
        "fence", **{"type": None, "placement": None, "stride": None, "space": None, **axes}
    )


def advice(c):
    """Returns the kind, the names of the choice and of the default, and the rounded gain."""
    gain = c.effect.value if c.kind is Kind.use else None
    return (
        str(c.kind),
        name_of(c.subjects[0]),
        name_of(c.reference) if c.reference else "",
        round(gain) if gain else gain,
    )


def names_of(conditions):
    return [x.name for x in conditions]


def section(campaign):
    (found,) = sections(campaign, ["gpu-updates"])
    return found


# Ways to add to few or many addresses


@pytest.fixture
def measured(tmp_path):
    """One address: a warp adds up first. More: a copy of the table. One for each thread: atomicAdd."""
    return read(
        write(
            tmp_path / "f",
            adds("atomic", 64e5, 1, relative_error=2e-4),
            adds("warp_reduce", 2e5, 1, relative_error=3e-6),
            adds("block", 4e5, 1),
            adds("atomic", 5e5, 32),
            adds("warp_reduce", 6e5, 32),
            adds("block", 1e5, 32),
            adds("atomic", 3e5, 1024),
            adds("block", 2.9e5, 1024),
            adds("fixed", 1e5, 1024),
            adds("atomic", 6e3, 1 << 20),
            adds("cas", 3e4, 1 << 20),
            adds("atomic", 9e3, 1, blocks=1),
            adds("block", 9e3, 1, blocks=1),
        )
    )


def test_each_number_of_addresses_has_its_way_beside_atomic_add(measured):
    found = conclude(measured)
    assert [(c.question, c.situation.size, *advice(c)) for c in found] == [
        ("way", 1, "use", "warp sum + atomicAdd", "atomicAdd", 32),
        ("way", 32, "use", "block table", "atomicAdd", 5),
        ("way", 1024, "use", "64-bit integer atomicAdd", "atomicAdd", 3),
        ("way", 1 << 20, "keep", "atomicAdd", "atomicAdd", None),
        ("way_other", 1, "keep", "atomicAdd", "atomicAdd", None),
    ]
    assert all(c.grade is Grade.measured for c in found)
    assert {(c.situation.blocks, c.situation.threads, c.situation.type) for c in found} == {
        (132, 1024, "float"),
        (1, 1024, "float"),
    }
    assert [names_of(c.conditions) for c in found[:3]] == [
        ["warp_sum"],
        ["shared_memory"],
        ["fixed_point"],
    ]
    assert found[1].conditions[0].value == 32 * 4


def test_doubles_are_compared_with_doubles(tmp_path):
    campaign = read(
        write(
            tmp_path / "f",
            adds("atomic", 2e5, 1),
            adds("block", 1e5, 1),
            adds("atomic_double", 3e5, 1),
            adds("block_double", 6e5, 1),
            adds("atomic_double", 9e3, 1, blocks=1),
            adds("block_double", 9e3, 1, blocks=1),
        )
    )
    found = [(c.situation.type, c.situation.blocks, *advice(c)[:2]) for c in conclude(campaign)]
    assert found == [
        ("float", 132, "use", "block table"),
        ("double", 132, "keep", "atomicAdd"),
        ("double", 1, "keep", "atomicAdd"),
    ]
    shown = as_plain("", section(campaign).blocks)
    assert re.search(r"\n132 x 1024 +double +atomicAdd +7.209\n", shown)


def test_the_screen_has_adds_per_ns_and_the_gain_that_follows(measured):
    screen = section(measured).screen
    grid = screen.grids[0]
    assert "adds/ns" in grid.columns
    rows = [[field.text for field in row] for row in grid.rows]
    assert rows[1] == ["32", "block table (b)", "21.6", "atomicAdd", "4.33", "5.0"]
    assert rows[3] == ["1,048,576, no sharing", "keep atomicAdd", "360", "", "", "none"]
    # The notes explain names of the shown table only.
    assert [note[:14] for note in screen.notes[-3:-1]] == ["(a) warp sum: ", "(b) block tabl"]
    assert not any("match sum: " in note for note in screen.notes)
    assert screen.reliability.startswith("Reliability: ")
    assert screen.next.startswith("Next: syncmeter advise -- ./app")
    # The smaller launch is behind --tables.
    assert [len(grid.rows) for grid in screen.other_grids] == [1]


def test_rates_count_all_threads_and_each_of_their_adds(measured):
    own = updates.launches_of(measured)[0].sizes[-1]
    assert gpu_updates.adds_per_ns(own.by_op["accumulate_atomic"]) == pytest.approx(
        132 * 1024 * 16 / 6e3, rel=0.01
    )


def test_an_op_has_as_many_adds_as_the_worker_does():
    header = ROOT / "backends/cuda/accumulate/updates.hpp"
    found = re.search(r"adds_of_op = (\d+);", header.read_text(encoding="utf-8"))
    words = ROOT / "analysis/syncmeter_analysis/voice/templates/gpu_updates.toml"
    told = re.findall(r"^adds = (\d+)$", words.read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    assert {int(found[1]), updates.adds_of_op} == {*map(int, told)}


def test_the_tables_have_each_way_by_number_of_addresses_and_its_error(measured):
    lines = as_plain("", section(measured).text).splitlines()
    header = next(line for line in lines if line.startswith("blocks x threads"))
    assert header.split()[4:] == ["way", "1", "32", "1024", "1048576"]
    assert any("CAS loop" in line and line.split()[-1] == "72.09" for line in lines)
    errors = lines[lines.index("Largest error over the sum, for floats from 0.5 to 1") :]
    assert next(line for line in errors if "atomicAdd" in line).split()[5] == "2.0e-04"


def test_the_chart_has_a_panel_for_each_launch_with_several_numbers(measured):
    (figure,) = gpu_updates.figures(gpu_updates.rows(measured))
    assert [panel.title for panel in figure.panels] == ["132 x 1024 threads, floats"]
    atomics = [row for row in figure.panels[0].drawing.rows if row["name"] == "atomicAdd"]
    assert [row["x"] for row in atomics] == [1, 32, 1024, 1 << 20]


def test_one_way_alone_is_no_section(tmp_path):
    campaign = read(write(tmp_path / "f", adds("atomic", 5e5, 1), adds("atomic", 5e5, 32)))
    assert sections(campaign, ["accumulate"]) == []


# Orders and scopes


def test_the_default_is_compared_with_the_fastest_form_that_is_enough(tmp_path):
    campaign = read_costs(
        tmp_path,
        (by_default(), 90.0),
        (update(), 12.0),
        (update(flavour="function"), 10.0),
        (update(flavour="function", scope="system"), 9.5),
        (update(scope="device", order="acq_rel"), 60.0),
    )
    (place,) = updates.orders_of(campaign)
    assert (place.enough.point.flavour, place.enough.point.scope) == ("function", "device")
    (default,) = place.defaults
    assert 8.9 < place.over_enough(default).value < 9.1
    (c,) = conclude(campaign)
    assert (c.question, *advice(c)) == ("order", "use", "atomicAdd", "cuda::atomic fetch_add()", 9)
    assert names_of(c.conditions) == ["weaker_order"]
    screen = section(campaign).screen
    assert any("orders no other data and only this GPU" in note for note in screen.notes)


def test_a_tie_leaves_a_program_in_its_library(tmp_path):
    points = (by_default(), 90.0), (update(flavour="function"), 10.0), (update(), 10.01)
    (c,) = conclude(read_costs(tmp_path, *points))
    assert advice(c)[1] == "fetch_add(relaxed, device)"


def test_triton_is_advised_a_form_of_triton(tmp_path):
    def triton(**axes):
        return {**update(flavour="function", **axes), "backend": "triton"}

    campaign = read_costs(
        tmp_path,
        (by_default(), 90.0),
        (update(flavour="function"), 10.0),
        (triton(order="acq_rel"), 50.0),
        (triton(), 20.0),
    )
    of_cuda, of_triton = conclude(campaign)
    assert advice(of_cuda)[1:] == ("atomicAdd", "cuda::atomic fetch_add()", 9)
    assert advice(of_triton)[:3] == ("use", "tl.atomic_add(relaxed, device)", "tl.atomic_add()")
    assert of_triton.effect.value == pytest.approx(2.5)


def test_openmp_is_relaxed_by_default_and_cuda_code_may_be_faster(tmp_path):
    def openmp(**axes):
        return {**update(flavour="function", **axes), "backend": "omp-target"}

    campaign = read_costs(
        tmp_path,
        (update(flavour="function"), 10.0),
        (openmp(), 20.0),
        (openmp(order="acq_rel"), 90.0),
        (openmp(order="seq_cst"), 95.0),
    )
    (c,) = conclude(campaign)
    assert advice(c) == ("use", "atomicAdd", "omp atomic update", 2)
    assert names_of(c.conditions) == ["cuda_code"], "not weaker than the default"
    (place,) = updates.orders_of(campaign)
    forms = set(map(gpu_updates.form_of, place.forms))
    assert forms > {"omp atomic update", "omp atomic update release", "omp atomic update seq_cst"}


def test_a_default_that_costs_no_more_is_kept_with_a_reason_if_all_share_a_variable(tmp_path):
    (c,) = conclude(read_costs(tmp_path, (by_default(), 10.0), (update(), 10.0)))
    assert (c.question, *advice(c)[:2]) == ("order", "keep", "cuda::atomic fetch_add()")
    assert c.reason is None
    shared = read_costs(tmp_path, (by_default(stride=0), 10.0), (update(stride=0), 10.0))
    (c,) = conclude(shared)
    assert (c.question, c.kind, c.reason.name) == (
        "order_shared",
        Kind.keep,
        "one_after_the_other",
    )
    assert any(text.startswith("One variable: ") for text in section(shared).screen.sentences)


def test_nothing_is_compared_with_a_form_that_was_not_measured(tmp_path):
    assert not gpu_updates.rows(read_costs(tmp_path, (by_default(), 90.0)))
    others = (update(), 10.0), (update(scope="system"), 11.0)
    assert not gpu_updates.rows(read_costs(tmp_path, *others))


def test_a_fence_is_compared_with_acquire_and_release_at_device_scope(tmp_path):
    (c,) = conclude(
        read_costs(
            tmp_path,
            (fence(order="seq_cst", scope="system"), 600.0),
            (fence(order="unordered", flavour="function"), 300.0),
            (fence(order="acq_rel"), 200.0),
            (fence(order="seq_cst"), 250.0),
        )
    )
    assert advice(c) == ("use", "fence(acq_rel, device)", "fence(seq_cst, system)", 3)
    assert names_of(c.conditions) == ["weaker_fence"]


def test_the_table_has_each_form_and_its_machine_code(tmp_path):
    campaign = read_costs(
        tmp_path,
        (by_default(), 90.0),
        (by_default(scope="device"), 70.0),
        (update(), 10.0),
        (update("plain_read", order="unordered", flavour=None, scope=None), 1.0),
        code="ATOM.ADD",
    )
    text = as_plain("", section(campaign).text, width=200)
    assert re.search(r"fetch_add\(\) +seq_cst +system +90.00 +9.0\d* .*ATOM.ADD 1", text)
    assert re.search(r"add\(seq_cst, device\) +seq_cst +device +70.00 +7.0\d* .*ATOM.ADD 1", text)
    assert re.search(r"add\(relaxed, device\) +relaxed +device +10.00 +1 +ATOM.ADD 1", text)
    assert re.search(r"volatile load +none +1.000 ", text)


def test_only_the_largest_launch_is_advised_on(tmp_path):
    campaign = read_costs(
        tmp_path,
        (by_default(), 9000.0),
        (update(), 10.0),
        (by_default(blocks=132, lanes=1024), 300.0),
        (update(blocks=132, lanes=1024), 100.0),
        (by_default(blocks=132, lanes=1024, stride=0), 400.0),
        (update(blocks=132, lanes=1024, stride=0), 200.0),
    )
    found = conclude(campaign)
    assert [(c.question, c.situation.blocks, advice(c)[-1]) for c in found] == [
        ("order", 132, 3),
        ("order_shared", 132, 2),
    ]
    assert len(updates.orders_of(campaign)) == 3
    (figure,) = gpu_updates.figures(gpu_updates.rows(campaign))
    assert [row["value"] for row in figure.panels[0].drawing.rows] == pytest.approx([300, 100])


def test_each_update_has_its_default_and_the_form_that_is_enough(tmp_path):
    by_function = {"flavour": "function"}
    points = []
    for op, axes in {
        "atomic_exchange": by_function,
        "atomic_cas_pass": by_function,
        "atomic_read": {},
        "atomic_write": {},
    }.items():
        points += [(by_default(op), 90.0), (update(op, **axes), 10.0)]
    found = conclude(read_costs(tmp_path, *points))
    assert [(c.situation.work, *advice(c)[1:3]) for c in found] == [
        ("exchange", "atomicExch", "cuda::atomic exchange()"),
        ("compare_exchange", "atomicCAS", "compare_exchange_strong()"),
        ("load", "load(relaxed, device)", "cuda::atomic load()"),
        ("store", "store(relaxed, device)", "cuda::atomic store()"),
    ]


# Widths


def halves(tmp_path, **axes):
    return read_costs(
        tmp_path,
        (wide("add_f16", **axes), 400.0),
        (wide("add_f16x2", **axes), 200.0),
        (wide("add_f16x2", flavour="ptx", **axes), 100.0),
        (wide("add_f16x8", flavour="ptx", **axes), 200.0),
    )


def test_widths_are_compared_by_one_element(tmp_path):
    campaign = halves(tmp_path)
    (place,) = updates.widths_of(campaign)
    over = {name_of(wide_form(s)): place.parts.over(s) for s in place.forms}
    assert 15.9 < over["atomicAdd(__half)"].value < 16.1
    assert 1.99 < over["red.f16x2"].value < 2.01
    (c,) = conclude(campaign)
    assert advice(c) == ("use", "red.v4.f16x2", "atomicAdd(__half)", 16)
    assert [cost.ns for cost in c.costs] == pytest.approx([400, 25])
    assert [(x.name, x.value) for x in c.conditions] == [
        ("adjacent_elements", 8),
        ("inline_ptx", None),
    ]
    (row,) = section(campaign).screen.grids[0].rows
    assert [field.text for field in row] == [
        "add to halves",
        "red.v4.f16x2 (a,b)",
        "25.0",
        "atomicAdd(__half)",
        "400",
        "16",
    ]


def test_the_table_has_updates_and_bytes_of_the_whole_update(tmp_path):
    campaign = read_costs(
        tmp_path,
        (wide("add_f32"), 100.0),
        (wide("add_f32x4"), 200.0),
        code="RED.ADD",
    )
    text = as_plain("", section(campaign).text, width=200)
    # 132 x 1024 updates with 16 bytes each in 200 ns.
    assert re.search(r"atomicAdd\(float4\) +200.0 +50.00 +676 G +10.8 T +1 +RED.ADD 1", text)
    assert re.search(r"atomicAdd\(float\) +100.0 +100.0 +1.35 T +5.41 T +2.00 ", text)


def test_full_launches_with_own_variables_come_first_then_one_variable(tmp_path):
    lines = []
    for axes, cost in (
        ({"blocks": 1, "lanes": 32}, 1.0),
        ({"stride": 0}, 900.0),
        ({}, 100.0),
        ({"space": "shared_memory"}, 10.0),
    ):
        lines += [(wide("add_f32", **axes), cost), (wide("add_f32x2", **axes), cost)]
    campaign = read_costs(tmp_path, *lines)
    assert [(c.question, c.situation.blocks, *advice(c)) for c in conclude(campaign)] == [
        ("width", 132, "use", "atomicAdd(float2)", "atomicAdd(float)", 2),
        ("width_shared", 132, "use", "atomicAdd(float2)", "atomicAdd(float)", 2),
    ]
    text = as_plain("", section(campaign).text, width=200)
    assert "132 x 1024, own variables, shared memory" in text


def test_a_used_result_and_another_scope_are_no_rivals(tmp_path):
    campaign = read_costs(
        tmp_path,
        (wide("add_f32"), 100.0),
        (wide("add_f32x2"), 150.0),
        (wide("add_f32", scope="system"), 300.0),
        (wide("fetch_add_f32"), 50.0),
    )
    found = updates.rows(campaign)
    assert [updates.action_of(place.first) for place in found.widths] == ["add", "fetch_add"]
    ((s, over_device),) = found.scopes
    assert s.point.scope == "system"
    assert 2.99 < over_device.value < 3.01
    (c,) = conclude(campaign)
    assert c.subjects[0].op == "add_f32x2"


def test_swaps_are_compared_by_four_bytes(tmp_path):
    (c,) = conclude(
        read_costs(
            tmp_path,
            (wide("compare_exchange_b32"), 100.0),
            (wide("compare_exchange_b128"), 200.0),
        )
    )
    assert advice(c) == ("use", "128-bit atomicCAS", "32-bit atomicCAS", 2)
    assert [(x.name, x.value) for x in c.conditions] == [("adjacent_words", 4)]


def test_integers_are_kept_if_narrow_ones_need_a_loop(tmp_path):
    (c,) = conclude(read_costs(tmp_path, (wide("add_u32"), 100.0), (wide("add_u8"), 2000.0)))
    assert advice(c)[:2] == ("keep", "atomicAdd(unsigned)")


def test_variables_without_a_type_differ_by_elements(tmp_path):
    campaign = read_costs(tmp_path, (wide(stride=16), 100.0), (update(), 9.0))
    names = [point_text.cells(s.point) for s in campaign.points.values()]
    assert sorted(names) == ["16 apart", "4 B apart"]


def test_one_width_alone_is_nothing(tmp_path):
    assert not gpu_updates.rows(read_costs(tmp_path, (wide("add_f32"), 100.0)))


def test_the_figure_of_widths_has_each_form_once(tmp_path):
    (figure,) = gpu_updates.figures(gpu_updates.rows(halves(tmp_path)))
    assert [row["row"] for row in figure.panels[0].drawing.rows] == [
        "atomicAdd(__half)",
        "atomicAdd(__half2)",
        "red.f16x2",
        "red.v4.f16x2",
    ]


# Real files


@pytest.mark.parametrize("name", ["h200-accumulate", "h200-widths", "h100-defaults"])
def test_the_screen_of_a_measured_file_is_short_and_names_all_ops(name):
    found = section(read_campaign([str(ROOT / f"analysis/tests/data/{name}.jsonl.xz")]))
    screen = found.screen
    texts = [f.text for grid in (*screen.grids, *screen.other_grids) for r in grid.rows for f in r]
    # An op without a name keeps its own name, which has underscores.
    allowed = (
        "__half",
        "__nv_",
        "__match",
        "fetch_add",
        "compare_exchange",
        "seq_cst",
        "acq_rel",
        "thread_fence",
    )
    for text in [*texts, *screen.notes, *screen.answers]:
        for known in allowed:
            text = text.replace(known, "")
        assert "_" not in text.replace("_any_sync", "").replace("_strong", "").replace(
            "atomic_", ""
        ), text
    shown = [*(len(grid.rows) + 5 for grid in screen.grids)]
    assert sum(shown) + 2 * len(screen.notes) + 6 <= 40
    assert found.screen.next


def test_the_studies_of_the_driver_are_names_of_the_section(measured):
    for name in ("accumulate", "atomics", "defaults", "widths", "gpu-updates"):
        assert [s.name for s in sections(measured, [name])] == ["gpu-updates"]
    assert len(sections(measured, ["accumulate", "widths"])) == 1
