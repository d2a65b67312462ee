"""Costs by number of threads: what most threads take, over the fewest."""

from syncmeter_analysis.relate.campaign import read_campaign
from syncmeter_analysis.studies import scaling
from tests.made import around, campaign, point, read, section_text, visits, write


def made(tmp_path, study="scaling"):
    lines = []
    for placement, costs in (
        ("shared", {1: 5.0, 2: 20.0, 4: 80.0}),
        ("strided", {2: 5.0, 4: 10.0}),
    ):
        for lanes, cost in costs.items():
            stride = {"stride": 16} if placement == "strided" else {}
            lines.append(
                visits(
                    around(cost), point(placement=placement, type="int32", lanes=lanes, **stride)
                )
            )
    for lanes, cost in ((1, 30.0), (4, 600.0)):
        lines.append(
            visits(
                around(cost),
                point("barrier", placement="none", order="unordered", lanes=lanes),
                family="barrier",
            )
        )
    return read(write(tmp_path / "f.jsonl", *lines, first=campaign(options={"study": study})))


def test_the_answer_says_what_to_do_and_how_costs_grow(tmp_path):
    first, shared, own, barrier = scaling.answer(scaling.rows(made(tmp_path)))
    assert first.startswith(
        "4 threads: count in a variable of each thread, because an atomic add on one variable takes "
        "8.00 times as long"
    )
    assert first.endswith(", 80.00 ns against 10.00 ns")
    assert shared.startswith(
        "an atomic add on one variable takes 16.0 times as long with 4 threads as with 1 thread"
    )
    assert shared.endswith(": 1 thread 5.000 ns, 4 threads 80.00 ns (omp, close)")
    assert own.startswith(
        "an atomic add on a variable of each thread takes 2.00 times as long with 4 threads as with 2"
    )
    assert barrier.startswith("a barrier takes 20.0 times as long with 4 threads as with 1 thread")


def adds(placement, cost, kind="int32", backend="omp"):
    return [
        visits(
            around(cost * n),
            point(
                backend=backend,
                placement=placement,
                type=kind,
                lanes=n,
                stride=16 * (placement == "strided"),
            ),
        )
        for n in (2, 4)
    ]


def test_variables_of_each_thread_are_advised_beside_one_that_differs_in_nothing_else(tmp_path):
    """An add on doubles was set against one of integers, or against another backend's."""

    def advice(*lines):
        first = campaign(options={"study": "scaling"})
        found = scaling.answer(scaling.rows(read(write(tmp_path / "f.jsonl", *lines, first=first))))
        return [sentence for sentence in found if "count in a variable" in sentence]

    one = adds("shared", 20.0)
    assert len(advice(*one, *adds("strided", 5.0))) == 1
    assert advice(*one, *adds("strided", 5.0, kind="double")) == []
    assert advice(*one, *adds("strided", 5.0, backend="std")) == []


def test_of_several_files_an_answer_names_its_own(tmp_path):
    """Costs of two files were set against each other."""
    lines = [*adds("shared", 20.0), *adds("strided", 5.0)]
    first = campaign(options={"study": "scaling"})
    files = [str(write(tmp_path / f"{n}.jsonl", *lines, first=first)) for n in range(2)]
    found = scaling.answer(scaling.rows(read_campaign(files)))
    assert all(any(file in sentence for file in files) for sentence in found), found


def test_each_op_has_a_row_and_each_number_of_threads_a_column(tmp_path):
    lines = section_text(scaling, scaling.rows(made(tmp_path))).splitlines()
    fields = [" ".join(line.split()) for line in lines]
    assert "omp atomic_add one close 5.000 20.00 80.00 16.0 16.0..16.0" in fields
    assert "omp barrier close 30.00 600.0 20.0 20.0..20.0" in fields


def test_other_studies_have_no_such_section(tmp_path):
    assert scaling.rows(made(tmp_path, "quick")) == []
