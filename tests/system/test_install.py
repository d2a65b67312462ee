"""What `cmake --install` leaves, after it was moved: it runs there, and knows nothing of the build."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from conftest import driver_path

SOURCE = pathlib.Path(__file__).parents[2]


def cached(build, name):
    text = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    return re.search(rf"^{name}:\w+=(.*)$", text, re.M)[1]


@pytest.fixture(scope="module")
def build():
    folder = driver_path().parent.parent
    if not (folder / "cmake_install.cmake").exists():
        pytest.skip(f"{folder} is not a build folder of CMake")
    return folder


@pytest.fixture(scope="module")
def moved(build, tmp_path_factory):
    """The installation, moved to another place; its name holds a blank, as those of people do."""
    home = tmp_path_factory.mktemp("install")
    staged = subprocess.run([cached(build, "CMAKE_COMMAND"), "--install", build, "--prefix", "/opt/first", "--strip"],
                            env={**os.environ, "DESTDIR": str(home / "stage")}, capture_output=True, encoding="utf-8",
                            timeout=60, check=False)
    assert staged.returncode == 0, staged.stderr
    assert [p.name for p in (home / "stage").iterdir()] == ["opt"], "DESTDIR holds all of it"
    shutil.move(home / "stage/opt/first", home / "second place")
    return home / "second place"


def run(moved, *words, within=30, cwd=None, **environment):
    """Runs an installed program where neither the build nor anything else of ours is on PATH."""
    return subprocess.run([moved / "bin" / words[0], *words[1:]], cwd=cwd or moved.parent, stdin=subprocess.DEVNULL,
                          env={"PATH": "/usr/bin:/bin", "HOME": str(moved.parent), **environment}, capture_output=True,
                          encoding="utf-8", timeout=within, check=False)


def test_every_worker_of_the_build_is_in_libexec_with_its_census(build, moved):
    folder = driver_path().parent
    built = {p.name for pattern in ("*syncmeter-*", "lock-model*") for p in folder.glob(pattern)} - {"syncmeter-report"}
    assert {p.name for p in (moved / "libexec/syncmeter").iterdir()} == built
    assert {p.name for p in (moved / "bin").iterdir()} == {"syncmeter", "syncmeter-report"}


def test_it_measures_with_its_own_workers_and_their_census(moved):
    done = run(moved, "syncmeter", "run", "--backend", "omp", "--op", "atomic_add", "--type", "int32", "--layout", "shared",
               "--threads", "1", "--repetitions", "1", "--max-time", "4ms", "--output", "results.jsonl")
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in (moved.parent / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    workers = {line["path"] for line in lines if line["kind"] == "worker"}
    assert workers and all(path.startswith(f"{moved}/libexec/syncmeter/") for path in workers)
    assert {line["status"] for line in lines if line["kind"] == "visit"} <= {"ok", "busy", "not_resolved", "noisy"}
    if (moved / "libexec/syncmeter/syncmeter-omp.census.json").exists():
        assert next(line for line in lines if line["kind"] == "visit")["census"], "once for a point"
    shown = run(moved, "syncmeter-report", "text", "results.jsonl")
    assert shown.returncode == 0 and "Reliability: " in shown.stdout, shown.stderr


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A prefix with the report of a clone without .venv."""
    prefix, root = (tmp_path_factory.mktemp(name) for name in ("clone", "root"))
    (root / "analysis").symlink_to(SOURCE / "analysis")
    (prefix / "bin").mkdir()
    (prefix / "bin/syncmeter").symlink_to(driver_path())
    text = driver_path().with_name("syncmeter-report").read_text(encoding="utf-8")
    if not re.search(r"^root='", text, re.M):
        pytest.skip("the report is not the one of a build")
    (prefix / "bin/syncmeter-report").write_text(re.sub(r"^root='.*'$", f"root='{root}'", text, flags=re.M), encoding="utf-8")
    (prefix / "bin/syncmeter-report").chmod(0o755)
    return prefix


@pytest.mark.parametrize("kind", ["moved", "clone"])
@pytest.mark.parametrize("python_path", ["", ":"])
def test_no_module_of_the_current_folder_runs(kind, python_path, request, tmp_path):
    """A folder of results may belong to somebody else and hold a json.py."""
    prefix, ran = request.getfixturevalue(kind), tmp_path / "ran"
    folder = tmp_path / "results"
    folder.mkdir()
    for name in {*sys.stdlib_module_names, "syncmeter_analysis", "sitecustomize", "usercustomize"}:
        (folder / f"{name}.py").write_text(f"open({str(ran)!r}, 'a').write({name + ' '!r})\n", encoding="utf-8")
    environment = {"PYTHONPATH": python_path, "SYNCMETER_REPORT": str(prefix / "bin/syncmeter-report")}
    measured = run(prefix, "syncmeter", "run", "--backend", "std", "--op", "atomic_add", "--type", "int32", "--layout", "shared",
                   "--threads", "1", "--repetitions", "1", "--max-time", "4ms", "--output", "r.jsonl", cwd=folder, **environment)
    explained = run(prefix, "syncmeter", "explain", "op=atomic_add", "r.jsonl", cwd=folder, **environment)
    shown = run(prefix, "syncmeter-report", "text", "r.jsonl", cwd=folder, **environment)
    assert not ran.exists(), ran.read_text(encoding="utf-8")
    assert "Reliability: " in measured.stdout and "Reliability: " in shown.stdout, measured.stderr + shown.stderr
    assert explained.returncode == 0, explained.stderr


def test_a_stripped_worker_has_the_build_that_its_census_was_taken_of(moved):
    for census in (moved / "libexec/syncmeter").glob("*.census.json"):
        worker = census.with_name(census.name.removesuffix(".census.json"))
        printed = subprocess.run([worker, "--capabilities"], stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=True)
        assert json.loads(printed.stdout)["build"] == json.loads(census.read_text(encoding="utf-8"))["build"]


def test_no_path_of_the_build_is_inside(build, moved):
    paths = [str(path).encode() + b"/" for path in {build, build.resolve(), SOURCE, SOURCE.resolve()}]
    for file in (path for path in moved.rglob("*") if path.is_file()):
        content = file.read_bytes()
        assert not [path for path in paths if path in content], file


def test_headers_manual_completions_and_licence_are_there(moved):
    folder = moved / "include/syncmeter"
    installed = {str(p.relative_to(folder)) for kind in ("*.hpp", "*.def") for p in folder.rglob(kind)}
    assert {"core/measurable.hpp", "core/host/host_worker.hpp", "record/axes.def"} <= installed
    for name in installed:
        text = (folder / name).read_text(encoding="utf-8")
        assert set(re.findall(r'#include "(.*)"', text)) <= installed, name
    share = moved / "share"
    assert (share / "man/man1/syncmeter.1").read_text(encoding="utf-8") == run(moved, "syncmeter", "manual").stdout
    for shell, file in (("bash", "bash-completion/completions/syncmeter"), ("zsh", "zsh/site-functions/_syncmeter")):
        assert (share / file).read_text(encoding="utf-8") == run(moved, "syncmeter", "completion", shell).stdout
    assert (share / "doc/syncmeter/LICENSE").read_bytes() == (SOURCE / "LICENSE").read_bytes()


def test_a_missing_worker_is_looked_for_in_libexec_too(moved):
    done = run(moved, "syncmeter", "run", "--backend", "omp", "--dry-run")
    assert done.returncode == 0, done.stderr
    folder = moved / "libexec/syncmeter"
    folder.rename(moved / "elsewhere")
    folder.mkdir()
    try:
        lacking = run(moved, "syncmeter", "run", "--backend", "omp", "--dry-run")
    finally:
        folder.rmdir()
        (moved / "elsewhere").rename(folder)
    assert lacking.returncode == 2 and f"beside the driver ({moved}/bin), in {folder} and on PATH" in lacking.stderr
