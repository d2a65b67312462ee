"""Copies without names: only what is allowed stays, and the figures do."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from syncmeter_analysis.command import main
from syncmeter_analysis.formats.share import share
from syncmeter_analysis.formats.shared_text import without_names
from syncmeter_analysis.record.driver import find_driver
from syncmeter_analysis.record.errors import Unusable
from syncmeter_analysis.record.text_file import text_of, without_suffixes
from tests.made import around, campaign, point, read, visits, write

data = Path(__file__).parent / "data"
measured = sorted(data.glob("*.jsonl.xz"))

#: Who and where: no part of these may be left of any secret.
parts = (
    "alice",
    "node17",
    "secretlab",
    "payroll",
    "hidden",
    "10.20.30.40",
    "fe80",
    "1b:44",
    "4242",
)
secrets = [
    "/home/alice/payroll.jsonl",
    "/scratch/hidden place/alice smith/payroll run.jsonl",
    "hidden/payroll.jsonl",
    "my hidden/payroll run",
    "../hidden",
    "~alice",
    "~alice/hidden",
    "C:\\Users\\alice",
    "C:\\Users\\alice smith\\hidden place\\payroll.jsonl",
    "\\\\node17\\hidden\\payroll.jsonl",
    "node17.secretlab.example",
    "alice@node17.secretlab.example",
    "https://secretlab.example/hidden",
    "10.20.30.40",
    "10.20.30.40:22",
    "fe80::1b:44ff:fe11:3ab7",
    "00:1b:44:11:3a:b7",
    "pid 4242",
    "process 4242",
    "user alice",
    "node17",
    "GPU-4242fe80-89ab-cdef-0123-456789abcdef",
    "MIG-4242FE80-89AB-CDEF-0123-456789ABCDEF",
]
sentences = ["{}", "cannot open {}: no such file", "no {} here", "failed: ({})"]


def lines():
    """A line of each kind, with every member that has a text, and members of nobody's."""
    first = campaign(
        gpus={"cuda": "NVIDIA X", "other": {"name": "Y"}},
        options={"study": "quick", "ops": ["barrier"], "lanes": ["1"], "output": "x", "csv": "x"},
        imported={"from": "elsewhere"},
        lane_notes=["note"],
        gpu_notes=["note"],
        left_out="the rest",
        owner="somebody",
        cwd="somewhere",
    )
    first["machine"] |= {
        "quota_source": "x",
        "hwloc_components": "x",
        "unbound_because": "x",
        "caches": [{"level": 1, "bytes": 32768, "line_bytes": 64, "shared_by": 2, "count": 8}],
        "serial": "x",
    }
    worker = {
        "kind": "worker",
        "worker": "omp",
        "path": "x",
        "pid": 4242,
        "ppid": 4242,
        "wait": "active",
        "time": "2026-01-01T00:00:00Z",
        "build": {"id": "b" * 16, "compiler": "GNU 12.2.0", "flags": "-O3", "directory": "x"},
        "runtime": {"omp": {"api": "OpenMP 201511", "library": "libgomp.so.1", "wait_policy": "a"}},
        "environment": dict.fromkeys(("OMP_PLACES", "OMP_TOOL_LIBRARIES", "USER", "PWD"), "x"),
    }
    census = {"verdict": "proven", "reason": "x", "architecture": "x", "per_op": {"lock_add": 1.0}}
    more = {"doubt": "x", "native_of": "x", "launching": "x", "cells_on": "x", "source": "x"}
    nvml = {"clock_reasons": ["sw_power_cap"], "power_w": 310.5}
    line = visits(around(5.0), point(type="int32"), census=census, nvml=nvml, key="x", **more)
    same = {"kind": "same", "point": point("y"), "measured_as": point(type="int32"), "why": "x"}
    refused = {"kind": "refused", "point": point("z"), "status": "unsupported", "reason": "x"}
    end = {"kind": "end", "reason": "complete", "time": "x", "wall_ns": 1.0}
    return [first, worker, *line, same, refused, end]


def planted(value, secret, name=""):
    """With the secret in place of every text, but for those that say what a line is."""
    if name in ("kind", "status", "point", "measured_as"):
        return value
    if isinstance(value, dict):
        return {k: planted(v, secret, k) for k, v in value.items()}
    if isinstance(value, list):
        return [planted(v, secret) for v in value]
    return secret if isinstance(value, str) else value


def shared(tmp_path, first, *others):
    share(write(tmp_path / "f.jsonl", *others, first=first), tmp_path / "out.jsonl")
    return (tmp_path / "out.jsonl").read_text()


def left_of(text):
    lower = text.lower()
    return [part for part in parts if part in lower]


@pytest.mark.parametrize("secret", secrets)
def test_no_secret_is_left_in_any_text_of_any_line(tmp_path, secret):
    for sentence in sentences:
        hidden = [planted(line, sentence.format(secret)) for line in lines()]
        hidden[0]["machine"]["host"] = "node17.secretlab.example"
        text = shared(tmp_path, *hidden)
        assert left_of(text) == [], sentence
        (s, *_) = read(tmp_path / "out.jsonl").points.values()
        assert s.cost.value == pytest.approx(5.0)


@pytest.mark.parametrize("secret", secrets)
def test_no_secret_is_left_in_the_name_of_a_member(tmp_path, secret):
    def renamed(value):
        if isinstance(value, dict):
            return {k: renamed(v) for k, v in value.items()} | {secret: 1, f"{secret}.x": "y"}
        return [renamed(v) for v in value] if isinstance(value, list) else value

    host = {"machine": {**campaign()["machine"], "host": "node17.secretlab.example"}}
    odd = [renamed(line) for line in lines()]
    odd[0] |= host
    # A point with an axis that nobody knows is no point any more: another one has the figures.
    assert left_of(shared(tmp_path, *odd, visits(around(5.0), point(lanes=9)))) == []


@pytest.mark.parametrize("name", ["axis", "backend", "op", "type", "placement", "scope"])
def test_a_point_with_a_secret_is_left_out_whole(tmp_path, name):
    for secret in secrets:
        visited = visits(around(7.0), point(lanes=2) | {name: secret})
        kept = visits(around(5.0), point())
        host = {**campaign()["machine"], "host": "node17.secretlab.example"}
        assert left_of(shared(tmp_path, campaign(machine=host), visited, kept)) == []
        points = read(tmp_path / "out.jsonl").points.values()
        assert [s.cost.value for s in points if s.point.lanes == 1] == [pytest.approx(5.0)]


def test_host_and_users_are_taken_out_of_what_is_allowed(tmp_path):
    machine = {**campaign()["machine"], "host": "node17.secretlab.example"}
    machine["cpu_model"] = "CPU of Alice"
    first = campaign(machine=machine, argv=["/home/alice/bin/syncmeter"])
    line = visits(around(5.0), point("node17_add"), reason="alice was slow on Secretlab's machine")
    text = shared(tmp_path, first, line)
    assert left_of(text) == []
    (s,) = read(tmp_path / "out.jsonl").points.values()
    assert s.point.op == "anonymous_add"
    assert f"{s.point.key}|{'b' * 16}|1" in text or '"key"' not in text
    assert '"host":"anonymous"' in text
    assert "CPU of anonymous" in text


def test_members_that_say_who_and_where_are_left_out_whatever_they_hold(tmp_path):
    who = ("user", "owner", "login", "email", "host_id", "cwd", "home_directory", "serial", "uuid")
    personal = dict.fromkeys((*who, "pid", "uid"), "somebody") | {"sid": 77}
    first, worker, *rest = ({**line, **personal} for line in lines())
    first["machine"] |= personal
    first["options"] |= personal
    worker["build"] |= personal
    text = shared(tmp_path, first, worker, *rest)
    assert "somebody" not in text
    assert not [name for name in personal if f'"{name}"' in text]


def test_a_host_that_is_called_as_a_backend_takes_nothing_away(tmp_path):
    first = campaign(machine={**campaign()["machine"], "host": "omp"})
    shared(tmp_path, first, visits(around(5.0), point()))
    copy = read(tmp_path / "out.jsonl")
    assert [s.point.backend for s in copy.points.values()] == ["omp"]
    assert copy.machine.host == "anonymous"


@pytest.mark.parametrize(
    ("reason", "left"),
    [
        ("the interval holds 0: at most 0.00793 ns per op", None),
        ("atomic_add wrote 7 in place of 64 (100 %), 3 times", None),
        ("dlopen failed: libcuda.so.1: no such file", "dlopen failed: ..."),
        ("no lanes; see /tmp/x", "no lanes; ..."),
        ("cannot open my file/x", "..."),
        ("worker ended, pid 4242", "worker ended, ..."),
    ],
)
def test_a_sentence_stays_up_to_the_clause_that_tells_too_much(tmp_path, reason, left):
    lost = visits([1.0], point(), status="failed", estimates=[], reason=reason)
    shared(tmp_path, campaign(), lost, visits([1.0], point(lanes=2)))
    failed = next(s for s in read(tmp_path / "out.jsonl").points.values() if s.status == "failed")
    assert failed.reason == (left or reason)


def test_a_kernel_a_library_and_flags_say_no_more_than_they_have_to(tmp_path):
    first, worker, *rest = lines()
    first["machine"]["kernel"] = "Linux 6.8.0-45-alice-custom"
    worker["runtime"]["omp"]["library"] = "/home/alice/opt/libgomp.so.1.0.0"
    worker["build"]["flags"] = "-O3 -march=native -DOWNER=alice -I/home/alice/x -std=c++20"
    worker["environment"] |= {"OMP_PLACES": "{0},{1}", "OMP_TOOL_LIBRARIES": "alice"}
    text = shared(tmp_path, first, worker, *rest)
    kept = [json.loads(line) for line in text.splitlines()]
    assert kept[0]["machine"]["kernel"] == "Linux 6.8.0"
    assert kept[1]["runtime"]["omp"]["library"] == "libgomp.so.1.0.0"
    assert kept[1]["build"]["flags"] == "-O3 -march=native -std=c++20"
    assert kept[1]["environment"] == {"OMP_PLACES": "{0},{1}"}
    assert not {"pid", "ppid", "path"} & set(kept[1])


def test_the_options_of_a_run_stay_but_for_files(tmp_path):
    named = ("placements", "scopes", "flavours", "spaces", "orders", "homes")
    counts = ("strides", "base_offsets", "cells", "lates_us", "sections_ns", "thinks_ns", "sizes")
    kept = {name: ["a"] for name in named} | {name: [1] for name in counts}
    kept |= {"reads_per_write": [10], "actives": [32]}
    kept |= {"lanes": ["1", "2..max"], "blocks": ["2sm", "sm/2", "max"], "device": "all"}
    files = dict.fromkeys(("output", "csv", "resume", "topology"), "/home/alice/x")
    text = shared(tmp_path, campaign(options=kept | files), visits(around(5.0), point()))
    assert json.loads(text.splitlines()[0])["options"] == kept


def flat(value, path=""):
    if isinstance(value, dict):
        return [x for k, v in value.items() for x in flat(v, f"{path}.{k}")]
    if isinstance(value, list):
        return [x for v in value for x in flat(v, f"{path}[]")]
    return [(path, value)]


@pytest.mark.parametrize("path", measured, ids=without_suffixes)
def test_of_a_measured_file_nothing_is_lost_but_who_and_where(tmp_path, path):
    """Those in tests/data are shared copies already."""
    assert share(path, tmp_path / "out.jsonl")[1] == 0
    lost = set()
    copies = (tmp_path / "out.jsonl").read_text().splitlines()
    for before, after in zip(text_of(path).splitlines(), copies, strict=True):
        before, after = json.loads(before), json.loads(after)
        lost |= {path for path, _ in {*flat(before)} - {*flat(after)}}
    of_campaign = {".argv[]", ".machine.hwloc_components", ".machine.kernel"}
    of_campaign |= {".machine.quota_source", ".machine.host"}
    of_campaign |= {f".options.{name}" for name in ("output", "csv", "resume", "topology")}
    of_worker = {".pid", ".path", ".runtime.omp.library", ".environment.CUDA_HOME"}
    assert lost <= of_campaign | of_worker
    same = [
        [(s.point, s.status, s.reason, s.cost, s.family) for s in read(p).points.values()]
        for p in (path, tmp_path / "out.jsonl")
    ]
    assert same[0] == same[1]


def test_the_command_says_what_it_left_out(tmp_path, capsys):
    odd = visits([5.0], {**point(lanes=2), "axis": 1})
    path = write(tmp_path / "f.jsonl", visits([5.0], point()), odd, {"kind": "novelty"}, "torn")
    assert main(["share", str(path), "-o", str(tmp_path / "o.jsonl")]) == 0
    assert "(2 lines, 3 left out; host, user and paths removed" in capsys.readouterr().out


@pytest.mark.skipif(not find_driver(), reason="SYNCMETER_BIN is not set, no syncmeter on PATH")
def test_the_driver_shows_a_shared_copy_as_the_file(tmp_path):
    (tmp_path / "whole.jsonl").write_bytes(text_of(measured[0]))
    share(measured[0], tmp_path / "shared.jsonl")
    tables = []
    for path in (tmp_path / "whole.jsonl", tmp_path / "shared.jsonl"):
        show = [find_driver(), "show", str(path), "--csv", str(tmp_path / f"{len(tables)}.csv")]
        off = {**os.environ, "SYNCMETER_REPORT": "off"}
        assert subprocess.run(show, capture_output=True, env=off).returncode in (0, 1)
        tables.append((tmp_path / f"{len(tables)}.csv").read_text())
    assert tables[0] == tables[1]


def test_names_are_replaced_in_names_of_members_too():
    line = {"drops": {"pressed": 1}, "gpus": {"of Somebody": ["somebody's"]}}
    assert without_names(line, {"somebody"}) == {
        "drops": {"pressed": 1},
        "gpus": {"of anonymous": ["anonymous's"]},
    }


@pytest.mark.parametrize(
    "piece", ["x", " ", "a.", "-", "1", " (GPU-", "/home/", "lib/", "a@", "~", "(R)", "E1", "sm_"]
)
def test_a_copy_of_a_file_with_a_long_text_is_made_in_time(tmp_path, piece):
    """A pattern that begins anew at each letter of a run would take minutes for these."""
    long = piece * (200_000 // len(piece))
    text = {"hwloc": long, "cpu_model": long, "kernel": long, "os": long}
    first = campaign(machine=text, gpus={"cuda": long + "!"}, states_note=long)
    write(tmp_path / "f.jsonl", visits(around(5.0), point(type="int32")), first=first)
    done = subprocess.run(
        [sys.executable, "-m", "syncmeter_analysis.command", "share", "f.jsonl"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_a_file_that_names_too_many_users_is_refused(tmp_path):
    users = " ".join(f"user{n}@host" for n in range(1000))
    first = campaign(states_note=users)
    source = write(tmp_path / "f.jsonl", visits(around(5.0), point(type="int32")), first=first)
    with pytest.raises(Unusable, match="hosts, users and devices"):
        share(source, tmp_path / "g.jsonl")
