"""Locks one by one, in programs that plan each acquisition."""

import collections

import pytest
from tables import TRIES

KINDS = {"mutex_lock": "mutex", "spin_lock": "spin", "rwlock_read": "rwlock", "rwlock_write": "rwlock"}


def objects(run):
    """Kind, acquisitions, changes of the owner and sites of each lock of the program's own."""
    rows = collections.defaultdict(list)
    for row in run.rows:
        if row.object and not row.module:
            rows[row.object].append(row)
    return sorted((KINDS[rows[0].kind], sum(row.count for row in rows), run.owners[0][number][1], len({row.offset for row in rows}))
                  for number, rows in rows.items())


def planned(run):
    return [(kind, *map(int, numbers)) for kind, *numbers in map(str.split, run.done.stdout.splitlines())]


@pytest.mark.parametrize("mode", ["alternate", "reuse"])
def test_acquisitions_and_owners_are_those_planned(mode, build, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "0,1")
    run = count(build("objects"), mode)
    assert objects(run) == sorted(planned(run))
    assert all(followed == sum(row.count for row in run.rows if row.object == number) - 1
               for number, (followed, _) in run.owners[0].items())


def test_locks_without_room_are_counted_by_site(build, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "0,1")
    run = count(build("objects"), "many")
    rows = [row for row in run.rows if row.kind == "mutex_lock" and not row.module]
    assert sum(row.count for row in rows) == 6000 and run.lost == 0
    assert 2000 < len({row.object for row in rows}) <= 4369
    assert sum(row.count for row in rows if row.object == 0) == 6000 - len({row.object for row in rows if row.object})


@pytest.mark.parametrize("mode", ["short", "long"])
def test_holds_are_those_planned(mode, build, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "0,1")
    for _ in range(TRIES):  # the program may lose its processor between its own look at the clock and the probe's
        run = count(build("objects"), mode)
        (_, acquisitions, _, _, held), = planned(run)
        times = [each for each in run.times if each.object]
        assert sum(each.timed for each in times) == acquisitions
        found = sum(each.held_ns for each in times)
        if found == pytest.approx(held, rel=0.02):
            break
    assert found == pytest.approx(held, rel=0.02)


def test_waits_are_those_planned(build, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "0,1")
    run = count(build("objects"), "contend")
    waits = sum(sum(each.buckets[68:]) for each in run.times if each.kind == "mutex_lock")
    # Beyond a quarter of a millisecond, which the call for a free lock takes too where the thread loses its processor.
    assert 1 <= waits / planned(run)[0][1] < 1.2


def test_owners_are_followed_a_part_of_the_time(build, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "0,10")
    run = count(build("objects"), "alternate")
    assert sum(row.count for row in run.rows if row.object) == sum(each[1] for each in planned(run))
    assert all(changes <= followed < 1000 for followed, changes in run.owners[0].values())


def test_no_lock_is_numbered_unless_timed(build, count):
    run = count(build("objects"), "alternate")
    assert run.owners == [{}] and {row.object for row in run.rows} == {0}
