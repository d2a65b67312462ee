"""The tables of locks from costs made by hand: which lock is the fastest, and what is not known."""

import re

import pytest

from syncmeter_analysis.record.reader import read_results
from syncmeter_analysis.relate.campaign import campaign_of
from syncmeter_analysis.relate.relation import NotComparable, Ratio
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import locks, sections
from syncmeter_analysis.studies.lock_tables import over_atomic
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


def five(what, ns, fairness=1.0, hop=0.0, part=0.002):
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
    )


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


def rows_of(tmp_path, *lines):
    return locks.rows(read(write(tmp_path / "f", *lines, first=campaign(**STUDY))))


def printed_text(tmp_path, *lines, first=None):
    path = write(tmp_path / "f", *lines, first=first or campaign(**STUDY))
    (section,) = sections(read(path), ["locks"])
    return as_plain(section.title, section.blocks)


def answer_of(text, beginning):
    (one,) = [line for line in text.split("- ") if line.startswith(beginning)]
    return " ".join(one.split())


def test_the_fastest_alone_need_not_be_the_fastest_under_contention(tmp_path):
    (table,) = rows_of(tmp_path, locks_lines(4)).tables
    # std's atomic_add has another order, and stands beside omp's.
    assert [row.name for row in table.rows] == [
        "omp atomic_add",
        "omp lock_add",
        "omp spin_lock_add",
        "std atomic_add seq_cst",
        "std lock_add",
        "std spin_lock_add",
    ]
    assert table.most_lanes == 4
    assert table.name_of(table.alone.best) == "omp spin_lock"
    assert table.name_of(table.shared.best) == "omp lock"
    rows = {row.name: row for row in table.rows}
    spin = table.shared.over(rows["std spin_lock_add"].on_one[4])
    assert (spin.value, spin.visits) == (pytest.approx(5, rel=0.01), 5)
    assert spin.high < 5.1  # the drift cancels
    of_atomic = {n: over_atomic(rows["std spin_lock_add"], table.rows, n).value for n in (1, 4)}
    assert of_atomic == {1: pytest.approx(2.5, rel=0.01), 4: pytest.approx(20, rel=0.01)}
    assert table.shared.over(table.shared.best) is None
    assert rows["omp lock_add"].own.point.lanes == 4
    assert rows["omp spin_lock_add"].own is None


def test_the_text_says_which_lock_and_how_fair_it_can_be(tmp_path):
    text = printed_text(tmp_path, locks_lines(4))
    assert "One add under each lock: int32, 4 lanes, affinity close" in text
    assert "- 1 thread, one add under the lock: take omp spin_lock (" in text
    assert "one add under the lock: take omp lock (212.5 ns for 4 sections, " in text
    because = ", because std mutex takes 1.25 times as long (95 % sure: within 0.1 %, 5 visits)"
    assert because in " ".join(text.split())
    atomic = (
        r"use an atomic add \(53\.13 ns for 4\), because it needs no lock: omp lock takes 4\.0\d? "
    )
    assert re.search(rf"{atomic}times as long \(95 % sure: ", " ".join(text.split()))
    assert (
        "- 4 threads, one add under the lock: the least fair is omp spin_lock (0.750 by Jain's index"
        in text
    )
    assert "One lock for all lanes:" not in text  # 1 and 4 are in the first table
    assert "no difference" not in text


def test_locks_of_one_api_are_not_all_that_a_program_may_take(tmp_path):
    says = (
        "only locks of omp were measured: `syncmeter run --study locks` compares those of std and "
    )
    of_omp = [line for line in locks_lines(4) if line["point"]["backend"] == "omp"]
    assert f"{says}posix too" in " ".join(printed_text(tmp_path, of_omp).split())
    assert "were measured: `" not in printed_text(tmp_path, locks_lines(4))


def test_locks_between_which_no_difference_could_be_shown_are_named(tmp_path):
    def beside_ticket_lock(part):
        near = five(lock("omp", "ticket_lock_add", 4), 160.0, part=part)
        return printed_text(tmp_path, locks_lines(4), near)

    text = beside_ticket_lock(0.02)
    # One of 20 repeats would decide otherwise.
    assert ": take omp lock (212.5 ns for 4 sections) or omp ticket_lock (" in beside_ticket_lock(
        0.03
    )
    assert (
        "- 4 threads, one add under the lock: keep omp lock (212.5 ns for 4 sections, 175.6 to "
        "257.2): none of 4 others is shown to be faster, at most 1.02 times as long; nearest "
        "shown slower: std mutex (265.7 ns), at least 1.22 times as long (95 % sure, 5 visits)"
        in text
    )


def test_the_mutex_that_two_apis_have_is_one_lock(tmp_path):
    """std::mutex, std::lock_guard and pthread_mutex were three of four to choose among."""
    mutexes = [
        ("std", "critical_add", 100.0),
        ("std", "lock_add", 101.0),
        ("posix", "lock_add", 99.0),
    ]
    lines = [five(lock(*of, 2), ns, part=0.02) for *of, ns in mutexes]
    text = printed_text(tmp_path, *lines, five(lock("omp", "critical_add", 2), 300.0))
    assert answer_of(text, "2 threads, one add under the lock: take").startswith(
        "2 threads, one add under the lock: take std/posix mutex (129.1 to 131.7 ns for 2 sections); "
        "nearest shown slower: omp critical (398.5 ns), at least 2.87 times as long"
    )
    text = " ".join(text.split())
    assert (
        "lock_add of posix and critical_add and lock_add of std are one lock, the mutex of std and "
        "posix." in text
    )
    assert "least fair is std/posix mutex" in text or "every lock is fair" in text
    of_std = " ".join(printed_text(tmp_path, *lines[:2], *locks_lines(2)[:0]).split())
    assert "one add under the lock: take std mutex (" in of_std


def test_what_is_kept_is_none_of_the_others(tmp_path):
    """std::lock_guard was another one beside the mutex that it takes."""
    lines = [
        five(lock("posix", "lock_add", 2), 100.0, part=0.01),
        five(lock("std", "critical_add", 2), 150.0),
        five(lock("std", "ticket_lock_add", 2), 99.5, part=0.01),
    ]
    says = "one add under the lock: keep std/posix mutex ("
    text = " ".join(printed_text(tmp_path, *lines).split())
    assert says in text and "): std ticket_lock is not shown to be faster" in text
    text = " ".join(
        printed_text(tmp_path, *lines, five(lock("omp", "critical_add", 2), 300.0)).split()
    )
    assert says in text and "): none of 2 others is shown to be faster" in text


def test_of_locks_without_a_difference_the_one_of_the_api_is_kept_if_repeats_would_keep_it(
    tmp_path,
):
    of_two = (
        "): omp lock (212.5 ns for 4 sections) takes 2.0 % to 20 % longer (95 % sure, 5 visits)"
    )
    faster = five(lock("omp", "ticket_lock_add", 4), 145.0, part=0.08)
    (table,) = rows_of(tmp_path, locks_lines(4), faster).tables
    assert table.name_of(table.shared.best) == "omp ticket_lock"
    assert table.name_of(table.shared.taken) == "omp lock"
    # 2 % faster, with a scatter of 8 %: a repeat may resolve it.
    text = printed_text(tmp_path, locks_lines(4), faster)
    assert re.search(rf"take omp ticket_lock \([\d.]+ ns{re.escape(of_two)}", text)
    # What is shown to be slower is not kept.
    assert table.alone.taken is table.alone.best


def test_a_lock_is_not_kept_where_nothing_is_known_of_the_scatter(tmp_path):
    faster = five(lock("omp", "ticket_lock_add", 4), 80.0)
    lines = [line for line in locks_lines(4) + faster if line["visit"] == 1]
    (table,) = rows_of(tmp_path, lines).tables
    assert [table.name_of(s) for s in table.shared.leaders[:2]] == ["omp lock", "std mutex"]
    assert table.shared.kept == []


def test_of_several_locks_each_may_be_taken_and_what_is_slower_is_slower_than_each(tmp_path):
    text = printed_text(
        tmp_path,
        locks_lines(4),
        five(lock("omp", "mcs_lock_add", 4), 80.0),
        five(lock("omp", "ticket_lock_add", 4), 80.0, part=0.08),
    )
    one = answer_of(text, "4 threads, a CPU each, one")
    # The wrong one of the two costs what the interval of their ratio leaves, not its middle.
    take = (
        "take omp mcs_lock (106.3 ns for 4 sections) or omp ticket_lock (107.8 ns): undecided which"
    )
    assert f"{take} is faster, as the first takes 0.924 to 1.09 times as long; " in one
    # omp lock: 2.00 times the one, 1.85 to 2.37 times the other.
    assert one.endswith(
        "; nearest shown slower: omp lock (212.5 ns), at least 1.85 times as long (95 % sure, 5 visits)"
    )


def test_that_each_thread_had_a_cpu_is_a_condition_of_locks_that_spin_alone(tmp_path):
    def beginning(best, *members):
        lines = [five(lock("omp", op, 4), ns) for op, ns in ((best, 50.0), ("critical_add", 90.0))]
        for line in [x for each in lines for x in each]:
            line.update(*members)
        text = printed_text(tmp_path, *lines)
        return text.split("- ")[1].partition(": ")[0]

    assert beginning("ticket_lock_add") == "4 threads, a CPU each, one add under the lock"
    assert beginning("lock_add") == "4 threads, one add under the lock"


def test_all_of_four_leaders_are_named_with_costs(tmp_path):
    def leaders():
        ops = "mcs_lock_add", "clh_lock_add", "ticket_lock_add", "ticket_backoff_lock_add"
        lines = [five(lock("omp", op, 4), 60.0 + 2 * i, part=0.1) for i, op in enumerate(ops)]
        text = " ".join(printed_text(tmp_path, locks_lines(4), *lines).split())
        return text.split("a CPU each, one add under the lock: take ")[1].split(" - ")[0]

    of_all = leaders()
    for name in ("omp mcs_lock", "omp clh_lock", "omp ticket_lock", "omp ticket_backoff_lock"):
        assert name in of_all
    # Where costs of their own leave no room for a usual lock, the range of all does.
    of = r" \([\d.]+ to [\d.]+ ns for 4 sections\), up to 1\.\d\d times apart; nearest shown slower: "
    assert re.search(rf"{of}omp lock \(", of_all)


def test_a_tie_by_its_scatter_alone_is_nothing_to_take(tmp_path):
    """Twice as long and not shown to be slower: that is undecided, and no advice."""
    text = printed_text(
        tmp_path,
        locks_lines(4),
        five(lock("omp", "mcs_lock_add", 4), 40.0),
        five(lock("omp", "ticket_lock_add", 4), 100.0, part=0.6),
    )
    one = answer_of(text, "4 threads, a CPU each, one")
    undecided = (
        "undecided which is faster: omp mcs_lock (53.13 ns for 4 sections) or omp ticket_lock ("
    )
    assert undecided in one and "take " not in one
    assert re.search(r", as the first takes 0\.\d+ to 1\.\d+ times as long; ", one)


def test_advice_to_take_an_unfair_lock_says_so(tmp_path):
    def lines(longer):
        return [line | {"slowest_over_fastest": longer} for line in locks_lines(4)]

    unfair = "; unfair: one thread takes 6.30 times as long as another"
    assert unfair in " ".join(printed_text(tmp_path, lines(6.3)).split())
    assert "unfair" not in printed_text(tmp_path, lines(1.3))


def test_what_another_tie_is_faster_than_is_none(tmp_path):
    # Beside the fastest, which scatters, neither is resolved; beside each other they are.
    (table,) = rows_of(
        tmp_path,
        locks_lines(4),
        five(lock("omp", "mcs_lock_add", 4), 87.5, part=0.2),
        five(lock("omp", "ticket_lock_add", 4), 80.0),
        five(lock("omp", "clh_lock_add", 4), 90.0),
    ).tables
    leaders = [table.name_of(s) for s in table.shared.leaders]
    assert table.name_of(table.shared.best) == "omp mcs_lock"
    assert leaders == ["omp mcs_lock", "omp ticket_lock"]


def test_a_reason_is_printed_where_the_figures_hold_it(tmp_path):
    def alone(per_op):
        lines = locks_lines(4)
        for line in lines:
            what = line["point"]
            what["op"] = what["op"].replace("lock_add", "critical_add", what["op"] == "lock_add")
            code = {"xchg_mem": 1.0} if "spin" in what["op"] else per_op
            line["census"] = {"verdict": "declared", "per_op": code}
        return printed_text(tmp_path, lines)

    reason = ", because it is 1 atomic instruction and no call"
    assert reason in alone({"call:lock": 2.0})
    assert reason not in alone({"lock_xadd": 1.0})


def test_of_several_locks_those_that_are_unfair_are_named(tmp_path):
    def unfair(*ops):
        lines = [five(lock("omp", op, 2), 100.0, 0.4, part=0.02) for op in ops]
        slow = five(lock("omp", "critical_add", 2), 300.0)
        return answer_of(printed_text(tmp_path, *lines, slow), "2 threads, a CPU each, one add")

    one = "; unfair: one thread takes 2.50 times as long as another (median of 5 visits)"
    assert one in unfair("spin_lock_add")
    longer = "threads up to 2.50 times apart"
    assert f"; each unfair: {longer}" in unfair("spin_lock_add", "mcs_lock_add")

    lines = five(lock("omp", "spin_lock_add", 2), 100.0, 0.4, part=0.02)
    lines += five(lock("omp", "mcs_lock_add", 2), 100.0, 1.0, part=0.02)
    lines += five(lock("omp", "critical_add", 2), 300.0)
    mixed = answer_of(printed_text(tmp_path, lines), "2 threads, a CPU each, one add")
    assert f"; omp spin_lock unfair: {longer}" in mixed


def test_beside_an_unfair_lock_stands_one_that_gives_each_its_turn(tmp_path):
    def says(fairness, critical=300.0, unfair_visits=5, fair_visits=5):
        lines = [
            five(lock("omp", "spin_lock_add", 2), 100.0, fairness)[:unfair_visits],
            five(lock("omp", "ticket_lock_add", 2), 200.0)[:fair_visits],
            five(lock("omp", "critical_add", 2), critical, 0.4),
        ]
        return " ".join(printed_text(tmp_path, *lines).split())

    instead = (
        r"one add under the lock, where each must get its turn: take omp ticket_lock \(266\.7 ns for 2 "
        r"sections, 95 % sure: [\d.]+ to [\d.]+, 5 visits\)"
    )
    fair = "; one thread takes 1.00 times as long as another "
    assert re.search(f"{instead}, as each faster one is unfair{fair}", says(0.35, 150.0))
    assert re.search(instead, says(0.35))
    assert not re.search(instead, says(0.9))
    for once in (says(0.35, fair_visits=1), says(0.35, unfair_visits=1)):
        assert "spin_lock" in once and "each must get its turn" not in once
    # Right behind the first answer that names one.
    own_code = r"take omp spin_lock \([^-]* - {}: your own code \(see core/ops/\) - "
    assert re.search(own_code.format("spin_lock and ticket_lock"), says(0.35))
    assert re.search(own_code.format("spin_lock"), says(0.9))


def test_a_lock_below_what_can_be_resolved_may_be_the_fastest(tmp_path):
    costs = [-20.0, 30.0, 5.0, -10.0, 25.0]
    unknown = visits(costs, lock("omp", "ticket_lock_add", 4), family="critical")
    text = printed_text(tmp_path, locks_lines(4), unknown)
    assert "cannot tell which lock is the fastest: omp ticket_lock (< " in text
    assert " ns) is too near to nothing to be resolved; of the others take omp lock (212.5 " in text


def test_locks_that_no_thread_suffers_from_are_fair(tmp_path):
    even = [line | {"fairness": 1.0, "slowest_over_fastest": 1.02} for line in locks_lines(4)]
    assert "every lock is fair: no thread takes more than 5 % longer" in printed_text(
        tmp_path, even
    )


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
    assert "One lock for all lanes: ops/s of all of them, and fairness" in text
    (row,) = [x for x in text.split("1 lane ")[-1].splitlines() if x.startswith("omp      lock")]
    # 2 lanes of 66.55 ns an op each.
    assert "30.1 M 0.910" in row


def test_one_lane_alone_knows_nothing_of_contention(tmp_path):
    text = printed_text(tmp_path, locks_lines(1))
    assert "- threads that share a lock: cannot tell: only one thread was measured" in text
    assert "least fair" not in text


def test_a_lock_seen_in_another_placement_state_is_not_comparable(tmp_path):
    """Headline costs of different states once made a ticket lock 63.7 times as dear as the fastest."""
    far = five(lock("omp", "ticket_lock_add", 4), 9000.0, hop=235.0)
    (table,) = rows_of(tmp_path, locks_lines(4, hop=65.0), far).tables
    ticket = next(row.on_one[4] for row in table.rows if row.op == "ticket_lock_add")
    assert isinstance(table.shared.over(ticket), NotComparable)
    text = printed_text(tmp_path, locks_lines(4, hop=65.0), far)
    assert (
        "; omp ticket_lock (seen in different placement states) cannot be compared with it" in text
    )
    (line,) = [x for x in text.splitlines() if x.startswith("omp      ticket")]
    assert "not comparable with the fastest: seen in different" in line


def test_of_locks_of_their_own_those_of_the_most_lanes_and_farthest_apart_count(tmp_path):
    near = lock("omp", "lock_add", 4, placement="strided", stride=1)
    few = own("omp", "lock_add", 2)
    (table,) = rows_of(tmp_path, five(near, 90.0), five(few, 19.0), locks_lines(4)).tables
    (row,) = [row for row in table.rows if row.name == "omp lock_add"]
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
    rows = {row.name: row for row in table.rows}
    assert {"std atomic_add", "std atomic_add seq_cst"} <= rows.keys()
    over = over_atomic(rows["std spin_lock_add"], table.rows, 1)
    assert over.value == pytest.approx(5, rel=0.01)


def test_one_lock_is_no_choice(tmp_path):
    one = [line for line in locks_lines(4) if line["point"]["op"] != "lock_add"]
    one = [line for line in one if line["point"]["backend"] == "omp"]
    assert not rows_of(tmp_path, one)
