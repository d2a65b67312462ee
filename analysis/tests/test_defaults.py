"""What an update is by default, beside the form that is enough: table, sentences and figure."""

import re

from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import defaults, sections
from tests.made import point, read_costs


def update(op="atomic_add", **axes):
    members = {"type": "int32", "placement": "strided", "stride": 1, "space": "global", "lanes": 32}
    members |= {"flavour": "atomic_ref", "scope": "device", "order": "relaxed", "affinity": "none"}
    return point(op, backend="cuda", **{**members, **axes})


def fence(**axes):
    return update(
        "fence", **{"type": None, "placement": None, "stride": None, "space": None, **axes}
    )


def by_default(op="atomic_add", **axes):
    return update(op, **{"scope": "system", "order": "seq_cst", **axes})


def found_in(campaign):
    return defaults.rows(campaign)


def printed_text(campaign):
    (section,) = sections(campaign, ["defaults"])
    return as_plain(section.title, section.blocks)


def test_the_default_is_over_the_fastest_form_that_is_enough(tmp_path):
    found = found_in(
        read_costs(
            tmp_path,
            (by_default(), 90.0),
            (update(), 12.0),
            (update(flavour="function"), 10.0),
            (update(flavour="function", scope="system"), 9.5),
            (update(scope="device", order="acq_rel"), 60.0),
        )
    )
    (place,) = found.places
    assert place.enough is not None
    assert place.enough.point.flavour == "function"
    assert place.enough.point.scope == "device"
    (default,) = place.defaults
    assert 8.9 < default.over_enough.value < 9.1
    (sentence,) = defaults.answer(found)
    assert sentence.startswith(
        "add (1 x 32, own cells): take atomicAdd (relaxed at device scope, 10.00 ns) where that is "
        "enough, because fetch_add() of libcu++ (seq_cst at system scope) takes 9.0"
    )


def test_triton_has_a_default_of_its_own(tmp_path):
    def triton(**axes):
        return {**update(flavour="function", **axes), "backend": "triton"}

    found = found_in(
        read_costs(
            tmp_path,
            (by_default(), 90.0),
            (update(flavour="function"), 10.0),
            (triton(order="acq_rel"), 50.0),
            (triton(), 20.0),
        )
    )
    of_cuda, of_triton = defaults.answer(found)
    assert "because fetch_add() of libcu++ (seq_cst at system scope) takes 9.0" in of_cuda
    assert "take atomicAdd (" in of_triton
    assert "because tl.atomic_add() of Triton (acq_rel at device scope) takes 5.0" in of_triton
    written = {defaults.written(form.s) for form in found.places[0].forms}
    assert {"tl.atomic_add()", "tl.atomic_add(relaxed)"} < written


def test_openmp_is_relaxed_by_default_and_stands_beside_what_is_faster(tmp_path):
    def openmp(**axes):
        return {**update(flavour="function", **axes), "backend": "omp-target"}

    found = found_in(
        read_costs(
            tmp_path,
            (update(flavour="function"), 10.0),
            (openmp(), 20.0),
            (openmp(order="acq_rel"), 90.0),
            (openmp(order="seq_cst"), 95.0),
        )
    )
    (sentence,) = defaults.answer(found)
    assert "take atomicAdd (" in sentence
    assert "because omp atomic update of OpenMP (relaxed at device scope) takes 2.0" in sentence
    written = {defaults.written(form.s) for form in found.places[0].forms}
    names = {"omp atomic update", "omp atomic update release", "omp atomic update seq_cst"}
    assert names < written


def test_of_forms_that_are_enough_all_that_are_not_shown_to_be_slower_are_named(tmp_path):
    alike = (by_default(), 90.0), (update(flavour="function"), 10.0), (update(), 10.01)
    (sentence,) = defaults.answer(found_in(read_costs(tmp_path, *alike)))
    assert ": take atomicAdd or fetch_add(relaxed), device (10.00 ns) where" in sentence


def test_a_default_that_costs_no_more_is_said_to_take_as_long(tmp_path):
    found = found_in(read_costs(tmp_path, (by_default(), 10.0), (update(), 10.0)))
    assert defaults.answer(found) == [
        "add (1 x 32, own cells): fetch_add() of libcu++ (seq_cst at system scope) takes as long as "
        "fetch_add(relaxed), device (10.00 ns)"
    ]


def test_nothing_stands_beside_what_was_not_measured(tmp_path):
    assert not found_in(read_costs(tmp_path, (by_default(), 90.0)))
    assert not found_in(read_costs(tmp_path, (update(), 10.0), (update(scope="system"), 11.0)))


def test_a_fence_is_beside_acquire_and_release_at_device_scope(tmp_path):
    found = found_in(
        read_costs(
            tmp_path,
            (fence(order="seq_cst", scope="system"), 600.0),
            (fence(order="unordered", flavour="function"), 300.0),
            (fence(order="acq_rel"), 200.0),
            (fence(order="seq_cst"), 250.0),
        )
    )
    (sentence,) = defaults.answer(found)
    assert "take atomic_thread_fence(acq_rel), device (200.0 ns) where" in sentence
    assert "because atomic_thread_fence(seq_cst) of libcu++" in sentence


def test_the_table_says_how_it_is_written_and_what_it_compiles_to(tmp_path):
    text = printed_text(
        read_costs(
            tmp_path,
            (by_default(), 90.0),
            (by_default(scope="device"), 70.0),
            (update(), 10.0),
            (update("plain_read", order="unordered", flavour=None, scope=None), 1.0),
            code="ATOM.ADD",
        )
    )
    assert re.search(r"fetch_add\(\) +seq_cst +system +90.00 +9.0\d* .*ATOM.ADD 1", text)
    assert re.search(r"fetch_add\(\), device +seq_cst +device +70.00 +7.0\d* .*ATOM.ADD 1", text)
    assert re.search(r"fetch_add\(relaxed\), device +relaxed +device +10.00 +1 +ATOM.ADD 1", text)
    assert re.search(r"volatile load +none +1.000 ", text)


def test_one_cell_and_own_cells_are_apart_and_the_worst_is_told(tmp_path):
    found = found_in(
        read_costs(
            tmp_path,
            (by_default(blocks=132, lanes=1024), 900.0),
            (update(blocks=132, lanes=1024), 100.0),
            (by_default(blocks=132, lanes=1024, stride=0), 300.0),
            (update(blocks=132, lanes=1024, stride=0), 200.0),
        )
    )
    assert [place.name for place in found.places] == [
        "132 x 1024, own cells",
        "132 x 1024, one cell",
    ]
    (sentence,) = defaults.answer(found)
    assert sentence.startswith("add (132 x 1024, own cells): ")
    (figure,) = defaults.figures(found)
    assert figure.title == sentence


def test_each_update_has_its_default_beside_what_is_enough(tmp_path):
    by_function = {"flavour": "function"}
    points = []
    for op, axes in {
        "atomic_exchange": by_function,
        "atomic_cas_pass": by_function,
        "atomic_read": {},
        "atomic_write": {},
    }.items():
        points += [(by_default(op), 90.0), (update(op, **axes), 10.0)]
    sentences = defaults.answer(found_in(read_costs(tmp_path, *points)))
    assert [s.split(" (", 1)[0] for s in sentences] == [
        "exchange",
        "compare-and-swap",
        "load",
        "store",
    ]
    taken = [re.search(r"take (\S+) .* because (\S+) of libcu", s) for s in sentences]
    assert [match.groups() for match in taken if match] == [
        ("atomicExch", "exchange()"),
        ("atomicCAS", "compare_exchange_strong()"),
        ("load(relaxed),", "load()"),
        ("store(relaxed),", "store()"),
    ]
