"""Waits for a signal, by a clock that the program plans: they are cut at the signal, and the lock is given back meanwhile."""


def test_waits_are_cut_at_the_signal(build, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "0,1")
    run = count(build("conditions"))
    printed = {kind: list(map(int, numbers)) for kind, *numbers in map(str.split, run.done.stdout.splitlines())}
    for kind in ("cond_wait", "signal"):
        parts = [times for times in run.times if times.kind == kind]
        assert [sum(getattr(times, name) for times in parts) for name in ("timed", "until_last_ns", "after_last_ns", "held_ns",
                                                                          "under_lock")] == printed[kind]
    # The condition, which is not its lock.
    condition, lock = ({row.object for row in run.rows if row.kind in kinds and row.object}
                       for kinds in (("cond_wait", "signal"), ("mutex_lock",)))
    assert len(condition) == len(lock) == 1 and condition != lock
    assert {times.object for times in run.times if times.kind in ("cond_wait", "signal")} == condition
    # What is held ends where the wait begins.
    locks = [times for times in run.times if times.kind == "mutex_lock"]
    assert [sum(times.timed for times in locks), sum(times.held_ns for times in locks)] == printed["mutex_lock"]
    # One lock, given back three times in each turn; its owner changes twice, but for a thread that loses its processor
    # before it notes the release.
    (followed, changes), = run.owners[0].values()
    turns = printed["signal"][0]
    assert followed == 3 * turns - 1 and turns / 4 < changes <= 2 * turns


def test_waits_in_vain_are_those_behind_which_the_thread_waits_again(build, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "0,1")
    run = count(build("vain_waits"))
    in_vain = int(run.done.stdout)
    by_condition = {}
    for times in run.times:
        if times.kind in ("cond_wait", "signal"):
            of = by_condition.setdefault(times.object, dict.fromkeys(("waits", "in_vain", "signals", "to_all"), 0))
            of["waits" if times.kind == "cond_wait" else "signals"] += times.timed
            of["in_vain"] += times.in_vain
            of["to_all"] += times.to_all
    woken, late = sorted(by_condition.values(), key=lambda of: of["waits"])
    assert woken == {"waits": 2500, "in_vain": in_vain, "signals": 2500, "to_all": 2500}
    assert in_vain == 2000
    # Waits that end by themselves were not in vain, whomever the signals since their begin were for.
    assert (late["waits"], late["in_vain"], late["to_all"]) == (200_000, 0, 0)


def test_waits_with_a_lock_of_the_conditions_own_are_in_vain_too(build, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "0,1")
    run = count(build("own_lock_waits"))
    printed = [list(map(int, line.split())) for line in run.done.stdout.splitlines()]
    found = {}
    for times in run.times:
        if times.kind == "cond_wait":
            waits = found.setdefault(times.object, [0, 0, 0])
            found[times.object] = [sum(pair) for pair in zip(waits, (times.timed, times.in_vain, times.with_own_lock), strict=True)]
    # By std::condition_variable_any, by it with a token, and by hand under another lock, where that is taken behind each wait.
    # The last wait of each has none behind it.
    assert sorted(found.values()) == sorted(printed)
    assert printed == [[2500, 2000, 2499], [2500, 2000, 2499], [2500, 0, 0]]


def test_no_wait_is_cut_unless_timed(build, count):
    assert count(build("conditions")).times == []
