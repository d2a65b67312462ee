"""Functions of the standard library, in headers without optimization and in a library always, call at one address for
the whole program: its calls differ by who calls them."""

import pathlib
import platform
import shutil
import subprocess

import pytest
import tables

#: Calls by the function of the program's own that makes them; std::scoped_lock takes one of two by trying.
LOCKS = {("lock_first", "mutex_lock"): 300, ("lock_second", "mutex_lock"): 500, ("lock_unique", "mutex_lock"): 140,
         ("try_first", "mutex_lock"): 110, ("lock_both", "mutex_lock"): 260, ("read_and_write", "rwlock_read"): 170,
         ("read_and_write", "rwlock_write"): 190, ("lock_as_rust", "mutex_lock"): 240, ("core::lock_first", "mutex_lock"): 50,
         ("_ZN52_$LT$std.", "mutex_lock"): 60}
TASKS = 80
#: Calls that only try, which are counted and not timed.
TRIED = 110 + 130
THREADS = {(name, kind): count for kind in ("create", "join") for name, count in
           [("start_some", 7), ("start_more", 5), ("start_later", 3)]} | \
    {("join_by_the_library", "create"): 3, ("join_by_the_library", "join"): 2}
#: Its frame pointer is beyond the stack: it is not followed.
MISPLACED = {("std::misplaced", "mutex_lock"): 40, ("misplace_frames", "create"): 1, ("misplace_frames", "join"): 1} \
    if platform.machine() == "x86_64" else {}


@pytest.mark.parametrize("every", ["", "1,1"])
@pytest.mark.parametrize("options", [("-O0",), ("-O2",), ("-O2", "-fno-omit-frame-pointer")])
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_sites_are_those_of_the_program(compiler, options, every, build, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", every)
    program = build("header_sites", compiler, *options)
    run = count(program)
    assert run.lost == 0
    found = tables.by_caller(program, run.rows)
    # With optimization the task is part of the function that std::function calls.
    tasks = [site for site in found if site[1] == "mutex_lock" and site[0].startswith(("lock_in_task", "std::_Function_handler<"))]
    assert sum(found.pop(site) for site in tasks) == TASKS
    # By what threads wait for one another is the standard library's own.
    assert {site: n for site, n in found.items() if site[1] not in ("futex", "yield")} == LOCKS | THREADS | MISPLACED
    assert [row.count for row in run.rows if row.kind == "join" and "libstdc++" in row.module] == [1]
    waits = sum(n for (_, kind), n in (LOCKS | MISPLACED).items() if kind not in ("create", "join")) - TRIED
    timed = sum(times.timed for times in run.times if times.kind in ("mutex_lock", "rwlock_read", "rwlock_write"))
    assert timed == (waits + TASKS if every else 0)


@pytest.mark.parametrize("level", [0, 2])
def test_sites_of_rust_are_those_of_the_program(level, count, tmp_path):
    """Its library is in the program, and its names begin with other letters."""
    if not shutil.which("rustc"):
        pytest.skip("no rustc here")
    source = pathlib.Path(__file__).with_name("rust_sites.rs")
    program = tmp_path / "rust_sites"
    subprocess.run(["rustc", "--edition", "2021", "-g", "-C", f"opt-level={level}", source, "-o", program], check=True, timeout=120)
    found = tables.by_caller(program, count(program).rows)
    # The thread's own function may be compiled into the one of the library that begins it.
    in_thread = sum(found.pop((name, "futex"), 0)
                    for name in ("rust_sites::main::{{closure}}", "std::sys::backtrace::__rust_begin_short_backtrace",
                                 "std::sys_common::backtrace::__rust_begin_short_backtrace"))
    assert in_thread == 10
    assert found == {("rust_sites::park_some", "futex"): 40, ("rust_sites::wait_some", "futex"): 30,
                     ("rust_sites::receive_some", "futex"): 20, ("rust_sites::start_some", "create"): 5,
                     ("rust_sites::start_some", "join"): 5, ("rust_sites::main", "create"): 1, ("rust_sites::main", "join"): 1}


@pytest.mark.parametrize(("compiler", "options"), [("g++", ["-O0"]), ("clang++", ["-O0"])])
def test_memory_of_threads_that_have_ended_is_used_again(compiler, options, build, count):
    """Two thousand threads, of which each would leave a page or more."""
    run = count(build("many_threads", compiler, *options, "-fopenmp"))
    assert int(run.done.stdout) < 2000
    assert (run.total("mutex_lock"), run.total("region")) == (2100, 2100)
