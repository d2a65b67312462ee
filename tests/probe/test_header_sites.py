"""Without optimization all uses of std::mutex call pthread_mutex_lock() at one address: they differ by who calls that."""

import platform

import pytest
import tables

#: Calls by the function of the program's own that makes them; std::scoped_lock takes one of two by trying.
SITES = {("lock_first", "mutex_lock"): 300, ("lock_second", "mutex_lock"): 500, ("lock_unique", "mutex_lock"): 140,
         ("try_first", "mutex_lock"): 110, ("lock_both", "mutex_lock"): 260, ("read_and_write", "rwlock_read"): 170,
         ("read_and_write", "rwlock_write"): 190}
#: Calls that only try, which are counted and not timed.
TRIED = 110 + 130
#: Its frame pointer is beyond the stack: it is not followed.
MISPLACED = {("std::misplaced", "mutex_lock"): 40}


@pytest.mark.parametrize("every", ["", "1,1"])
@pytest.mark.parametrize("options", [("-O0",), ("-O2", "-fno-omit-frame-pointer")])
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_sites_are_those_of_the_program(compiler, options, every, build, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", every)
    program = build("header_sites", compiler, *options)
    run = count(program)
    assert run.lost == 0
    if platform.machine() != "x86_64":  # which frames can be followed is not known there
        assert run.total("mutex_lock") == sum(count for (_, kind), count in SITES.items() if kind == "mutex_lock")
        return
    found = tables.by_caller(program, run.rows)
    assert {site: n for site, n in found.items() if site[1] not in ("create", "join")} == SITES | MISPLACED
    waits = sum((SITES | MISPLACED).values()) - TRIED
    assert sum(times.timed for times in run.times if times.kind in ("mutex_lock", "rwlock_read", "rwlock_write")) == (waits if every else 0)
