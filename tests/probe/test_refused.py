"""A process without room for its counts is named, and thousands of processes need little room."""

import errno
import os
import pathlib
import re
import resource
import shutil
import struct
import subprocess
import tempfile

import pytest
import tables
from test_advise import DRIVER, advise  # noqa: F401 (a fixture)


@pytest.fixture
def program(build):
    return build("endings", "g++", "-O1")


def file_limit(most_bytes):
    """For a process that begins: no file grows beyond this size."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))


def refusals(folder):
    """Returns the error number and the program for each refused process."""
    return [(int(path.name.split(".")[2]), os.readlink(path)) for path in folder.glob("*.refused")]


def write_room(folder, most_bytes):
    """Makes the room file, as the driver does."""
    layout = re.search(rb"smprobe:[0-9a-f]{16}", tables.PROBE.read_bytes()).group()
    (folder / "room").write_bytes(struct.pack("<24sQq" + "QQQ" * 4, layout, 0, 0, *(0, most_bytes, 0) * 4))


def read_room(folder):
    """Returns the refused processes without a link, the bytes in use, and the number of files."""
    refused, _, used, _, files = struct.unpack_from("<QqQQQ", (folder / "room").read_bytes(), 24)
    return refused, used, files


def run(folder, *arguments, others=(), probe=tables.PROBE, **how):
    environment = os.environ | {"LD_PRELOAD": str(probe), "SYNCMETER_PROBE_FOLDER": str(folder),
                                "SYNCMETER_PROBE_OTHER_FOLDERS": ":".join(map(str, others))}
    return subprocess.run(arguments, env=environment, capture_output=True, text=True, timeout=120, check=True, **how)


def locks_in(folder):
    return sum(row.count for path in folder.glob("*.counts") for row in tables.read(path)[1] if row.kind == "mutex_lock" and not row.runtime)


def test_a_process_that_cannot_make_a_file_is_named(program, tmp_path):
    run(tmp_path, program, "fork", preexec_fn=file_limit(0))
    assert refusals(tmp_path) == [(errno.EFBIG, str(program))] * 101
    assert not list(tmp_path.glob("*.counts"))


def test_a_file_that_cannot_grow_says_so(program, tmp_path):
    run(tmp_path, program, "sites", preexec_fn=file_limit(300_000))
    path, = tmp_path.glob("*.counts")
    header, rows = tables.read(path)
    assert header["growth_error"] == errno.EFBIG
    assert header["lost"] > 0 and sum(row.count for row in rows if row.kind == "mutex_lock") + header["lost"] == 11000


def test_another_folder_is_tried(program, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    run("/nowhere/at/all", program, "fork", others=["/nowhere/else", other])
    assert len(list(other.glob("*.counts"))) == 101 and locks_in(other) == 1000 + sum(100 + i for i in range(100))


def test_all_files_together_have_a_bound(program, tmp_path):
    write_room(tmp_path, 100_000)
    run(tmp_path, program, "fork")
    refused, used, files = read_room(tmp_path)
    of_error = [error for error, _ in refusals(tmp_path)]
    grown = [tables.read(path)[0]["growth_error"] for path in tmp_path.glob("*.counts")]
    assert (refused, files, set(of_error)) == (0, len(grown), {errno.EDQUOT}) and files + len(of_error) == 101
    assert sum(path.stat().st_blocks * 512 for path in tmp_path.glob("*.counts")) <= used <= 100_000
    assert set(grown) <= {0, errno.EDQUOT}


@pytest.mark.parametrize("every", ["0", "1,1"])
def test_three_thousand_children_need_little_room(every, program, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", every)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        folder = pathlib.Path(name)
        run(folder, program, "children")
        files = list(folder.glob("*.counts"))
        assert len(files) == 3001 and locks_in(folder) == 1000 + 3000
        assert sum(path.stat().st_blocks * 512 for path in files) < 64 << 20


def test_a_program_without_a_call_has_a_page(tmp_path):
    run(tmp_path, "/usr/bin/true")
    assert [path.stat().st_blocks * 512 for path in tmp_path.glob("*.counts")] <= [resource.getpagesize()]


@pytest.mark.skipif(os.geteuid() != 0, reason="drops its user")
@pytest.mark.parametrize("exec_again", [[], ["sites"]], ids=["on", "exec"])
def test_a_process_that_drops_its_user_is_counted(exec_again, program):
    with tempfile.TemporaryDirectory() as name:
        public = pathlib.Path(name)
        public.chmod(0o755)
        (public / "counts").mkdir()
        (public / "counts").chmod(0o1733)
        own, probe = shutil.copy(program, public), shutil.copy(tables.PROBE, public)
        run(public / "counts", own, "other user", *exec_again, probe=probe)
        assert locks_in(public / "counts") == (12000 if exec_again else 11100)
        assert not refusals(public / "counts")


def test_refused_processes_leave_no_verdict(advise, program):  # noqa: F811
    advice = advise("/bin/sh", "-c", f"ulimit -f 0; exec {program} sites")
    words = advice.header["conclusion"]
    assert "Nothing to gain" not in words and "exact" not in words and "No change is advised" not in words
    assert f"1 process of {program}" in words


@pytest.mark.parametrize("replace", ["mkfifo $f", "truncate -s 1T $f", "echo overwritten > $f", "ln -s /dev/zero $f", "true"])
def test_replaced_files_leave_no_verdict(replace, advise):  # noqa: F811
    words = f'for f in "$SYNCMETER_PROBE_FOLDER"/*.counts; do if test -e "$f"; then rm $f; {replace}; fi; done'
    conclusion = advise("/bin/sh", "-c", words).header["conclusion"]
    assert "Nothing to gain" not in conclusion and "Not counted: 1 process" in conclusion


def in_small_memory(words):
    """Returns a command in a mount namespace with 64 KB of /dev/shm."""
    return ["unshare", "-m", "/bin/sh", "-c", f"mount -t tmpfs -o size=64k none /dev/shm && {words}"]


@pytest.mark.skipif(subprocess.run(in_small_memory("true"), capture_output=True, check=False).returncode != 0, reason="cannot mount")
@pytest.mark.parametrize("fill", ["head -c 64K /dev/zero > /dev/shm/full", "head -c 50K /dev/zero > /dev/shm/full"])
def test_a_full_shared_memory_is_no_reason_to_count_nothing(fill, program, tmp_path):
    path = tmp_path / "advice.jsonl"
    words = f"{fill}; {DRIVER} advise --budget 1ms --json {path} -- {program} fork"
    subprocess.run(in_small_memory(words), stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=True)
    lines = path.read_text(encoding="utf-8")
    assert '"processes":101' in lines and "Not counted" not in lines


def test_a_relative_folder_for_temporary_files_is_used(advise, program, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setenv("TMPDIR", "missing/folder")
    assert advise(program, "", cwd=tmp_path).counts("mutex_lock") == 1000


def test_a_small_stack_is_enough(advise, program):  # noqa: F811
    def limit_stack():
        resource.setrlimit(resource.RLIMIT_STACK, (512 << 10, resource.getrlimit(resource.RLIMIT_STACK)[1]))

    assert advise(program, "side by side", preexec_fn=limit_stack).counts("create") == 800
