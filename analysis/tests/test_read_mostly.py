"""Locks held for a while, and read-mostly data, by costs made by hand: what is fastest, who waits."""

from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import sections
from tests.made import campaign, point, read, visits, write


def printed_text(tmp_path, study, *lines):
    path = write(tmp_path / "f", *lines, first=campaign(options={"study": study}))
    (section,) = sections(read(path), [study])
    return as_plain(section.title, section.blocks, width=200)


def five(what, ns, **members):
    return visits([ns * (1 + 0.002 * (-1) ** n) for n in range(1, 6)], what, **members)


def held(lock, ns, p999_ns, lanes=2, **axes):
    what = point(f"{lock}_held", backend="std", lanes=lanes, order="unordered", **axes)
    waits = {"count": 1000, "p50_ns": 40, "p999_ns": p999_ns, "longest_ns": 5e6}
    return five(what, ns, family="critical", fairness=0.9, lane_waits=waits)


def test_of_held_locks_the_fastest_and_the_longest_waits_are_named(tmp_path):
    text = printed_text(
        tmp_path,
        "locks",
        held("mutex", 100.0, 9000, section_ns=50),
        held("mcs_lock", 200.0, 700, section_ns=50),
        held("mutex", 1000.0, 9000, section_ns=500),
        held("mcs_lock", 1000.0, 700, section_ns=500),
    )
    text = " ".join(text.split())
    start = "- 2 threads, 50 ns under the lock: take std mutex (99.80 ns for 2 sections, "
    assert start in text and "), because std mcs_lock takes 2.00 times as long (" in text
    waits = "the longest of 1000 waits takes 700.0 ns with std mcs_lock, 9000 ns with std mutex"
    assert f"ns under the lock: {waits}" in text
    same = text.split("- 2 threads, 500 ns under the lock")[1]
    assert same.startswith(
        ": keep std mutex (998.0 ns for 2 sections, 998.0 to 1002): std mcs_lock is not shown to be"
    )
    assert "times as long" not in same.split("Locks held")[0]


def test_a_lock_is_not_taken_for_a_cost_that_its_work_alone_exceeds(tmp_path):
    text = printed_text(
        tmp_path,
        "locks",
        held("shared_mutex", 300.0, 700, section_ns=500),
        held("mutex", 1200.0, 700, section_ns=500),
        held("mcs_lock", 2400.0, 700, section_ns=500),
    )
    start = "- 2 threads, 500 ns under the lock: take std mutex (1198 ns for 2 sections, "
    assert start in " ".join(text.split())
    assert "interferes" in text


def test_waits_that_visits_do_not_tell_apart_name_no_lock(tmp_path):
    """In two visits of five a lane of one lock was preempted, in three one of the other's."""
    lines = held("mutex", 100.0, 900, section_ns=50) + held("mcs_lock", 100.0, 900, section_ns=50)
    preempted = [n in (0, 1, 7, 8, 9) for n in range(len(lines))]
    for line, slow in zip(lines, preempted, strict=True):
        line["lane_waits"] = {**line["lane_waits"], "p999_ns": 2e7 if slow else 900}
    text = " ".join(printed_text(tmp_path, "locks", lines).split())
    assert "the longest of 1000 waits: no difference between two locks could be shown" in text
    assert "waits takes" not in text


def datum(scheme, reads, ns, lanes=2):
    axes = {"lanes": lanes, "size": 64, "reads_per_write": reads}
    what = point(f"{scheme}_read_mostly", backend="std", order="unordered", **axes)
    return five(what, ns, family="structure")


def test_the_fastest_scheme_is_told_by_runs_of_ratios(tmp_path):
    lines = []
    for reads, mutex, seqlock in ((1, 50.0, 80.0), (10, 50.0, 20.0), (100, 50.0, 10.0)):
        lines += datum("mutex", reads, mutex) + datum("seqlock", reads, seqlock)
    text = " ".join(printed_text(tmp_path, "read-mostly", lines).split())
    assert (
        "- 2 threads, 64 bytes: at 1 read a write take std mutex, because std seqlock takes "
        in text
    )
    assert "; at 10 and 100 take std seqlock, because std mutex takes 2.50 to 5.00 " in text


def test_of_schemes_without_a_difference_the_one_of_the_api_is_taken(tmp_path):
    lines = datum("mutex", 1, 50.0) + datum("seqlock", 1, 49.0)
    text = " ".join(printed_text(tmp_path, "read-mostly", lines).split())
    assert "at 1 read a write keep std mutex: std seqlock is not shown to be faster" in text


def test_one_scheme_alone_is_no_contest(tmp_path):
    path = write(tmp_path / "f", datum("mutex", 1, 50.0))
    assert sections(read(path), ["read-mostly"]) == []


def test_schemes_that_were_visited_once_are_not_compared(tmp_path):
    once = [datum("mutex", 100, 90.0)[:1], datum("seqlock", 100, 30.0)[:1]]
    text = " ".join(printed_text(tmp_path, "read-mostly", *once).split())
    assert "cannot tell which to take: std seqlock and std mutex were not compared" in text
    assert "undecided" not in text
