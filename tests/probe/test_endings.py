"""What was counted stays, however a program ends; and the program notices nothing."""

import subprocess

import pytest
import tables


@pytest.fixture
def program(build):
    return build("endings", "g++", "-O1")


@pytest.fixture(params=["counted", "timed"])
def timed(request, monkeypatch):
    """Whether each call is timed as well: the test runs both ways."""
    if request.param == "timed":
        monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "1,1")
    return request.param == "timed"


def locks(run):
    return run.total("mutex_lock")


@pytest.mark.parametrize(("how", "status"), [("", 0), ("_exit", 3), ("crash", -11), ("kill", -9)])
def test_one_process(how, status, program, count, timed):
    run = count(program, how, check=False)
    assert (run.done.returncode, locks(run), run.lost) == (status, 1000, 0)
    assert sum(times.timed for times in run.times) == (1000 if timed else 0)


def test_exec_has_a_file_of_its_own(program, count):
    run = count(program, "exec", check=False)
    assert [sum(row.count for row in rows) for _, rows in run.files] == [1000, 1000]
    assert [header["by_fork"] for header, _ in run.files] == [0, 0]
    assert len({header["pid"] for header, _ in run.files}) == 1


def test_exec_with_another_library_preloaded(program, build, count):
    """The program's choice stays, and what came before it."""
    run = count(program, "exec with another preloaded", build("library", "g++", "-O2", "-fopenmp", "-shared", "-fPIC"), check=False)
    assert (run.done.returncode, run.done.stderr, len(run.files), locks(run)) == (3, "", 1, 1000)


@pytest.mark.usefixtures("timed")
def test_children(program, count):
    run = count(program, "fork")
    assert len(run.files) == 101
    assert locks(run) == 1000 + sum(100 + i for i in range(100))
    pid = next(header["pid"] for header, _ in run.files if not header["by_fork"])
    assert {header["parent"] for header, _ in run.files if header["by_fork"]} == {pid}


def test_children_while_tables_are_made(program, count):
    run = count(program, "fork of threads")
    assert (len(run.files), locks(run), run.lost) == (101, 1000 + 200 * 100 + 100 * 100, 0)


@pytest.mark.usefixtures("timed")
def test_descriptors_are_the_program_s_own(program, count):
    run = count(program, "close")
    assert (run.done.stdout, locks(run), run.lost) == ("3\n", 11000, 0)


def test_ten_million_calls(program, count):
    run = count(program, "ten million")
    assert (locks(run), run.lost) == (10_001_000, 0)


@pytest.mark.usefixtures("timed")
@pytest.mark.parametrize(("how", "number", "at_once"), [("one after the other", 1000, 1), ("side by side", 800, 200)])
def test_threads(how, number, at_once, program, count):
    run = count(program, how)
    assert (run.total("create"), run.total("join"), run.lost) == (number, number, 0)
    assert locks(run) == 1000 + 100 * number
    assert len({row.thread for row in run.rows}) <= 1 + at_once


def test_signal_handler(program, count):
    run = count(program, "handler")
    assert run.lost <= 10
    assert locks(run) + run.total("sem_post") + run.lost == 5_011_000 + int(run.done.stdout)
    assert int(run.done.stdout) > 0


@pytest.mark.usefixtures("timed")
def test_ten_thousand_sites(program, count):
    run = count(program, "sites")
    assert (locks(run), run.lost) == (11000, 0)
    assert len({row.offset for row in run.rows}) == 10001


def test_before_and_after_main(program, count, monkeypatch):
    monkeypatch.setenv("BEFORE_MAIN", "1")
    assert locks(count(program, "")) == 3000


def test_destructor_of_a_thread(program, count):
    assert locks(count(program, "key")) == 2000


@pytest.mark.usefixtures("timed")
def test_nothing_is_allocated_where_others_have_the_first_keys(program, count):
    """The C library allocates for the value of a key behind the 32nd, and the caller may be an allocator that holds its own lock."""
    run = count(program, "many keys")
    assert (run.done.stdout, locks(run), run.lost) == ("0 " * 10, 2000, 0)


@pytest.mark.usefixtures("timed")
def test_asynchronous_cancellation_leaves_no_lock_of_the_probe(program, count):
    assert count(program, "cancel").lost == 0


def test_runtime_of_a_library_loaded_later(program, build, count):
    library = build("library", "g++", "-O2", "-fopenmp", "-shared", "-fPIC")
    run = count(program, "library", library)
    assert (run.total("region"), run.total("barrier"), locks(run)) == (1, 100, 1000)


@pytest.mark.parametrize("folder", ["", "/nowhere/at/all", "not absolute"])
def test_without_a_folder_nothing_is_counted(folder, program, tmp_path):
    done = subprocess.run([program, "close"], env={"LD_PRELOAD": str(tables.PROBE), "SYNCMETER_PROBE_FOLDER": folder},
                          cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr, list(tmp_path.iterdir())) == (0, "3\n", "", [])
