"""What is read, what is refused, and what is left out and said so."""

import gzip
import json
import lzma
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syncmeter_analysis.record import driver
from syncmeter_analysis.record.errors import Unusable
from syncmeter_analysis.record.reader import read_results
from tests.made import around, campaign, point, point_lines, read, visits, write


def test_a_campaign_is_read(tmp_path):
    path = write(tmp_path / "f.jsonl", visits(around(5.0), point(type="int32")))
    c = read(path)
    (found,) = c.points.values()
    assert found.cost.value == pytest.approx(5.0)
    assert found.visits == 5
    assert found.status == "ok"
    assert c.machine.cpu == "Test CPU"
    assert not c.notes


@pytest.mark.parametrize(("ending", "pack"), [(".xz", lzma.compress), (".gz", gzip.compress)])
def test_a_packed_file_is_read_and_a_torn_one_refused(tmp_path, ending, pack):
    plain = write(tmp_path / "f.jsonl", visits(around(5.0), point(type="int32")))
    packed = tmp_path / f"f.jsonl{ending}"
    packed.write_bytes(pack(plain.read_bytes()))
    assert len(read(packed).points) == 1
    packed.write_bytes(packed.read_bytes()[:-30])
    with pytest.raises(Unusable, match="cannot be unpacked"):
        read_results(packed)


def test_a_gpu_is_named_without_the_number_of_its_device(tmp_path):
    gpus = {"cuda": "NVIDIA X (GPU-01234567-89ab-cdef-0123-456789abcdef)", "other": "Y"}
    c = read(write(tmp_path / "f.jsonl", visits(around(5.0), point()), first=campaign(gpus=gpus)))
    assert c.machine.gpus == (("cuda", "NVIDIA X"), ("other", "Y"))
    assert c.machine.name.endswith("PUs, NVIDIA X, Y")


def test_another_major_schema_is_refused_by_name(tmp_path):
    path = write(tmp_path / "f.jsonl", first=campaign(schema={"major": 2, "minor": 0}))
    with pytest.raises(Unusable, match="schema '2' is not supported; this version reads major 1"):
        read_results(path)


@pytest.mark.parametrize("schema", [None, 7, {}, {"major": "x"}, {"major": None}])
def test_a_schema_that_is_none_is_refused(tmp_path, schema):
    with pytest.raises(Unusable, match="is not supported"):
        read_results(write(tmp_path / "f.jsonl", first=campaign(schema=schema)))


def test_a_newer_minor_and_unknown_kinds_and_members_are_tolerated(tmp_path):
    first = campaign(schema={"major": 1, "minor": 9}, unknown=[1])
    lines = visits([5.0], point(type="int32"), new_member={"x": 1})
    path = write(tmp_path / "f.jsonl", {"kind": "novelty"}, lines, first=first)
    found = read_results(path)
    assert len(found.visits) == 1
    assert "schema is 1.9" in found.notes[0]


def test_a_torn_tail_is_left_out_and_told(tmp_path):
    path = write(tmp_path / "f.jsonl", visits(around(5.0), point()))
    path.write_bytes(path.read_bytes()[:-40])
    found = read_results(path)
    assert len(found.visits) == 4
    assert found.notes == [
        "line 6: the last line is incomplete (the campaign was killed); it is left out"
    ]


def test_torn_lines_in_the_middle_are_told_by_number(tmp_path):
    path = write(
        tmp_path / "f.jsonl",
        visits([5.0], point()),
        '{"kind":"vis',
        "[1]",
        "\x00",
        visits([6.0], point(lanes=2)),
    )
    found = read_results(path)
    assert len(found.visits) == 2
    assert [n.split(":")[0] for n in found.notes] == ["line 3", "line 4", "line 5"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"\n \n", "is empty"),
        (b"hello\n", "holds no line of JSON"),
        (b'{"kind":"visit"}\n', "does not begin with a campaign line"),
        (b"\xff\xfe\x00", "holds no line of JSON"),
    ],
)
def test_what_is_no_results_file_is_said_to_be_none(tmp_path, content, says):
    path = tmp_path / "f.jsonl"
    path.write_bytes(content)
    with pytest.raises(Unusable, match=says):
        read_results(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(Unusable, match=r"nothing\.jsonl: No such file"):
        read_results(tmp_path / "nothing.jsonl")


def test_a_campaign_without_visits_is_unusable(tmp_path):
    with pytest.raises(Unusable, match="holds no visit"):
        read_results(write(tmp_path / "f.jsonl"))


def test_only_failed_points_are_points(tmp_path):
    line = visits([1.0], point(), status="failed", reason="wrong value", estimates=[])
    (found,) = read(write(tmp_path / "f.jsonl", line)).points.values()
    assert (found.status, found.reason, found.usable) == ("failed", "wrong value", False)


def test_of_two_lines_with_one_key_the_later_counts(tmp_path):
    path = write(tmp_path / "f.jsonl", visits([5.0], point()), visits([7.0], point()))
    (found,) = read(path).points.values()
    assert found.cost.value == 7


def test_what_the_later_of_two_lines_says_of_the_visit_counts(tmp_path):
    (first,), (again,) = visits([10.0], point()), visits([10.0], point())
    again["rounds_taken"] = first["rounds_taken"] + 7
    file = read_results(write(tmp_path / "f", [first, again]))
    assert [visit.rounds_taken for visit in file.visits.values()] == [again["rounds_taken"]]


def test_equal_code_shares_its_measurement(tmp_path):
    same = {
        "kind": "same",
        "point": point("plain_read"),
        "measured_as": point("atomic_read"),
        "why": "equal code",
    }
    c = read(write(tmp_path / "f.jsonl", same, visits(around(2.0), point("atomic_read"))))
    assert {s.point.op: s.cost.value for s in c.points.values()} == {
        "atomic_read": 2.0,
        "plain_read": 2.0,
    }


def test_files_of_two_machines_are_one_sentence(tmp_path):
    from syncmeter_analysis.relate.campaign import read_campaign

    other = campaign()
    other["machine"] = {**other["machine"], "host": "b", "cpu_model": "Other CPU"}
    a = write(tmp_path / "a.jsonl", visits([5.0], point()))
    b = write(tmp_path / "b.jsonl", visits([5.0], point()), first=other)
    with pytest.raises(Unusable, match="a report is about one machine"):
        read_campaign([str(a), str(b)])


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda x: st.lists(x, max_size=3) | st.dictionaries(st.text(max_size=5), x, max_size=3),
    max_leaves=6,
)
visit_members = st.sampled_from(sorted(visits([1.0], point())[0]))


@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(visit_members, json_values, max_size=3),
    st.dictionaries(
        st.sampled_from(
            ["machine", "gpus", "plan", "quota_cpus", "imported", "options", "argv", "states"]
        ),
        json_values,
        max_size=2,
    ),
)
def test_whatever_members_hold_nothing_breaks(tmp_path_factory, members, of_campaign):
    path = tmp_path_factory.mktemp("any") / "f.jsonl"
    (bad,) = visits([5.0], point())
    bad.update(members)
    good = visits([5.0], point(lanes=2))
    path.write_text("\n".join(json.dumps(x) for x in [campaign(**of_campaign), bad, *good]) + "\n")
    assert read(path).points


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused_in_one_sentence(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("any") / "f.jsonl"
    path.write_bytes(json.dumps(campaign()).encode() + b"\n" + data)
    with pytest.raises(Unusable) as error:
        read_results(path)
    assert "\n" not in str(error.value)


def test_what_a_gpus_visit_says_beside_its_times_is_kept(tmp_path):
    what = point("warp_handoff", backend="cuda", lanes=64)
    lines = visits([800.0, 810.0], what, device=0, same_gpc=True, polls_per_handoff=3.5)
    del lines[1]["polls_per_handoff"]
    campaign = read(write(tmp_path / "f.jsonl", lines))
    (s,) = campaign.points.values()
    first, second = campaign.visits[s.measured_at]
    assert first.remarks == {"polls_per_handoff": 3.5, "same_gpc": True}
    assert second.remarks == {"same_gpc": True}
    assert s.on_gpu


def compact(line):
    """As the driver writes it: without blanks."""
    return json.dumps(line, separators=(",", ":"))


@pytest.mark.parametrize("written", [compact, json.dumps])
def test_raw_rounds_are_not_parsed(tmp_path, monkeypatch, written):
    rounds = [[100.0, 3300.0 + i, 0, False] for i in range(50)]
    lines = [written(v) for v in visits(around(1.0), point(), rounds=rounds)]
    path = write(tmp_path / "f", lines)
    parsed = []
    loads = json.loads
    monkeypatch.setattr(json, "loads", lambda text: parsed.append(text) or loads(text))
    assert len(read_results(path).visits) == 5
    assert not any("[100.0" in text for text in parsed)


def with_points(path, *lines, then=()):
    """A file of these visits with the driver's lines of their points, and what follows them."""
    return write(path, *lines, point_lines(path, *lines), *then)


def test_estimates_of_the_file_are_taken_without_the_driver(tmp_path, monkeypatch):
    path = with_points(tmp_path / "f", visits(around(5.0), point()))
    monkeypatch.setattr("syncmeter_analysis.record.driver.find_driver", lambda: None)
    (s,) = read(path).points.values()
    assert (s.cost.value, s.visits) == (5.0, 5)


@pytest.mark.parametrize("without", ["all", "one", "newer"])
def test_without_current_estimates_and_without_a_driver_the_way_is_told(
    tmp_path, monkeypatch, without
):
    """None at all, none of one point, and a visit behind them."""
    lines = visits(around(5.0), point())
    path = tmp_path / "f.jsonl"
    if without == "all":
        write(path, lines)
    elif without == "one":
        with_points(path, lines)
        write(path, visits([1.0], point(lanes=2)), path.read_text().splitlines()[1:])
    else:
        with_points(path, lines, then=visits([7.0], point(), visit=6))
    monkeypatch.setattr("syncmeter_analysis.record.driver.find_driver", lambda: None)
    with pytest.raises(Unusable, match=r"f\.jsonl has no estimates.*`syncmeter show --complete "):
        read(path)


def test_a_visit_behind_the_estimates_counts(tmp_path):
    lines = visits([5.0] * 3, point())
    path = with_points(tmp_path / "f", lines, then=visits([8.0], point(), visit=4))
    (s,) = read(path).points.values()
    assert s.visits == 4


def test_a_driver_that_fails_is_told_with_what_it_said(tmp_path, monkeypatch):
    failing = tmp_path / "syncmeter"
    failing.write_text("#!/bin/sh\necho no such option >&2\nexit 2\n")
    failing.chmod(0o755)
    monkeypatch.setattr("syncmeter_analysis.record.driver.find_driver", lambda: str(failing))
    path = write(tmp_path / "f.jsonl", visits(around(5.0), point()))
    with pytest.raises(Unusable, match=r"f\.jsonl: .*cannot estimate its points: no such option"):
        read(path)


def test_the_driver_of_the_clone_is_found_and_none_of_the_current_folder(tmp_path, monkeypatch):
    def program(folder):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "syncmeter").touch(0o755)
        return str(tmp_path / folder / "syncmeter")

    module = tmp_path / "clone/analysis/syncmeter_analysis/record/driver.py"
    monkeypatch.setattr(driver, "__file__", str(module))
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "bin/syncmeter-report")])
    monkeypatch.delenv("SYNCMETER_BIN", raising=False)
    monkeypatch.chdir(Path(program("here")).parent)
    monkeypatch.setenv("PATH", f":.:{tmp_path / 'path'}:")
    assert driver.find_driver() is None
    on_path = program("path")
    assert driver.find_driver() == on_path
    plain = program("clone/build/bin")
    assert driver.find_driver() == plain
    release = program("clone/build/release/bin")
    assert driver.find_driver() == release
    monkeypatch.setenv("SYNCMETER_BIN", str(Path(on_path).parent))
    assert driver.find_driver() == on_path


def test_an_arm_in_the_name_of_a_backend_is_estimated_as_an_axis(tmp_path):
    arms = [{"name": name, "path": "p", "environment": []} for name in ("old", "new")]
    first = campaign(ab={"arms": arms, "threshold": 0.01})
    lines = [visits(around(5.0), point(backend=f"omp@{arm}")) for arm in ("old", "new")]
    points = read(write(tmp_path / "f.jsonl", *lines, first=first)).points.values()
    assert [(s.point.backend, s.point.arm, s.visits) for s in points] == [
        ("omp", "old", 5),
        ("omp", "new", 5),
    ]
