"""`syncmeter census diff`: a build differs from a copy of itself in just the loops that were patched."""

import json
import random
import re
import shutil
import subprocess

import pytest
from conftest import driver_path

PLANTED = 20


def diff(*words):
    done = subprocess.run([driver_path(), "census", "diff", *words], capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


def locked_instructions(program):
    """Where instructions with a lock prefix lie in the file, and in which function."""
    text = subprocess.run(["objdump", "-d", "-F", program], capture_output=True, text=True, timeout=120, check=True).stdout
    name, offset, begin = "", 0, 0
    for line in text.splitlines():
        if function := re.match(r"([0-9a-f]+) <(.+)> \(File Offset: 0x([0-9a-f]+)\):", line):
            begin, name, offset = int(function[1], 16), function[2], int(function[3], 16)
        elif locked := re.match(r" *([0-9a-f]+):\tf0 ", line):
            yield name, offset + int(locked[1], 16) - begin


@pytest.fixture(scope="module")
def worker():
    path = driver_path().with_name("syncmeter-omp")
    if not path.exists() or not shutil.which("objdump"):
        pytest.skip("syncmeter-omp was not built, or there is no objdump")
    return path


def test_planted_changes_are_found_where_they_are(worker, tmp_path):
    printed = subprocess.run([worker, "--capabilities"], capture_output=True, text=True, timeout=60, check=True).stdout
    entries = {symbol: entry for entry in json.loads(printed)["ops"] for symbol in entry.get("symbols", [])[1:2]}
    # A lock prefix becomes a nop. Loops that the linker made one of are changed together.
    places = {name: (entries[name]["op"], at) for name, at in locked_instructions(worker) if name in entries}
    planted = random.sample(sorted(places.values()), PLANTED)
    program = bytearray(worker.read_bytes())
    for _, at in planted:
        assert program[at] == 0xF0
        program[at] = 0x90
    (tmp_path / "b").mkdir()
    patched = tmp_path / "b/syncmeter-omp"
    patched.write_bytes(program)
    patched.chmod(0o755)

    status, out, err = diff(worker, patched, "--format", "json")
    assert (status, err) == (1, "")
    (found,) = json.loads(out)["workers"]
    assert {change["op"] for change in found["changes"]} >= {op for op, _ in planted}
    for change in found["changes"]:
        assert (change["change"], change["loops"]) == ("other instructions", [1]), change
        assert [shape.startswith("lock ") for shape in change["went"]] == [True]
        assert list(change["came"]) == [shape.removeprefix("lock ") for shape in change["went"]]


def test_a_build_in_another_folder_is_equal(worker, tmp_path):
    shutil.copy(worker, tmp_path / "syncmeter-omp")
    status, out, err = diff(worker.parent, tmp_path)
    workers = re.search(r"^workers only in A: (.*)$", out, re.MULTILINE)
    assert status == (1 if workers else 0), out
    assert re.match(r"omp: (\d+) loops compared: \1 equal\n", out), out
    assert err == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "two builds must be named"),
        (["/nowhere", "/nowhere"], "there is no '/nowhere'"),
        (["/etc", "/etc"], "there is no worker (syncmeter-*) in '/etc'"),
        (["/bin/true", "/bin/true"], "/bin/true: "),
        ([".", ".", "--format", "jsno"], "did you mean 'json'?"),
    ],
)
def test_what_cannot_be_compared_is_named(words, message):
    status, out, err = diff(*words)
    assert (status, out) == (2, "")
    assert message in err and err.count("\n") == 1
