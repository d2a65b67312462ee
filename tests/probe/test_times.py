"""Times of meetings, locks and chunks, by a clock that the program plans."""

import collections
import os

import pytest


MEETINGS = ("region", "barrier", "barrier_wait")


def sums_of(parts):
    return [sum(getattr(times, name) for times in parts) for name in ("timed", "until_last_ns", "after_last_ns", "fork_ns", "inside_ns")]


def printed_by(run):
    return {line.split()[0]: [int(word) for word in line.split()[1:]] for line in run.done.stdout.splitlines()}


@pytest.mark.parametrize("every", [1, 7])
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_meetings_are_those_planned(compiler, every, build, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", f"{every},0")
    run = count(build("times", compiler, "-O2", "-fopenmp"), str(every))
    printed = printed_by(run)
    assert {times.kind for times in run.times} == set(MEETINGS)
    for kind in MEETINGS:
        # The region of the barriers is a site of its own.
        parts = [times for times in run.times if times.kind == kind and times.timed > 1]
        assert {(times.threads, times.every) for times in parts} == {(2, every)}
        assert (kind, sums_of(parts)) == (kind, printed[kind])
        assert 0 < sum(times.long_until_last_ns for times in parts) < printed[kind][1]
        assert sum(sum(times.buckets) for times in parts) == printed[kind][0] * (2 if kind == "region" else 1)


@pytest.mark.parametrize("every", [1, 7])
def test_threads_that_share_one_processor_are_seen(every, build, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", f"{every},0")
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")
    program = build("times", "g++", "-O2", "-fopenmp")
    allowed = sorted(os.sched_getaffinity(0))
    for processors in [allowed[:1], allowed[:2]]:
        monkeypatch.setenv("OMP_PLACES", ",".join(f"{{{each}}}" for each in processors))
        monkeypatch.setenv("OMP_PROC_BIND", "true")
        regions = [times for times in count(program, str(every)).times if times.kind == "region" and times.timed > 1]
        assert [times.same_processor for times in regions] == [times.timed * 2 * (len(processors) == 1) for times in regions]
        assert regions


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_a_barrier_that_is_called_from_two_places_is_one(compiler, build, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "1,0")
    run = count(build("barrier_places", compiler, "-O2", "-fopenmp"))
    counted = {row.offset for row in run.rows if row.kind == "barrier" and row.count}
    parts = collections.Counter()
    for times in run.times:
        if times.kind == "barrier":
            parts[times.offset in counted, times.met_at in counted] += times.timed
    # Where the first thread calls both; where two others call the one, which is the first one's.
    assert parts == {(True, False): 20 * (1 + 3), (False, True): 20 * 2}


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_who_meets_nobody_in_a_cancelled_region_meets_none_of_the_region_before(compiler, build, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "1,0")
    monkeypatch.setenv("OMP_CANCELLATION", "true")
    run = count(build("cancelled_region", compiler, "-O2", "-fopenmp"))
    barriers = {row.offset for row in run.rows if row.kind == "barrier" and not row.module}
    assert len(barriers) > 1
    # By clang++ the first thread waits in a barrier of the runtime's.
    assert {times.met_at for times in run.times if times.kind == "barrier"}.isdisjoint(barriers)


#: Of regions that are timed and how often a thread found another one on its unit: where each second region is looked
#: at for the next one, threads are where the last but one left them, and else where the last one did.
MOVED = {"one": (50, 12), "two": (100, 20), "inner": (100, 20)}


@pytest.mark.parametrize("regions", MOVED)
def test_threads_that_move_are_seen(regions, build, count, monkeypatch):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one processing unit")
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "2,0")
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")
    run = count(build("moved_threads", "g++", "-O2", "-fopenmp"), regions)
    assert [(times.timed, times.same_processor) for times in run.times if times.kind == "region" and times.threads == 2] == [MOVED[regions]]


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_sections_are_those_planned(compiler, build, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "0,1")
    run = count(build("times", compiler, "-O2", "-fopenmp"))
    for kind, expected in printed_by(run).items():
        if kind not in MEETINGS:
            parts = [times for times in run.times if times.kind == kind]
            assert {(times.threads, times.every) for times in parts} == {(0, 1)}
            after = "work_ns" if kind == "chunk" else "held_ns"
            sums = [sum(getattr(times, name) for times in parts) for name in ("timed", "call_ns", after)]
            assert (kind, sums) == (kind, expected)
            # At futexes every other call wakes: it is in the mean, and not in the median.
            waits = sum(sum(times.buckets) for times in parts)
            assert (kind, waits) == (kind, expected[0] // (2 if kind == "futex" else 1))


def test_locks_are_drawn(build, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "0,10")
    run = count(build("times", "g++", "-O2", "-fopenmp"))
    assert {times.every for times in run.times} == {10}
    # 600 calls in each of 11 functions: 60 are expected, and 30 are 4 standard deviations less.
    assert all(30 < times.timed < 90 for times in run.times if times.kind in ("rwlock_read", "rwlock_write", "spin_lock"))
    assert not [times for times in run.times if times.kind in MEETINGS]


def test_nothing_is_timed_unless_asked(build, count):
    assert count(build("times", "g++", "-O2", "-fopenmp")).times == []

@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("every", ["0,0", "1,0"])
def test_nested_regions_have_their_own_values(compiler, every, build, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", every)
    run = count(build("nested_regions", compiler, "-O2", "-fopenmp"))
    # Five times 2 + 4 + ... + 32 threads pass.
    assert run.done.stdout.split() == ["310", "0"]
    assert sum(row.count for row in run.rows if row.kind == "region") == 5 * 31


def test_calls_that_yield_are_timed(build, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "1,1")
    run = count(build("turns", "g++", "-O2", "-fopenmp"), "yields")
    assert sum(times.timed for times in run.times if times.kind == "yield") > 0
