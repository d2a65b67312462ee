"""Costs by number of threads: what most threads take, over the fewest."""

import pytest

from syncmeter_analysis.conclude.conclusion import Grade, Kind
from syncmeter_analysis.conclude.studies import scaling
from syncmeter_analysis.relate.campaign import read_campaign
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import scaling as tables
from syncmeter_analysis.studies import sections
from tests.made import around, campaign, point, read, visits, write


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


def of_question(found, question):
    return [c for c in found if c.question == question]


def test_the_most_threads_have_the_advice(tmp_path):
    found = scaling.conclude(made(tmp_path))
    (c,) = of_question(found, "update")
    assert (c.kind, c.situation.threads) == (Kind.use, 4)
    assert (c.subjects[0].variant, c.reference.variant) == ("own", "one")
    assert c.effect.value == pytest.approx(8)
    assert (c.condition("merge") is not None, c.situation.stride_bytes) == (True, 64)
    # One thread alone does 4x the adds of four.
    assert (c.reason.name, c.reason.value) == ("alone", pytest.approx(4))
    assert of_question(found, "growth") == []


def test_the_work_between_barriers_is_computed_from_their_cost(tmp_path):
    (c,) = of_question(scaling.conclude(made(tmp_path)), "work_between")
    assert (c.grade, c.effect.value) == (Grade.predicted, pytest.approx(9 * 600))
    assert [cost.ns for cost in c.costs] == [600.0]


def locked(op, costs):
    members = {"placement": "shared", "type": "int32", "order": "unordered"}
    return [
        visits(around(ns), point(op, lanes=n, **members), family="critical")
        for n, ns in costs.items()
    ]


def concluded(tmp_path, *lines):
    first = campaign(options={"study": "scaling"})
    return scaling.conclude(read(write(tmp_path / "f.jsonl", *lines, first=first)))


def test_an_atomic_replaces_a_lock_around_one_add(tmp_path):
    found = concluded(tmp_path, *adds("shared", 20.0), *locked("critical_add", {2: 200, 4: 800}))
    (c,) = of_question(found, "update")
    assert (c.kind, c.subjects[0].op, c.reference.op) == (Kind.use, "atomic", "critical")
    assert c.effect.value == pytest.approx(10)
    assert c.condition("one_update")


def test_more_threads_gain_nothing_if_they_do_fewer_adds_in_total(tmp_path):
    lines = locked("critical_add", {2: 200.0, 4: 800.0})
    (c,) = of_question(concluded(tmp_path, *lines), "growth")
    assert (c.kind, c.effect.quantity) == (Kind.nothing_to_gain, "slowdown")
    assert c.effect.value == pytest.approx(4)
    assert (c.subjects[0].variant, c.reference.variant) == ("4", "2")
    # Twice the time with twice the threads is as much in total.
    assert concluded(tmp_path, *locked("critical_add", {2: 200.0, 4: 400.0})) == []


def test_the_screen_has_the_advice_and_the_growth(tmp_path):
    made(tmp_path)
    lines = [*adds("shared", 20.0), *adds("strided", 5.0), *locked("lock_add", {1: 20, 4: 900})]
    first = campaign(options={"study": "scaling"})
    path = write(tmp_path / "f.jsonl", *lines, first=first)
    (section,) = sections(read(path), ["scaling"])
    flat = " ".join(as_plain(section.title, section.blocks).split())
    assert "atomic add a variable per thread (a) 20.0 one variable 80.0 4.0" in flat
    assert "an add takes 900 ns with 4 threads instead of 20.0 ns with 1 (45x slower)" in flat
    assert section.first[-1].items[-2:] == [section.screen.details, section.screen.next]


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
    """An add on doubles was compared with one on integers, or with another backend."""

    def advice(*lines):
        return of_question(concluded(tmp_path, *lines), "update")

    one = adds("shared", 20.0)
    assert len(advice(*one, *adds("strided", 5.0))) == 1
    assert advice(*one, *adds("strided", 5.0, kind="double")) == []
    assert advice(*one, *adds("strided", 5.0, backend="std")) == []


def test_each_of_several_files_has_its_conclusions(tmp_path):
    """Costs of two files were compared."""
    lines = [*adds("shared", 20.0), *adds("strided", 5.0)]
    first = campaign(options={"study": "scaling"})
    files = [str(write(tmp_path / f"{n}.jsonl", *lines, first=first)) for n in range(2)]
    found = scaling.conclude(read_campaign(files))
    assert [c.situation.file for c in found] == files
    (section,) = sections(read_campaign(files), ["scaling"])
    assert all(file in text for file, text in zip(files, section.screen.answers, strict=True))


def test_each_op_has_a_row_and_each_number_of_threads_a_column(tmp_path):
    lines = as_plain("", tables.text(scaling.rows(made(tmp_path)))).splitlines()
    fields = [" ".join(line.split()) for line in lines]
    assert "omp atomic_add one close 5.000 20.00 80.00 16.0 (16.0..16.0) >" in fields
    assert "omp barrier close 30.00 600.0 20.0 (20.0..20.0) >" in fields


def test_other_studies_have_no_such_section(tmp_path):
    assert scaling.rows(made(tmp_path, "quick")) == []
