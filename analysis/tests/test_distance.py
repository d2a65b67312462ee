"""Sentences on threads that meet have how far apart these were where a hypervisor moves
them: in answers, on cards, and beside how sure they are."""

import pytest

from syncmeter_analysis.conclude.studies.locks import conclude
from syncmeter_analysis.studies import reliability_of, sections
from syncmeter_analysis.voice.reliability import reliability_details
from tests.made import MACHINE, around, campaign, point, read, visits, write
from tests.test_first_screen import answers_of

VIRTUAL = {**MACHINE, "hypervisor": True}
near, far = 50.0, 227.0


def of_two(op, cost, hop, **members):
    what = point(op, lanes=2, type="int32", placement="shared")
    return visits(around(cost), what, estimate={"hop_ns": hop}, **members)


def locks(hop):
    return [
        of_two("lock_add", 100.0, hop, family="critical"),
        of_two("critical_add", 300.0, hop, family="critical"),
        of_two("atomic_add", 10.0, hop),
    ]


def answers(tmp_path, *lines, machine=VIRTUAL):
    return answers_of(tmp_path, *lines, machine=machine)


def concluded(tmp_path, *lines, machine=VIRTUAL):
    return conclude(read(write(tmp_path / "f", *lines, first=campaign(machine=machine))))


@pytest.mark.parametrize("hop", [near, far])
def test_a_conclusion_is_of_the_distance_that_was_measured(tmp_path, hop):
    assert {c.situation.hop_ns for c in concluded(tmp_path, *locks(hop))} == {hop}


def test_nothing_moves_threads_of_a_machine_of_their_own(tmp_path):
    found = concluded(tmp_path, *locks(far), machine=MACHINE)
    assert {c.situation.hop_ns for c in found} == {None}
    assert not any("ns apart" in each for each in answers(tmp_path, *locks(far), machine=MACHINE))


def test_where_no_probe_measured_the_distance_it_is_said_that_it_may_not_repeat(tmp_path):
    *_, sure = answers(tmp_path, *locks(0.0))
    assert sure.endswith("How far apart the CPUs are is unknown, and the host may move them.")


def placed(op, near_ns=0.0, far_ns=0.0, few=5):
    """Five visits of two threads in each placement that has a cost, or as few of those near by."""
    lines = of_two(op, near_ns, near, family="critical")[:few] if near_ns else []
    lines += of_two(op, far_ns, far, family="critical") if far_ns else []
    for number, line in enumerate(lines, 1):
        line["visit"] = number
    return lines


def test_what_was_compared_at_other_distances_has_its_own(tmp_path):
    (lock,) = concluded(
        tmp_path,
        placed("spin_lock_add", 10.0, 40.0),
        placed("mcs_lock_add", near_ns=20.0),
        placed("clh_lock_add", far_ns=120.0),
    )
    apart = lock.condition("placements")
    assert (apart.value, apart.compared) == (near, far)
    (spin,) = concluded(tmp_path, placed("spin_lock_add", 10.0), placed("mcs_lock_add", 20.0))
    assert spin.condition("placements") is None


def test_the_reliability_has_each_latency_that_was_met_often(tmp_path):
    def hops(*rounds_and_hops):
        lines = of_two("lock_add", 100.0, near, family="critical")
        for line in lines:
            (one,) = line["estimates"]
            line["estimates"] = [
                {**one, "state": i, "hop_ns": hop, "rounds": rounds}
                for i, (rounds, hop) in enumerate(rounds_and_hops)
            ]
        found = reliability_of(
            read(write(tmp_path / "f", lines, first=campaign(machine=VIRTUAL))), []
        )
        return found.hop_ns, found.hops_ns, reliability_details(found, 300)

    one = "A cache line takes 50 ns between these CPUs; the host may move them."
    several = "A cache line took 50 and 227 ns between these CPUs, because the host moved them."
    for rounds, met, says in (
        ([(10, near)], (), one),
        ([(10, near), (5, far)], (near, far), several),
        ([(100, near), (5, far)], (), one),
    ):
        hop, seen, line = hops(*rounds)
        assert (hop, seen, line.endswith(says)) == (near, met, True), line


@pytest.mark.parametrize(("machine", "apart"), [(VIRTUAL, " 227 ns apart"), (MACHINE, "")])
def test_ways_to_wait_and_processes_hold_at_the_distance_that_was_measured(
    tmp_path, machine, apart
):
    def of_two(op, ns, backend, **axes):
        what = point(op, backend=backend, lanes=2, **axes)
        return visits(around(ns), what, family="barrier", estimate={"hop_ns": far})

    lines = of_two("barrier", 200.0, "std") + of_two("barrier", 800.0, "posix-shared")
    for us in (1, 1000):
        for way, ns in (("active", 200.0), ("passive", 9e4)):
            lines += of_two("barrier_late", ns, "omp", late_us=us, wait=way)
        for way, ns in (("spin", 100.0), ("futex", 2e4)):
            lines += of_two(f"wait_{way}", ns, "posix", late_us=us)
    path = write(tmp_path / "f", *lines, first=campaign(machine=machine))
    found = {s.name: s for s in sections(read(path), ["waiting", "processes"])}
    for section in found.values():
        hops = {c.situation.hop_ns for c in section.conclusions}
        assert hops == {far if apart else None}, section.name
