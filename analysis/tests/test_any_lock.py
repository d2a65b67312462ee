"""The lock for who does not know how long it is held, by costs made by hand."""

from tests.made import point, visits
from tests.test_read_mostly import held, printed_text

#: Costs by held time: one lock is the fastest in each situation, and no other one is near in both.
CHANGING = {
    "mutex": {50: 200.0, 500: 2400.0},
    "spin_lock": {50: 100.0, 500: 3000.0},
    "mcs_lock": {50: 120.0, 500: 2000.0},
    "recursive_mutex": {50: 150.0, 500: 2600.0},
}


def held_in(costs, **members):
    return [
        line
        for lock, of in costs.items()
        for section_ns, ns in of.items()
        for line in held(lock, ns, 900, section_ns=section_ns, **members)
    ]


def sentence_of(tmp_path, *lines):
    text = " ".join(printed_text(tmp_path, "locks", *lines).split())
    found = [each for each in text.split(" - ") if "not known how long" in each]
    return found[0] if found else ""


def test_the_lock_that_loses_least_where_it_suits_least_is_named_with_what_it_loses(tmp_path):
    # The fastest of 50 ns takes 1.5 times as long as the fastest of 500.
    assert sentence_of(tmp_path, held_in(CHANGING)) == (
        "2 threads, a CPU each, not known how long a lock is held: take std mcs_lock, at most 1.20 "
        "times as long as the fastest at 50 ns or 500 ns (by 95 % intervals, 5 visits); without own "
        "code std recursive_mutex, at most 1.50 times"
    )


def test_around_one_add_it_may_lose_more(tmp_path):
    def add(op, ns):
        what = point(op, backend="std", lanes=2, type="int32", placement="shared")
        return visits([ns] * 5, what, family="critical")

    shown = sentence_of(
        tmp_path, held_in(CHANGING), add("mcs_lock_add", 240.0), add("lock_add", 80.0)
    )
    assert ", around one add up to 3.00 times;" in shown
    # Nothing of a team of another size.
    of_four = [
        {**line, "point": {**line["point"], "lanes": 4}}
        for line in (*add("mcs_lock_add", 240.0), *add("lock_add", 80.0))
    ]
    assert "around one add" not in sentence_of(tmp_path, held_in(CHANGING), of_four)


def test_none_is_named_that_may_take_twice_as_long_or_of_one_situation(tmp_path):
    apart = {"mutex": {50: 100.0, 500: 2200.0}, "mcs_lock": {50: 220.0, 500: 1000.0}}
    assert not sentence_of(tmp_path, held_in(apart))
    assert not sentence_of(tmp_path, held_in({lock: {50: of[50]} for lock, of in CHANGING.items()}))
    # Nor one that was not measured in each.
    partly = {**CHANGING, "mcs_lock": {50: 120.0}}
    assert "take std mcs_lock" not in sentence_of(tmp_path, held_in(partly))


def test_one_visit_promises_nothing(tmp_path):
    assert not sentence_of(tmp_path, [line for line in held_in(CHANGING) if line["visit"] == 1])
