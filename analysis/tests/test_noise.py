"""Whose noise it was: by CPU time of other programs, time that the hypervisor took, and the clock."""

import pytest

from syncmeter_analysis.render.recommendations import findings
from syncmeter_analysis.render.trust import how_sure, noise_sentences, verdict_of_machine
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
    ("end", "hypervisor", "whose", "says"),
    [
        (
            use(0.97, programs=[("sh", 0.95), ("a", 0.01)]),
            True,
            "other programs here",
            "4 CPUs (sh 0.95, a 0.01). Stop",
        ),
        (use(0.02, 0.6), True, "the hypervisor", "took 0.60 of 4 CPUs (stolen time)"),
        (
            use(0.5, 0.5),
            True,
            "other programs here and the hypervisor",
            "used 0.50 of its 4 CPUs. Stop",
        ),
        (use(0.02, 0.01), True, "unseen neighbours on the host", "other guests of the host"),
        (use(0.02), False, "a cause that is not known", "Look for interrupts"),
        (
            use(0.3, 0.01),
            True,
            "other programs here and unseen neighbours on the host",
            "Stop them",
        ),
        ({"kind": "end"}, True, "other work", ""),
    ],
)
def test_the_cause_is_named_with_what_to_do(tmp_path, end, hypervisor, whose, says):
    c = made(tmp_path, end, hypervisor=hypervisor)
    assert verdict_of_machine(c)[0].startswith(f"Noisy: {whose} in 100 % of the rounds;")
    shown = noise_sentences(c)
    assert says in " ".join(shown)
    assert bool(shown) == bool(says)
    assert findings(c)[1 : 1 + len(shown)] == shown


def test_a_quiet_machine_says_nothing_of_little_use(tmp_path):
    c = made(tmp_path, use(0.05, 0.01), n_busy=0)
    assert verdict_of_machine(c)[0].startswith("Quiet: no other work seen;")
    assert noise_sentences(c) == []


def test_a_load_that_the_rounds_hardly_show_is_no_quiet_machine(tmp_path):
    c = made(tmp_path, use(1.0, programs=[("sh", 1.0)]), n_busy=0)
    verdict, kind = verdict_of_machine(c)
    expected = (
        "Partly noisy: other programs here used the CPUs, but slowed less than 1 % of the rounds;"
    )
    assert verdict.startswith(expected)
    assert kind == "unclear"


def test_runs_of_a_campaign_add_up(tmp_path):
    ends = [use(0.0), use(1.0, programs=[("sh", 0.98)])]
    c = made(tmp_path, ends)
    assert "used 0.50 of its 4 CPUs (sh 0.49)" in noise_sentences(c)[0]


def test_a_last_line_that_cannot_be_is_none(tmp_path):
    end = use()
    end["cpu_use"]["own_ns"] = -1
    c = made(tmp_path, end)
    assert noise_sentences(c) == []
    assert any("own_ns -1 is not possible" in note for note in c.notes)


def clocked(ghz):
    lines = visits(around(5.0, n=len(ghz)), point())
    for line, clock in zip(lines, ghz, strict=True):
        (estimate,) = line["estimates"]
        cost = estimate["cost_ns"]
        estimate["cost_cycles"] = {name: clock * ns for name, ns in cost.items()}
    return lines


@pytest.mark.parametrize(
    ("ghz", "hypervisor", "says"),
    [
        ([2.0, *[3.0] * 10, 4.0], True, ""),
        ([*[3.0] * 6, *[3.1] * 6], True, ""),
        ([*[3.0] * 6, *[3.3] * 6], True, "between 3.00 and 3.30 GHz in 8 of 10 visits"),
        ([*[3.0] * 6, *[3.3] * 6], False, "with a fixed clock (governor performance, turbo off)."),
        ([3.0, 3.3], True, ""),
    ],
)
def test_a_clock_that_changed_is_named(tmp_path, ghz, hypervisor, says):
    shown = noise_sentences(made(tmp_path, use(), hypervisor=hypervisor, lines=clocked(ghz)))
    assert says in " ".join(shown)
    assert len(shown) == bool(says)


def test_a_campaign_that_lost_most_of_its_rounds_is_noisy(tmp_path):
    """After a clock jump, 14 visits lost most rounds: few rounds are left to be busy."""
    lines = visits(around(5.0, n=15), point())
    for line in lines[:14]:
        line.update(status="noisy", reason="11 of 12 rounds were dropped", rounds_kept=1)
        line["estimates"][0]["rounds"] = 1
    c = made(tmp_path, {"kind": "end"}, lines=lines)
    said, kind = verdict_of_machine(c)
    assert said.startswith("Noisy: most rounds were dropped in 14 of 15 visits;") and kind != "good"
    assert "quiet" not in how_sure(c, False).partition(" (")[0]
