"""The first screen: the machine, how far to trust the figures, which figure, and which advice."""

import re

import pytest

from syncmeter_analysis.render.build import build
from syncmeter_analysis.render.precision import precision_of
from tests.made import MACHINE, answers_in, around, campaign, point, read, visits, write

near, far = 60.0, 240.0


def report(tmp_path, *lines, **first):
    return build(read(write(tmp_path / "f.jsonl", *lines, first=campaign(**first))))


def answers_of(tmp_path, *lines, **first):
    """The answers of a terminal, and how sure they are."""
    c = read(write(tmp_path / "f.jsonl", *lines, first=campaign(**first)))
    return answers_in(c)


def controls(cost=0.0, op="control_aa"):
    """An A/A control: resolved, and so failed, where it has a cost."""
    interval = {"value": cost, "low": cost - 0.1, "high": cost + 0.1}
    return visits([cost] * 5, point(op), 0, family="control", estimate={"cost_ns": interval})


def busy(lines, n=None):
    for line in lines[:n]:
        line["estimates"][0]["busy"] = True
    return lines


def lock(op, lanes, cost, hop=0.0, family="critical"):
    what = point(op, placement="shared", type="int32", lanes=lanes)
    return visits(around(cost), what, family=family, estimate={"hop_ns": hop})


def updates(lanes=2, factor=1.0):
    return [
        line
        for op, family, alone, shared in (
            ("atomic_add", "atomic", 5.0, 20.0),
            ("lock_add", "critical", 9.0, 80.0),
            ("critical_add", "critical", 10.0, 200.0),
        )
        for n, cost in ((1, alone), (lanes, shared * factor))
        for line in lock(op, n, cost, near if n > 1 else 0.0, family)
    ]


# What was measured


def test_the_facts_name_machine_system_compiler_date_and_version(tmp_path):
    worker = {
        "kind": "worker",
        "worker": "omp",
        "build": {"compiler": "GNU 12.2.0", "id": "b" * 16},
    }
    head = report(tmp_path, worker, visits(around(5.0), point())).head
    assert head.title == "Synchronization on Test CPU"
    assert head.facts == [
        "8 cores, 16 hardware threads (SMT)",
        "Debian GNU/Linux 12",
        "built by GNU 12.2.0",
        "1 January 2026, 00:00 UTC",
        "syncmeter 0.1.0 (0000000)",
        "1 point",
    ]


@pytest.mark.parametrize(
    ("members", "cores"),
    [
        ({"pus": 8, "smt": False}, "8 cores, no SMT"),
        ({"pus": 8, "smt": None}, "8 cores"),
        ({"packages": 2}, "8 cores in 2 packages, 16 hardware threads (SMT)"),
        ({"cores": None}, "16 hardware threads"),
    ],
)
def test_cores_and_smt_are_said_as_far_as_known(tmp_path, members, cores):
    machine = {**MACHINE, **members, "hypervisor": True, "virtualization": "kvm"}
    head = report(tmp_path, visits(around(5.0), point()), machine=machine).head
    assert head.facts[:2] == [cores, "virtual machine (kvm)"]


# How far to trust it


@pytest.mark.parametrize(
    ("n", "grade", "says", "kind"),
    [
        (0, "good", "no sample was disturbed", "good"),
        (1, "moderate", "20 % of samples disturbed", "unclear"),
        (5, "poor", "100 % of samples disturbed", "bad"),
    ],
)
def test_the_verdict_is_of_the_rounds(tmp_path, n, grade, says, kind):
    # The control is of as many rounds, and as busy.
    head = report(tmp_path, busy(visits(around(5.0), point()), n), busy(controls(), n)).head
    assert head.verdict.startswith(f"Reliability: {grade} ({says})")
    assert head.kind == kind


def test_a_few_busy_rounds_leave_a_quiet_machine(tmp_path):
    head = report(tmp_path, busy(visits(around(5.0, n=15), point()), 1), controls()).head
    assert head.verdict.startswith("Reliability: good (5 % of samples disturbed).")
    assert head.kind == "good"


def test_a_point_says_what_it_was_in_another_placement(tmp_path):
    lines = visits(around(20.0), point(lanes=2), estimate={"hop_ns": 60.0})
    far = visits(around(60.0), point(lanes=2), estimate={"hop_ns": 240.0, "state": 1})
    for line, other in zip(lines, far, strict=True):
        line["estimates"] += other["estimates"]
    campaign = read(write(tmp_path / "f", lines))
    (s,) = campaign.points.values()
    near, elsewhere = precision_of(campaign, s)
    assert near.startswith("9 of 10 repeated costs (shared data) land within ")
    assert elsewhere.endswith("latency 240 ns instead of 60 ns) it takes 3.00x as long.")


# How sure the answers are


def how_sure_of(tmp_path, *lines, **first):
    *others, last = answers_of(tmp_path, *lines, **first)
    assert others
    return last


def test_a_noisy_campaign_without_controls_says_so_with_its_answers(tmp_path):
    assert how_sure_of(tmp_path, busy(updates())) == (
        "Reliability: poor (100 % of samples disturbed): trust only ratios above 1.5x. "
        "Details: No known-cost control was measured (--study control). "
        "At least 5 repetitions were measured."
    )


def test_how_far_costs_repeat_is_no_second_figure_beside_those_of_each_answer(tmp_path):
    """ "Within 47 %" of all costs stood beside "up to 13 %" of what was advised."""
    *others, last = answers_of(tmp_path, updates(), controls())
    assert last == (
        "Reliability: good (no sample was disturbed). "
        "Details: Known-cost controls passed. At least 5 repetitions were measured."
    )
    use = [answer for answer in others if "use " in answer]
    assert use
    assert all("95 % CI" in answer for answer in use), use


def test_the_reliability_has_the_latency_in_the_largest_team(tmp_path):
    met = [
        line
        for lanes, hop in ((2, 150.0), (4, 155.0), (16, 122.0))
        for op in ("lock_add", "critical_add")
        for line in lock(op, lanes, 3000.0 * (1 + (op == "critical_add")), hop)
    ]
    machine = {**MACHINE, "hypervisor": True}
    shown = how_sure_of(tmp_path, *met, machine=machine)
    assert "A cache line takes 122 ns between these CPUs; the host may move them." in shown


def test_two_openmp_runtimes_have_their_libraries_where_they_are_named_first(tmp_path):
    def worker(backend, library):
        build = {"compiler": "GNU 12.2.0", "id": "b" * 16}
        about = {"runtime": {backend: {"library": library}}, "build": build}
        return {"kind": "worker", "worker": backend, **about}

    def of(backend, cost):
        what = {"lanes": 2, "type": "int32", "placement": "shared", "backend": backend}
        estimate = {"hop_ns": near}
        return visits(around(cost), point("lock_add", **what), family="critical", estimate=estimate)

    gcc, llvm = worker("omp", "libgomp.so.1.0.0"), worker("omp-llvm", "libomp.so.5")
    both = [gcc, of("omp", 80.0), llvm, of("omp-llvm", 160.0)]
    said = " ".join(answers_of(tmp_path, *both))
    assert "(libgomp)" in said and "(libomp)" in said
    assert not re.search(r"\(libgomp\) \w+ \(libgomp\)", said)


def test_a_control_that_missed_and_a_virtual_machine_stand_with_the_answers(tmp_path):
    machine = {**MACHINE, "hypervisor": True}
    shown = how_sure_of(tmp_path, updates(), controls(cost=5.0), machine=machine)
    assert shown == (
        "Reliability: poor (known-cost control failed): trust no figure. "
        "Details: A known-cost control failed (--study control). At least 5 repetitions were measured. "
        "A cache line takes 60 ns between these CPUs; the host may move them."
    )


def test_ratios_are_unchecked_without_a_control_and_doubtful_beside_a_failed_one(tmp_path):
    lines = visits(around(5.0), point())
    head = report(tmp_path, lines).head
    assert "No known-cost control was measured" in head.verdict
    assert head.kind == "unclear"
    head = report(tmp_path, lines, controls(cost=5.0)).head
    assert "control failed" in head.verdict
    assert head.kind == "bad"
    assert ("controls 0 of 1", "bad", "trust") in [(c.text, c.kind, c.link) for c in head.checks]


def test_the_checks_count_and_link(tmp_path):
    def census(verdict):
        return {"per_op": {"lock_add": 1.0}, "verdict": verdict, "reason": ""}

    head = report(
        tmp_path,
        controls(),
        visits(around(5.0), point(), census=census("proven")),
        visits(around(5.0), point("atomic_sub"), census=census("wrong")),
        visits(around(5.0), point("atomic_max_hold"), census=census("wrong")),
        visits([1.0], point("atomic_cas"), status="failed", reason="x", estimates=[]),
        gpu_notes=["GPU 1 was busy"],
    ).head
    assert {(c.text, c.kind, c.link) for c in head.checks} == {
        ("controls 1 of 1", "good", "trust"),
        ("machine code checked 1 of 3", "unclear", "census"),
        ("machine code wrong at 2", "bad", "census"),
        ("1 point failed", "bad", "trust"),
        ("1 point not resolved", "unclear", "points"),
        ("1 note on the GPU", "unclear", "trust"),
    }
    assert head.kind == "unclear"


def test_an_import_says_that_it_is_one(tmp_path):
    head = report(tmp_path, visits(around(5.0), point()), imported={"from": "a paper"}).head
    assert head.verdict.startswith("Reliability: unknown (imported figures")
    assert "imported: a paper" in head.facts


# The first figure


def figure(tmp_path, *lines):
    return report(tmp_path, *lines).head.figures


def drawn(found):
    return found.panels[0].drawing.rows


def test_one_figure_levels_then_that_of_a_study(tmp_path):
    barriers = [
        visits(around(100.0 * n), point("barrier", lanes=n), family="barrier") for n in (1, 2)
    ]
    assert [f.id for f in figure(tmp_path, updates(), *barriers)] == ["locks"]
    gpu = [
        visits(
            [cost], point(op, backend="cuda", lanes=32, affinity="none"), device=0, family=family
        )
        for op, cost, family in (("barrier", 7.0, "barrier"), ("shuffle_idx", 12.0, "warp"))
    ]
    (levels,) = figure(tmp_path, *gpu)
    assert levels.title == "Levels of synchronization (cuda)"
    assert [f.id for f in figure(tmp_path, updates(), *gpu, *barriers)] == ["axis"]
    # Of ways of a warp that take as long the one that the answer names.
    warp = [
        visits([cost], point(op, backend="cuda", lanes=32, affinity="none", size=n), device=0)
        for op, cost, n in (("coalesced_sync", 0.504, 2), ("warp_sync_partial", 0.505, 0))
    ]
    (levels,) = figure(tmp_path, *gpu, *warp)
    assert drawn(levels)[0]["row"] == "warp, barrier: warp_sync_partial"


def test_a_figure_of_the_first_screen_is_drawn_once(tmp_path):
    lines = [
        visits(around(100.0 * n), point("barrier", lanes=n), family="barrier") for n in (1, 2, 4)
    ]
    found = report(tmp_path, *lines)
    assert [f.id for f in found.head.figures] == ["barrier-1"]
    ids = [f.id for f in found.figures]
    assert len(ids) == len(set(ids))
