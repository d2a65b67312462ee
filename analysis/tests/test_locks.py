"""The locks of a campaign from costs made by hand: which lock is kept, which is used instead, and
what that depends on. No test looks at prose."""

from collections import Counter

import pytest

from syncmeter_analysis.conclude.conclusion import Grade, Kind
from syncmeter_analysis.conclude.reliability import reliability
from syncmeter_analysis.conclude.studies.locks import conclude
from syncmeter_analysis.record.reader import read_results
from syncmeter_analysis.relate.campaign import campaign_of
from syncmeter_analysis.relate.lock_tables import over_atomic
from syncmeter_analysis.relate.relation import NotComparable, Ratio
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import locks, sections
from tests.made import campaign, point, read, visits, write

STUDY = {"options": {"study": "locks"}}


def lock(backend, op, lanes, **axes):
    order = "unordered"
    if op == "atomic_add":
        order = "seq_cst" if backend == "std" else "relaxed"
    members = {"placement": "shared", "type": "int32", "order": order, "lanes": lanes, **axes}
    return point(op, backend=backend, **members)


def own(backend, op, lanes):
    return lock(backend, op, lanes, placement="strided", stride=1024)


def five(what, ns, fairness=1.0, hop=0.0, part=0.002, **members):
    """Five visits. The machine drifts by 10 % a visit, which cancels; locks part by `part`."""
    sign = -1 if len(what["op"]) % 2 else 1
    costs = [ns * 1.1**n * (1 + sign * part * (-1) ** n) for n in range(1, 6)]
    return visits(
        costs,
        what,
        family="atomic" if what["op"] == "atomic_add" else "critical",
        fairness=fairness,
        slowest_over_fastest=1 / fairness,
        estimate={"hop_ns": hop},
        **members,
    )


def held(op, ns, section_ns=50, think_ns=0, p999_ns=900, lanes=2, backend="std", **members):
    axes = {"lanes": lanes, "order": "unordered", "section_ns": section_ns, "think_ns": think_ns}
    waits = {"count": 1000, "p50_ns": 40, "p999_ns": p999_ns, "longest_ns": 5e6}
    return five(point(f"{op}_held", backend=backend, **axes), ns, lane_waits=waits, **members)


def locks_lines(lanes, hop=0.0):
    lines = []
    for backend, more in (("omp", 1.0), ("std", 1.25)):
        lines += five(lock(backend, "atomic_add", 1), 5.0)
        lines += five(lock(backend, "lock_add", 1), 20.0 * more)
        lines += five(lock(backend, "spin_lock_add", 1), 10.0 * more)
        if lanes == 1:
            continue
        lines += five(lock(backend, "atomic_add", lanes), 40.0, hop=hop)
        lines += five(lock(backend, "lock_add", lanes), 160.0 * more, 0.95, hop)
        lines += five(lock(backend, "spin_lock_add", lanes), 640.0 * more, 0.75, hop)
        lines += five(own(backend, "lock_add", lanes), 21.0 * more, hop=hop)
    return lines


def written(tmp_path, *lines, **members):
    return read(write(tmp_path / "f", *lines, first=campaign(**STUDY, **members)))


def rows_of(tmp_path, *lines):
    return locks.rows(written(tmp_path, *lines))


def concluded(tmp_path, *lines, question="lock", threads=None, api="", **members):
    """Returns the conclusions on this question, number of threads and API."""
    found = conclude(written(tmp_path, *lines, **members))
    return [
        c
        for c in found
        if c.question == question
        and threads in (None, c.situation.threads)
        and (not api or (c.reference and c.reference.backend == api))
    ]


def names(c):
    return [" ".join(s.name) for s in c.subjects]


def name_of(row):
    return f"{row.first.point.backend} {row.op}"


# Around one add


def test_the_fastest_alone_need_not_be_the_fastest_under_contention(tmp_path):
    (table,) = rows_of(tmp_path, locks_lines(4)).tables
    # std's atomic_add has another order, and stands beside omp's.
    assert [name_of(row) for row in table.rows] == [
        "omp atomic_add",
        "omp lock_add",
        "omp spin_lock_add",
        "std atomic_add seq_cst",
        "std lock_add",
        "std spin_lock_add",
    ]
    assert table.most_lanes == 4
    assert table.alone.best.point.op == "spin_lock_add"
    assert table.shared.best.point.op == "lock_add"
    rows = {name_of(row): row for row in table.rows}
    spin = table.shared.over(rows["std spin_lock_add"].on_one[4])
    assert (spin.value, spin.visits) == (pytest.approx(5, rel=0.01), 5)
    assert spin.high < 5.1  # the drift cancels
    of_atomic = {n: over_atomic(rows["std spin_lock_add"], table.rows, n).value for n in (1, 4)}
    assert of_atomic == {1: pytest.approx(2.5, rel=0.01), 4: pytest.approx(20, rel=0.01)}
    assert table.shared.over(table.shared.best) is None
    assert rows["omp lock_add"].own.point.lanes == 4
    assert rows["omp spin_lock_add"].own is None


def test_an_atomic_add_is_used_instead_of_the_readers_lock(tmp_path):
    found = concluded(tmp_path, locks_lines(4), question="atomic_or_lock")
    assert [(c.kind, names(c), c.reference.backend) for c in found] == [
        (Kind.use, ["std atomic"], "std"),
        (Kind.use, ["omp atomic"], "omp"),
    ]
    (of_std, _) = found
    assert of_std.effect.value == pytest.approx(5, rel=0.01)
    assert of_std.grade is Grade.measured


def test_an_atomic_add_that_is_as_fast_is_no_gain(tmp_path):
    lines = [five(lock("std", op, 2), ns) for op, ns in (("lock_add", 40.0), ("atomic_add", 40.2))]
    lines.append(five(lock("std", "shared_mutex_add", 2), 90.0))
    (one,) = concluded(tmp_path, *lines, question="atomic_or_lock")
    assert (one.kind, names(one)) == (Kind.any, ["std lock", "std atomic"])


def test_the_readers_lock_is_kept_if_none_is_shown_to_be_faster(tmp_path):
    near = five(lock("std", "ticket_lock_add", 4), 200.0, part=0.02)
    slower = five(lock("std", "shared_mutex_add", 4), 600.0)
    std = [line for line in locks_lines(4) if line["point"]["backend"] == "std"]
    (one,) = concluded(tmp_path, std, near, slower, threads=4)
    assert (one.kind, names(one)) == (Kind.keep, ["std lock"])
    assert 1 < one.effect.high < 1.1  # what the ticket lock may gain


def test_a_faster_lock_is_used_with_its_gain_over_the_readers_own(tmp_path):
    std = [line for line in locks_lines(4) if line["point"]["backend"] == "std"]
    (one,) = concluded(tmp_path, std, five(lock("posix", "pthread_spin_add", 4), 50.0), threads=4)
    assert (one.kind, names(one)) == (Kind.use, ["posix pthread_spin"])
    assert one.effect.value == pytest.approx(4, rel=0.01)
    assert [c.name for c in one.conditions] == ["cpu_per_thread"]


#: A machine whose host may take CPUs away.
GUEST = {**campaign()["machine"], "hypervisor": True}


def test_a_virtual_machine_uses_a_lock_that_sleeps(tmp_path):
    def of(mutex_ns, spin_ns, *more):
        lines = [
            five(lock("std", "lock_add", 2), mutex_ns),
            five(lock("std", "ticket_lock_add", 2), spin_ns),
            *(five(lock("posix", f"{op}_add", 2), ns) for op, ns in more),
        ]
        (one,) = concluded(tmp_path, *lines, threads=2, machine=GUEST)
        return one

    kept = of(90.0, 40.0)
    assert (kept.kind, names(kept)) == (Kind.keep, ["std lock"])
    reserved = kept.condition("reserved_cpus")
    assert reserved.subject.name == ("std", "ticket_lock")
    assert reserved.value == pytest.approx(90 / 40, rel=0.01)
    assert kept.cost_of(reserved.subject)

    used = of(90.0, 40.0, ("mutex_adaptive", 60.0))
    assert (used.kind, names(used)) == (Kind.use, ["posix mutex_adaptive"])
    assert used.effect.value == pytest.approx(1.5, rel=0.01)
    assert used.condition("reserved_cpus").value == pytest.approx(90 / 40, rel=0.01)

    assert of(40.0, 90.0).condition("reserved_cpus") is None


def test_a_virtual_machine_without_a_lock_that_sleeps_needs_reserved_cpus(tmp_path):
    ops = ("mcs_lock_add", 50.0), ("clh_lock_add", 90.0)
    (one,) = concluded(
        tmp_path, *(five(lock("std", *of[:1], 2), of[1]) for of in ops), machine=GUEST
    )
    assert (one.kind, names(one)) == (Kind.use, ["std mcs_lock"])
    assert [c.name for c in one.conditions] == ["cpu_per_thread", "no_steal", "own_code"]


def test_any_lock_will_do_if_no_difference_is_found_among_most(tmp_path):
    ops = "lock_add", "shared_mutex_add", "ticket_lock_add"
    (one,) = concluded(tmp_path, *(five(lock("std", op, 2), 90.0, part=0.01) for op in ops))
    assert (one.kind, names(one)) == (Kind.any, ["std lock"])


def test_a_lock_that_may_be_much_faster_leaves_it_undecided(tmp_path):
    scattered = five(lock("std", "shared_mutex_add", 2), 60.0, part=0.6)
    (one,) = concluded(tmp_path, five(lock("std", "lock_add", 2), 90.0), scattered)
    assert one.kind is Kind.undecided
    assert names(one) == ["std lock", "std shared_mutex"]
    assert one.effect.high > 1.5


def test_one_repetition_decides_nothing(tmp_path):
    lines = [line for line in locks_lines(4) if line["visit"] == 1]
    for c in concluded(tmp_path, lines):
        assert (c.kind, c.grade) == (Kind.undecided, Grade.unknown)


def test_a_lock_below_what_can_be_resolved_may_be_the_fastest(tmp_path):
    costs = [-20.0, 30.0, 5.0, -10.0, 25.0]
    unknown = visits(costs, lock("omp", "ticket_lock_add", 4), family="critical")
    for c in concluded(tmp_path, locks_lines(4), unknown, threads=4):
        assert c.kind is Kind.undecided
        assert [x.name for x in c.conditions] == ["below_resolution"]


def test_one_of_two_locks_with_a_cost_decides_nothing(tmp_path):
    unresolved = visits([-20.0, 30.0, 500.0], lock("omp", "spin_lock_add", 2), family="critical")
    (one,) = concluded(tmp_path, five(lock("omp", "critical_add", 2), 60.0), unresolved)
    assert one.kind is Kind.undecided


def test_the_mutex_that_two_apis_have_is_one_lock(tmp_path):
    """std::mutex, std::lock_guard and pthread_mutex were three of four to choose among."""
    mutexes = [
        ("std", "critical_add", 100.0),
        ("std", "lock_add", 101.0),
        ("posix", "lock_add", 99.0),
    ]
    lines = [five(lock(*of, 2), ns, part=0.02) for *of, ns in mutexes]
    slow = five(lock("omp", "critical_add", 2), 300.0)
    (of_std,) = concluded(tmp_path, *lines, slow, api="std")
    assert (of_std.kind, of_std.effect.high) == (Kind.keep, 1.0)  # no other lock is near
    (of_omp,) = concluded(tmp_path, *lines, slow, api="omp")
    assert (of_omp.kind, names(of_omp)) == (Kind.use, ["std lock"])


def test_a_default_counts_by_its_fastest_name(tmp_path):
    mutexes = ("std", "lock_add", 130.0), ("posix", "lock_add", 99.0)
    lines = [five(lock(*of, 2), ns) for *of, ns in mutexes]
    slow = five(lock("omp", "critical_add", 2), 300.0)
    (kept,) = concluded(tmp_path, *lines, slow, api="posix")
    assert (kept.kind, names(kept)) == (Kind.keep, ["posix lock"])


def test_a_reader_is_advised_no_lock_of_another_openmp_runtime(tmp_path):
    lines = [
        five(lock("omp", "critical_add", 2), 300.0),
        five(lock("omp", "nest_lock_add", 2), 150.0),
        five(lock("omp-llvm", "lock_hint_uncontended_add", 2), 50.0),
    ]
    (one,) = concluded(tmp_path, *lines, api="omp")
    assert (one.kind, names(one)) == (Kind.use, ["omp nest_lock"])


def test_without_a_default_the_fastest_is_used(tmp_path):
    lines = [
        five(lock("std", op, 2), ns) for op, ns in (("mcs_lock_add", 50.0), ("clh_lock_add", 90.0))
    ]
    (one,) = concluded(tmp_path, *lines)
    assert (one.kind, names(one), one.reference) == (Kind.use, ["std mcs_lock"], None)


def test_an_unfair_lock_has_a_fair_one_with_it(tmp_path):
    def of(fairness, unfair_visits=5, default=0.9):
        lines = [
            five(lock("omp", "spin_lock_add", 2), 100.0, fairness)[:unfair_visits],
            five(lock("omp", "ticket_lock_add", 2), 200.0),
            five(lock("omp", "critical_add", 2), 300.0, default),
        ]
        (one,) = concluded(tmp_path, *lines)
        return one.condition("unfair")

    unfair = of(0.35)
    assert unfair.value == pytest.approx(1 / 0.35)
    assert unfair.subject.name == ("omp", "ticket_lock")
    assert of(0.9) is None
    assert of(0.35, unfair_visits=1) is None
    assert of(0.35, default=0.4) is None  # the default has the same disadvantage


def test_a_fair_lock_replaces_an_unfair_lock_without_a_shown_difference(tmp_path):
    def chosen(fair_ns):
        lines = [
            five(lock("posix", "pthread_spin_add", 2), 100.0, 0.1, part=0.02),
            five(lock("std", "clh_lock_add", 2), fair_ns, part=0.05),
            five(lock("std", "lock_add", 2), 300.0),
        ]
        (one,) = concluded(tmp_path, *lines)
        return names(one)

    assert chosen(102.0) == ["std clh_lock"]
    assert chosen(140.0) == ["posix pthread_spin"]


def test_owner_changes_explain_a_cost_below_that_of_a_line(tmp_path):
    def reason(ns, **members):
        lines = [
            five(lock("std", "lock_add", 2), ns, hop=120.0),
            five(lock("std", "shared_mutex_add", 2), 2000.0, hop=120.0),
        ]
        c = written(tmp_path, *lines)
        for s in c.by_file[0]:
            s.owner_changes = members.get("owner_changes")
        (one,) = [x for x in conclude(c) if x.question == "lock"]
        return one.reason

    found = reason(41.0, owner_changes=0.03)
    assert (found.name, found.value, found.subject.name) == ("same_owner", 0.03, ("std", "lock"))
    assert reason(41.0).name == "few_moves"
    assert reason(900.0, owner_changes=0.03) is None
    assert reason(41.0, owner_changes=0.9) is None


def test_locks_of_one_api_are_not_all_that_a_program_can_have(tmp_path):
    of_omp = [line for line in locks_lines(4) if line["point"]["backend"] == "omp"]
    assert {step for c in concluded(tmp_path, of_omp) for step in c.next} == {"study_locks"}
    assert {step for c in concluded(tmp_path, locks_lines(4)) for step in c.next} == {"advise"}


def test_one_thread_alone_knows_nothing_of_contention(tmp_path):
    (one,) = concluded(tmp_path, locks_lines(1))
    assert one.condition("one_thread")
    (alone,) = concluded(tmp_path, locks_lines(4), threads=1)
    assert alone.condition("one_thread") is None


# Held for a while

#: Costs by held time: one lock is the fastest in each situation, and no other one is near in both.
CHANGING = {
    "mutex": {50: 200.0, 500: 2400.0},
    "spin_lock": {50: 100.0, 500: 3000.0},
    "mcs_lock": {50: 120.0, 500: 2000.0},
    "recursive_mutex": {50: 150.0, 500: 2600.0},
}


def held_in(costs):
    return [
        line
        for op, of in costs.items()
        for section_ns, ns in of.items()
        for line in held(op, ns, section_ns)
    ]


def test_each_situation_has_its_own_lock(tmp_path):
    found = concluded(tmp_path, held_in(CHANGING))
    chosen = {c.situation.held_ns: (c.kind, names(c)) for c in found}
    assert chosen == {50: (Kind.use, ["std spin_lock"]), 500: (Kind.use, ["std mcs_lock"])}


def test_a_lock_with_longer_waits_says_so(tmp_path):
    lines = held("mutex", 100.0, p999_ns=700), held("ticket_lock", 40.0, p999_ns=9000)
    (one,) = concluded(tmp_path, *lines)
    waits = one.condition("longer_waits")
    assert (waits.value, waits.compared) == (9000, 700)
    (one,) = concluded(tmp_path, lines[0], held("ticket_lock", 40.0, p999_ns=700))
    assert one.condition("longer_waits") is None


def test_waits_that_repetitions_do_not_tell_apart_are_not_said(tmp_path):
    """Preemption hit one lock in two repetitions and the other lock in three."""
    lines = held("mutex", 100.0) + held("ticket_lock", 40.0)
    preempted = [n in (0, 1, 7, 8, 9) for n in range(len(lines))]
    for line, slow in zip(lines, preempted, strict=True):
        line["lane_waits"] = {**line["lane_waits"], "p999_ns": 2e7 if slow else 900}
    (one,) = concluded(tmp_path, lines)
    assert one.condition("longer_waits") is None


def test_a_lock_is_not_used_for_a_cost_that_its_work_alone_exceeds(tmp_path):
    lines = (
        held("shared_mutex", 300.0, 500),
        held("mutex", 1200.0, 500),
        held("mcs_lock", 2400.0, 500),
    )
    (one,) = concluded(tmp_path, *lines)
    assert (one.kind, names(one)) == (Kind.keep, ["std mutex"])


def test_of_an_unknown_time_the_reader_keeps_what_is_not_shown_to_lose_more(tmp_path):
    def of(costs):
        found = concluded(tmp_path, held_in(costs), question="lock_unknown")
        return [(c.kind, names(c), round(c.effect.high, 1), c.grade) for c in found]

    # The spinning lock loses less, but is no advice for an unknown time.
    assert of(CHANGING) == [(Kind.use, ["std recursive_mutex"], 1.5, Grade.bound)]
    alike = {**CHANGING, "recursive_mutex": {50: 199.0, 500: 2400.0}}
    assert of(alike) == [(Kind.keep, ["std mutex"], 2.0, Grade.bound)]
    # One situation or repetition is too little.
    assert of({op: {50: costs[50]} for op, costs in CHANGING.items()}) == []
    once = [line for line in held_in(CHANGING) if line["visit"] == 1]
    assert concluded(tmp_path, once, question="lock_unknown") == []


def test_a_lock_that_is_far_slower_is_to_be_avoided(tmp_path):
    def avoided(**costs):
        lines = [five(lock("posix", f"{op}_add", 2), ns) for op, ns in costs.items()]
        found = concluded(tmp_path, *lines, question="slow_lock")
        return [(names(c), round(c.effect.value)) for c in found]

    assert avoided(lock=40.0, mutex_inherit=4000.0, rwlock=90.0) == [(["posix mutex_inherit"], 100)]
    assert avoided(lock=40.0, rwlock=90.0) == []


def test_a_lock_to_use_in_one_situation_is_not_to_be_avoided_in_another(tmp_path):
    lines = [
        *held("mutex", 100.0, 50),
        *held("pthread_spin", 1000.0, 50, backend="posix"),
        *held("mutex", 3000.0, 500),
        *held("pthread_spin", 1100.0, 500, backend="posix"),
    ]
    assert concluded(tmp_path, lines, question="slow_lock") == []


def test_the_reliability_is_the_worst_of_what_is_known(tmp_path):
    c = written(tmp_path, locks_lines(4))
    found = conclude(c)
    assert reliability(c, found).grade == "good"
    assert reliability(c, found, "missed").grade == "moderate"
    assert reliability(c, found, "failed").grade == "poor"
    for busy, grade in {5: "good", 30: "moderate", 50: "poor", 100: "poor"}.items():
        rounds = {(0, 0, True): busy, (0, 0, False): 100 - busy}
        c.conduct.rounds_by_state = Counter(rounds)
        assert reliability(c, found).grade == grade
    once = written(tmp_path, [line for line in locks_lines(4) if line["visit"] == 1])
    assert reliability(once, conclude(once)).grade == "poor"


# The tables of points


def printed_text(tmp_path, *lines):
    (section,) = sections(written(tmp_path, *lines), ["locks"])
    return as_plain(section.title, section.blocks)


def test_what_another_tie_is_faster_than_is_none(tmp_path):
    # Beside the fastest, which scatters, neither is resolved; beside each other they are.
    (table,) = rows_of(
        tmp_path,
        locks_lines(4),
        five(lock("omp", "mcs_lock_add", 4), 87.5, part=0.2),
        five(lock("omp", "ticket_lock_add", 4), 80.0),
        five(lock("omp", "clh_lock_add", 4), 90.0),
    ).tables
    assert table.shared.best.point.op == "mcs_lock_add"
    assert [s.point.op for s in table.shared.leaders] == ["mcs_lock_add", "ticket_lock_add"]


def test_a_lone_lane_is_compared_where_no_pass_saw_both_quiet(tmp_path):
    def quiet_in(op, ns, passes):
        lines = five(lock("omp", op, 1), ns, part=0.0)
        for line in lines:
            line["estimates"][0]["busy"] = line["visit"] not in passes
        return lines

    lines = quiet_in("lock_add", 40.0, (1, 2)) + quiet_in("spin_lock_add", 10.0, (4, 5))
    (table,) = rows_of(tmp_path, lines).tables
    slow = next(row.on_one[1] for row in table.rows if row.op == "lock_add")
    assert isinstance(table.alone.over(slow), Ratio)


def test_lanes_between_have_a_table_of_their_own(tmp_path):
    text = printed_text(tmp_path, locks_lines(4), five(lock("omp", "lock_add", 2), 50.0, 0.91))
    assert "One lock for all threads: ops/s of all, and fairness" in text
    (row,) = [x for x in text.split("1 thread ")[-1].splitlines() if x.startswith("omp      lock")]
    # 2 lanes of 66.55 ns an op each.
    assert "30.1 M 0.910" in row


def test_a_lock_seen_in_another_placement_state_is_not_comparable(tmp_path):
    """Headline costs of different states once made a ticket lock 63.7 times as dear as the fastest."""
    far = five(lock("omp", "ticket_lock_add", 4), 9000.0, hop=235.0)
    (table,) = rows_of(tmp_path, locks_lines(4, hop=65.0), far).tables
    ticket = next(row.on_one[4] for row in table.rows if row.op == "ticket_lock_add")
    assert isinstance(table.shared.over(ticket), NotComparable)
    text = printed_text(tmp_path, locks_lines(4, hop=65.0), far)
    (line,) = [x for x in text.splitlines() if x.startswith("omp      ticket")]
    assert "- (seen in different" in line


def test_of_locks_of_their_own_those_of_the_most_lanes_and_farthest_apart_count(tmp_path):
    near = lock("omp", "lock_add", 4, placement="strided", stride=1)
    few = own("omp", "lock_add", 2)
    (table,) = rows_of(tmp_path, five(near, 90.0), five(few, 19.0), locks_lines(4)).tables
    (row,) = [row for row in table.rows if name_of(row) == "omp lock_add"]
    assert (row.own.point.lanes, row.own.point.stride_bytes) == (4, 4096)


def test_affinities_that_place_alike_are_one_table(tmp_path):
    lines = locks_lines(4)
    same = [
        {
            "kind": "same",
            "point": {**line["point"], "affinity": "smt"},
            "measured_as": line["point"],
            "why": "equal placement",
        }
        for line in lines
    ]
    (table,) = rows_of(tmp_path, lines, same).tables
    assert table.affinities == ["close", "smt"]


def test_a_second_file_changes_nothing_of_the_first(tmp_path):
    first = write(tmp_path / "a", locks_lines(4, hop=235.0))
    other = write(tmp_path / "b", five(lock("omp", "lock_add", 4), 1.0, hop=65.0))
    alone = locks.rows(read(first)).tables
    both = locks.rows(campaign_of([read_results(first), read_results(other)])).tables
    assert [t.source for t in (*alone, *both)] == ["", str(first)]
    assert [t.shared.over_best for t in both] == [t.shared.over_best for t in alone]


def test_of_several_orders_the_relaxed_add_is_laid_beside(tmp_path):
    relaxed = five(lock("std", "atomic_add", 1, order="relaxed"), 2.5)
    (table,) = rows_of(tmp_path, locks_lines(1), relaxed).tables
    rows = {name_of(row): row for row in table.rows}
    assert {"std atomic_add", "std atomic_add seq_cst"} <= rows.keys()
    over = over_atomic(rows["std spin_lock_add"], table.rows, 1)
    assert over.value == pytest.approx(5, rel=0.01)


def test_one_lock_is_no_choice(tmp_path):
    one = [line for line in locks_lines(4) if line["point"]["op"] != "lock_add"]
    one = [line for line in one if line["point"]["backend"] == "omp"]
    assert not rows_of(tmp_path, one)
