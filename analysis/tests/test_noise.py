"""Reliability by noise: CPU time of other programs, time that the hypervisor took, and the clock."""

import pytest

from syncmeter_analysis.conclude.reliability import Reliability
from syncmeter_analysis.studies import reliability_of
from syncmeter_analysis.voice.reliability import clock, fixes, reliability_details, reliability_line
from syncmeter_analysis.voice.study import next_line
from tests.made import MACHINE, around, campaign, point, read, visits, write
from tests.test_first_screen import busy


def use(others=0.0, stolen=0.0, programs=(), pus=4, seconds=10.0):
    """The last line of a campaign of which these used so many CPUs."""
    ns = 1e9 * seconds
    cpu_use = {
        "elapsed_ns": ns,
        "allowed_pus": pus,
        "own_ns": 0.8 * ns,
        "used_ns": (0.8 + others) * ns,
        "stolen_ns": stolen * ns,
        "programs": [{"name": name, "cpu_ns": cpus * ns} for name, cpus in programs],
    }
    return {"kind": "end", "reason": "complete", "cpu_use": cpu_use}


def made(tmp_path, end, n_busy=5, hypervisor=True, lines=None):
    machine = {**MACHINE, "hypervisor": hypervisor, "virtualization": "kvm" if hypervisor else ""}
    measured = lines or busy(visits(around(5.0), point()), n_busy)
    return read(write(tmp_path / "f.jsonl", measured, end, first=campaign(machine=machine)))


@pytest.mark.parametrize(
    ("end", "hypervisor", "causes", "says"),
    [
        (
            use(0.97, programs=[("sh", 0.95), ("a", 0.01)]),
            True,
            ["programs"],
            "Stop the other programs (sh, a), which used 0.97 CPUs,",
        ),
        (use(0.02, 0.6), True, ["hypervisor"], "The hypervisor took 0.60 CPUs: measure at another"),
        (use(0.5, 0.5), True, ["programs", "hypervisor"], "The hypervisor took 0.50 CPUs: measure"),
        (use(0.02, 0.01), True, ["neighbours"], "Probably other guests of the host disturb"),
        (use(0.02), False, ["unknown"], "Look for interrupts"),
        (
            use(0.3, 0.01),
            True,
            ["programs", "neighbours"],
            "Stop the other programs, which used 0.30",
        ),
        ({"kind": "end"}, True, [], "No known-cost control was measured"),
    ],
)
def test_the_cause_is_named_with_what_to_do(tmp_path, end, hypervisor, causes, says):
    found = reliability_of(made(tmp_path, end, hypervisor=hypervisor), [])
    assert (found.grade, found.disturbed_share, list(found.causes)) == ("poor", 1.0, causes)
    assert says in reliability_details(found, 300)
    assert reliability_line(found).startswith("Reliability: poor (100 % of samples disturbed)")
    assert len([*fixes(found), *clock(found)]) == len(causes)


def test_a_quiet_machine_says_nothing_of_little_use(tmp_path):
    found = reliability_of(made(tmp_path, use(0.05, 0.01), n_busy=0), [])
    assert (found.grade, found.causes) == ("good", ())
    assert reliability_line(found).startswith("Reliability: good (no sample was disturbed)")


def test_a_load_that_the_rounds_hardly_show_is_no_quiet_machine(tmp_path):
    found = reliability_of(made(tmp_path, use(2.0, programs=[("sh", 2.0)]), n_busy=0), [])
    assert found.grade == "moderate"
    said = "Reliability: moderate (other work used the CPUs)"
    assert reliability_line(found).startswith(said)


def test_few_repetitions_are_the_reason_for_the_grade():
    line = reliability_line(Reliability("moderate", "passed", 0.0, repetitions=3))
    assert line.startswith("Reliability: moderate (only 3 repetitions)")
    noisy = Reliability("poor", "passed", 0.9, repetitions=3)
    assert reliability_line(noisy).startswith("Reliability: poor (90 % of samples disturbed)")
    assert "At least 3 repetitions were measured." in reliability_details(noisy)


def test_runs_of_a_campaign_add_up(tmp_path):
    ends = [use(0.0), use(1.0, programs=[("sh", 0.98)])]
    found = reliability_of(made(tmp_path, ends), [])
    assert (found.others_cpus, found.programs) == (pytest.approx(0.5), ("sh",))


def test_a_last_line_that_cannot_be_is_none(tmp_path):
    end = use()
    end["cpu_use"]["own_ns"] = -1
    c = made(tmp_path, end)
    assert reliability_of(c, []).causes == ()
    assert any("own_ns -1 is not possible" in note for note in c.notes)


def clocked(ghz):
    lines = visits(around(5.0, n=len(ghz)), point())
    for line, rate in zip(lines, ghz, strict=True):
        (estimate,) = line["estimates"]
        cost = estimate["cost_ns"]
        estimate["cost_cycles"] = {name: rate * ns for name, ns in cost.items()}
    return lines


@pytest.mark.parametrize(
    ("ghz", "ends"),
    [
        ([2.0, *[3.0] * 10, 4.0], ()),
        ([*[3.0] * 6, *[3.1] * 6], ()),
        ([*[3.0] * 6, *[3.3] * 6], (3.0, 3.3)),
        ([3.0, 3.3], ()),
    ],
)
def test_a_clock_that_changed_is_named(tmp_path, ghz, ends):
    found = reliability_of(made(tmp_path, use(), lines=clocked(ghz)), [])
    assert found.clock_ghz == pytest.approx(ends)
    says = ["CPU clock: 3.00 to 3.30 GHz."] * bool(ends)
    assert [*fixes(found), *clock(found)] == says


def test_a_campaign_that_lost_most_of_its_rounds_is_noisy(tmp_path):
    """After a clock jump, 14 visits lost most rounds: few rounds are left to be busy."""
    lines = visits(around(5.0, n=15), point())
    for line in lines[:14]:
        line.update(status="noisy", reason="11 of 12 rounds were dropped", rounds_kept=1)
        line["estimates"][0]["rounds"] = 1
    found = reliability_of(made(tmp_path, {"kind": "end"}, lines=lines), [])
    assert (found.grade, found.noisy_share) == ("poor", pytest.approx(14 / 15))
    assert "(93 % of repetitions disturbed)" in reliability_line(found)


def test_samples_without_rounds_have_no_share(tmp_path):
    lines = visits(around(5.0), point())
    for line in lines:
        line["estimates"][0]["rounds"] = 0
    assert made(tmp_path, use(), lines=lines).conduct.busy_share is None


def test_after_a_run_beside_other_programs_the_next_step_is_to_stop_them():
    once = Reliability("poor", "passed", 0.1, repetitions=1, causes=("programs",), others_cpus=1.5)
    line = reliability_line(once)
    assert line.startswith("Reliability: poor (only 1 repetition, busy CPUs)")
    assert next_line([], once).startswith("Next: stop the other programs, then run the same")
    assert "stop" not in next_line([], Reliability("poor", "passed", 0.1, repetitions=1))
